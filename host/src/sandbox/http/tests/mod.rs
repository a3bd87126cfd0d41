//! Requests as a guest makes them, to servers of the tests' own on loopback.

mod bounds;
mod headers;
mod reach;
mod secrets;
mod tls;

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks as _};

use std::pin::Pin;

use http::HeaderMap;

use super::bounds::{LEAST_CONNECT, Times};
use super::*;
use crate::capability::http::HttpRule;
use crate::policy::HttpGrant;

/// A server that answers each connection with the same bytes, and remembers what it was sent.
struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a server does once it has read a request's headers and the body they announce.
#[derive(Clone)]
enum Reply {
    /// Write these and close.
    Bytes(Vec<u8>),
    /// Write these, and nothing more.
    Stall(Vec<u8>),
}

impl Server {
    async fn start(reply: impl Into<Reply>) -> Self {
        let reply = reply.into();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            let mut open = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                log.lock().unwrap().push(request);
                match &reply {
                    Reply::Bytes(bytes) => {
                        // The client may have seen enough before all is written.
                        let _ = stream.write_all(bytes).await;
                        let _ = stream.shutdown().await;
                    }
                    Reply::Stall(bytes) => {
                        let _ = stream.write_all(bytes).await;
                        open.push(stream);
                    }
                }
            }
        });
        Self { address, seen, task }
    }

    fn port(&self) -> u16 {
        self.address.port()
    }

    fn requests(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port())
    }

    /// The grant of all of it.
    fn grant(&self) -> String {
        format!("{} GET,HEAD,POST 127.0.0.1", self.url("/"))
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Self::Bytes(text.as_bytes().to_vec())
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self::Bytes(text.into_bytes())
    }
}

/// Headers and body of one request: as much body as `content-length` says, or up to the last chunk.
async fn read_request(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let whole = match length {
                Some(length) => body.len() >= length.parse().unwrap(),
                None => !head.contains("chunked") || body.ends_with("0\r\n\r\n"),
            };
            if whole {
                return text;
            }
        }
        let mut more = [0; 4_096];
        match stream.read(&mut more).await {
            Ok(0) | Err(_) => return text,
            Ok(read) => bytes.extend_from_slice(&more[..read]),
        }
    }
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// An answer whose body comes in these chunks, each a frame of its own.
fn chunked<'a>(headers: &str, chunks: impl IntoIterator<Item = &'a str>) -> String {
    let mut answer = format!("HTTP/1.1 200 OK\r\n{headers}transfer-encoding: chunked\r\n\r\n");
    for chunk in chunks {
        answer.push_str(&format!("{:x}\r\n{chunk}\r\n", chunk.len()));
    }
    answer + "0\r\n\r\n"
}

/// Answers from a list, in order, the last one for ever; counts the questions.
struct Names {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl Names {
    fn answer(answers: &[&[&str]]) -> Arc<Self> {
        let answers = answers.iter().map(|one| one.iter().map(|text| text.parse().unwrap()).collect()).collect();
        Arc::new(Self { answers, asked: AtomicUsize::new(0) })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Resolve for Names {
    /// With a port of its own, which is nobody's business.
    fn resolve<'a>(&'a self, _: &'a str, _: u16) -> Resolved<'a> {
        let turn = self.asked.fetch_add(1, Ordering::Relaxed).min(self.answers.len() - 1);
        let answer = self.answers[turn].iter().map(|ip| SocketAddr::new(*ip, 9)).collect();
        Box::pin(std::future::ready(Ok(answer)))
    }
}

/// A call with these grants, of a component that asks for any host.
struct Call {
    context: HttpContext,
    decisions: Decisions,
}

struct Setup {
    asked: Vec<Option<HttpRule>>,
    granted: Vec<HttpGrant>,
    secrets: Vec<LoadedSecret>,
    resolver: Arc<dyn Resolve>,
    roots: TlsRoots,
    bounds: HttpBounds,
}

impl Setup {
    fn new(granted: &[&str]) -> Self {
        let granted = granted.iter().map(|text| text.parse().unwrap_or_else(|error| panic!("{error}"))).collect();
        Self {
            asked: vec![None],
            granted,
            secrets: Vec::new(),
            resolver: Names::answer(&[&["127.0.0.1"]]),
            roots: TlsRoots::of_the_web().unwrap(),
            bounds: HttpBounds::STANDARD,
        }
    }

    fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
        self
    }

    fn bounds(mut self, change: impl FnOnce(&mut HttpBounds)) -> Self {
        change(&mut self.bounds);
        self
    }

    fn call(self) -> Call {
        let Self { asked, granted, secrets, resolver, roots, bounds } = self;
        let access = Arc::new(HttpAccess::new(asked.iter().map(Option::as_ref), granted));
        let decisions = Decisions::of("test");
        let network = Network::new(resolver, roots);
        let context = HttpContext::bounded(access, secrets.into(), network, decisions.clone(), bounds);
        Call { context, decisions }
    }
}

/// A response, read to its end.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Result<String, Error>,
    trailers: Option<HeaderMap>,
}

fn get(url: &str) -> http::request::Builder {
    Request::builder().method("GET").uri(url)
}

fn empty() -> WasiBody {
    body("")
}

fn body(text: &str) -> WasiBody {
    Full::new(Bytes::from(text.to_owned())).map_err(|never| match never {}).boxed_unsync()
}

impl Call {
    /// Start a request, as `outgoing-handler.handle` does.
    fn start(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
    ) -> Pin<Box<dyn Future<Output = Sent> + Send>> {
        Box::into_pin(self.context.send_request(request, options, Box::new(async { Ok(()) })))
    }

    async fn send(&mut self, request: Request<WasiBody>) -> Result<Answer, Error> {
        let (response, connection) = self.start(request, None).await?;
        let connection = wasmtime_wasi::runtime::spawn(Box::into_pin(connection));
        let answer = read(response).await;
        drop(connection);
        Ok(answer)
    }

    async fn get(&mut self, url: &str) -> Result<Answer, Error> {
        self.send(get(url).body(empty()).unwrap()).await
    }

    fn denial(&mut self) -> Option<String> {
        self.context.take_denial().map(|denied| denied.to_string())
    }

    /// Each as `allowed` or `denied`, the request and the rule.
    fn decided(&self) -> Vec<(bool, String, String)> {
        let (kept, _) = self.decisions.take();
        kept.into_iter().map(|decision| (decision.allowed, decision.target, decision.rule)).collect()
    }
}

async fn read(response: Response<WasiBody>) -> Answer {
    let (parts, mut incoming) = response.into_parts();
    let (mut bytes, mut trailers) = (Vec::new(), None);
    let ended = loop {
        match incoming.frame().await {
            None => break Ok(()),
            Some(Err(error)) => break Err(error),
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => bytes.extend_from_slice(&data),
                Err(frame) => trailers = frame.into_trailers().ok(),
            },
        }
    };
    let body = ended.map(|()| String::from_utf8(bytes).unwrap());
    Answer { status: parts.status.as_u16(), headers: parts.headers, body, trailers }
}

/// What a guest sees of a request, in a word.
fn word(answer: &Result<Answer, Error>) -> String {
    match answer {
        Ok(Answer { status, body: Ok(_), .. }) => status.to_string(),
        Ok(Answer { body: Err(error), .. }) => format!("body: {error:?}"),
        Err(error) => format!("{error:?}"),
    }
}

/// Polls once.
async fn is_pending(future: &mut Pin<Box<dyn Future<Output = Sent> + Send>>) -> bool {
    std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_pending())).await
}

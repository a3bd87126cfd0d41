//! A server over streamable HTTP: one request each for what is asked, over a connection of its own.
//!
//! Sources: <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports> and
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports>.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use url::Host;

use super::super::message::{self, MAX_BYTES};
use super::super::mirror::header_text;
use super::address::HttpServer;
use super::sse::Events;
use super::wire::{Answer, Ask, Broken, Era, Heard, MODERN, cancelled, heard, quoted, too_long};

/// For the names, the connection and the handshake of TLS.
const DIAL: Duration = Duration::from_secs(10);
/// For what nobody waits for.
const TELL: Duration = Duration::from_secs(5);
/// Of the body of an answer that is an error.
const ERROR_BYTES: usize = 64 << 10;
/// Of one stream of events, all together: sixteen messages of the greatest length.
const STREAM_BYTES: usize = 64 << 20;
/// Of a session's name, which goes into every request.
const SESSION_BYTES: usize = 1 << 10;

const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
const VERSION: &str = "mcp-protocol-version";
const SESSION: &str = "mcp-session-id";

/// A server that is asked. There is nothing to keep open but, in the older revisions, a session.
pub(super) struct Channel(Arc<Inner>);

struct Inner {
    server: HttpServer,
    /// What the handshake came to.
    version: Option<&'static str>,
    session: Mutex<Option<HeaderValue>>,
    /// The server knows the session no more.
    gone: AtomicBool,
    last_id: AtomicU64,
}

impl Channel {
    pub(super) fn new(server: HttpServer) -> Self {
        let (session, gone, last_id) = (Mutex::default(), AtomicBool::new(false), AtomicU64::new(0));
        Self(Arc::new(Inner { server, version: None, session, gone, last_id }))
    }

    pub(super) fn speaking(self, version: &'static str) -> Self {
        let session = Mutex::new(self.0.session());
        let last_id = AtomicU64::new(self.0.last_id.load(Ordering::Relaxed));
        let (server, gone) = (self.0.server.clone(), AtomicBool::new(false));
        Self(Arc::new(Inner { server, version: Some(version), session, gone, last_id }))
    }

    pub(super) fn is_gone(&self) -> bool {
        self.0.gone.load(Ordering::Relaxed)
    }

    pub(super) async fn ask(&self, mut ask: Ask) -> Result<Answer, Broken> {
        let id = self.0.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let mut headers = HeaderMap::new();
        if ask.era == Era::Modern {
            headers = std::mem::take(&mut ask.mirrored);
            headers.insert(METHOD, HeaderValue::from_static(ask.method));
            headers.insert(VERSION, HeaderValue::from_static(MODERN));
            if let Some(name) = ask.params.get("name").and_then(Value::as_str) {
                headers.insert(NAME, header_text(name));
            }
        }
        // A stream that is closed says in the newest revision that nobody waits; before, a message does.
        let mut asked = Asked { inner: &self.0, id, tell: ask.era != Era::Modern && ask.method == "tools/call" };
        let answer = self.0.exchange(&ask, id, headers).await;
        asked.tell = false;
        answer
    }

    pub(super) async fn tell(&self, message: Value) -> Result<(), Broken> {
        self.0.post(&message, HeaderMap::new()).await.map(drop)
    }
}

struct Asked<'a> {
    inner: &'a Arc<Inner>,
    id: u64,
    tell: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if self.tell {
            let (inner, message) = (self.inner.clone(), cancelled(self.id));
            tokio::spawn(async move {
                // A server that does not hear is not told.
                let _ = tokio::time::timeout(TELL, inner.post(&message, HeaderMap::new())).await;
            });
        }
    }
}

impl Inner {
    fn session(&self) -> Option<HeaderValue> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn exchange(&self, ask: &Ask, id: u64, headers: HeaderMap) -> Result<Answer, Broken> {
        let (response, _connection) = self.post(&ask.message(id), headers).await?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND && self.session().is_some() {
            self.gone.store(true, Ordering::Relaxed);
            return Err(Broken::Gone("it knows the session no more".to_owned()));
        }
        if status.is_redirection() {
            return Err(Broken::Gone(format!("it answers {status}; redirects are not followed")));
        }
        if status.is_server_error() {
            return Err(Broken::Gone(format!("it answers {status}")));
        }
        if !status.is_success() {
            return refused(response, id).await;
        }
        if ask.method == "initialize"
            && let Some(session) = response.headers().get(SESSION).filter(|session| session.len() <= SESSION_BYTES)
        {
            *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session.clone());
        }
        match kind(response.headers()) {
            "application/json" => {
                let body = Limited::new(response.into_body(), MAX_BYTES).collect().await;
                let body = body.map_err(|error| match error.is::<http_body_util::LengthLimitError>() {
                    true => too_long(),
                    false => Broken::Gone(format!("its answer broke off: {error}")),
                })?;
                match hear(&body.to_bytes(), id, ask)? {
                    Some(answer) => Ok(answer),
                    None => Err(Broken::Malformed("the server answers something else".to_owned())),
                }
            }
            "text/event-stream" => events(response.into_body(), id, ask).await,
            _ => Err(Broken::Malformed("the server answers neither JSON nor events".to_owned())),
        }
    }

    /// One request. The connection lasts as long as what is returned.
    async fn post(&self, message: &Value, mut headers: HeaderMap) -> Result<(Response<Incoming>, JoinSet<()>), Broken> {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if let Some(version) = self.version {
            headers.insert(VERSION, HeaderValue::from_static(version));
        }
        headers.extend(self.session().map(|session| (http::HeaderName::from_static(SESSION), session)));
        headers.extend(self.server.authorization.clone().map(|value| (AUTHORIZATION, value)));
        let url = &self.server.url;
        let gone = |what: &str, error: &dyn std::fmt::Display| Broken::Gone(format!("{what}: {error}"));
        let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
        headers.insert(HOST, HeaderValue::from_str(host).map_err(|error| gone("its name", &error))?);
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        let mut request = Request::post(path)
            .body(Full::new(Bytes::from(message.to_string())))
            .map_err(|error| gone("its path", &error))?;
        *request.headers_mut() = headers;
        let stream = tokio::time::timeout(DIAL, self.dial()).await;
        let stream = stream.map_err(|_| Broken::Gone(format!("no connection within {} s", DIAL.as_secs())))??;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|error| gone("HTTP", &error))?;
        let mut task = JoinSet::new();
        task.spawn(async move {
            // How it ended is seen at the answer.
            let _ = connection.await;
        });
        let response = sender.send_request(request).await.map_err(|error| gone("no answer", &error))?;
        Ok((response, task))
    }

    async fn dial(&self) -> Result<Box<dyn Stream>, Broken> {
        let url = &self.server.url;
        let no = |error: &dyn std::fmt::Display| Broken::Gone(format!("it cannot be reached: {error}"));
        let port = url.port_or_known_default().unwrap_or(443);
        let stream = match url.host() {
            Some(Host::Ipv4(address)) => TcpStream::connect((address, port)).await,
            Some(Host::Ipv6(address)) => TcpStream::connect((address, port)).await,
            Some(Host::Domain(name)) => TcpStream::connect((name, port)).await,
            None => return Err(no(&"no host")),
        };
        let stream = stream.map_err(|error| no(&error))?;
        let _ = stream.set_nodelay(true);
        if url.scheme() == "http" {
            // What `localhost` is, the system's resolver says.
            let local = stream.peer_addr().map(|peer| is_local(peer.ip()));
            return match local {
                Ok(true) => Ok(Box::new(stream)),
                _ => Err(no(&"localhost is another machine")),
            };
        }
        let name = match url.host() {
            Some(Host::Domain(name)) => ServerName::try_from(name.to_owned()).map_err(|error| no(&error))?,
            Some(Host::Ipv4(address)) => ServerName::from(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => ServerName::from(IpAddr::V6(address)),
            None => return Err(no(&"no host")),
        };
        let stream = TlsConnector::from(self.server.tls.clone()).connect(name, stream).await;
        Ok(Box::new(stream.map_err(|error| no(&error))?))
    }
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

fn is_local(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

fn kind(headers: &HeaderMap) -> &str {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim()
}

/// An answer that is no success: an error of the protocol where it says so, else one that has its status for a code.
async fn refused(response: Response<Incoming>, id: u64) -> Result<Answer, Broken> {
    let status = response.status();
    let body = Limited::new(response.into_body(), ERROR_BYTES).collect().await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    if let Ok(json) = message::json(&body)
        && json.value().get("error").is_some()
        && let Heard::Answer(_, answer) = heard(&with_id(json.value(), id))
    {
        return Ok(answer);
    }
    let words = quoted(String::from_utf8_lossy(&body).trim());
    let message = if words.is_empty() { status.to_string() } else { format!("{status}: {words}") };
    Ok(Answer::Error { code: status.as_u16().into(), message })
}

/// An error that came before the request was read has no id, or null.
fn with_id(message: &Value, id: u64) -> Value {
    let mut message = message.clone();
    if let Some(members) = message.as_object_mut() {
        members.insert("id".to_owned(), id.into());
        members.shift_remove("method");
    }
    message
}

/// Takes one message: the answer, if it is that.
fn hear(text: &[u8], id: u64, ask: &Ask) -> Result<Option<Answer>, Broken> {
    let json = message::json(text)
        .map_err(|error| Broken::Malformed(format!("the server's answer cannot be used: {error}")))?;
    match heard(json.value()) {
        Heard::Answer(other, answer) if other == id => return Ok(Some(answer)),
        Heard::Progress(token, progress) if token == id => {
            if let Some(sink) = &ask.progress {
                sink(progress);
            }
        }
        // A request of the server would be answered with a refusal: it may as well wait.
        _ => {}
    }
    Ok(None)
}

/// Reads events until one is the answer.
async fn events(mut body: Incoming, id: u64, ask: &Ask) -> Result<Answer, Broken> {
    let (mut events, mut read) = (Events::default(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Broken::Gone(format!("its answer broke off: {error}")))?;
        let Ok(piece) = frame.into_data() else { continue };
        read += piece.len();
        if read > STREAM_BYTES {
            return Err(Broken::Malformed(format!("the server sent {STREAM_BYTES} bytes and no answer")));
        }
        for event in events.read(&piece).map_err(|_| too_long())? {
            if let Some(answer) = hear(&event, id, ask)? {
                return Ok(answer);
            }
        }
    }
    Err(Broken::Gone("its answer ended without a result".to_owned()))
}

//! The same server over HTTP, as a `tower` service and behind a listener of its own.
//!
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports>.

mod sessions;
mod token;

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Body;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::Server;
use super::message::{self, MAX_BYTES, Malformed};
use sessions::Sessions;
pub use token::{Token, TokenError};

/// The one path that is served.
pub const PATH: &str = "/mcp";

/// From the first byte of a request to the last of its body. A client that sends one byte a minute is not served.
const BODY_TIME: Duration = Duration::from_secs(30);
/// From when a connection is ready for a request until its headers are there: how long an idle connection stays, too.
const HEADER_TIME: Duration = Duration::from_secs(30);
/// All headers of a request together.
const HEADER_BYTES: usize = 32 << 10;
/// Headers of a request.
const HEADERS: usize = 100;
/// Connections at once: half of the 1,024 files that a process may have open where nobody raised the limit.
const CONNECTIONS: usize = 512;
/// How long calls that run when the server is told to stop have to end.
const GRACE: Duration = Duration::from_secs(5);

/// Who may talk to the server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Access {
    /// The values of `Host` that are answered, with or without a port: all others may be a web page that had its name
    /// point here (DNS rebinding).
    pub hosts: Vec<String>,
    /// The web origins (`https://app.example.com`) that may call from a browser. Programs send none.
    pub origins: Vec<String>,
    /// What every request has to carry as `Authorization: Bearer …`.
    pub token: Option<Token>,
}

impl Access {
    /// Programs of this machine, and no web page but one that this very address would serve.
    pub fn local_at(port: u16) -> Self {
        let own = |host: &str| format!("http://{host}:{port}");
        Self { origins: ["localhost", "127.0.0.1", "[::1]"].map(own).to_vec(), ..Self::local() }
    }

    /// Programs of this machine, and no web page.
    pub fn local() -> Self {
        Self { hosts: ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec(), origins: Vec::new(), token: None }
    }
}

/// The server as a `tower` service: mount it at [`PATH`]. Cheap to clone.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    protocol: StreamableHttpService<Server, Sessions>,
    token: Option<Token>,
    /// Without ports, in small letters.
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Inner {
    /// Whether the protocol's own checks of these headers may come out well. They are narrower: this one knows no ports.
    fn may_be_heard(&self, headers: &HeaderMap) -> bool {
        let text =
            |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default().to_ascii_lowercase());
        let json = text(CONTENT_TYPE).is_some_and(|kind| kind.trim_start().starts_with("application/json"));
        let host = text(HOST).is_none_or(|host| self.hosts.iter().any(|known| known == name_of(&host)));
        let origin = text(ORIGIN).is_none_or(|origin| {
            let name = origin.split_once("://").map_or(&*origin, |(_, host)| name_of(host));
            self.origins.iter().any(|known| known == name)
        });
        json && host && origin
    }
}

/// A host's name, without its port and without the brackets of an address.
fn name_of(host: &str) -> &str {
    let name = match host.rsplit_once(':') {
        // An address of version 6 without brackets has no port.
        Some((name, _)) if name.ends_with(']') || !name.contains(':') => name,
        _ => host,
    };
    name.trim_start_matches('[').trim_end_matches(']')
}

type Answer = Response<BoxBody<Bytes, Infallible>>;

impl Service {
    /// Serve over HTTP until the token is cancelled, which ends every stream.
    pub fn new(server: Server, access: Access, cancel: CancellationToken) -> Self {
        let name = |text: &String| {
            let text = text.to_ascii_lowercase();
            name_of(text.split_once("://").map_or(&*text, |(_, host)| host)).to_owned()
        };
        let hosts = access.hosts.iter().map(name).collect();
        let origins = access.origins.iter().map(name).collect();
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(access.hosts)
            .with_allowed_origins(access.origins)
            .enforce_origin_validation()
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BYTES)
            .with_cancellation_token(cancel);
        let protocol = StreamableHttpService::new(move || Ok(server.for_another()), Arc::default(), config);
        Self(Arc::new(Inner { protocol, token: access.token, hosts, origins }))
    }

    /// Answer one request.
    pub async fn answer<B>(&self, request: Request<B>) -> Answer
    where
        B: Body + Send + 'static,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        if let Some(token) = &self.0.token
            && !token.is_in(request.headers().get(AUTHORIZATION))
        {
            let mut answer = plain(StatusCode::UNAUTHORIZED, "send the token as `Authorization: Bearer …`");
            answer.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
            return answer;
        }
        // Nothing of a body is read for whom the protocol turns away: a web page may send one without being asked.
        if request.method() != Method::POST || !self.0.may_be_heard(request.headers()) {
            return self.0.protocol.handle(request.map(|_| Full::<Bytes>::default())).await;
        }
        let (parts, body) = request.into_parts();
        let body = match tokio::time::timeout(BODY_TIME, Limited::new(body, MAX_BYTES).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                return refused(StatusCode::PAYLOAD_TOO_LARGE, message::too_long());
            }
            Ok(Err(_)) => return plain(StatusCode::BAD_REQUEST, "the body did not arrive whole"),
            Err(_) => return plain(StatusCode::REQUEST_TIMEOUT, "the body took too long"),
        };
        // What two readers would understand differently, the protocol's implementation never sees.
        match message::check(&body) {
            Ok(()) => self.0.protocol.handle(Request::from_parts(parts, Full::new(body))).await,
            Err(malformed) => refused(StatusCode::BAD_REQUEST, malformed),
        }
    }
}

fn plain(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}

fn refused(status: StatusCode, Malformed { id, error }: Malformed) -> Answer {
    let text = serde_json::to_vec(&ServerJsonRpcMessage::error(*error, id)).unwrap_or_default();
    let mut answer = Response::new(Full::new(Bytes::from(text)).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    answer
}

impl<B> tower_service::Service<Request<B>> for Service
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Answer, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.answer(request).await) })
    }
}

/// Serve a listener with this service at [`PATH`], until the token is cancelled; then what runs has five seconds to end.
/// The service's own token is best cancelled after this returns.
pub async fn serve(listener: TcpListener, service: Service, cancel: CancellationToken) {
    let mut connections = JoinSet::new();
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            () = cancel.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        while connections.try_join_next().is_some() {}
        match (accepted, free.clone().try_acquire_owned()) {
            (Ok((stream, _)), Ok(permit)) => {
                let (service, cancel) = (service.clone(), cancel.clone());
                connections.spawn(async move {
                    connection(stream, service, cancel).await;
                    drop(permit);
                });
            }
            (Ok((stream, _)), Err(_)) => busy(&stream),
            // No file is left, or the client went before it was accepted: neither is for ever.
            (Err(error), _) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(GRACE, ended).await;
}

/// One answer that fits into what a socket takes at once, and no wait for anybody.
fn busy(stream: &TcpStream) {
    let _ = stream.try_write(
        b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    );
}

async fn connection(stream: TcpStream, service: Service, cancel: CancellationToken) {
    // An answer is one write: nothing is gained by waiting for more.
    let _ = stream.set_nodelay(true);
    let serving = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(HEADER_BYTES)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(AtPath(service)));
    let mut serving = std::pin::pin!(serving);
    // A client that breaks off or breaks the rules ends its own connection.
    tokio::select! {
        _ = serving.as_mut() => return,
        () = cancel.cancelled() => serving.as_mut().graceful_shutdown(),
    }
    let _ = serving.await;
}

/// Nothing but [`PATH`].
#[derive(Clone)]
struct AtPath(Service);

impl tower_service::Service<Request<hyper::body::Incoming>> for AtPath {
    type Response = Answer;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Answer, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<hyper::body::Incoming>) -> Self::Future {
        if request.uri().path() == PATH {
            return self.0.call(request);
        }
        Box::pin(std::future::ready(Ok(plain(StatusCode::NOT_FOUND, "the server is at /mcp"))))
    }
}

/// Make a listener.
///
/// # Errors
/// The address is taken, or not one of this machine.
pub async fn listen(address: std::net::SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_known_with_and_without_its_port() {
        let check = |host: &str, name: &str| assert_eq!(name_of(host), name, "{host}");
        check("localhost", "localhost");
        check("localhost:8000", "localhost");
        check("[::1]:8000", "::1");
        check("[::1]", "::1");
        check("::1", "::1");
        check("127.0.0.1.evil.example:80", "127.0.0.1.evil.example");
    }
}

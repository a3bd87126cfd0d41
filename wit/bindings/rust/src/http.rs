//! Requests over HTTP, where the operator grants them. A part of `wasi:http`; the whole is in [`wasi::http`](crate::wasi::http).
//!
//! [`Context::fetch`] is a method of the context, so only `execute` can. Secrets are the host's: ask for one by name in the
//! manifest, make the request without it, and the host adds it where the operator said so.

use std::borrow::Cow;

use crate::bindings::http::wasi::http::outgoing_handler::handle;
use crate::bindings::http::wasi::http::types::{
    ErrorCode, Fields, IncomingResponse, Method, OutgoingBody, OutgoingRequest, Scheme, http_error_code,
};
use crate::bindings::http::wasi::io::streams::StreamError;
use crate::{Code, Context, ToolError};

/// 1 MiB: what is kept of an answer where nothing else is said.
const BODY_BYTES: u64 = 1 << 20;

/// What is read at once.
const READ_BYTES: u64 = 64 << 10;

/// What an output stream of WASI takes at once.
const WRITE_BYTES: usize = 4096;

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    method: &'static str,
    url: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Option<Vec<u8>>,
    body_limit: u64,
}

impl Request {
    /// A request with this method, in capital letters, to a URL of `http` or `https`.
    pub fn new(method: &'static str, url: impl Into<String>) -> Self {
        Self { method, url: url.into(), headers: Vec::new(), body: None, body_limit: BODY_BYTES }
    }

    /// `GET`.
    pub fn get(url: impl Into<String>) -> Self {
        Self::new("GET", url)
    }

    /// `POST`, with a body; say what it is with [`header`](Self::header).
    pub fn post(url: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        Self::new("POST", url).body(body)
    }

    /// One header more. The host sets `Host` and what belongs to the connection.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// What is sent.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// The most bytes to keep of the answer's body; without it 1 MiB. What comes after is not read.
    #[must_use]
    pub const fn body_limit(mut self, bytes: u64) -> Self {
        self.body_limit = bytes;
        self
    }
}

/// What came back. A status of 400 or more is an answer too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// 100 to 599.
    pub status: u16,
    /// As they came, names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The first bytes of the body, as they came: nothing is decompressed.
    pub body: Vec<u8>,
    /// Whether there was more of the body than the request's limit.
    pub truncated: bool,
}

impl Response {
    /// The first header of this name, in lower case, as text.
    pub fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        let (_, value) = self.headers.iter().find(|(header, _)| header == name)?;
        Some(String::from_utf8_lossy(value))
    }

    /// The body as text; what is no UTF-8 becomes U+FFFD.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}

/// Why there is no answer. The texts are for models and people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpError {
    /// No grant allows the request, or it leads to an address that none may. The operator reads which grant would.
    Denied(String),
    /// There is no such host.
    NotFound(String),
    /// It may work later.
    Unavailable(String),
    /// The request is none.
    Invalid(String),
    /// Everything else.
    Failed(String),
}

impl From<HttpError> for ToolError {
    fn from(error: HttpError) -> Self {
        const CODE: Code = Code::new("HTTP");
        match error {
            HttpError::Denied(text) => Self::Denied(text),
            HttpError::NotFound(text) => Self::NotFound(text),
            HttpError::Unavailable(text) => Self::Unavailable(text),
            HttpError::Invalid(text) => Self::InvalidArgs(text),
            HttpError::Failed(text) => Self::failed(CODE, text),
        }
    }
}

impl Context {
    /// Make a request and read its answer. Redirects are answers: each is a request of its own.
    ///
    /// # Errors
    ///
    /// No grant allows it, the request is none, or nothing came back that is an answer.
    pub fn fetch(&self, request: &Request) -> Result<Response, HttpError> {
        let (scheme, authority, path) = parts(&request.url)?;
        let invalid = |what: &str| HttpError::Invalid(format!("{}: {what}", request.url));
        let headers = Fields::from_list(&request.headers).map_err(|_| invalid("a header that a tool may not set"))?;
        let outgoing = OutgoingRequest::new(headers);
        outgoing
            .set_method(&method(request.method))
            .and_then(|()| outgoing.set_scheme(Some(&scheme)))
            .and_then(|()| outgoing.set_authority(Some(authority)))
            .and_then(|()| outgoing.set_path_with_query(Some(&path)))
            .map_err(|()| invalid("no method, host and path that a request can have"))?;
        // The request is gone once it is sent; its body is not.
        let body = request.body.as_ref().map(|bytes| (outgoing.body().ok(), bytes));
        let pending = handle(outgoing, None).map_err(error)?;
        if let Some((Some(body), bytes)) = body {
            send(body, bytes)?;
        }
        pending.subscribe().block();
        let gone = || HttpError::Failed("the host gave no answer".to_owned());
        let answer = pending.get().ok_or_else(gone)?.map_err(|()| gone())?.map_err(error)?;
        receive(&answer, request.body_limit)
    }
}

/// Scheme, host and port, and the rest without a fragment, which is never sent.
fn parts(url: &str) -> Result<(Scheme, &str, Cow<'_, str>), HttpError> {
    let invalid = |what: &str| HttpError::Invalid(format!("{url}: {what}"));
    let (scheme, rest) = url.split_once("://").ok_or_else(|| invalid("write http:// or https:// before the host"))?;
    let scheme = match scheme {
        _ if scheme.eq_ignore_ascii_case("https") => Scheme::Https,
        _ if scheme.eq_ignore_ascii_case("http") => Scheme::Http,
        _ => return Err(invalid("only http and https can be requested")),
    };
    let rest = rest.split('#').next().unwrap_or(rest);
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    if authority.is_empty() || authority.contains('@') {
        return Err(invalid("write a host, and no user before it"));
    }
    let path = if path.starts_with('/') { Cow::Borrowed(path) } else { Cow::Owned(format!("/{path}")) };
    Ok((scheme, authority, path))
}

fn method(name: &str) -> Method {
    match name {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "DELETE" => Method::Delete,
        "OPTIONS" => Method::Options,
        "PATCH" => Method::Patch,
        other => Method::Other(other.to_owned()),
    }
}

fn send(body: OutgoingBody, bytes: &[u8]) -> Result<(), HttpError> {
    let broken = |_| HttpError::Unavailable("the connection broke off".to_owned());
    // The stream is a child of the body, and has to go first.
    {
        let stream = body.write().map_err(|()| HttpError::Failed("the host takes no body".to_owned()))?;
        for part in bytes.chunks(WRITE_BYTES) {
            stream.blocking_write_and_flush(part).map_err(broken)?;
        }
    }
    OutgoingBody::finish(body, None).map_err(error)
}

fn receive(answer: &IncomingResponse, limit: u64) -> Result<Response, HttpError> {
    let headers =
        answer.headers().entries().into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
    let unread = || HttpError::Failed("the host gave no body to read".to_owned());
    let body = answer.consume().map_err(|()| unread())?;
    let stream = body.stream().map_err(|()| unread())?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut kept = Vec::new();
    // One byte more says that there is more.
    while kept.len() <= limit {
        match stream.blocking_read(READ_BYTES) {
            Ok(part) => kept.extend(part),
            Err(StreamError::Closed) => break,
            Err(StreamError::LastOperationFailed(why)) => {
                let text = why.to_debug_string();
                return Err(http_error_code(&why).map_or(HttpError::Unavailable(text), error));
            }
        }
    }
    let truncated = kept.len() > limit;
    kept.truncate(limit);
    Ok(Response { status: answer.status(), headers, body: kept, truncated })
}

fn error(code: ErrorCode) -> HttpError {
    let (unavailable, failed) =
        (|why: &str| HttpError::Unavailable(why.into()), |why: &str| HttpError::Failed(why.into()));
    match code {
        ErrorCode::HttpRequestDenied => HttpError::Denied("the operator does not allow this request".into()),
        ErrorCode::DestinationIpProhibited => {
            HttpError::Denied("the host's address is one that no tool may reach".into())
        }
        ErrorCode::DnsError(_) | ErrorCode::DestinationNotFound => HttpError::NotFound("there is no such host".into()),
        ErrorCode::DnsTimeout => unavailable("looking up the host took too long"),
        ErrorCode::ConnectionTimeout => unavailable("connecting took too long"),
        ErrorCode::ConnectionReadTimeout | ErrorCode::HttpResponseTimeout => unavailable("the server took too long"),
        ErrorCode::ConnectionRefused => unavailable("the server refuses connections"),
        ErrorCode::ConnectionTerminated | ErrorCode::HttpResponseIncomplete => unavailable("the connection broke off"),
        ErrorCode::TlsCertificateError => failed("the server's certificate is not one to trust"),
        ErrorCode::HttpResponseBodySize(_) => failed("the answer is larger than the host lets through"),
        ErrorCode::HttpResponseHeaderSectionSize(_) => failed("the headers are larger than the host lets through"),
        ErrorCode::HttpProtocolError => failed("what the server says is not HTTP"),
        other => HttpError::Unavailable(format!("{other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_comes_apart() {
        let taken = |url: &str| {
            parts(url).map(|(scheme, host, path)| (matches!(scheme, Scheme::Https), host.to_owned(), path.into_owned()))
        };
        for (url, https, host, path) in [
            ("https://example.com", true, "example.com", "/"),
            ("HTTP://example.com:8080/a/b?c#d", false, "example.com:8080", "/a/b?c"),
            ("https://[::1]/", true, "[::1]", "/"),
            ("https://example.com?q=1", true, "example.com", "/?q=1"),
        ] {
            assert_eq!(taken(url), Ok((https, host.to_owned(), path.to_owned())), "{url}");
        }
        for bad in ["", "example.com", "ftp://example.com/", "https:///x", "https://me:secret@example.com/"] {
            assert!(matches!(taken(bad), Err(HttpError::Invalid(_))), "{bad}");
        }
    }

    #[test]
    fn an_error_is_the_tools() {
        assert_eq!(
            ToolError::from(error(ErrorCode::HttpRequestDenied)),
            ToolError::denied("the operator does not allow this request")
        );
        assert!(matches!(ToolError::from(error(ErrorCode::DnsTimeout)), ToolError::Unavailable(_)));
        assert!(matches!(ToolError::from(error(ErrorCode::DestinationNotFound)), ToolError::NotFound(_)));
        assert!(matches!(ToolError::from(error(ErrorCode::HttpProtocolError)), ToolError::Failed(_)));
    }

    #[test]
    fn an_answer_is_read_by_name() {
        let headers = vec![("content-type".to_owned(), b"text/plain".to_vec())];
        let answer = Response { status: 200, headers, body: b"caf\xc3\xa9 \xff".to_vec(), truncated: false };
        assert_eq!(answer.header("content-type").as_deref(), Some("text/plain"));
        assert_eq!(answer.header("etag"), None);
        assert_eq!(answer.text(), "café \u{fffd}");
    }
}

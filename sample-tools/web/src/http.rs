//! The world outside, over `wasi:http`. Native tests never come here.

use fumehood_tool::wasi::http::outgoing_handler::handle;
use fumehood_tool::wasi::http::streams::StreamError;
use fumehood_tool::wasi::http::types::{ErrorCode, Fields, IncomingResponse, OutgoingRequest, Scheme, http_error_code};
use url::Url;

use crate::outside::{BODY_BYTES, Outside, Response, Trouble};

/// What the host lets through.
pub struct Host;

/// How much is read at once.
const PART_BYTES: u64 = 64 << 10;

impl Outside for Host {
    fn get(&self, url: &Url, accept: &str) -> Result<Response, Trouble> {
        let headers = [
            ("user-agent", concat!("fumehood-web/", env!("CARGO_PKG_VERSION"))),
            ("accept", accept),
            // There is nothing here to unpack anything with.
            ("accept-encoding", "identity"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()));
        let headers = Fields::from_list(&headers).expect("these are headers that a guest may set");
        let request = OutgoingRequest::new(headers);
        let scheme = if url.scheme() == "https" { Scheme::Https } else { Scheme::Http };
        let set = request
            .set_scheme(Some(&scheme))
            .and_then(|()| request.set_authority(Some(url.authority())))
            .and_then(|()| request.set_path_with_query(Some(&url[url::Position::BeforePath..])));
        set.map_err(|()| Trouble::Failed("the host cannot read that URL".into()))?;

        let sent = handle(request, None).map_err(trouble)?;
        sent.subscribe().block();
        let response = sent.get().expect("it is there: we waited").expect("it was not taken before");
        receive(response.map_err(trouble)?)
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

fn receive(response: IncomingResponse) -> Result<Response, Trouble> {
    let headers = response.headers();
    // Latin-1 where it is not ASCII (RFC 9110, section 5.5): to be read as what it is not, but never to fail.
    let header = |name: &str| headers.get(name).into_iter().next().map(|value| String::from_utf8_lossy(&value).into());
    let coding: Option<String> = header("content-encoding");
    if let Some(coding) = coding.filter(|coding| !coding.eq_ignore_ascii_case("identity")) {
        return Err(Trouble::Failed(format!("the server packs it as {coding:?} without being asked to")));
    }
    let (content_type, location) = (header("content-type"), header("location"));

    let body = response.consume().expect("it was not consumed before");
    let stream = body.stream().expect("it was not taken before");
    let mut kept = Vec::new();
    // One byte more says that there is more.
    while kept.len() <= BODY_BYTES {
        match stream.blocking_read(PART_BYTES) {
            Ok(part) => kept.extend(part),
            Err(StreamError::Closed) => break,
            Err(StreamError::LastOperationFailed(error)) => {
                return Err(
                    http_error_code(&error).map_or_else(|| Trouble::Unavailable(error.to_debug_string()), trouble)
                );
            }
        }
    }
    let truncated = kept.len() > BODY_BYTES;
    kept.truncate(BODY_BYTES);
    Ok(Response { status: response.status(), content_type, location, body: kept, truncated })
}

fn trouble(code: ErrorCode) -> Trouble {
    let (unavailable, failed) = (|why: &str| Trouble::Unavailable(why.into()), |why: &str| Trouble::Failed(why.into()));
    match code {
        ErrorCode::HttpRequestDenied | ErrorCode::DestinationIpProhibited => Trouble::Denied,
        ErrorCode::DnsError(_) | ErrorCode::DestinationNotFound => Trouble::Unknown,
        ErrorCode::DnsTimeout => unavailable("looking up its host took too long"),
        ErrorCode::ConnectionTimeout => unavailable("connecting took too long"),
        ErrorCode::ConnectionReadTimeout | ErrorCode::HttpResponseTimeout => unavailable("the server took too long"),
        ErrorCode::ConnectionRefused => unavailable("the server refuses connections"),
        ErrorCode::ConnectionTerminated | ErrorCode::HttpResponseIncomplete => unavailable("the connection broke off"),
        ErrorCode::TlsCertificateError => failed("its certificate is not one to trust"),
        ErrorCode::HttpResponseBodySize(_) => failed("the answer is larger than the host lets through"),
        ErrorCode::HttpResponseHeaderSectionSize(_) => failed("its headers are larger than the host lets through"),
        ErrorCode::HttpProtocolError => failed("what the server says is not HTTP"),
        other => Trouble::Unavailable(format!("{other:?}")),
    }
}

//! The world outside, as the context of a call reaches it. Native tests never come here.

use fumehood_tool::Context;
use fumehood_tool::http::{HttpError, Request};
use url::Url;

use crate::outside::{BODY_BYTES, Outside, Response};

/// What the host lets through.
pub struct Host<'a>(pub &'a Context);

impl Outside for Host<'_> {
    fn get(&self, url: &Url, accept: &str) -> Result<Response, HttpError> {
        let request = Request::get(url.as_str())
            .header("user-agent", concat!("fumehood-web/", env!("CARGO_PKG_VERSION")))
            .header("accept", accept)
            // There is nothing here to unpack anything with.
            .header("accept-encoding", "identity")
            .body_limit(BODY_BYTES as u64);
        let answer = self.0.fetch(&request)?;
        // Latin-1 where it is not ASCII (RFC 9110, section 5.5): to be read as what it is not, but never to fail.
        let header = |name: &str| answer.header(name).map(String::from);
        if let Some(coding) = header("content-encoding").filter(|coding| !coding.eq_ignore_ascii_case("identity")) {
            return Err(HttpError::Failed(format!("the server packs it as {coding:?} without being asked to")));
        }
        let (content_type, location) = (header("content-type"), header("location"));
        Ok(Response { status: answer.status, content_type, location, truncated: answer.truncated, body: answer.body })
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

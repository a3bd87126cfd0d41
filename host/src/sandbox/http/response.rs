//! A server's answer: checked, and rid of secrets.

use std::sync::Arc;

use http::header::{CONTENT_ENCODING, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use wasmtime_wasi_http::{Error, WasiBody};

use super::Shared;
use super::body::ResponseBody;
use super::request::Plan;
use super::scrub::Needles;

impl Shared {
    pub(super) fn receive(&self, plan: &Plan, response: Response<Incoming>) -> Result<Response<WasiBody>, Error> {
        let (mut parts, body) = response.into_parts();
        if parts.status == StatusCode::SWITCHING_PROTOCOLS {
            return Err(Error::HttpUpgradeFailed);
        }
        let coding = |value: &HeaderValue| value.to_str().ok().map(|text| text.chars().take(64).collect());
        // Of transfer codings chunked alone is undone; another would hide the body's bytes.
        if let Some(value) = parts.headers.get_all(TRANSFER_ENCODING).iter().find(|value| !is(value, "chunked")) {
            return Err(Error::HttpResponseTransferCoding(coding(value)));
        }
        let secrets: Vec<_> = plan.secrets.iter().map(|(at, _)| &self.secrets[*at]).collect();
        if !secrets.is_empty()
            && let Some(value) = parts.headers.get_all(CONTENT_ENCODING).iter().find(|value| !is(value, "identity"))
        {
            return Err(Error::HttpResponseContentCoding(coding(value)));
        }
        for secret in &secrets {
            mask_headers(&mut parts.headers, secret.needles());
        }
        let body = ResponseBody::new(body, self.bounds.response_body_bytes, plan.times.between_bytes, &secrets)?;
        let mut clean = Response::new(body.boxed_unsync());
        *clean.status_mut() = parts.status;
        *clean.headers_mut() = parts.headers;
        Ok(clean)
    }
}

fn is(value: &HeaderValue, word: &str) -> bool {
    value.to_str().is_ok_and(|text| text.trim().eq_ignore_ascii_case(word))
}

/// Overwrite a secret's forms in the values of headers; a header whose name holds one goes.
pub(super) fn mask_headers(headers: &mut HeaderMap, needles: &Arc<Needles>) {
    let named: Vec<HeaderName> = headers.keys().filter(|name| needles.name_holds_one(name.as_str())).cloned().collect();
    for name in named {
        headers.remove(name);
    }
    for value in headers.values_mut() {
        let mut bytes = value.as_bytes().to_vec();
        if needles.mask(&mut bytes)
            && let Ok(masked) = HeaderValue::from_bytes(&bytes)
        {
            *value = masked;
        }
    }
}

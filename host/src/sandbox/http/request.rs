//! A guest's request: read, decided about, and made into what is sent.

use std::time::Duration;

use http::header::{ACCEPT_ENCODING, CONTENT_LENGTH, HOST, IF_RANGE, RANGE};
use http::{HeaderMap, HeaderName, HeaderValue, Request};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

use super::Shared;
use super::body::RequestBody;
use super::bounds::{LEAST_CONNECT, Times};
use crate::capability::http::{Target, is_reserved, plain_name};
use crate::policy::http::{HttpAllowed, HttpDenied};

/// A request that was decided about.
pub(super) struct Plan {
    pub(super) target: Target,
    pub(super) method: String,
    pub(super) allowed: HttpAllowed,
    /// Which of the secrets go along, each by which rule.
    pub(super) secrets: Vec<(usize, String)>,
    pub(super) times: Times,
}

impl Shared {
    /// Decide about a request, and make of it what is sent.
    pub(super) fn plan(
        &self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
    ) -> Result<(Plan, Request<RequestBody>), Error> {
        let (parts, body) = request.into_parts();
        let method = parts.method.as_str().to_owned();
        let uri = &parts.uri;
        let part = |part: Option<&str>| part.unwrap_or_default().to_owned();
        let authority = part(uri.authority().map(http::uri::Authority::as_str));
        let path = part(uri.path_and_query().map(http::uri::PathAndQuery::as_str));
        let target = Target::parse(uri.scheme_str().unwrap_or_default(), &authority, &path);
        let target = target.map_err(|error| self.deny(&method, HttpDenied::Target(error)))?;
        let name = format!("{method} {target}");
        let allowed = self.access.decide(&target, &method).map_err(|denied| self.deny(&name, denied))?;
        let mut headers = self.headers(parts.headers)?;
        let secrets = self.add_secrets(&name, &target, &method, &mut headers)?;
        headers.insert(HOST, HeaderValue::from_str(&target.authority()).map_err(|_| Error::HttpRequestUriInvalid)?);
        let declared = match headers.get(CONTENT_LENGTH).map(|length| length.to_str().map(str::parse)) {
            Some(Ok(Ok(length))) if length > self.bounds.request_body_bytes => {
                return Err(Error::HttpRequestBodySize(Some(length)));
            }
            Some(Ok(Ok(length))) => Some(length),
            Some(_) => return Err(Error::HttpProtocolError),
            None => None,
        };
        let mut request = Request::new(RequestBody::new(body, self.bounds.request_body_bytes, declared));
        *request.method_mut() = parts.method;
        *request.uri_mut() = target.path_and_query().parse().map_err(|_| Error::HttpRequestUriInvalid)?;
        *request.headers_mut() = headers;
        let own = self.bounds.times;
        let shorter = |theirs: Option<Duration>, own: Duration| theirs.map_or(own, |theirs| theirs.min(own));
        let options = options.unwrap_or_default();
        let times = Times {
            connect: shorter(options.connect_timeout.map(|theirs| theirs.max(LEAST_CONNECT)), own.connect),
            first_byte: shorter(options.first_byte_timeout, own.first_byte),
            between_bytes: shorter(options.between_bytes_timeout, own.between_bytes),
        };
        Ok((Plan { target, method, allowed, secrets, times }, request))
    }

    /// The guest's headers, counted. Reserved ones cannot be in there; if they were, they would end here.
    fn headers(&self, headers: HeaderMap) -> Result<HeaderMap, Error> {
        let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
        if headers.len() > self.bounds.request_headers || bytes > self.bounds.request_header_bytes {
            return Err(Error::HttpRequestHeaderSectionSize(u32::try_from(bytes).ok()));
        }
        if headers.keys().any(|name| is_reserved(name.as_str())) || headers.get_all(CONTENT_LENGTH).iter().count() > 1 {
            return Err(Error::HttpProtocolError);
        }
        Ok(headers)
    }

    /// Put the secrets in that this request carries.
    fn add_secrets(
        &self,
        request: &str,
        target: &Target,
        method: &str,
        headers: &mut HeaderMap,
    ) -> Result<Vec<(usize, String)>, Error> {
        let mut added: Vec<(usize, String)> = Vec::new();
        for (at, secret) in self.secrets.iter().enumerate() {
            let Some(rule) = secret.rule_for(target, method) else { continue };
            let deny = |what| {
                let secret = secret.name().to_owned();
                self.deny(request, HttpDenied::Secret { request: request.to_owned(), secret, what })
            };
            if added.iter().any(|(other, _)| self.secrets[*other].header() == secret.header()) {
                return Err(deny("another one goes into the same header; narrow one of the two grants"));
            }
            // In parts, an echo of the secret could be put together again.
            if headers.contains_key(RANGE) || headers.contains_key(IF_RANGE) {
                return Err(deny("a request for a part of the answer is not sent"));
            }
            let same = plain_name(secret.header().as_str());
            let own: Vec<HeaderName> =
                headers.keys().filter(|name| plain_name(name.as_str()) == same).cloned().collect();
            for name in own {
                headers.remove(name);
            }
            headers.insert(secret.header().clone(), secret.value().clone());
            // What is compressed cannot be looked through.
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            added.push((at, rule));
        }
        Ok(added)
    }
}

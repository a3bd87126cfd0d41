//! All that the tools can reach, and how a redirect is followed: as a request of its own, which the host checks like
//! any other.

use fumehood_tool::http::HttpError;
use fumehood_tool::{Code, ToolError};
use url::Url;

/// The world outside of a call.
pub trait Outside {
    /// One GET request. Redirects are answers.
    fn get(&self, url: &Url, accept: &str) -> Result<Response, HttpError>;
    /// An environment variable, where it is granted.
    fn variable(&self, name: &str) -> Option<String>;
}

#[derive(Clone, Debug, Default)]
pub struct Response {
    pub status: u16,
    pub content_type: Option<String>,
    pub location: Option<String>,
    /// At most [`BODY_BYTES`].
    pub body: Vec<u8>,
    /// Whether there was more of it.
    pub truncated: bool,
}

/// How much of a body is kept. As JSON it is six times as long at worst, which is within what hosts take.
pub const BODY_BYTES: usize = 1 << 20;

/// Sites need one or two: to https, and to the name with or without `www`. More than this is a loop.
const REDIRECTS: usize = 5;

/// Servers need not take a longer one (RFC 9110, section 4.1).
pub const URL_BYTES: usize = 8000;

/// A URL of http or https in the one spelling that `Url` gives: ASCII alone, and a host. Not each that looks like it is one.
pub const URL_PATTERN: &str = "^https?://[!\"$-.0->@-~][!-~]*$";

const BAD_REDIRECT: Code = Code::new("BAD_REDIRECT");
const TOO_MANY_REDIRECTS: Code = Code::new("TOO_MANY_REDIRECTS");
const NO_ANSWER: Code = Code::new("NO_ANSWER");

/// The answer at the end of the redirects, and where it was found.
pub fn get(outside: &dyn Outside, mut url: Url, accept: &str) -> Result<(Url, Response), ToolError> {
    let mut from: Option<Url> = None;
    for _ in 0..=REDIRECTS {
        let response = outside.get(&url, accept).map_err(|why| error(why, &url, from.as_ref()))?;
        let (301 | 302 | 303 | 307 | 308, Some(location)) = (response.status, &response.location) else {
            return Ok((url, response));
        };
        let next = url.join(location).map_err(|error| error.to_string()).and_then(web);
        let next =
            next.map_err(|error| ToolError::failed(BAD_REDIRECT, format!("{url} redirects to a bad URL: {error}")))?;
        from = Some(std::mem::replace(&mut url, next));
    }
    Err(ToolError::failed(TOO_MANY_REDIRECTS, format!("gave up after {REDIRECTS} redirects, the next one to {url}")))
}

fn error(why: HttpError, url: &Url, from: Option<&Url>) -> ToolError {
    let request = match from {
        None => format!("GET {url}"),
        Some(from) => format!("GET {url}, to which {from} redirects,"),
    };
    match why {
        HttpError::Denied(_) => ToolError::Denied(format!("{request} is not allowed")),
        HttpError::NotFound(_) => ToolError::NotFound(format!("{request} found no server of that name")),
        HttpError::Unavailable(why) => ToolError::Unavailable(format!("{request} has no answer: {why}")),
        HttpError::Invalid(why) | HttpError::Failed(why) => {
            ToolError::failed(NO_ANSWER, format!("{request} has no answer: {why}"))
        }
        other => other.into(),
    }
}

/// A URL from outside, fit to be requested.
pub fn parse(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => "not a whole URL; begin it with https://".to_owned(),
        url::ParseError::IdnaError => "its host is not ASCII; write the xn-- form".to_owned(),
        error => error.to_string(),
    })?;
    web(url)
}

/// The part after `#` is for browsers. Whether the host is one that may be reached is not for us to say.
fn web(mut url: Url) -> Result<Url, String> {
    url.set_fragment(None);
    match url.scheme() {
        "http" | "https" => {}
        scheme => return Err(format!("{scheme} is not http or https")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it holds a user name or a password, which are not sent".into());
    }
    if url.as_str().len() > URL_BYTES {
        return Err(format!("it is longer than {URL_BYTES} bytes"));
    }
    Ok(url)
}

#[cfg(test)]
pub mod tests {
    use std::cell::RefCell;
    use std::collections::HashMap;

    use super::*;

    /// Canned answers by URL; everything else is denied.
    #[derive(Default)]
    pub struct Canned {
        pub answers: HashMap<&'static str, Response>,
        pub variables: HashMap<&'static str, &'static str>,
        pub asked: RefCell<Vec<String>>,
    }

    impl Outside for Canned {
        fn get(&self, url: &Url, _accept: &str) -> Result<Response, HttpError> {
            self.asked.borrow_mut().push(url.to_string());
            self.answers.get(url.as_str()).cloned().ok_or_else(|| HttpError::Denied(String::new()))
        }

        fn variable(&self, name: &str) -> Option<String> {
            self.variables.get(name).map(|value| (*value).to_owned())
        }
    }

    fn redirect(status: u16, location: &str) -> Response {
        Response { status, location: Some(location.to_owned()), ..Response::default() }
    }

    #[test]
    fn redirects() {
        let check = |first: Response, expect: &str| {
            let answers = HashMap::from([
                ("http://a.test/x", first),
                ("http://a.test/y", Response { status: 200, ..Response::default() }),
                ("http://a.test/loop", redirect(302, "/loop")),
            ]);
            let web = Canned { answers, ..Canned::default() };
            let found = match get(&web, parse("http://a.test/x#part").unwrap(), "*/*") {
                Ok((url, response)) => format!("{} {url}", response.status),
                Err(ToolError::Denied(message)) => format!("denied: {message}"),
                Err(ToolError::Failed(failure)) => format!("{}: {}", failure.code, failure.message),
                Err(other) => panic!("{other:?}"),
            };
            assert_eq!(found, expect);
            assert!(web.asked.borrow().len() <= 1 + REDIRECTS);
        };
        check(redirect(200, "/y"), "200 http://a.test/x");
        check(redirect(304, "/y"), "304 http://a.test/x");
        check(Response { status: 301, ..Response::default() }, "301 http://a.test/x");
        for status in [301, 302, 303, 307, 308] {
            check(redirect(status, "y#part"), "200 http://a.test/y");
        }
        check(
            redirect(301, "//b.test/"),
            "denied: GET http://b.test/, to which http://a.test/x redirects, is not allowed",
        );
        check(
            redirect(301, "/loop"),
            "TOO_MANY_REDIRECTS: gave up after 5 redirects, the next one to http://a.test/loop",
        );
        for (location, why) in [
            ("file:///etc/passwd", "file is not http or https"),
            ("http://me:secret@a.test/", "it holds a user name or a password, which are not sent"),
            ("http://a.test:99999/", "invalid port number"),
        ] {
            check(redirect(301, location), &format!("BAD_REDIRECT: http://a.test/x redirects to a bad URL: {why}"));
        }
    }

    #[test]
    fn urls() {
        let check = |text: &str, expect: Result<&str, &str>| {
            let found = parse(text);
            assert_eq!(found.as_ref().map(Url::as_str).map_err(String::as_str), expect, "{text}");
        };
        check("HTTPS://Example.com/a b?c#d", Ok("https://example.com/a%20b?c"));
        check("http://127.0.0.1:8080", Ok("http://127.0.0.1:8080/"));
        check("example.com/a", Err("not a whole URL; begin it with https://"));
        check("https://bücher.example/", Err("its host is not ASCII; write the xn-- form"));
        check("https://xn--bcher-kva.example/", Ok("https://xn--bcher-kva.example/"));
        check("javascript:alert(1)", Err("javascript is not http or https"));
        check("http://me@a.test/", Err("it holds a user name or a password, which are not sent"));
        check(&format!("http://a.test/{}", "x".repeat(8000)), Err("it is longer than 8000 bytes"));
    }
}

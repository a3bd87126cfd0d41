//! Where a server over HTTP is, and what may be said to it there.

use std::sync::Arc;

use http::header::HeaderValue;
use tokio_rustls::rustls::ClientConfig;
use url::{Host, Url};

use crate::{TlsRoots, TlsRootsError};

/// Where a server answers, and how this host shows that it may ask.
#[derive(Clone)]
pub struct HttpServer {
    pub(super) url: Url,
    pub(super) authorization: Option<HeaderValue>,
    origin: String,
    pub(super) tls: Arc<ClientConfig>,
}

/// An address that cannot be mounted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpServerError {
    /// Not a URL, or none of `http` and `https`.
    #[error("{0:?} is no address of a server; write https://HOST/PATH")]
    Url(String),
    /// Everyone on the way could read and change what is said.
    #[error("http:// is for this machine only (127.0.0.1, [::1], localhost); write https://")]
    Plain,
    /// A name and a password, which addresses are no place for.
    #[error("the address holds a name or password; give a token instead")]
    Credentials,
    /// A token that no header can carry.
    #[error("the token is empty, or holds what a header cannot carry")]
    Token,
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsRootsError),
}

impl std::fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpServer").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl HttpServer {
    /// The server at this address: `https`, or `http` on this machine. Servers are vouched for by the authorities that
    /// Mozilla trusts, unless [`Self::trusting`] adds others; redirects are not followed.
    ///
    /// # Errors
    /// See [`HttpServerError`].
    pub fn new(url: &str) -> Result<Self, HttpServerError> {
        let wrong = || HttpServerError::Url(url.chars().take(80).collect());
        let url = Url::parse(url).map_err(|_| wrong())?;
        let local = match url.host().ok_or_else(wrong)? {
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
            Host::Domain(name) => name == "localhost",
        };
        match url.scheme() {
            "https" => {}
            "http" if local => {}
            "http" => return Err(HttpServerError::Plain),
            _ => return Err(wrong()),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(HttpServerError::Credentials);
        }
        let mut shown = url.clone();
        shown.set_query(None);
        shown.set_fragment(None);
        Ok(Self { url, authorization: None, origin: shown.to_string(), tls: TlsRoots::of_the_web()?.client_config() })
    }

    /// Send this token with every request, as `Authorization: Bearer …`. It is shown nowhere.
    ///
    /// # Errors
    /// [`HttpServerError::Token`].
    pub fn bearer(mut self, token: &str) -> Result<Self, HttpServerError> {
        let mut value = HeaderValue::from_str(&format!("Bearer {token}"))
            .ok()
            .filter(|_| !token.trim().is_empty())
            .ok_or(HttpServerError::Token)?;
        value.set_sensitive(true);
        self.authorization = Some(value);
        Ok(self)
    }

    /// Have it vouched for by these authorities, in place of those that were given before. Without a meaning for `http`.
    #[must_use]
    pub fn trusting(mut self, roots: &TlsRoots) -> Self {
        self.tls = roots.client_config();
        self
    }

    pub(super) fn origin(&self) -> &str {
        &self.origin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_stays_on_this_machine() {
        for good in ["http://127.0.0.1:1/mcp", "http://[::1]/", "http://localhost:8000/mcp", "https://example.com/mcp"]
        {
            assert_eq!(HttpServer::new(good).unwrap().origin(), good);
        }
        let check = |url: &str, expect: HttpServerError| assert_eq!(HttpServer::new(url).unwrap_err(), expect, "{url}");
        check("http://example.com/mcp", HttpServerError::Plain);
        check("http://10.0.0.1/", HttpServerError::Plain);
        check("http://localhost.example.com/", HttpServerError::Plain);
        check("https://u:p@example.com/", HttpServerError::Credentials);
        check("file:///etc/passwd", HttpServerError::Url("file:///etc/passwd".into()));
        check("ftp://127.0.0.1/", HttpServerError::Url("ftp://127.0.0.1/".into()));
        check("example.com", HttpServerError::Url("example.com".into()));
    }

    #[test]
    fn what_may_be_secret_is_shown_nowhere() {
        let server = HttpServer::new("https://example.com/mcp?key=hidden#hidden").unwrap().bearer("hidden").unwrap();
        assert_eq!(server.origin(), "https://example.com/mcp");
        assert!(!format!("{server:?}").contains("hidden"));
        assert!(HttpServer::new("https://example.com").unwrap().bearer("a\nb").is_err());
        assert!(HttpServer::new("https://example.com").unwrap().bearer(" ").is_err());
    }
}

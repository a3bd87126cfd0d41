//! One parse of a request's address. Its result is what rules are held against and what is dialled, so the two cannot
//! read a spelling differently.

use std::fmt;

use url::{Host, Url};

/// The longest URL. Servers commonly stop at 8,000 octets (RFC 9110, section 4.1, asks for at least that).
const MAX_URL_BYTES: usize = 8_192;
/// The longest host name, and the longest label of one (RFC 1035, section 2.3.4).
const MAX_NAME_BYTES: usize = 253;
const MAX_LABEL_BYTES: usize = 63;

/// How often a path is read for escapes: three layers of them are undone, and the fourth time none may be left. A server
/// undoes one, a proxy before it another, and an application that means well a third. Each reading takes as long as the
/// path; without a bound, 8 KiB of `%2525…` would take four thousand.
const MAX_ESCAPING: usize = 4;

/// `http` or `https`. There is no third.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    pub(crate) const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// Where a request goes, normalised: scheme and host in lower case, the host in its one spelling (punycode, or an
/// address), the port always a number, dots of the path resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    scheme: Scheme,
    host: Host<String>,
    port: u16,
    path: String,
    query: Option<String>,
    disguised: bool,
}

/// An address that no request is sent to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TargetError {
    #[error("the scheme is {0:?}; only http and https are spoken")]
    Scheme(String),
    #[error("a host is missing")]
    NoHost,
    #[error("a user name or password stands before the host; leave it out")]
    Credentials,
    #[error("the host holds a percent sign; write a name or an address, without escapes and zones")]
    Escape,
    #[error("{0} holds a space, a control character, a backslash or a fragment")]
    Characters(&'static str),
    #[error("{0:?} is no host: {1}")]
    Host(String, &'static str),
    #[error("the port is not a number from 1 to 65535")]
    Port,
    #[error("the path does not start with /")]
    Path,
    #[error("the address is longer than {MAX_URL_BYTES} bytes")]
    TooLong,
}

impl Target {
    /// Read the parts of a request. `path_and_query` may be empty.
    pub(crate) fn parse(scheme: &str, authority: &str, path_and_query: &str) -> Result<Self, TargetError> {
        let scheme = match scheme {
            _ if scheme.eq_ignore_ascii_case("http") => Scheme::Http,
            _ if scheme.eq_ignore_ascii_case("https") => Scheme::Https,
            _ => return Err(TargetError::Scheme(scheme.chars().take(32).collect())),
        };
        if authority.len() + path_and_query.len() > MAX_URL_BYTES {
            return Err(TargetError::TooLong);
        }
        // What the parser would drop, fold or read as another part is refused before it sees it.
        let odd = |c: char| c <= ' ' || c == '\x7f' || c == '\\' || c == '#';
        if authority.contains(|c| odd(c) || c == '/' || c == '?') {
            return Err(TargetError::Characters("the host"));
        }
        if path_and_query.contains(odd) {
            return Err(TargetError::Characters("the path"));
        }
        if authority.contains('@') {
            return Err(TargetError::Credentials);
        }
        if authority.contains('%') {
            return Err(TargetError::Escape);
        }
        if authority.is_empty() || authority.starts_with(':') {
            return Err(TargetError::NoHost);
        }
        if !(path_and_query.is_empty() || path_and_query.starts_with(['/', '?'])) {
            return Err(TargetError::Path);
        }
        let url = Url::parse(&format!("{}://{authority}{path_and_query}", scheme.name())).map_err(|error| {
            use url::ParseError::{EmptyHost, InvalidPort};
            match error {
                InvalidPort => TargetError::Port,
                EmptyHost => TargetError::NoHost,
                _ => TargetError::Host(authority.to_owned(), "the URL parser does not read it"),
            }
        })?;
        let host = match url.host() {
            Some(Host::Domain(name)) => Host::Domain(plain_name(name)?),
            Some(Host::Ipv4(address)) => Host::Ipv4(address),
            Some(Host::Ipv6(address)) => Host::Ipv6(address),
            None => return Err(TargetError::NoHost),
        };
        let port = url.port().unwrap_or(scheme.default_port());
        if port == 0 {
            return Err(TargetError::Port);
        }
        // An escape grows threefold, so the length counts again.
        if url.as_str().len() > MAX_URL_BYTES {
            return Err(TargetError::TooLong);
        }
        let path = url.path().to_owned();
        let disguised = is_disguised(&path);
        Ok(Self { scheme, host, port, path, query: url.query().map(ToOwned::to_owned), disguised })
    }

    pub(crate) fn scheme(&self) -> Scheme {
        self.scheme
    }

    pub(crate) fn host(&self) -> &Host<String> {
        &self.host
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Whether a server may read the path otherwise than it stands here: it holds an escaped slash, backslash, NUL or
    /// dot segment. Such a path is inside no prefix but `/`.
    pub(crate) fn is_disguised(&self) -> bool {
        self.disguised
    }

    /// The request line's target: path and query.
    pub(crate) fn path_and_query(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// The `Host` header: the port stands in it unless it is the scheme's own.
    pub(crate) fn authority(&self) -> String {
        authority(self.scheme, &self.host, self.port)
    }
}

/// `host`, or `host:port` where the port is not the scheme's own.
pub(super) fn authority(scheme: Scheme, host: impl fmt::Display, port: u16) -> String {
    if port == scheme.default_port() { host.to_string() } else { format!("{host}:{port}") }
}

/// Without the query, which may hold what no log should.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme.name(), self.authority(), self.path)
    }
}

/// A host name as resolvers take it: labels of letters, digits, `-` and `_`. The URL parser lets more through.
fn plain_name(name: &str) -> Result<String, TargetError> {
    let plain = name.strip_suffix('.').unwrap_or(name);
    let fault = |fault| Err(TargetError::Host(name.to_owned(), fault));
    if plain.is_empty() {
        return Err(TargetError::NoHost);
    }
    if plain.len() > MAX_NAME_BYTES || plain.split('.').any(|label| label.len() > MAX_LABEL_BYTES) {
        return fault("longer than a host name can be");
    }
    if plain.split('.').any(str::is_empty) {
        return fault("two dots follow each other");
    }
    if !plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
        return fault("a name has letters, digits, hyphens, underscores and dots");
    }
    Ok(plain.to_ascii_lowercase())
}

/// Undo escapes until none is left, and see whether one stood for structure. A path that is escaped more often than a
/// server undoes was made to look like another one.
fn is_disguised(path: &str) -> bool {
    let mut bytes = path.as_bytes().to_vec();
    for _ in 0..MAX_ESCAPING {
        let mut plain = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match escape(&bytes[at..]) {
                // 0xC0 and 0xC1 are in no UTF-8 text: they spell `.`, `/` and `\` for decoders that are too kind.
                Some(b'/' | b'\\' | 0 | 0xC0 | 0xC1) => return true,
                Some(decoded) => {
                    plain.push(decoded);
                    at += 3;
                }
                None => {
                    plain.push(byte);
                    at += 1;
                }
            }
        }
        // Some servers cut `;parameters` off a segment before they resolve its dots.
        let is_dots = |segment: &[u8]| matches!(segment.split(|byte| *byte == b';').next(), Some(b"." | b".."));
        if plain.split(|byte| *byte == b'/').any(is_dots) {
            return true;
        }
        if plain.len() == bytes.len() {
            return false;
        }
        bytes = plain;
    }
    true
}

/// The byte of an escape, `%2e`, that starts here.
fn escape(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

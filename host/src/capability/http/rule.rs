//! The rule: `https://api.example.com/v1/ GET,HEAD`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Host;

use super::suffix::is_anyones;
use super::target::{Scheme, Target, TargetError, authority};

/// What a rule allows that names no methods: to look, not to change.
const READING: [&str; 2] = ["GET", "HEAD"];
/// Never allowed: a tunnel past every rule, and an echo of the headers that the host adds (RFC 9110, sections 9.3.6 and
/// 9.3.8).
const NEVER: [&str; 2] = ["CONNECT", "TRACE"];
/// The longest method; the registry's longest is `UPDATEREDIRECTREF`, with 17.
const MAX_METHOD_BYTES: usize = 32;
/// An error shows so much of a rule.
const MAX_SHOWN: usize = 256;

/// Which requests: a scheme, a host, a port, a path and what is below it, and methods.
///
/// Written `https://api.example.com/v1/ GET,HEAD`. The host is a name, `*.domain` (every name below it, not the domain
/// itself) or `*`. Without a port it is the scheme's own; without methods they are `GET` and `HEAD`. `/v1/` allows
/// what is below it; `/v1` allows itself too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HttpRule {
    scheme: Scheme,
    host: HostPattern,
    port: u16,
    path: String,
    methods: BTreeSet<String>,
}

/// The hosts of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum HostPattern {
    /// Each one, addresses too.
    Any,
    /// The names below this one.
    Below(String),
    /// This one.
    Exactly(Host<String>),
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::Below(domain) => write!(f, "*.{domain}"),
            Self::Exactly(host) => host.fmt(f),
        }
    }
}

/// Text that is no [`HttpRule`], with what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("http rule {rule:?}: {fault}")]
pub struct HttpRuleError {
    rule: String,
    fault: Fault,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error("write URL [METHOD,METHOD], for example \"https://api.example.com/v1/ GET,HEAD\"")]
    Shape,
    #[error("{0}")]
    Target(TargetError),
    #[error("* stands for a whole host, or for what is before a domain: write \"*\" or \"*.example.com\"")]
    Star,
    #[error("a rule has no query; leave out what follows the ?")]
    Query,
    #[error("the path is written {0:?}")]
    Path(String),
    #[error("the path hides a slash, a backslash or a dot behind an escape; write it plainly")]
    Disguised,
    #[error("{0:?} is not a method; write them in capitals, with a comma between: GET,POST")]
    Method(String),
    #[error("{0} is never allowed; leave it out")]
    Never(String),
}

impl FromStr for HttpRule {
    type Err = HttpRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split_ascii_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some(url), methods, None) => Self::new(url, methods),
            _ => Err(HttpRuleError::new(text, Fault::Shape)),
        }
    }
}

impl HttpRuleError {
    fn new(rule: &str, fault: Fault) -> Self {
        Self { rule: rule.chars().take(MAX_SHOWN).collect(), fault }
    }
}

impl HttpRule {
    /// From its two halves. `methods` is a list with commas.
    pub(crate) fn new(url: &str, methods: Option<&str>) -> Result<Self, HttpRuleError> {
        Self::read(url, methods).map_err(|fault| HttpRuleError::new(url, fault))
    }

    fn read(url: &str, methods: Option<&str>) -> Result<Self, Fault> {
        let (scheme, rest) = url.split_once("://").ok_or(Fault::Shape)?;
        let (host, path) = rest.split_at(rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()));
        if path.contains('?') {
            return Err(Fault::Query);
        }
        let (star, named) = match host.strip_prefix('*') {
            None => (false, host.to_owned()),
            Some(rest) => match rest.strip_prefix('.') {
                Some(domain) => (true, domain.to_owned()),
                // A name in the star's place, so that the port and the path are read like any other.
                None if rest.is_empty() || rest.starts_with(':') => (true, format!("star{rest}")),
                None => return Err(Fault::Star),
            },
        };
        if named.contains('*') {
            return Err(Fault::Star);
        }
        let target = Target::parse(scheme, &named, path).map_err(Fault::Target)?;
        let written = if path.is_empty() { "/" } else { path };
        if target.path() != written {
            return Err(Fault::Path(target.path().to_owned()));
        }
        if target.is_disguised() {
            return Err(Fault::Disguised);
        }
        let host = match (star, target.host()) {
            (false, host) => HostPattern::Exactly(host.clone()),
            (true, _) if !host.starts_with("*.") => HostPattern::Any,
            (true, Host::Domain(domain)) => HostPattern::Below(domain.clone()),
            (true, _) => return Err(Fault::Star),
        };
        let methods = match methods {
            None => READING.map(String::from).into(),
            Some(list) => list.split(',').map(method).collect::<Result<_, _>>()?,
        };
        Ok(Self { scheme: target.scheme(), host, port: target.port(), path: written.to_owned(), methods })
    }

    /// Whether this request is one of the rule's.
    pub(crate) fn allows(&self, target: &Target, method: &str) -> bool {
        self.scheme == target.scheme()
            && self.port == target.port()
            && self.methods.contains(method)
            && self.host.holds(target.host())
            && self.holds_path(target)
    }

    fn holds_path(&self, target: &Target) -> bool {
        self.path == "/" || (!target.is_disguised() && is_below(target.path(), &self.path))
    }

    /// Whether some request is allowed by both.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.scheme == other.scheme
            && self.port == other.port
            && !self.methods.is_disjoint(&other.methods)
            && self.host.overlaps(&other.host)
            && (is_below(&self.path, &other.path) || is_below(&other.path, &self.path))
    }

    /// Whether every request that `other` allows is allowed here too.
    pub fn covers(&self, other: &Self) -> bool {
        self.scheme == other.scheme
            && self.port == other.port
            && self.methods.is_superset(&other.methods)
            && self.host.covers(&other.host)
            && is_below(&other.path, &self.path)
    }

    /// `https` or `http`.
    pub fn scheme(&self) -> &'static str {
        self.scheme.name()
    }

    /// Its methods, in order of the alphabet.
    pub fn methods(&self) -> impl Iterator<Item = &str> {
        self.methods.iter().map(String::as_str)
    }

    /// Whether it allows any host at all.
    pub fn is_any_host(&self) -> bool {
        self.host == HostPattern::Any
    }

    /// Whether its hosts belong to whoever asks for a name: `*`, `*.com`, `*.github.io`.
    pub fn is_anyones_host(&self) -> bool {
        match &self.host {
            HostPattern::Any => true,
            HostPattern::Below(domain) => is_anyones(domain),
            HostPattern::Exactly(_) => false,
        }
    }

    /// Whether its host is this machine, by name or by address.
    pub(crate) fn is_loopback(&self) -> bool {
        let is_local = |name: &str| name == "localhost" || is_subdomain(name, "localhost");
        match &self.host {
            HostPattern::Exactly(Host::Domain(name)) | HostPattern::Below(name) => is_local(name),
            HostPattern::Exactly(Host::Ipv4(address)) => address.is_loopback(),
            HostPattern::Exactly(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
            HostPattern::Any => false,
        }
    }

    pub(crate) fn host(&self) -> &HostPattern {
        &self.host
    }

    /// The first half of its text: `https://api.example.com/v1/`.
    pub fn url(&self) -> String {
        let Self { scheme, host, port, path, .. } = self;
        format!("{}://{}{path}", scheme.name(), authority(*scheme, host, *port))
    }

    /// The narrowest rule that allows this request; the whole host where the path is one that no narrower rule could
    /// hold. None for a method that no rule can hold.
    pub(crate) fn for_request(target: &Target, name: &str) -> Option<Self> {
        let path = if target.is_disguised() { "/" } else { target.path() };
        Some(Self {
            scheme: target.scheme(),
            host: HostPattern::Exactly(target.host().clone()),
            port: target.port(),
            path: path.to_owned(),
            methods: BTreeSet::from([method(name).ok()?]),
        })
    }
}

impl HostPattern {
    fn holds(&self, host: &Host<String>) -> bool {
        match (self, host) {
            (Self::Any, _) => true,
            (Self::Below(domain), Host::Domain(name)) => is_subdomain(name, domain),
            (Self::Below(_), _) => false,
            (Self::Exactly(one), host) => one == host,
        }
    }

    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) => true,
            (_, Self::Any) => false,
            (Self::Below(domain), Self::Below(other)) => other == domain || is_subdomain(other, domain),
            (_, Self::Exactly(host)) => self.holds(host),
            (Self::Exactly(_), Self::Below(_)) => false,
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.covers(other) || other.covers(self)
    }
}

fn is_subdomain(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}

/// Whole segments count: `/v1/x` is below `/v1` and below `/v1/`, `/v1evil` is below neither, `/v1` is below `/v1` alone.
fn is_below(path: &str, prefix: &str) -> bool {
    match path.strip_prefix(prefix) {
        Some(rest) => prefix.ends_with('/') || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

/// Whether a word can only be a list of methods.
pub(crate) fn is_method(word: &str) -> bool {
    word.split(',').all(|part| method(part).is_ok() || NEVER.contains(&part))
}

fn method(text: &str) -> Result<String, Fault> {
    if NEVER.iter().any(|never| never.eq_ignore_ascii_case(text)) {
        return Err(Fault::Never(text.to_owned()));
    }
    let letters = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-');
    if text.is_empty() || text.len() > MAX_METHOD_BYTES || !letters {
        return Err(Fault::Method(text.chars().take(MAX_METHOD_BYTES).collect()));
    }
    Ok(text.to_owned())
}

impl fmt::Display for HttpRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let methods: Vec<_> = self.methods().collect();
        write!(f, "{} {}", self.url(), methods.join(","))
    }
}

impl TryFrom<String> for HttpRule {
    type Error = HttpRuleError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<HttpRule> for String {
    fn from(rule: HttpRule) -> Self {
        rule.to_string()
    }
}

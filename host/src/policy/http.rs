//! Requests an operator allows, and the decision about one.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use url::Host;

use super::Grant;
use super::quote::{toml_list, toml_text};
use crate::capability::http::{HostPattern, HttpRule, HttpRuleError, Target, TargetError};

/// Requests that are allowed, and the addresses that are not public and may be dialled for them.
///
/// Written `https://api.example.com/v1/ GET,HEAD`, or `http://localhost:8080/ GET 127.0.0.1,::1` with addresses. In a
/// policy file it is a table with `url`, `methods` and `addresses`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Table", into = "Table")]
pub struct HttpGrant {
    /// Which requests.
    pub rule: HttpRule,
    /// Networks outside the public internet that their hosts may resolve to. Empty: public addresses alone.
    pub addresses: Vec<IpNet>,
}

/// A grant that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpGrantError {
    /// Neither a URL, nor one with methods, addresses or both.
    #[error(
        "http grant {0:?}: write URL [METHOD,METHOD] [ADDRESS,ADDRESS], for example \"https://api.example.com/v1/ GET\""
    )]
    Shape(String),
    /// Its first part is no rule.
    #[error(transparent)]
    Rule(#[from] HttpRuleError),
    /// Not an address or a network.
    #[error("http grant: {0:?} is not an address or a network; write 127.0.0.1, 10.0.0.0/8 or fd00::/8")]
    Address(String),
    /// A network with bits after its prefix, or in a form that hides an IPv4 one.
    #[error("http grant: the network {0} is written {1}")]
    Network(IpNet, IpNet),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    url: String,
    methods: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    addresses: Vec<String>,
}

impl TryFrom<Table> for HttpGrant {
    type Error = HttpGrantError;

    fn try_from(table: Table) -> Result<Self, Self::Error> {
        let rule = HttpRule::new(&table.url, table.methods.map(|methods| methods.join(",")).as_deref())?;
        let addresses = table.addresses.iter().map(|text| network(text)).collect::<Result<_, _>>()?;
        Ok(Self { rule, addresses })
    }
}

impl From<HttpGrant> for Table {
    fn from(grant: HttpGrant) -> Self {
        let methods = grant.rule.methods().map(ToOwned::to_owned).collect();
        let addresses = grant.addresses.iter().map(short).collect();
        Self { url: grant.rule.url(), methods: Some(methods), addresses }
    }
}

impl FromStr for HttpGrant {
    type Err = HttpGrantError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split_ascii_whitespace();
        let url = words.next().ok_or_else(|| HttpGrantError::Shape(text.to_owned()))?;
        let rest: Vec<_> = words.collect();
        let (methods, addresses) = match rest[..] {
            [] => (None, None),
            [word] if word.contains(['.', ':']) => (None, Some(word)),
            [word] => (Some(word), None),
            [methods, addresses] => (Some(methods), Some(addresses)),
            _ => return Err(HttpGrantError::Shape(text.to_owned())),
        };
        let rule = HttpRule::new(url, methods)?;
        let addresses = match addresses {
            Some(list) => list.split(',').map(network).collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        Ok(Self { rule, addresses })
    }
}

impl fmt::Display for HttpGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rule.fmt(f)?;
        if !self.addresses.is_empty() {
            write!(f, " {}", self.addresses.iter().map(short).collect::<Vec<_>>().join(","))?;
        }
        Ok(())
    }
}

impl HttpGrant {
    pub(super) fn policy_line(&self) -> String {
        let addresses = match self.addresses.as_slice() {
            [] => String::new(),
            networks => format!(", addresses = {}", toml_list(networks.iter().map(short))),
        };
        let (url, methods) = (toml_text(&self.rule.url()), toml_list(self.rule.methods()));
        format!("grants.http = [{{ url = {url}, methods = {methods}{addresses} }}]")
    }
}

/// Networks that hold what answers to the host alone, or to the cloud it runs in, whose metadata holds credentials.
const OWN: [(&str, &str); 6] = [
    ("169.254.0.0/16", "link-local addresses, and with them most clouds' metadata"),
    ("fe80::/10", "link-local addresses"),
    ("fd00:ec2::/32", "a cloud's metadata"),
    ("100.100.100.200/32", "a cloud's metadata"),
    ("168.63.129.16/32", "a cloud's platform"),
    ("192.0.0.192/32", "a cloud's metadata"),
];
/// This machine, by either of its own networks or as the unspecified address, which systems connect to themselves.
const LOOPBACK: [&str; 4] = ["127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128"];
/// The widest networks that are one site's: a `/16` is the largest private block of most networks' plans, a `/48` what
/// one site gets in IPv6 (RFC 6177).
const SITE_V4: u8 = 16;
const SITE_V6: u8 = 48;

impl HttpGrant {
    /// Why a reviewer should look twice, every reason.
    pub(crate) fn width(&self) -> Option<String> {
        let mut reasons = Vec::new();
        if self.rule.is_any_host() {
            reasons.push("reaches every host".to_owned());
        } else if self.rule.is_anyones_host() {
            reasons.push("reaches hosts of anyone who takes a name there".to_owned());
        }
        if self.rule.scheme() == "http" && !self.rule.is_loopback() {
            reasons.push(
                "goes over the network without encryption, for everyone on the way to read and change".to_owned(),
            );
        }
        for network in &self.addresses {
            let shown = short(network);
            let inside = |text: &str| text.parse::<IpNet>().is_ok_and(|own| own.contains(network));
            let meets = |text: &str| inside(text) || text.parse::<IpNet>().is_ok_and(|own| network.contains(&own));
            if let Some((_, what)) = OWN.iter().find(|(own, _)| meets(own)) {
                reasons.push(format!("reaches {what}, by {shown}"));
            }
            // Of a name elsewhere, whoever holds its zone decides that it is this machine.
            if LOOPBACK.iter().any(|own| meets(own)) && !self.rule.is_loopback() {
                reasons.push(format!("reaches what listens on this machine alone, by {shown}"));
            }
            let most = if network.addr().is_ipv4() { SITE_V4 } else { SITE_V6 };
            if network.prefix_len() < most && !LOOPBACK.iter().any(|own| inside(own)) {
                reasons.push(format!("reaches more than one site's network, by {shown}"));
            }
        }
        (!reasons.is_empty()).then(|| reasons.join("; it "))
    }
}

/// One address is a network of one.
fn network(text: &str) -> Result<IpNet, HttpGrantError> {
    let network = match (text.parse::<IpNet>(), text.parse::<IpAddr>()) {
        (Ok(network), _) => network,
        (_, Ok(address)) => IpNet::from(address),
        _ => return Err(HttpGrantError::Address(text.to_owned())),
    };
    // A mapped address is checked as the IPv4 address it is.
    let plain = match (network.addr().to_canonical(), network.prefix_len()) {
        (IpAddr::V4(address), length) if network.addr().is_ipv6() => {
            IpNet::new(address.into(), length.saturating_sub(96)).unwrap_or(network)
        }
        _ => network.trunc(),
    };
    if plain == network { Ok(network) } else { Err(HttpGrantError::Network(network, plain)) }
}

/// `127.0.0.1` for `127.0.0.1/32`.
fn short(network: &IpNet) -> String {
    if network.prefix_len() == network.max_prefix_len() { network.addr().to_string() } else { network.to_string() }
}

/// Rules by host: a request looks at those that its host could match, not at all of them.
#[derive(Clone, Debug, Default)]
struct ByHost {
    exactly: HashMap<Host<String>, Vec<usize>>,
    below: HashMap<String, Vec<usize>>,
    any: Vec<usize>,
}

impl ByHost {
    fn new<'a>(rules: impl Iterator<Item = &'a HttpRule>) -> Self {
        let mut index = Self::default();
        for (at, rule) in rules.enumerate() {
            match rule.host() {
                HostPattern::Any => index.any.push(at),
                HostPattern::Below(domain) => index.below.entry(domain.clone()).or_default().push(at),
                HostPattern::Exactly(host) => index.exactly.entry(host.clone()).or_default().push(at),
            }
        }
        index
    }

    fn candidates<'a>(&'a self, host: &'a Host<String>) -> impl Iterator<Item = usize> + 'a {
        let mut rest = match host {
            Host::Domain(name) => name.as_str(),
            _ => "",
        };
        let parents = std::iter::from_fn(move || {
            rest = rest.split_once('.')?.1;
            Some(rest)
        });
        let below = parents.filter_map(|parent| self.below.get(parent)).flatten();
        self.exactly.get(host).into_iter().flatten().chain(below).chain(&self.any).copied()
    }
}

/// What a component asks for and what it is granted, ready to decide about requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct HttpAccess {
    asked: Vec<HttpRule>,
    asks_for_any: bool,
    asked_by_host: ByHost,
    granted: Vec<HttpGrant>,
    granted_by_host: ByHost,
}

/// A request that is allowed, by which rule, and what else than public addresses it may go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HttpAllowed {
    pub(crate) rule: HttpRule,
    /// Of all grants that allow the request.
    pub(crate) addresses: Vec<IpNet>,
}

impl HttpAllowed {
    /// Whether a grant names this address. A mapped one counts as the IPv4 address it is.
    pub(crate) fn names(&self, address: IpAddr) -> bool {
        self.addresses.iter().any(|network| network.contains(&address.to_canonical()))
    }

    /// The grant, widened by these addresses.
    pub(crate) fn with(&self, addresses: &[IpAddr]) -> Grant {
        let more = addresses.iter().map(|address| IpNet::from(address.to_canonical()));
        let mut all: Vec<_> = self.addresses.iter().copied().chain(more).collect();
        all.sort();
        all.dedup();
        Grant::Http(HttpGrant { rule: self.rule.clone(), addresses: all })
    }
}

/// Why a request is not sent. Each that a grant would change says which one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HttpDenied {
    #[error("a request that goes nowhere: {0}")]
    Target(TargetError),
    #[error("{request}: no grant allows {method}")]
    Method { request: String, method: String },
    #[error("{request}: the manifest does not ask for it, and no policy can grant it before the vendor does")]
    NotAsked { request: String },
    #[error("{request} is not granted; {}", remedy.lines())]
    NotGranted { request: String, remedy: Box<Grant> },
    #[error("{request}: the host is at {}, which is not public; {}", join(addresses), remedy.lines())]
    Address { request: String, addresses: Vec<IpAddr>, remedy: Box<Grant> },
    #[error("{request}: the host has no address")]
    NotFound { request: String },
    #[error("{request}: the host adds the secret {secret} to it, and then {what}")]
    Secret { request: String, secret: String, what: &'static str },
}

impl HttpDenied {
    /// Without what the operator's own name servers say: a model could map a network by asking for names. A name without
    /// an address reads like one whose address is not public.
    pub(crate) fn for_a_model(&self) -> String {
        match self {
            Self::Address { request, .. } | Self::NotFound { request } => {
                format!(
                    "{request}: the host is not on the public internet; where it is anywhere, the operator's log names \
                     the grant"
                )
            }
            other => other.to_string(),
        }
    }
}

fn join(addresses: &[IpAddr]) -> String {
    addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl HttpAccess {
    /// `asked` holds None where the manifest leaves the hosts to the operator.
    pub(crate) fn new<'a>(asked: impl IntoIterator<Item = Option<&'a HttpRule>>, granted: Vec<HttpGrant>) -> Self {
        let mut access = Self { granted, ..Self::default() };
        for rule in asked {
            match rule {
                Some(rule) => access.asked.push(rule.clone()),
                None => access.asks_for_any = true,
            }
        }
        access.asked_by_host = ByHost::new(access.asked.iter());
        access.granted_by_host = ByHost::new(access.granted.iter().map(|grant| &grant.rule));
        access
    }

    /// Decide about one request: some asked rule and some granted rule have to hold it.
    ///
    /// # Errors
    /// The reason, with the grant that would allow it.
    pub(crate) fn decide(&self, target: &Target, method: &str) -> Result<HttpAllowed, HttpDenied> {
        let request = format!("{method} {target}");
        let Some(narrowest) = HttpRule::for_request(target, method) else {
            return Err(HttpDenied::Method { request, method: method.to_owned() });
        };
        let asked = self.asked_by_host.candidates(target.host()).any(|at| self.asked[at].allows(target, method));
        if !(self.asks_for_any || asked) {
            return Err(HttpDenied::NotAsked { request });
        }
        let mut allowed: Option<HttpAllowed> = None;
        for at in self.granted_by_host.candidates(target.host()) {
            let HttpGrant { rule, addresses } = &self.granted[at];
            if rule.allows(target, method) {
                allowed
                    .get_or_insert_with(|| HttpAllowed { rule: rule.clone(), addresses: Vec::new() })
                    .addresses
                    .extend(addresses);
            }
        }
        allowed.ok_or_else(|| HttpDenied::NotGranted {
            request,
            remedy: Box::new(Grant::Http(HttpGrant { rule: narrowest, addresses: Vec::new() })),
        })
    }
}

#[cfg(test)]
mod tests;

//! What really holds: what the manifest asks for, cut down to what the policy allows.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::env::EnvGrant;
use super::grant::Grant;
use super::http::{HttpAccess, HttpDenied};
use super::mounts::Mount;
use super::process::ProcessGrant;
use super::secrets::SecretGrant;
use crate::capability::http::Target;
use crate::capability::{CapabilityKind, HttpRule, ToolName};

/// What a component may use. Only [`Policy::approve`](super::Policy::approve) makes one.
#[derive(Clone, Debug)]
pub struct Grants {
    pub(super) granted: Vec<Grant>,
    pub(super) http: Arc<HttpAccess>,
}

impl Grants {
    /// Each of them, in the order in which the manifest asks.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.granted.iter()
    }

    /// The directories, each a separate preopen.
    pub fn mounts(&self) -> impl Iterator<Item = &Mount> {
        self.granted.iter().filter_map(|grant| if let Grant::Filesystem(mount) = grant { Some(mount) } else { None })
    }

    /// The secrets that the host puts into requests.
    pub fn secrets(&self) -> impl Iterator<Item = &SecretGrant> {
        self.granted.iter().filter_map(|grant| if let Grant::Secret(secret) = grant { Some(secret) } else { None })
    }

    /// The environment variables.
    pub fn env(&self) -> impl Iterator<Item = &EnvGrant> {
        self.granted.iter().filter_map(|grant| if let Grant::Env(env) = grant { Some(env) } else { None })
    }

    /// The programs.
    pub fn processes(&self) -> impl Iterator<Item = &ProcessGrant> {
        self.granted.iter().filter_map(|grant| if let Grant::Process(process) = grant { Some(process) } else { None })
    }

    /// The other tools.
    pub fn tools(&self) -> impl Iterator<Item = &ToolName> {
        self.granted.iter().filter_map(|grant| if let Grant::Tools(tool) = grant { Some(tool) } else { None })
    }

    /// Whether the clocks tell the time.
    pub fn clock(&self) -> bool {
        self.holds(CapabilityKind::Clock)
    }

    /// Whether random numbers are random.
    pub fn random(&self) -> bool {
        self.holds(CapabilityKind::Random)
    }

    /// Whether it may use nothing at all.
    pub fn is_empty(&self) -> bool {
        self.granted.is_empty()
    }

    /// Whether anything of this kind is granted.
    pub fn holds(&self, kind: CapabilityKind) -> bool {
        self.granted.iter().any(|grant| grant.kind() == kind)
    }

    /// Whether a request would be sent, before anybody asks where its host is: the rule that allows it. What a name
    /// resolves to is checked when a request is made.
    ///
    /// # Errors
    /// Why it would not, with the grant that would allow it.
    pub fn decide_request(&self, method: &str, url: &str) -> Result<HttpRule, RequestRefused> {
        let (scheme, rest) = url.split_once("://").ok_or_else(|| RequestRefused(format!("{url:?} is no URL")))?;
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let target = Target::parse(scheme, authority, path).map_err(HttpDenied::Target);
        let allowed = target.and_then(|target| self.http.decide(&target, method));
        allowed.map(|allowed| allowed.rule).map_err(|denied| RequestRefused(denied.to_string()))
    }

    /// What decides about each request.
    pub(crate) fn http(&self) -> &Arc<HttpAccess> {
        &self.http
    }
}

/// A request that would not be sent, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RequestRefused(String);

/// As the short forms.
impl Serialize for Grants {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.granted)
    }
}

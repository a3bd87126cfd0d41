//! What the operator allows, and what of it a component gets. Pure: nothing is opened or run here.

mod grants;
mod limits;
mod mounts;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;

use crate::capability::{Access, Capability, CapabilityKind};
use crate::finding::Finding;
use crate::inspect::Inspected;

pub use grants::Grants;
pub use limits::{Limit, LimitName, Limits, Origin, Usage, Used};
pub use mounts::{GuestPath, GuestPathError, Mount, MountError};

/// What the operator allows. Without a line that says so, nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    mounts: Vec<Mount>,
    clock: bool,
    random: bool,
    limits: BTreeMap<LimitName, u64>,
}

/// A policy that cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// Not TOML, an unknown field, or a value of the wrong type. The text shows line and column.
    #[error("policy: {0}")]
    Syntax(Box<toml::de::Error>),
    /// TOML, and not a policy: every reason.
    #[error("policy: {}", join(.0))]
    Invalid(Vec<Finding>),
}

/// A component that this policy does not let run: every reason, each with the line that would allow it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("refused by policy: {}", join(.0))]
pub struct Denied(pub Vec<Finding>);

fn join(findings: &[Finding]) -> String {
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  ")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    #[serde(default)]
    grants: GrantsTable,
    #[serde(default)]
    limits: BTreeMap<Spanned<String>, Spanned<u64>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantsTable {
    #[serde(default)]
    filesystem: Vec<Spanned<MountTable>>,
    #[serde(default)]
    clock: bool,
    #[serde(default)]
    random: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MountTable {
    host: std::path::PathBuf,
    #[serde(default = "GuestPath::root")]
    guest: GuestPath,
    access: Access,
}

impl Policy {
    /// No grant, and this host's own limits.
    pub fn nothing() -> Self {
        Self { mounts: Vec::new(), clock: false, random: false, limits: BTreeMap::new() }
    }

    /// Read a policy file's text. Relative directories in it are taken from `base`, the folder it stands in.
    ///
    /// # Errors
    /// [`PolicyError::Syntax`] with line and column, or [`PolicyError::Invalid`] with every reason at once.
    pub fn from_toml(text: &str, base: &Path) -> Result<Self, PolicyError> {
        let file: PolicyFile = toml::from_str(text).map_err(|error| PolicyError::Syntax(Box::new(error)))?;
        let mut policy = Self { clock: file.grants.clock, random: file.grants.random, ..Self::nothing() };
        let mut faults = Vec::new();
        for table in file.grants.filesystem {
            let at = position(text, table.span().start);
            let MountTable { host, guest, access } = table.into_inner();
            if let Err(fault) = policy.add_mount(Mount { host, guest, access }.relative_to(base)) {
                faults.push(Finding { at, ..fault });
            }
        }
        for (key, value) in file.limits {
            let at = position(text, key.span().start);
            if let Err(fault) = policy.set_limit(key.get_ref(), *value.get_ref()) {
                faults.push(Finding { at, ..fault });
            }
        }
        if faults.is_empty() { Ok(policy) } else { Err(PolicyError::Invalid(faults)) }
    }

    /// Allow one directory more.
    ///
    /// # Errors
    /// The sandbox already has a directory at that guest path.
    pub fn mount(mut self, mount: Mount) -> Result<Self, PolicyError> {
        self.add_mount(mount).map_err(|fault| PolicyError::Invalid(vec![fault]))?;
        Ok(self)
    }

    /// Allow the wall clock and a monotonic clock that moves.
    #[must_use]
    pub fn allow_clock(mut self) -> Self {
        self.clock = true;
        self
    }

    /// Allow real random numbers.
    #[must_use]
    pub fn allow_random(mut self) -> Self {
        self.random = true;
        self
    }

    /// Set a limit.
    ///
    /// # Errors
    /// The value is outside [`LimitName::range`].
    pub fn limit(mut self, name: LimitName, value: u64) -> Result<Self, PolicyError> {
        self.set_limit(name.key(), value).map_err(|fault| PolicyError::Invalid(vec![fault]))?;
        Ok(self)
    }

    fn add_mount(&mut self, mount: Mount) -> Result<(), Finding> {
        if let Some(other) = self.mounts.iter().find(|other| other.guest == mount.guest) {
            return Err(Finding::refusal(
                "policy/mount-twice",
                "",
                format!("{} and {} would both be {}", other.host.display(), mount.host.display(), mount.guest),
                format!("give one of them another guest path, for example {}:/other", mount.host.display()),
            ));
        }
        self.mounts.push(mount);
        Ok(())
    }

    fn set_limit(&mut self, key: &str, value: u64) -> Result<(), Finding> {
        let Some(name) = LimitName::from_key(key) else {
            let known: Vec<_> = LimitName::ALL.iter().map(|name| name.key()).collect();
            return Err(Finding::refusal(
                "policy/unknown-limit",
                "",
                format!("there is no limit {key:?}"),
                format!("the limits are {}", known.join(", ")),
            ));
        };
        let range = name.range();
        if !range.contains(&value) {
            return Err(Finding::refusal(
                "policy/limit-range",
                "",
                format!("{name} = {value} is out of range"),
                format!("write a number from {} to {} ({})", range.start(), range.end(), name.unit()),
            ));
        }
        self.limits.insert(name, value);
        Ok(())
    }

    /// The limits of a call under this policy, before a manifest tightens one.
    pub fn limits(&self) -> Limits {
        let mut limits = Limits::standard();
        for (name, value) in &self.limits {
            limits.set_by_policy(*name, *value);
        }
        limits
    }

    /// Cut what the component asks for down to what is allowed.
    ///
    /// # Errors
    /// Something it cannot do without is not allowed; each reason names the line that would allow it.
    pub fn approve(&self, inspected: Inspected) -> Result<Approved, Denied> {
        let mut grants = Grants { mounts: Vec::new(), clock: false, random: false };
        let (mut denials, mut findings) = (Vec::new(), Vec::new());
        for request in &inspected.manifest().capabilities {
            let granted = match &request.capability {
                Capability::Filesystem { access } => {
                    grants.mounts = self.mounts.iter().map(|mount| cut(mount, *access, &mut findings)).collect();
                    !grants.mounts.is_empty()
                }
                Capability::Clock => {
                    grants.clock = self.clock;
                    grants.clock
                }
                Capability::Random => {
                    grants.random = self.random;
                    grants.random
                }
            };
            if granted {
                continue;
            }
            let asked = format!("asks for {} ({:?}) and nothing grants it", request.capability, request.reason);
            let kind = request.capability.kind().name();
            if request.optional {
                findings.push(Finding::warning("policy/not-granted", kind, asked, grant_line(request.capability)));
            } else {
                denials.push(Finding::refusal("policy/not-granted", kind, asked, grant_line(request.capability)));
            }
        }
        findings.extend(self.unasked(&inspected));
        if denials.is_empty() {
            Ok(Approved(Arc::new(Approval { inspected, grants, limits: self.limits(), findings })))
        } else {
            Err(Denied(denials))
        }
    }

    /// Grants that the manifest does not ask for: they stay unused.
    fn unasked(&self, inspected: &Inspected) -> Vec<Finding> {
        let asked = |kind| inspected.manifest().capabilities.iter().any(|request| request.capability.kind() == kind);
        [
            (CapabilityKind::Filesystem, !self.mounts.is_empty()),
            (CapabilityKind::Clock, self.clock),
            (CapabilityKind::Random, self.random),
        ]
        .into_iter()
        .filter(|(kind, allowed)| *allowed && !asked(*kind))
        .map(|(kind, _)| {
            Finding::warning(
                "policy/unasked",
                kind.name(),
                format!("the policy allows {} and the manifest does not ask for it: it is not granted", kind.name()),
                "leave the grant out, or ask the vendor why the manifest is silent",
            )
        })
        .collect()
    }
}

fn cut(mount: &Mount, asked: Access, findings: &mut Vec<Finding>) -> Mount {
    let access = mount.access.min(asked);
    if access < asked {
        let wider = Mount { access: asked, ..mount.clone() };
        findings.push(Finding::warning(
            "policy/narrower",
            mount.guest.as_str(),
            format!("the manifest asks for {asked} and the policy allows {access}"),
            format!("to allow it: --mount {}", wider.short_form()),
        ));
    }
    Mount { access, ..mount.clone() }
}

/// The line that grants a capability, on the command line and in a policy file.
pub(crate) fn grant_line(capability: Capability) -> String {
    match capability {
        Capability::Filesystem { access } => {
            let short = if access == Access::ReadWrite { ".:rw" } else { "." };
            format!(
                "allow it with --mount {short}, or at the top of the policy file: \
                 grants.filesystem = [{{ host = \".\", access = \"{access}\" }}]"
            )
        }
        Capability::Clock | Capability::Random => {
            let name = capability.kind().name();
            format!("allow it with --allow {name}, or at the top of the policy file: grants.{name} = true")
        }
    }
}

fn position(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    format!("line {line}, column {column}")
}

/// A component that may run, with what it was granted and the limits it runs under. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Approved(Arc<Approval>);

#[derive(Debug)]
struct Approval {
    inspected: Inspected,
    grants: Grants,
    limits: Limits,
    findings: Vec<Finding>,
}

impl Approved {
    /// What was approved.
    pub fn inspected(&self) -> &Inspected {
        &self.0.inspected
    }

    /// What it may use.
    pub fn grants(&self) -> &Grants {
        &self.0.grants
    }

    /// The limits of each call, before a tool's own time limit tightens one.
    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// Where the manifest and the policy differ: asked and not granted, granted and not asked.
    pub fn findings(&self) -> &[Finding] {
        &self.0.findings
    }
}

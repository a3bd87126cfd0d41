//! What the operator allows, and what of it a component gets. Pure: nothing is opened or run here.

mod approve;
mod env;
mod file;
mod grant;
mod grants;
pub(crate) mod http;
mod limits;
mod mounts;
mod process;
mod quote;
mod secrets;
mod width;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::component::Digest;
use crate::consent::CallRules;
use crate::finding::Finding;
use crate::inspect::Inspected;

pub use self::http::{HttpGrant, HttpGrantError};
pub use approve::Approved;
pub(crate) use env::is_value;
pub use env::{EnvGrant, EnvGrantError};
pub(crate) use grant::grant_line;
pub use grant::{Grant, GrantError};
pub use grants::{Grants, RequestRefused};
pub use limits::{Limit, LimitName, Limits, Origin, Usage, Used};
pub use mounts::{GuestPath, GuestPathError, Mount, MountError};
pub use process::{ArgPattern, ArgPatternError, ProcessGrant, ProcessGrantError};
pub(crate) use process::{denial, permit};
pub use secrets::{SecretGrant, SecretGrantError, SecretSource};

/// What the operator allows. Without a line that says so, nothing.
///
/// Grants and limits are for every component, or for one by name or by digest. What is for one is added to what is for
/// every one, unless the policy says that it does not inherit; of two directories at one guest path, and of two values
/// of a limit, the more specific one holds: digest before name before all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    all: Section,
    components: Vec<(Selector, Section)>,
    calls: CallRules,
    files: Vec<PathBuf>,
}

/// Whom a part of a policy is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Selector {
    /// Every component whose manifest has this name: any vendor may choose it.
    Name(String),
    /// The one component with these bytes.
    Digest(Digest),
}

impl Selector {
    fn selects(&self, inspected: &Inspected) -> bool {
        match self {
            Self::Name(name) => *name == inspected.manifest().name,
            Self::Digest(digest) => *digest == inspected.digest(),
        }
    }
}

/// `files`, or `sha256:…`.
impl FromStr for Selector {
    type Err = Finding;

    fn from_str(text: &str) -> Result<Self, Finding> {
        let write =
            "write a component's name, as its manifest has it, or its whole digest: [component.\"sha256:…\".grants]";
        let refuse = |message: String| Finding::refusal("policy/component", "", message, write);
        if text.starts_with("sha256:") {
            return text.parse().map(Self::Digest).map_err(|error| refuse(format!("{error}")));
        }
        let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if (1..=64).contains(&text.len()) && text.bytes().all(plain) && !text.starts_with('-') {
            Ok(Self::Name(text.to_owned()))
        } else {
            let shown: String = text.chars().take(64).collect();
            Err(refuse(format!("{shown:?} is no component")))
        }
    }
}

/// Grants and limits for every component, or for one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    inherit: bool,
    grants: Vec<Grant>,
    limits: BTreeMap<LimitName, u64>,
}

impl Default for Section {
    fn default() -> Self {
        Self { inherit: true, grants: Vec::new(), limits: BTreeMap::new() }
    }
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

impl Policy {
    /// No grant, and this host's own limits.
    pub fn nothing() -> Self {
        Self { all: Section::default(), components: Vec::new(), calls: CallRules::none(), files: Vec::new() }
    }

    /// Read a policy file's text. Relative paths in it are taken from `base`, the folder it stands in.
    ///
    /// # Errors
    /// [`PolicyError::Syntax`] with line and column, or [`PolicyError::Invalid`] with every reason at once.
    pub fn from_toml(text: &str, base: &Path) -> Result<Self, PolicyError> {
        file::policy(text, base)
    }

    /// Say which file this policy was read from. A component whose grants let it write there is not loaded.
    #[must_use]
    pub fn read_from(mut self, file: impl Into<PathBuf>) -> Self {
        self.files.push(file.into());
        self
    }

    /// Allow one thing more, for every component.
    ///
    /// # Errors
    /// It contradicts another grant: a second directory at one guest path, a second value of one variable.
    pub fn allow(mut self, grant: Grant) -> Result<Self, PolicyError> {
        self.all.add(grant).map_err(|fault| PolicyError::Invalid(vec![fault]))?;
        Ok(self)
    }

    /// Allow one directory more: [`Policy::allow`] with a [`Grant::Filesystem`].
    ///
    /// # Errors
    /// The sandbox already has a directory at that guest path.
    pub fn mount(self, mount: Mount) -> Result<Self, PolicyError> {
        self.allow(Grant::Filesystem(mount))
    }

    /// Set a limit, for every component.
    ///
    /// # Errors
    /// The value is outside [`LimitName::range`].
    pub fn limit(mut self, name: LimitName, value: u64) -> Result<Self, PolicyError> {
        self.all.set_limit(name.key(), value).map_err(|fault| PolicyError::Invalid(vec![fault]))?;
        Ok(self)
    }

    /// Allow one thing more, for one component.
    ///
    /// # Errors
    /// As [`Policy::allow`].
    pub fn allow_for(mut self, whom: Selector, grant: Grant) -> Result<Self, PolicyError> {
        let index = self.components.iter().position(|(selector, _)| *selector == whom);
        let index = index.unwrap_or_else(|| {
            self.components.push((whom, Section::default()));
            self.components.len() - 1
        });
        self.components[index].1.add(grant).map_err(|fault| PolicyError::Invalid(vec![fault]))?;
        Ok(self)
    }

    /// Deny calls by their tools' names, or have somebody asked before them: in the place of what it says of calls so far.
    #[must_use]
    pub fn ruling(mut self, calls: CallRules) -> Self {
        self.calls = calls;
        self
    }

    /// Which calls are denied, and for which somebody is asked. They hold for every call of a component that this policy
    /// approved, in a session or not; without a session there is nobody to ask, and such a call is denied.
    pub fn calls(&self) -> &CallRules {
        &self.calls
    }

    /// Every grant there is, with whom it is for; `None` is every component.
    pub fn grants(&self) -> impl Iterator<Item = (Option<&Selector>, &Grant)> {
        let all = self.all.grants.iter().map(|grant| (None, grant));
        let some = self.components.iter();
        all.chain(some.flat_map(|(whom, section)| section.grants.iter().map(move |grant| (Some(whom), grant))))
    }

    /// Every limit that is set, with whom it is for.
    pub fn limits(&self) -> impl Iterator<Item = (Option<&Selector>, LimitName, u64)> {
        let all = self.all.limits.iter().map(|(name, value)| (None, *name, *value));
        let some = self.components.iter();
        all.chain(
            some.flat_map(|(whom, section)| {
                section.limits.iter().map(move |(name, value)| (Some(whom), *name, *value))
            }),
        )
    }

    /// What holds for everyone, components or not.
    pub(crate) fn limits_for_all(&self) -> Limits {
        let mut limits = Limits::standard();
        for (name, value) in &self.all.limits {
            limits.set_by_policy(*name, *value);
        }
        limits
    }

    /// The components that a part of this policy is for.
    pub fn components(&self) -> impl Iterator<Item = &Selector> {
        self.components.iter().map(|(selector, _)| selector)
    }
}

impl Section {
    fn add(&mut self, grant: Grant) -> Result<(), Finding> {
        let clash = match &grant {
            Grant::Filesystem(mount) => self.grants.iter().find_map(|other| match other {
                Grant::Filesystem(other) if other.guest == mount.guest => Some(Finding::refusal(
                    "policy/mount-twice",
                    "",
                    format!("{} and {} would both be {}", other.host.display(), mount.host.display(), mount.guest),
                    format!("give one of them another guest path, for example {}:/other", mount.host.display()),
                )),
                _ => None,
            }),
            other => {
                let twice = |earlier: &&Grant| *earlier != other && same_name(earlier, other);
                self.grants.iter().find(twice).map(|earlier| {
                    Finding::refusal(
                        "policy/grant-twice",
                        "",
                        format!("`{earlier}` and `{other}` are for one name"),
                        "leave one of them out",
                    )
                })
            }
        };
        match clash {
            Some(fault) => return Err(fault),
            None if self.grants.contains(&grant) => {}
            None => self.grants.push(grant),
        }
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
}

/// Whether two grants would answer one name in different ways. A program may be granted with several argument patterns.
fn same_name(one: &Grant, other: &Grant) -> bool {
    match (one, other) {
        (Grant::Secret(one), Grant::Secret(other)) => one.name() == other.name(),
        (Grant::Env(one), Grant::Env(other)) => one.name == other.name,
        (Grant::Process(one), Grant::Process(other)) => one.name() == other.name() && one.path() != other.path(),
        _ => false,
    }
}

//! One thing an operator allows, with the one grammar that the command line, messages and the lock file share.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::env::{EnvGrant, EnvGrantError};
use super::http::{HttpGrant, HttpGrantError};
use super::mounts::{Mount, MountError};
use super::process::{ProcessGrant, ProcessGrantError};
use super::quote::shell;
use super::secrets::{SecretGrant, SecretGrantError};
use crate::capability::{Access, Capability, CapabilityKind, NameError, ToolName};

/// One piece of authority that an operator gives. Its short form is `KIND=DETAILS`: what `--allow` takes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grant {
    /// A directory: `filesystem=./src:/src:rw`.
    Filesystem(Mount),
    /// Requests: `http=https://api.example.com/v1/ GET`.
    Http(HttpGrant),
    /// A secret the host puts into requests: `secret=github-token env:GITHUB_TOKEN https://api.github.com/`.
    Secret(SecretGrant),
    /// An environment variable: `env=LANG`, or `env=LANG=C`.
    Env(EnvGrant),
    /// The clocks: `clock`.
    Clock,
    /// Random numbers: `random`.
    Random,
    /// A program: `process=git:/usr/bin/git log --oneline *`.
    Process(ProcessGrant),
    /// Another tool: `tools=word_count`.
    Tools(ToolName),
}

/// A short form that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GrantError {
    /// There is no such kind.
    #[error("there is no capability {name:?}; write one of {}", kinds())]
    Kind {
        /// What was written.
        name: String,
    },
    /// The kind needs details, or takes none.
    #[error("{kind} {}; write --allow '{example}'", if *.takes { "needs details" } else { "takes no details" })]
    Details {
        /// Which.
        kind: CapabilityKind,
        /// Whether it takes any.
        takes: bool,
        /// One that can be read.
        example: &'static str,
    },
    /// The directory.
    #[error(transparent)]
    Mount(#[from] MountError),
    /// The request.
    #[error(transparent)]
    Http(#[from] HttpGrantError),
    /// The secret.
    #[error(transparent)]
    Secret(#[from] SecretGrantError),
    /// The variable.
    #[error(transparent)]
    Env(#[from] EnvGrantError),
    /// The program.
    #[error(transparent)]
    Process(#[from] ProcessGrantError),
    /// The tool.
    #[error(transparent)]
    Tool(#[from] NameError),
}

fn kinds() -> String {
    CapabilityKind::ALL.map(CapabilityKind::name).join(", ")
}

impl Grant {
    /// Its kind.
    pub const fn kind(&self) -> CapabilityKind {
        match self {
            Self::Filesystem(_) => CapabilityKind::Filesystem,
            Self::Http(_) => CapabilityKind::Http,
            Self::Secret(_) => CapabilityKind::Secret,
            Self::Env(_) => CapabilityKind::Env,
            Self::Clock => CapabilityKind::Clock,
            Self::Random => CapabilityKind::Random,
            Self::Process(_) => CapabilityKind::Process,
            Self::Tools(_) => CapabilityKind::Tools,
        }
    }

    /// One of each kind, to show how it is written.
    pub fn examples() -> impl Iterator<Item = Self> {
        CapabilityKind::ALL.into_iter().filter_map(|kind| example(kind).parse().ok())
    }

    /// Whether this answers what a manifest asks for, wholly or in part.
    pub fn answers(&self, asked: &Capability) -> bool {
        match (self, asked) {
            (Self::Filesystem(_), Capability::Filesystem { .. })
            | (Self::Clock, Capability::Clock)
            | (Self::Random, Capability::Random)
            | (Self::Http(_), Capability::Http { target: None }) => true,
            (Self::Http(grant), Capability::Http { target: Some(rule) }) => grant.rule.overlaps(rule),
            (Self::Secret(grant), Capability::Secret { name }) => grant.name() == name.as_str(),
            (Self::Env(grant), Capability::Env { name }) => grant.name == *name,
            (Self::Process(grant), Capability::Process { program }) => grant.name() == program.as_str(),
            (Self::Tools(granted), Capability::Tools { tool }) => granted == tool,
            _ => false,
        }
    }

    /// Why a reviewer should look twice: it gives more than most tools need.
    pub fn width(&self) -> Option<String> {
        match self {
            Self::Filesystem(mount) => mount.width(),
            Self::Http(grant) => grant.width(),
            Self::Process(grant) => grant.width(),
            Self::Secret(grant) if grant.goes_in_the_clear() => {
                Some("sends the secret without encryption, for everyone on the way to read".to_owned())
            }
            Self::Secret(_) | Self::Env(_) | Self::Clock | Self::Random | Self::Tools(_) => None,
        }
    }

    /// What a log calls it: the short form without the values of variables, which may be secret.
    pub fn label(&self) -> String {
        match self {
            Self::Env(grant) => format!("{}={}", self.kind(), grant.name),
            Self::Process(grant) => format!("{}={}", self.kind(), grant.name()),
            other => other.to_string(),
        }
    }

    /// The line that grants this, on the command line and in a policy file.
    pub fn lines(&self) -> String {
        format!("allow it with {}, or at the top of the policy file: {}", self.flag(), self.policy_line())
    }

    /// The flag that grants this, quoted for a shell where it has to be: `--allow clock`.
    pub fn flag(&self) -> String {
        match self {
            Self::Filesystem(mount) => format!("--mount {}", mount.short_form()),
            other => format!("--allow {}", shell(&other.to_string())),
        }
    }

    /// The line in a policy file: `grants.clock = true`.
    pub fn policy_line(&self) -> String {
        match self {
            Self::Filesystem(mount) => mount.policy_line(),
            Self::Http(grant) => grant.policy_line(),
            Self::Secret(grant) => grant.policy_line(),
            Self::Env(grant) => grant.policy_line(),
            Self::Process(grant) => grant.policy_line(),
            Self::Tools(tool) => format!("grants.tools = [\"{tool}\"]"),
            Self::Clock | Self::Random => format!("grants.{} = true", self.kind()),
        }
    }

    /// The narrowest grant that answers a request, where the request says enough; else one to be filled in.
    pub(crate) fn example(asked: &Capability) -> Option<Self> {
        match asked {
            Capability::Filesystem { access } => Some(Self::Filesystem(Mount::here(*access))),
            Capability::Http { target } => {
                let rule = target.as_ref().map_or_else(|| "https://example.com/ GET".to_owned(), ToString::to_string);
                rule.parse().ok().map(Self::Http)
            }
            Capability::Secret { name } => {
                let variable = name.as_str().to_ascii_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
                format!("{name} env:{variable} https://example.com/").parse().ok().map(Self::Secret)
            }
            Capability::Env { name } => Some(Self::Env(EnvGrant { name: name.clone(), value: None })),
            Capability::Clock => Some(Self::Clock),
            Capability::Random => Some(Self::Random),
            Capability::Process { program } => {
                format!("{program}:/usr/bin/{program} ...").parse().ok().map(Self::Process)
            }
            Capability::Tools { tool } => Some(Self::Tools(tool.clone())),
        }
    }
}

/// The lines that would grant a request. Where the request leaves something to the operator, they say what.
pub(crate) fn grant_line(asked: &Capability) -> String {
    let Some(grant) = Grant::example(asked) else { return format!("grant {asked}") };
    let choose = match asked {
        Capability::Http { target: None } => " (with the host it is to reach in place of example.com)",
        Capability::Secret { .. } => " (with the variable that holds it, and where it may be sent)",
        Capability::Process { .. } => " (with the program's path and the arguments it may have)",
        _ => "",
    };
    format!("{}{choose}", grant.lines())
}

impl FromStr for Grant {
    type Err = GrantError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, details) = match text.split_once('=') {
            Some((kind, details)) => (kind, Some(details)),
            None => (text, None),
        };
        let kind = CapabilityKind::from_name(kind)
            .ok_or_else(|| GrantError::Kind { name: kind.chars().take(64).collect() })?;
        let example = example(kind);
        match (kind, details) {
            (CapabilityKind::Clock, None) => Ok(Self::Clock),
            (CapabilityKind::Random, None) => Ok(Self::Random),
            (CapabilityKind::Clock | CapabilityKind::Random, Some(_)) => {
                Err(GrantError::Details { kind, takes: false, example })
            }
            (_, None | Some("")) => Err(GrantError::Details { kind, takes: true, example }),
            (CapabilityKind::Filesystem, Some(details)) => Ok(Self::Filesystem(details.parse()?)),
            (CapabilityKind::Http, Some(details)) => Ok(Self::Http(details.parse()?)),
            (CapabilityKind::Secret, Some(details)) => Ok(Self::Secret(details.parse()?)),
            (CapabilityKind::Env, Some(details)) => Ok(Self::Env(details.parse()?)),
            (CapabilityKind::Process, Some(details)) => Ok(Self::Process(details.parse()?)),
            (CapabilityKind::Tools, Some(details)) => Ok(Self::Tools(details.parse()?)),
        }
    }
}

const fn example(kind: CapabilityKind) -> &'static str {
    match kind {
        CapabilityKind::Filesystem => "filesystem=./notes:/notes:rw",
        CapabilityKind::Http => "http=https://api.example.com/v1/ GET",
        CapabilityKind::Secret => "secret=github-token env:GITHUB_TOKEN https://api.github.com/",
        CapabilityKind::Env => "env=LANG",
        CapabilityKind::Clock => "clock",
        CapabilityKind::Random => "random",
        CapabilityKind::Process => "process=git:/usr/bin/git log --oneline *",
        CapabilityKind::Tools => "tools=word_count",
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind();
        match self {
            Self::Filesystem(mount) => write!(f, "{kind}={}", mount.whole_form()),
            Self::Http(grant) => write!(f, "{kind}={grant}"),
            Self::Secret(grant) => write!(f, "{kind}={grant}"),
            Self::Env(grant) => write!(f, "{kind}={grant}"),
            Self::Process(grant) => write!(f, "{kind}={grant}"),
            Self::Tools(tool) => write!(f, "{kind}={tool}"),
            Self::Clock | Self::Random => write!(f, "{kind}"),
        }
    }
}

/// As its short form.
impl Serialize for Grant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Mount {
    /// The directory the operator is in.
    fn here(access: Access) -> Self {
        Self { host: ".".into(), guest: super::GuestPath::root(), access }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Result<&str, &str>) {
        match (text.parse::<Grant>(), expect) {
            (Ok(grant), Ok(line)) => {
                assert_eq!(grant.policy_line(), line);
                assert_eq!(grant.to_string().parse::<Grant>().expect(text), grant);
            }
            (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{text}: {error}"),
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn the_short_forms_and_the_lines_of_a_policy_file() {
        check("clock", Ok("grants.clock = true"));
        check("random", Ok("grants.random = true"));
        check("tools=word_count", Ok("grants.tools = [\"word_count\"]"));
        check("env=LANG", Ok("grants.env = [{ name = \"LANG\" }]"));
        check("env=A=\"", Ok(r#"grants.env = [{ name = "A", value = "\"" }]"#));
        check("filesystem=a:/b:rw", Ok(r#"grants.filesystem = [{ host = "a", guest = "/b", access = "read-write" }]"#));
        check("clock=now", Err("clock takes no details; write --allow 'clock'"));
        check("env", Err("env needs details; write --allow 'env=LANG'"));
        check("http=", Err("http needs details"));
        check("sockets=x", Err("there is no capability \"sockets\"; write one of filesystem, http"));
        check("", Err("there is no capability \"\""));
    }

    /// Each example is read back the same from the flag, and from the line of a policy file.
    #[test]
    fn every_kind_has_an_example_that_both_grammars_read() {
        let examples: Vec<_> = Grant::examples().collect();
        let kinds: Vec<_> = examples.iter().map(Grant::kind).collect();
        assert_eq!(kinds, CapabilityKind::ALL);
        for grant in examples {
            let line = grant.policy_line();
            let policy = crate::Policy::from_toml(&line, std::path::Path::new("")).expect(&line);
            let read: Vec<_> = policy.grants().map(|(_, grant)| grant.clone()).collect();
            assert_eq!(read, [grant]);
        }
    }
}

//! The kinds of authority there are, and the one table that says which WIT interface needs which.
//!
//! Everything reads this table: inspection (may a component import this?), the granted sandbox (which grant makes it
//! real?) and the sealed sandbox (what does a projector get instead?). An interface that is not in it is refused.

pub(crate) mod http;
mod names;

use std::fmt;

pub use self::http::{HttpRule, HttpRuleError};
pub use names::{EnvName, Name, NameError, ToolName};

use serde::{Deserialize, Serialize};

/// How far a filesystem grant goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Look, do not touch.
    Read,
    /// Create, change and delete too.
    ReadWrite,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::ReadWrite => "read-write",
        })
    }
}

/// One piece of authority, as a manifest asks for it. A closed set.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "capability", rename_all = "kebab-case")]
pub enum Capability {
    /// Files in the directories that the operator names.
    Filesystem {
        /// How far.
        access: Access,
    },
    /// Requests over the network.
    Http {
        /// Which. `None`: to whichever hosts the operator names.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<HttpRule>,
    },
    /// A secret that the host puts into requests. The tool never sees it.
    Secret {
        /// What the vendor calls it: `github-token`.
        name: Name,
    },
    /// One environment variable.
    Env {
        /// Which: `LANG`.
        name: EnvName,
    },
    /// The time of day and the passing of time.
    Clock,
    /// Random numbers that differ from call to call.
    Random,
    /// A program of the host's. The widest capability there is: what the program may do, the tool may do.
    Process {
        /// What the vendor calls it: `git`.
        program: Name,
    },
    /// Another tool, by name.
    Tools {
        /// Which.
        tool: ToolName,
    },
}

impl Capability {
    /// Its kind.
    pub const fn kind(&self) -> CapabilityKind {
        match self {
            Self::Filesystem { .. } => CapabilityKind::Filesystem,
            Self::Http { .. } => CapabilityKind::Http,
            Self::Secret { .. } => CapabilityKind::Secret,
            Self::Env { .. } => CapabilityKind::Env,
            Self::Clock => CapabilityKind::Clock,
            Self::Random => CapabilityKind::Random,
            Self::Process { .. } => CapabilityKind::Process,
            Self::Tools { .. } => CapabilityKind::Tools,
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filesystem { access } => write!(f, "filesystem ({access})"),
            Self::Http { target: Some(rule) } => write!(f, "http ({rule})"),
            Self::Http { target: None } => f.write_str("http (hosts of the operator's choice)"),
            Self::Secret { name } => write!(f, "secret ({name})"),
            Self::Env { name } => write!(f, "env ({name})"),
            Self::Process { program } => write!(f, "process ({program})"),
            Self::Tools { tool } => write!(f, "tools ({tool})"),
            Self::Clock | Self::Random => self.kind().fmt(f),
        }
    }
}

/// A [`Capability`] without its details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "see `Capability`")]
pub enum CapabilityKind {
    Filesystem,
    Http,
    Secret,
    Env,
    Clock,
    Random,
    Process,
    Tools,
}

impl CapabilityKind {
    /// All of them, in the order they are listed to people.
    pub const ALL: [Self; 8] =
        [Self::Filesystem, Self::Http, Self::Secret, Self::Env, Self::Clock, Self::Random, Self::Process, Self::Tools];

    /// Its name in manifests and policies.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Filesystem => "filesystem",
            Self::Http => "http",
            Self::Secret => "secret",
            Self::Env => "env",
            Self::Clock => "clock",
            Self::Random => "random",
            Self::Process => "process",
            Self::Tools => "tools",
        }
    }

    /// What it lets a tool do, in a sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Filesystem => "Files in the directories that the operator names, to read, or to read and change.",
            Self::Http => "Requests to the hosts, paths and methods that a rule names, over checked addresses.",
            Self::Secret => "A secret that the host puts into a header of requests. The tool never sees it.",
            Self::Env => "One environment variable.",
            Self::Clock => "The time of day and the passing of time.",
            Self::Random => "Random numbers that differ from call to call.",
            Self::Process => "A program of the machine's: what it may do, the tool may do. The widest there is.",
            Self::Tools => "Another tool, which runs with its own grants.",
        }
    }

    /// Whether language runtimes link its interfaces by themselves, whatever the tool does. Then linking says nothing, and
    /// without a request the functions give constants or deny. What is linked on purpose has to be asked for.
    pub(crate) const fn is_linked_by_runtimes(self) -> bool {
        match self {
            Self::Filesystem | Self::Env | Self::Clock | Self::Random => true,
            Self::Http | Self::Secret | Self::Process | Self::Tools => false,
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for CapabilityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What it takes for an imported interface to do its work in `execute`. Importing it takes nothing: language runtimes
/// link these whether a tool uses them or not, so without the grant they answer with constants or deny at the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// Nothing: it carries no authority, or the host gives it none.
    Runtime,
    /// A grant of this kind.
    Capability(CapabilityKind),
    /// No capability grants it: always denied.
    Never,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runtime => f.write_str("needs nothing"),
            Self::Capability(kind) => write!(f, "needs {kind}"),
            Self::Never => f.write_str("always denied"),
        }
    }
}

/// What a projector gets when it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Sealed {
    /// The same answer on every machine, at every call.
    Constant,
    /// An error that names projector and import.
    Denied,
    /// The real thing, because it reaches nothing outside the projector's own instance and its captured output.
    Harmless,
}

/// One row of the table: an interface that may be imported.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Interface {
    /// `wasi:clocks`.
    pub(crate) package: &'static str,
    /// `wall-clock`.
    pub(crate) name: &'static str,
    /// What it takes.
    pub(crate) need: Need,
    sealed: Sealed,
    /// Functions that the sealed sandbox treats otherwise.
    except: &'static [(&'static str, Sealed)],
}

#[cfg(test)]
impl Interface {
    /// The functions that the sealed sandbox treats otherwise than the rest of the interface.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = &'static str> {
        self.except.iter().map(|(name, _)| *name)
    }
}

/// The last WASI that the linked wasmtime-wasi 48 implements; `wit/deps` holds it. Interfaces of 0.2.0 up to this are
/// accepted: a later 0.2.x may have functions that do not exist here.
const WASI_TRACK: &str = "0.2";
const WASI_PATCH: u64 = 12;
/// The version the linker holds every interface of WASI under: `WASI_TRACK` and `WASI_PATCH`.
pub(crate) const LINKED_WASI: &str = "0.2.12";
/// The track of our own packages. Every patch of it is matched function by function.
pub(crate) const OUR_TRACK: &str = "0.1";

use CapabilityKind::{Clock, Env, Filesystem, Http, Process, Random, Tools};
use Need::{Never, Runtime};
use Sealed::{Constant, Denied, Harmless};

const fn row(package: &'static str, name: &'static str, need: Need, sealed: Sealed) -> Interface {
    Interface { package, name, need, sealed, except: &[] }
}

const fn except(row: Interface, except: &'static [(&'static str, Sealed)]) -> Interface {
    Interface { except, ..row }
}

/// The table. A test holds it against `wit/`: no row and no function that does not exist, no interface left out.
static INTERFACES: &[Interface] = &[
    row("fumehood:tool", "progress", Runtime, Denied),
    // Types only.
    row("fumehood:tool", "types", Runtime, Harmless),
    row("fumehood:host", "process", Need::Capability(Process), Denied),
    row("fumehood:host", "tools", Need::Capability(Tools), Denied),
    // Arguments and the initial directory are always empty; the environment holds the variables that were granted.
    row("wasi:cli", "environment", Need::Capability(Env), Constant),
    // Ends the instance that calls it, nothing else.
    row("wasi:cli", "exit", Runtime, Harmless),
    row("wasi:cli", "stdin", Runtime, Constant),
    row("wasi:cli", "stdout", Runtime, Constant),
    row("wasi:cli", "stderr", Runtime, Constant),
    row("wasi:cli", "terminal-input", Runtime, Constant),
    row("wasi:cli", "terminal-output", Runtime, Constant),
    row("wasi:cli", "terminal-stdin", Runtime, Constant),
    row("wasi:cli", "terminal-stdout", Runtime, Constant),
    row("wasi:cli", "terminal-stderr", Runtime, Constant),
    except(
        row("wasi:clocks", "monotonic-clock", Need::Capability(Clock), Denied),
        &[("now", Constant), ("resolution", Constant)],
    ),
    row("wasi:clocks", "wall-clock", Need::Capability(Clock), Denied),
    row("wasi:filesystem", "types", Need::Capability(Filesystem), Denied),
    row("wasi:filesystem", "preopens", Need::Capability(Filesystem), Constant),
    // Its types too: without the grant there is nothing to ask them for.
    row("wasi:http", "outgoing-handler", Need::Capability(Http), Denied),
    row("wasi:http", "types", Need::Capability(Http), Denied),
    row("wasi:io", "error", Runtime, Harmless),
    row("wasi:io", "poll", Runtime, Denied),
    // The only streams a projector can hold are its closed input and its captured output.
    except(
        row("wasi:io", "streams", Runtime, Harmless),
        &[("[method]input-stream.subscribe", Denied), ("[method]output-stream.subscribe", Denied)],
    ),
    row("wasi:random", "random", Need::Capability(Random), Constant),
    row("wasi:random", "insecure", Need::Capability(Random), Constant),
    row("wasi:random", "insecure-seed", Need::Capability(Random), Constant),
    // componentize-py links sockets always.
    row("wasi:sockets", "instance-network", Never, Denied),
    row("wasi:sockets", "ip-name-lookup", Never, Denied),
    row("wasi:sockets", "network", Never, Denied),
    row("wasi:sockets", "tcp", Never, Denied),
    row("wasi:sockets", "tcp-create-socket", Never, Denied),
    row("wasi:sockets", "udp", Never, Denied),
    row("wasi:sockets", "udp-create-socket", Never, Denied),
];

/// Why an import name is not in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// No `namespace:package/interface@version`.
    Shape,
    /// There is no such interface here.
    Interface,
    /// The interface exists, in these versions.
    Version(&'static str),
}

/// Finds the row of an import such as `wasi:io/poll@0.2.9`.
pub(crate) fn find(import_name: &str) -> Result<&'static Interface, Unknown> {
    let (id, version) = import_name.split_once('@').ok_or(Unknown::Shape)?;
    let (package, name) = id.split_once('/').ok_or(Unknown::Shape)?;
    let row = INTERFACES.iter().find(|row| row.package == package && row.name == name).ok_or(Unknown::Interface)?;
    if package.starts_with("fumehood:") {
        patch(version, OUR_TRACK).map(|_| row).ok_or(Unknown::Version("0.1.x"))
    } else {
        patch(version, WASI_TRACK)
            .filter(|patch| *patch <= WASI_PATCH)
            .map(|_| row)
            .ok_or(Unknown::Version("0.2.0 to 0.2.12"))
    }
}

/// Every row.
#[cfg(test)]
pub(crate) fn rows() -> impl Iterator<Item = &'static Interface> {
    INTERFACES.iter()
}

/// [`find()`] where the reason does not matter.
pub(crate) fn lookup(import_name: &str) -> Option<&'static Interface> {
    find(import_name).ok()
}

/// What a projector gets from a function of this interface.
pub(crate) fn sealed(interface: &Interface, function: &str) -> Sealed {
    let exception = interface.except.iter().find(|(name, _)| *name == function);
    exception.map_or(interface.sealed, |(_, sealed)| *sealed)
}

/// The patch number of a released version of this track: `("0.2.9", "0.2")` gives 9, `0.2.9-rc.1` and `0.2.09` nothing.
pub(crate) fn patch(version: &str, track: &str) -> Option<u64> {
    let patch = version.strip_prefix(track)?.strip_prefix('.')?;
    let plain = patch.bytes().all(|byte| byte.is_ascii_digit()) && (patch == "0" || !patch.starts_with('0'));
    plain.then(|| patch.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(import_name: &str, expect: Result<Need, Unknown>) {
        assert_eq!(find(import_name).map(|row| row.need), expect, "{import_name}");
    }

    #[test]
    fn knows_what_may_be_imported_and_refuses_the_rest() {
        check("wasi:cli/environment@0.2.0", Ok(Need::Capability(Env)));
        check("wasi:io/poll@0.2.9", Ok(Runtime));
        check("wasi:random/random@0.2.12", Ok(Need::Capability(Random)));
        check("wasi:clocks/monotonic-clock@0.2.3", Ok(Need::Capability(Clock)));
        check("wasi:sockets/tcp@0.2.9", Ok(Never));
        check("fumehood:tool/progress@0.1.7", Ok(Runtime));
        check("fumehood:host/process@0.1.0", Ok(Need::Capability(Process)));
        check("fumehood:host/tools@0.1.3", Ok(Need::Capability(Tools)));
        check("fumehood:host/process@0.2.0", Err(Unknown::Version("0.1.x")));
        check("fumehood:host/anything@0.1.0", Err(Unknown::Interface));
        check("fumehood:process/process@0.1.0", Err(Unknown::Interface));
        check("wasi:random/random@0.2.13", Err(Unknown::Version("0.2.0 to 0.2.12")));
        check("wasi:random/random@0.3.0", Err(Unknown::Version("0.2.0 to 0.2.12")));
        check("wasi:random/random@0.2.0-rc-2023-12-05", Err(Unknown::Version("0.2.0 to 0.2.12")));
        check("wasi:random/random@0.2.01", Err(Unknown::Version("0.2.0 to 0.2.12")));
        check("wasi:random/random@0.2.99999999999999999999", Err(Unknown::Version("0.2.0 to 0.2.12")));
        check("fumehood:tool/progress@0.2.0", Err(Unknown::Version("0.1.x")));
        check("wasi:http/outgoing-handler@0.2.10", Ok(Need::Capability(Http)));
        check("wasi:http/types@0.2.12", Ok(Need::Capability(Http)));
        check("wasi:http/incoming-handler@0.2.10", Err(Unknown::Interface));
        check("wasi:cli/run@0.2.12", Err(Unknown::Interface));
        check("wasi:random/random", Err(Unknown::Shape));
        check("unlocked-dep=<wasi:random/random@{>=0.2.0}>", Err(Unknown::Interface));
        check("log", Err(Unknown::Shape));
        check("", Err(Unknown::Shape));
    }

    #[test]
    fn says_what_a_projector_gets() {
        let check = |name, function, expect| {
            let row = lookup(name).unwrap();
            assert_eq!(sealed(row, function), expect, "{name}.{function}");
        };
        check("wasi:clocks/monotonic-clock@0.2.12", "now", Constant);
        check("wasi:clocks/monotonic-clock@0.2.12", "subscribe-duration", Denied);
        check("wasi:clocks/wall-clock@0.2.12", "now", Denied);
        check("wasi:filesystem/preopens@0.2.12", "get-directories", Constant);
        check("wasi:filesystem/types@0.2.12", "[method]descriptor.read", Denied);
        check("wasi:io/streams@0.2.12", "[method]output-stream.check-write", Harmless);
        check("wasi:io/streams@0.2.12", "[method]output-stream.subscribe", Denied);
        check("fumehood:tool/progress@0.1.0", "report", Denied);
        check("fumehood:host/process@0.1.0", "run", Denied);
        check("fumehood:host/tools@0.1.0", "list", Denied);
    }
}

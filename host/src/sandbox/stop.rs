//! Why an export call gave no answer.

use std::fmt;

use wasmtime::{Trap, WasmBacktrace};
use wasmtime_wasi::I32Exit;

use super::meter::Exceeded;
use crate::capability::{Capability, CapabilityKind};
use crate::policy::{LimitName, Limits, grant_line};

/// One of the three exports of a tool, or the one of a reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Export {
    Execute,
    Render,
    Present,
    Review,
    Describe,
}

impl Export {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Execute => "execute",
            Self::Render => "render",
            Self::Present => "present",
            Self::Review => "review",
            Self::Describe => "describe",
        }
    }

    /// What it is exported in.
    pub(super) const fn interface(self) -> &'static str {
        match self {
            Self::Execute | Self::Render | Self::Present => "fumehood:tool/tool@0.1.0",
            Self::Review => "fumehood:review/reviewer@0.1.0",
            Self::Describe => "fumehood:tool-kit/describe@0.1.0",
        }
    }
}

impl fmt::Display for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Export {
    /// The most bytes that one call into the host may carry, strings and lists in all. What has grants writes a file in parts;
    /// a projector has nobody to write to but the operator's log. Its calls cost the host time and no fuel.
    pub(super) const fn argument_bytes(self) -> usize {
        match self {
            Self::Execute | Self::Review => 16 << 20,
            Self::Render | Self::Present | Self::Describe => 128 << 10,
        }
    }
}

/// Who ended an export call from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interrupt {
    Deadline,
    Cancelled,
}

/// What would make a denied import work where there are grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// The operator grants what the manifest asks for.
    Grant(Capability),
    /// The same, for this one call: what is not granted, with the line that would grant it and nothing else.
    Exactly(CapabilityKind, String),
    /// The vendor asks for it first: a policy cannot grant what no manifest asks for.
    Ask(CapabilityKind),
    /// Nothing would.
    None,
}

/// A guest called what it may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeniedImport {
    pub(crate) export: Export,
    /// `wasi:clocks/wall-clock.now`.
    pub(crate) import: String,
    /// A projector's denial has none.
    pub(crate) remedy: Remedy,
}

impl fmt::Display for DeniedImport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { export, import, remedy } = self;
        match (export, remedy) {
            (Export::Render | Export::Present, _) => write!(f, "{export} called {import}, which a projector may not"),
            (Export::Describe, _) => write!(f, "{export} called {import}, which is denied while a component is packed"),
            (_, Remedy::Grant(asked)) => {
                write!(f, "{export} called {import}, which is not granted; {}", grant_line(asked))
            }
            (_, Remedy::Exactly(_, text)) => write!(f, "{export} called {import}: {text}"),
            (_, Remedy::Ask(kind)) => write!(
                f,
                "{export} called {import}, which takes the capability {kind}, and the manifest does not ask for it: \
                 no policy can grant it before the vendor does"
            ),
            (_, Remedy::None) => write!(f, "{export} called {import}, which no grant allows"),
        }
    }
}

impl DeniedImport {
    /// The kind of authority it takes, if any kind gives it.
    pub(crate) fn kind(&self) -> Option<CapabilityKind> {
        match &self.remedy {
            Remedy::Grant(asked) => Some(asked.kind()),
            Remedy::Exactly(kind, _) | Remedy::Ask(kind) => Some(*kind),
            Remedy::None => None,
        }
    }

    /// Why it is denied, for the operator's log.
    pub(crate) fn rule(&self) -> &'static str {
        match &self.remedy {
            Remedy::Grant(_) | Remedy::Exactly(..) => "nothing grants it",
            Remedy::Ask(_) => "the manifest does not ask for it",
            Remedy::None => "no capability gives it",
        }
    }
}

impl std::error::Error for DeniedImport {}

/// Why an export call gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Stop {
    #[error("{0}")]
    Denied(DeniedImport),
    #[error("{0}")]
    Limit(Exceeded),
    #[error("interrupted")]
    Interrupted(Interrupt),
    /// The wasm stack is the engine's, not a policy's: how deep it reaches depends on compiled code.
    #[error("call stack exhausted")]
    Stack,
    #[error("{0}")]
    Trap(String),
    #[error("called exit with status {0}")]
    Exit(i32),
    /// The bytes it returned break the component model's rules: bad UTF-8, a pointer past the end of memory.
    #[error("returned something that cannot be read: {0}")]
    Malformed(String),
    #[error("{0}")]
    Host(String),
}

impl Stop {
    /// Sort an error of an instantiation or a call. The wasm backtrace is the operator's and comes apart.
    pub(super) fn sort(error: &wasmtime::Error, limits: &Limits, bytes_limit: LimitName) -> Self {
        if let Some(denied) = error.downcast_ref::<DeniedImport>() {
            return Self::Denied(denied.clone());
        }
        if let Some(exceeded) = error.downcast_ref::<Exceeded>() {
            return Self::Limit(exceeded.clone());
        }
        if let Some(I32Exit(status)) = error.downcast_ref::<I32Exit>() {
            return Self::Exit(*status);
        }
        let exceeded = |limit: LimitName| Self::Limit(Exceeded::new(limits, limit, limits.value(limit) + 1));
        match error.downcast_ref::<Trap>() {
            Some(Trap::OutOfFuel) => return exceeded(LimitName::ProjectorFuel),
            Some(Trap::StackOverflow) => return Self::Stack,
            Some(trap) => {
                let text = trap.to_string();
                return Self::Trap(text.strip_prefix("wasm trap: ").unwrap_or(&text).to_owned());
            }
            None => {}
        }
        let cause = error.root_cause().to_string();
        // A call into the host that went wrong has wasm frames above it; reading a result has none.
        let called = error.downcast_ref::<WasmBacktrace>().is_some_and(|trace| !trace.frames().is_empty());
        // wasmtime keeps these two types to itself: their texts are all there is, and a test holds each.
        if cause.contains("fuel allocated for hostcalls has been exhausted") {
            return if called {
                Self::Trap("more bytes in one call into the host than it takes; pass them in parts".to_owned())
            } else {
                exceeded(bytes_limit)
            };
        }
        if cause.contains("instance count too high") {
            return exceeded(LimitName::Instances);
        }
        if error.downcast_ref::<std::io::Error>().is_some() {
            return Self::Host(cause);
        }
        if called { Self::Trap(cause) } else { Self::Malformed(cause) }
    }
}

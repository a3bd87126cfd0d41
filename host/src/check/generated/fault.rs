//! What fails a generated call, and what is only a failure of its own.

use super::{CALLS, FUEL, PROJECTIONS, VALUES};
use crate::{Code, Failure, LimitName};

/// A check that a call fails, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) id: &'static str,
    pub(super) what: String,
}

impl Fault {
    pub(super) fn new(id: &'static str, what: impl Into<String>) -> Self {
        Self { id, what: what.into() }
    }

    /// What a failed call with valid arguments says of its tool. `None`: that a tool fails in its own words is its right, and
    /// what it may not reach is the policy's.
    pub(super) fn of(failure: &Failure) -> Option<Self> {
        let detail = |pointer: &str| failure.details.as_ref().and_then(|details| details.pointer(pointer));
        let id = match failure.code {
            Code::ToolFailed | Code::Denied => return None,
            Code::InvalidToolOutput if detail("/projector").is_some() => {
                let fuel = detail("/limit/name").is_some_and(|name| name == LimitName::ProjectorFuel.key());
                if fuel { FUEL } else { PROJECTIONS }
            }
            Code::InvalidToolOutput => VALUES,
            _ => CALLS,
        };
        Some(Self::new(id, format!("{}: {}", failure.code, failure.message)))
    }

    /// Whether each run that fails like this waits for the wall clock.
    pub(super) fn waited(&self) -> bool {
        self.what.starts_with(Code::ToolTimeout.as_str())
    }

    /// What to do about it.
    pub(super) fn remedy(&self) -> &'static str {
        match self.id {
            CALLS => "return an error where the arguments make no sense, or have the input schema say that they do not",
            VALUES => "return what the output schema says, or have it say what is returned",
            PROJECTIONS => "render and present every value that the output schema takes, or narrow it",
            FUEL => "show a part of a large value and say how much there is; work in proportion to its size",
            _ => "make content and card of the arguments and the value alone, and of nothing that lives between calls",
        }
    }
}

/// The tool's own words where it says that arguments are invalid which its schema takes.
pub(super) fn disputed(failure: &Failure) -> Option<&str> {
    let invalid = failure.details.as_ref()?.get("error")? == "invalid-args";
    (failure.code == Code::ToolFailed && invalid).then_some(failure.message.as_str())
}

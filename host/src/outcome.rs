//! How a call ended: a value with its content and card, or one of four bad ends.

use serde::Serialize;
use serde_json::Value;

use crate::backtrace::Backtrace;
use crate::card::{Card, Cut};
use crate::content::ContentBlock;
use crate::decision::Decision;
use crate::policy::Usage;
use crate::schema::CanonicalValue;
use crate::session::Reviewed;

/// Which of the four bad ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureKind {
    /// A policy forbids it.
    Refused,
    /// The caller or the tool got it wrong, or the tool says that it failed.
    Failed,
    /// A limit, a trap or a cancellation ended it.
    Aborted,
    /// The host itself failed.
    Fault,
}

impl FailureKind {
    /// The kind as text: `refused`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Aborted => "aborted",
            Self::Fault => "fault",
        }
    }
}

/// What went wrong, for programs and models. Stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// No tool of this name.
    UnknownTool,
    /// The arguments are not JSON the gate accepts, or do not match the input schema. Nothing ran.
    InvalidArgs,
    /// The tool called what it was not granted, or a policy or a person did not allow the call.
    Denied,
    /// The value is not JSON the gate accepts or does not match the output schema, or a projector failed.
    InvalidToolOutput,
    /// The tool says so.
    ToolFailed,
    /// `execute` trapped.
    ToolTrapped,
    /// The wall clock ran out.
    ToolTimeout,
    /// Another limit was reached.
    ResourceExhausted,
    /// Cancelled after `execute` had begun.
    Aborted,
    /// Cancelled before `execute` began.
    AbortedBeforeDispatch,
    /// A reviewer did not let the result pass, or came to no verdict.
    Blocked,
    /// The host failed.
    HostFault,
}

impl Code {
    /// The code as text: `INVALID_ARGS`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTool => "UNKNOWN_TOOL",
            Self::InvalidArgs => "INVALID_ARGS",
            Self::Denied => "DENIED",
            Self::InvalidToolOutput => "INVALID_TOOL_OUTPUT",
            Self::ToolFailed => "TOOL_FAILED",
            Self::ToolTrapped => "TOOL_TRAPPED",
            Self::ToolTimeout => "TOOL_TIMEOUT",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::Aborted => "ABORTED",
            Self::AbortedBeforeDispatch => "ABORTED_BEFORE_DISPATCH",
            Self::Blocked => "BLOCKED",
            Self::HostFault => "HOST_FAULT",
        }
    }

    /// Which of the four bad ends it belongs to.
    pub const fn kind(self) -> FailureKind {
        match self {
            Self::Denied | Self::Blocked => FailureKind::Refused,
            Self::UnknownTool | Self::InvalidArgs | Self::InvalidToolOutput | Self::ToolFailed => FailureKind::Failed,
            Self::ToolTrapped | Self::ToolTimeout | Self::ResourceExhausted => FailureKind::Aborted,
            Self::Aborted | Self::AbortedBeforeDispatch => FailureKind::Aborted,
            Self::HostFault => FailureKind::Fault,
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A call that worked. Only a call makes one.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Success {
    /// What `execute` returned, through both gates.
    pub value: CanonicalValue,
    /// What a model reads.
    pub content: Vec<ContentBlock>,
    /// What a person sees.
    pub card: Card,
    /// The card is not whole: it was over its budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_cut: Option<Cut>,
    /// What the call used of each limit.
    pub usage: Usage,
    /// What the guest wrote, for the operator.
    #[serde(skip)]
    pub diagnostic: Diagnostic,
}

/// A call that did not. It never carries a value, and only a call makes one.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// Which of the four bad ends: always that of `code`.
    pub kind: FailureKind,
    /// What went wrong.
    pub code: Code,
    /// One text for the model. It names no path of the host and no secret.
    pub message: String,
    /// What a model reads in place of a result.
    pub content: Vec<ContentBlock>,
    /// More for programs: the violations, the limit, the tool's own error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// What the call used of each limit until then.
    pub usage: Usage,
    /// For the operator's log only: never shown to a model.
    #[serde(skip)]
    pub diagnostic: Diagnostic,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>, usage: Usage) -> Self {
        let message = message.into();
        let content = vec![ContentBlock::text(format!("{code}: {message}"))];
        Self { kind: code.kind(), code, message, content, details: None, usage, diagnostic: Diagnostic::default() }
    }

    /// Say one thing more.
    pub(crate) fn noting(mut self: Box<Self>, more: &str) -> Box<Self> {
        self.message = format!("{}; {more}", self.message);
        self.content = vec![ContentBlock::text(format!("{}: {}", self.code, self.message))];
        self
    }

    pub(crate) fn detailed(mut self: Box<Self>, details: Value) -> Box<Self> {
        self.details = Some(details);
        self
    }
}

/// What only an operator should read. A guest chose the texts it wrote: show them escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostic {
    /// What each export that ran wrote to its standard output and standard error.
    pub logs: Vec<(&'static str, crate::sandbox::GuestLog)>,
    /// Where the guest was when it trapped.
    pub backtrace: Option<Backtrace>,
    /// What its vendor or the operator could do about a bad end, in one line.
    pub hint: Option<String>,
    /// What the host knows beyond the message.
    pub cause: Option<String>,
    /// What was decided about authority: each denial, and the first use of each grant.
    pub decisions: Vec<Decision>,
    /// How many denials there were beyond those.
    pub denials_dropped: u64,
    /// What each reviewer said, in order. A plain acceptance is not listed.
    pub reviews: Vec<Reviewed>,
    /// What each tool that this one called left behind, with the tool's name, in the order in which the calls ended.
    pub nested: Vec<(String, Diagnostic)>,
}

/// How a call ended.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Outcome {
    /// It worked.
    Success(Success),
    /// It did not.
    Failure(Failure),
}

impl Outcome {
    /// What a model reads, either way.
    pub fn content(&self) -> &[ContentBlock] {
        match self {
            Self::Success(success) => &success.content,
            Self::Failure(failure) => &failure.content,
        }
    }

    /// What the last stage may change, either way.
    pub(crate) fn content_and_diagnostic(&mut self) -> (&mut Vec<ContentBlock>, &mut Diagnostic) {
        match self {
            Self::Success(success) => (&mut success.content, &mut success.diagnostic),
            Self::Failure(failure) => (&mut failure.content, &mut failure.diagnostic),
        }
    }

    /// What the call used, either way.
    pub fn usage(&self) -> &Usage {
        match self {
            Self::Success(success) => &success.usage,
            Self::Failure(failure) => &failure.usage,
        }
    }

    /// What only an operator should read, either way.
    pub fn diagnostic(&self) -> &Diagnostic {
        match self {
            Self::Success(success) => &success.diagnostic,
            Self::Failure(failure) => &failure.diagnostic,
        }
    }
}

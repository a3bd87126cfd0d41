//! The events of a session. Their JSON form is published in `docs/session-log.schema.json`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::card::{Card, Cut};
use crate::component::Digest;
use crate::content::ContentBlock;
use crate::decision::Decision;

/// One line of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogRecord {
    /// Counted from 0, without gaps.
    pub seq: u64,
    /// SHA-256 of the line before, without its line feed. `None` for the first line only.
    pub prev: Option<Digest>,
    /// When it was written: RFC 3339, UTC, milliseconds. For people; nothing is ordered by it.
    pub at: String,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

impl LogRecord {
    /// The longest line, without its line feed: 128 MiB. Under the standard limits, content and card have 8 MiB each, and JSON
    /// makes six bytes of a control character; a value takes 8 MiB more.
    pub const MAX_BYTES: u64 = 128 << 20;
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Event {
    /// A writer opened the log. The first line is one, and so is each at which a later writer went on.
    Open(OpenEvent),
    /// Someone asks for a call. Nothing of it has run.
    Call(Box<CallEvent>),
    /// `execute` is about to run: arguments are valid and policies have agreed.
    Start {
        /// Which call.
        call: CallId,
    },
    /// A call ended. Each call has exactly one.
    End(Box<EndEvent>),
    /// What a writer found broken when it opened the log, and mended.
    Repair(RepairEvent),
}

/// A writer opened the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OpenEvent {
    /// The version of the log's form: [`OpenEvent::FORM`] where this host wrote it.
    pub form: u32,
    /// Who writes: `fumehood 0.1.0`.
    pub host: String,
    /// Whether canonical values are recorded.
    pub values: bool,
}

impl OpenEvent {
    /// The form that this host writes. It reads every form up to this one.
    pub const FORM: u32 = 1;
}

/// The name of one call in a log: `7`, or `7.2` for the second call that call 7 made.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(Vec<u64>);

/// A text that names no call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no call; write a number such as 7, or 7.2 for the second call that call 7 made")]
pub struct CallIdError(String);

/// Deeper calls are refused long before: this bounds what a reader accepts.
const MAX_DEPTH: usize = 16;

impl CallId {
    /// The top-level call of this number, counted from 1.
    pub fn top(number: u64) -> Self {
        Self(vec![number])
    }

    /// The call of this number, counted from 1, that this call made.
    #[must_use]
    pub fn child(&self, number: u64) -> Self {
        let mut path = self.0.clone();
        path.push(number);
        Self(path)
    }

    /// The call that made this one. `None` for a top-level call.
    pub fn parent(&self) -> Option<Self> {
        match self.0.as_slice() {
            [] | [_] => None,
            [above @ .., _] => Some(Self(above.to_vec())),
        }
    }

    /// The number of the top-level call that it belongs to.
    pub fn root(&self) -> u64 {
        self.0.first().copied().unwrap_or_default()
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, number) in self.0.iter().enumerate() {
            let dot = if at == 0 { "" } else { "." };
            write!(f, "{dot}{number}")?;
        }
        Ok(())
    }
}

impl FromStr for CallId {
    type Err = CallIdError;

    fn from_str(text: &str) -> Result<Self, CallIdError> {
        let number = |part: &str| {
            // One way to write each name: no sign, no leading zero.
            let plain = part.bytes().all(|byte| byte.is_ascii_digit()) && !part.starts_with('0');
            if plain { part.parse::<u64>().ok() } else { None }
        };
        let path: Option<Vec<u64>> = text.split('.').take(MAX_DEPTH + 1).map(number).collect();
        match path {
            Some(path) if path.len() <= MAX_DEPTH => Ok(Self(path)),
            _ => Err(CallIdError(text.chars().take(80).collect())),
        }
    }
}

impl Serialize for CallId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CallId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Where a tool ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ProviderId {
    /// In a component, in this host's sandbox.
    Component {
        /// The vendor's name for it.
        name: String,
        /// Its version.
        version: String,
        /// Its bytes.
        digest: Digest,
    },
    /// On a server elsewhere, in no sandbox of this host.
    Mounted {
        /// Where.
        origin: String,
    },
}

/// Someone asks for a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallEvent {
    /// Its name from here on.
    pub call: CallId,
    /// As asked for; there may be no such tool. Only the beginning, where no tool can have so long a name.
    pub tool: String,
    /// The tool's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The arguments, as they came: one JSON text, or what was meant to be one. At most [`CallEvent::MAX_ARGS`] bytes.
    pub args: String,
    /// How many bytes the arguments had, where `args` is only their beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args_bytes: Option<u64>,
    /// Whose tool it is. `None`: nobody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderId>,
    /// The card of the call while it runs, where one was made. Never for a nested call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<RecordedCard>,
}

impl CallEvent {
    /// The most of the arguments that is recorded: as much as the standard limit of a value.
    pub const MAX_ARGS: usize = 8 << 20;
}

/// A card in a log. One that this host does not know is kept and not drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RecordedCard {
    /// One of the six.
    Known(Card),
    /// Anything else.
    Unknown(Value),
}

/// A call ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EndEvent {
    /// Which call.
    pub call: CallId,
    /// How.
    #[serde(flatten)]
    pub ended: EndedAs,
    /// What the model read. For a nested call what its own model-facing text would be, cut to
    /// [`EndEvent::MAX_NESTED_CONTENT`].
    pub content: Vec<ContentBlock>,
    /// What a person saw. Only a top-level call that succeeded has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<RecordedCard>,
    /// The card is not whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card_cut: Option<Cut>,
    /// The model read only the beginning and the end of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spilled: Option<Spilled>,
    /// The canonical value, where values are recorded. Never for a nested call.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// What the projectors made, before a reviewer or a budget changed it. Only for a success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projected: Option<ProjectedDigests>,
    /// What each reviewer said, in order. A plain acceptance is not listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<Reviewed>,
    /// What was decided about authority: each denial, and the first use of each grant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    /// What was used of each limit, by the limit's key. A limit that nothing was used of is left out.
    pub usage: BTreeMap<String, u64>,
    /// Milliseconds from the call's record to this one. 0 for a call that a repair ended.
    pub millis: u64,
}

impl EndEvent {
    /// The most text of a nested call's content that is recorded, and of its message: enough to see what it was about.
    /// Details that are longer are left out.
    pub const MAX_NESTED_CONTENT: usize = 4 << 10;

    /// An end with its content, and nothing else to say of it.
    pub(crate) fn new(call: CallId, ended: EndedAs, content: Vec<ContentBlock>, took: Duration) -> Self {
        Self {
            call,
            ended,
            content,
            card: None,
            card_cut: None,
            spilled: None,
            value: None,
            projected: None,
            reviews: Vec::new(),
            decisions: Vec::new(),
            usage: BTreeMap::new(),
            millis: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// A field that is there: `null` is a value like any other.
fn there<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EndedAs {
    /// With a value.
    Success,
    /// With one of the four bad ends.
    Failure {
        /// `refused`, `failed`, `aborted` or `fault`.
        kind: String,
        /// `TOOL_FAILED` and the like. A text, since a later host may know more of them.
        code: String,
        /// For the model.
        message: String,
        /// More for programs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    },
    /// Nobody knows: the process that made the call ended first. Written by a repair.
    Interrupted {
        /// Whether it can have done anything.
        state: NotRun,
    },
}

/// What is known of a call whose process ended first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NotRun {
    /// `execute` had not begun: it can be asked for again.
    NotStarted,
    /// `execute` had begun: what it did is not known.
    OutcomeUnknown,
}

/// A text that is kept elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Spilled {
    /// Where.
    pub locator: String,
    /// Bytes of the whole text.
    pub bytes: u64,
    /// Bytes of it that the model did not read.
    pub omitted: u64,
}

/// What the projectors made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProjectedDigests {
    /// Of the canonical value's text.
    pub value: Digest,
    /// Of the content's JSON.
    pub content: Digest,
    /// Of the card's JSON. Nested calls have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Digest>,
}

/// What one reviewer said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Reviewed {
    /// Who.
    pub reviewer: String,
    /// What.
    pub verdict: ReviewedAs,
}

/// One line for an operator, such as `the reviewer redact-secrets blocked the result`.
impl fmt::Display for Reviewed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let did = match self.verdict {
            ReviewedAs::Content => "gave the model other content",
            ReviewedAs::Value => "put another value in its place",
            ReviewedAs::Block => "blocked the result",
            ReviewedAs::Failed => "came to no verdict",
        };
        write!(f, "the reviewer {} {did}", self.reviewer)
    }
}

/// A verdict's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ReviewedAs {
    /// Other content.
    Content,
    /// Another value.
    Value,
    /// Nothing of it.
    Block,
    /// None: it failed, trapped, or took too long.
    Failed,
}

/// What a writer found broken, and mended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RepairEvent {
    /// Bytes after the last whole line: what was being written when the writer ended. They are kept beside the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torn_bytes: Option<u64>,
    /// The file that keeps them: a name, in the log's directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torn_file: Option<String>,
    /// The calls that had no end. An [`EndEvent`] of each follows.
    pub open_calls: Vec<CallId>,
}

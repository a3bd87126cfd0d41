//! Where `execute` runs: with exactly what was granted.

use std::pin::pin;

use serde::Serialize;

use super::state::{ProgressSink, State};
use super::stop::{Interrupt, Stop};
use super::tools::CallableTools;
use super::trace::Late;
use super::{Program, Report, meter, store};
use crate::bindings::fumehood::tool::types;
use crate::decision::Decisions;
use crate::policy::{LimitName, Limits, Usage};
use crate::schema::{Args, Valid};

/// Room for the record around the value, and for a tool error's text under a small value bound.
const RESULT_RECORD_BYTES: u64 = 64 << 10;

/// Why a tool says it has no value. The tool chose every text in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "error", rename_all = "kebab-case")]
pub enum ToolError {
    /// The arguments fit the schema and make no sense to the tool.
    InvalidArgs {
        /// For people and models.
        message: String,
    },
    /// What the arguments name does not exist.
    NotFound {
        /// For people and models.
        message: String,
    },
    /// Something outside the tool refused it.
    Denied {
        /// For people and models.
        message: String,
    },
    /// It may work later.
    Unavailable {
        /// For people and models.
        message: String,
    },
    /// Anything else.
    Failed {
        /// The tool's own code.
        code: String,
        /// For people and models.
        message: String,
        /// JSON text, unchecked.
        #[serde(skip)]
        data: Option<String>,
    },
}

impl ToolError {
    /// The text for people and models.
    pub fn message(&self) -> &str {
        match self {
            Self::InvalidArgs { message }
            | Self::NotFound { message }
            | Self::Denied { message }
            | Self::Unavailable { message }
            | Self::Failed { message, .. } => message,
        }
    }
}

impl From<types::ToolError> for ToolError {
    fn from(error: types::ToolError) -> Self {
        match error {
            types::ToolError::InvalidArgs(message) => Self::InvalidArgs { message },
            types::ToolError::NotFound(message) => Self::NotFound { message },
            types::ToolError::Denied(message) => Self::Denied { message },
            types::ToolError::Unavailable(message) => Self::Unavailable { message },
            types::ToolError::Failed(types::Failure { code, message, data }) => Self::Failed { code, message, data },
        }
    }
}

/// One `execute`, in a sandbox with what was granted.
pub(crate) struct GrantedSandbox<'a> {
    pub(crate) program: &'a Program,
    pub(crate) limits: &'a Limits,
    pub(crate) decisions: &'a Decisions,
    /// Where the tool may call others.
    pub(crate) tools: Option<CallableTools>,
}

impl GrantedSandbox<'_> {
    /// Run `execute` once. The text it returns is nobody's value yet.
    pub(crate) async fn execute(
        &self,
        tool: &str,
        args: &Valid<Args>,
        progress: Option<ProgressSink>,
        usage: &mut Usage,
        until: impl Future<Output = Interrupt>,
    ) -> (Result<Result<String, ToolError>, Stop>, Report) {
        let Self { program, limits, decisions, tools } = self;
        let late = Late::where_wanted(program.held.places.is_some());
        let state = State::granted(meter(limits), &program.held, Decisions::clone(decisions), tools.clone(), progress);
        let state = state.map(|state| state.told_by(&late));
        // `execute` is bounded by the clock, not by fuel; `u64::MAX` units would last for centuries.
        let bytes = limits.value(LimitName::ValueBytes).saturating_add(RESULT_RECORD_BYTES);
        let store = state.and_then(|state| store(&program.execute, state, u64::MAX, bytes));
        let mut store = match store {
            Ok(store) => store,
            Err(error) => return (Err(Stop::Host(format!("{error:#}"))), Report::nothing()),
        };
        // Dropping the call unwinds the guest; the store stays, and with it what the guest used and wrote.
        let answer = {
            let asked = (tool, args.text());
            let mut called = pin!(program.execute.call::<_, Result<String, types::ToolError>>(&mut store, asked));
            tokio::select! {
                biased;
                answer = &mut called => Ok(answer),
                why = until => Err((why, match why {
                    Interrupt::Deadline => late.look(called).await,
                    Interrupt::Cancelled => None,
                })),
            }
        };
        match answer {
            Ok(Ok(answer)) => (Ok(answer.map_err(ToolError::from)), Report::of(&store, usage, None)),
            Ok(Err(error)) => {
                let stop = Stop::sort(&error, limits, LimitName::ValueBytes);
                (Err(stop), program.held.locate(Report::of(&store, usage, Some(&error))).await)
            }
            Err((why, trap)) => {
                let report = program.held.locate(Report::of(&store, usage, trap.as_ref())).await;
                (Err(Stop::Interrupted(why)), report)
            }
        }
    }
}

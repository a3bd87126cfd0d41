//! Where `review` runs: with exactly what the reviewer itself was granted, whatever the tool it looks at was.

use super::convert::{self, Malformed};
use super::draft::GuestDraft;
use super::meter::Exceeded;
use super::state::State;
use super::stop::{Interrupt, Stop};
use super::{Report, ReviewProgram, meter, store};
use crate::bindings::review::exports::fumehood::review::reviewer;
use crate::content::ContentBlock;
use crate::decision::Decisions;
use crate::policy::{LimitName, Limits, Usage};

/// Room for the records around the bytes: wasmtime counts them too.
const RECORD_BYTES: u64 = 1 << 20;

/// What a reviewer decided, with what it returned held against the rules and its limits.
pub(crate) enum ReviewAnswer {
    Accept,
    Content(Vec<ContentBlock>),
    /// JSON text that no gate has seen.
    Value(String),
    Block(String),
}

/// Why a reviewer decided nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReviewStop {
    #[error("{0}")]
    Stopped(Stop),
    /// It returned `err`: its own words.
    #[error("says: {0}")]
    Refused(String),
    /// It returned more than a limit of its own allows.
    #[error("returned too much: {0}")]
    TooLarge(Exceeded),
    /// It returned something that breaks a rule.
    #[error("returned something malformed: {0}")]
    Malformed(Malformed),
}

/// One `review`, in a sandbox with what was granted.
pub(crate) struct ReviewSandbox<'a> {
    pub(crate) program: &'a ReviewProgram,
    pub(crate) limits: &'a Limits,
    pub(crate) decisions: &'a Decisions,
}

impl ReviewSandbox<'_> {
    /// Run `review` once.
    pub(crate) async fn review(
        &self,
        draft: &GuestDraft,
        usage: &mut Usage,
        until: impl Future<Output = Interrupt>,
    ) -> (Result<ReviewAnswer, ReviewStop>, Report) {
        let Self { program, limits, decisions } = self;
        // A reviewer calls no tools and reports no progress.
        let state = State::granted(meter(limits), &program.held, Decisions::clone(decisions), None, None);
        // A verdict holds a value or content, never both.
        let larger =
            [LimitName::ValueBytes, LimitName::ContentBytes].into_iter().max_by_key(|name| limits.value(*name));
        let larger = larger.unwrap_or(LimitName::ContentBytes);
        let bytes = limits.value(larger).saturating_add(RECORD_BYTES);
        // The clock bounds it, as it bounds `execute`: it may wait for what it was granted.
        let store = state.and_then(|state| store(&program.review, state, u64::MAX, bytes));
        let mut store = match store {
            Ok(store) => store,
            Err(error) => return (Err(ReviewStop::Stopped(Stop::Host(format!("{error:#}")))), Report::nothing()),
        };
        let answer = {
            tokio::select! {
                biased;
                answer = program.review.call::<_, Result<reviewer::Verdict, String>>(&mut store, (&draft.0,)) => Ok(answer),
                why = until => Err(why),
            }
        };
        match answer {
            Ok(Ok(answer)) => {
                let answer = answer.map_err(ReviewStop::Refused);
                let answer = answer.and_then(|verdict| checked(verdict, limits, usage).map_err(ReviewStop::from));
                (answer, Report::of(&store, usage, None))
            }
            Ok(Err(error)) => {
                let stop = ReviewStop::Stopped(Stop::sort(&error, limits, larger));
                (Err(stop), program.held.locate(Report::of(&store, usage, Some(&error))).await)
            }
            Err(why) => (Err(ReviewStop::Stopped(Stop::Interrupted(why))), Report::of(&store, usage, None)),
        }
    }
}

fn checked(verdict: reviewer::Verdict, limits: &Limits, usage: &mut Usage) -> Result<ReviewAnswer, Malformed> {
    Ok(match verdict {
        reviewer::Verdict::Accept => ReviewAnswer::Accept,
        reviewer::Verdict::AcceptContent(blocks) => ReviewAnswer::Content(convert::content(blocks, limits, usage)?),
        reviewer::Verdict::AcceptValue(text) => {
            convert::count(LimitName::ValueBytes, text.len() as u64, limits, usage)?;
            ReviewAnswer::Value(text)
        }
        reviewer::Verdict::Block(feedback) => {
            convert::count(LimitName::ContentBytes, feedback.len() as u64, limits, usage)?;
            ReviewAnswer::Block(feedback)
        }
    })
}

impl From<Malformed> for ReviewStop {
    fn from(malformed: Malformed) -> Self {
        match malformed {
            Malformed::Limit(exceeded) => Self::TooLarge(exceeded),
            rule => Self::Malformed(rule),
        }
    }
}

//! How a call ends whose process ended first: what a repair writes, and what a reader derives where nothing was repaired.

use std::cmp::Reverse;
use std::time::Duration;

use super::event::{CallId, EndEvent, EndedAs, NotRun};
use crate::content::ContentBlock;

pub(super) fn interrupted(call: CallId, state: NotRun) -> EndEvent {
    let text = match state {
        NotRun::NotStarted => {
            "NOT_STARTED: the host ended before this call began to run. It did nothing, and can be made again."
        }
        NotRun::OutcomeUnknown => {
            "OUTCOME_UNKNOWN: the host ended while this call was running. Whether it did what it was to do is not known; \
             find out before you make it again."
        }
    };
    let content = vec![ContentBlock::text(text)];
    EndEvent::new(call, EndedAs::Interrupted { state }, content, Duration::ZERO)
}

/// Calls in the order in which they are closed: the first asked for first, each after those that it made.
pub(super) fn closing_order<'a>(calls: impl Iterator<Item = &'a CallId>) -> Vec<CallId> {
    let mut calls: Vec<_> = calls.cloned().collect();
    calls.sort_by_cached_key(|call| (call.root(), Reverse(depth(call)), call.clone()));
    calls
}

fn depth(call: &CallId) -> usize {
    std::iter::successors(call.parent(), CallId::parent).count()
}

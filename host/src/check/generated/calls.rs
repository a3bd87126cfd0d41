//! Calls with drawn arguments: valid ones run, invalid ones have to be refused before anything runs.

use serde_json::Value;
use tokio::task::JoinSet;

use proptest::strategy::ValueTree as _;

use super::fault::{Fault, disputed};
use super::shrinking::{Shrinking, same, shown};
use super::subject::Subject;
use super::tally::Tally;
use super::{CALLS, batches, rule};
use crate::check::Headroom;
use crate::check::draw::wrong;
use crate::{Call, Code, Finding, Outcome, Toolset, Usage};

/// What one call came to.
struct Ended {
    index: u64,
    usage: Usage,
    fault: Option<Fault>,
    /// The tool says that these arguments, which its schema takes, are invalid.
    disputed: Option<String>,
    worked: bool,
}

pub(super) async fn make(subject: &Subject, headroom: &mut Headroom, tally: &mut Tally) {
    let mut disputes: Option<(u64, String)> = None;
    for batch in batches(subject.draws) {
        let mut faults: Vec<(u64, Fault)> = Vec::new();
        for ended in batch_of(subject, batch).await {
            tally.calls += 1;
            tally.worked += u64::from(ended.worked);
            let run = || format!("generated-calls: {}, call {}", subject.tool, ended.index);
            headroom.note(&ended.usage, run);
            if let Some(words) = ended.disputed {
                tally.disputed += 1;
                disputes = disputes.or(Some((ended.index, words)));
            }
            if let Some(fault) = ended.fault
                && !faults.iter().any(|(_, other)| other.id == fault.id)
            {
                faults.push((ended.index, fault));
            }
        }
        for (index, fault) in &faults {
            report(subject, *index, fault, tally).await;
        }
        // Each further call would fail like these, and may take as long as a limit lets it.
        if !faults.is_empty() {
            break;
        }
    }
    if let Some((index, words)) = disputes {
        dispute(subject, index, &words, tally).await;
    }
    refused(subject, tally).await;
}

/// The calls of some indices, in their order. Side by side where the tool allows it.
async fn batch_of(subject: &Subject, batch: std::ops::Range<u64>) -> Vec<Ended> {
    let calls = batch.filter_map(|index| {
        let args = subject.arguments(index)?.current();
        Some(one(subject.toolset.clone(), subject.tool.clone(), args, index))
    });
    if subject.overlap {
        let mut ended = calls.collect::<JoinSet<_>>().join_all().await;
        ended.sort_by_key(|ended| ended.index);
        return ended;
    }
    let mut all = Vec::new();
    for call in calls {
        let ended = call.await;
        let failed = ended.fault.is_some();
        all.push(ended);
        // The next may wait for a limit as long as this one.
        if failed {
            break;
        }
    }
    all
}

async fn one(toolset: Toolset, tool: String, args: Value, index: u64) -> Ended {
    let call = Call::new(tool, args);
    let pending = toolset.pending_card(&call).await;
    let outcome = toolset.run(call).await;
    let usage = *outcome.usage();
    let (mut fault, mut said) = (None, None);
    if let Outcome::Failure(failure) = &outcome {
        fault = Fault::of(failure);
        said = disputed(failure).map(str::to_owned);
    }
    // Arguments that make no sense to the tool make no card, either.
    if let (None, None, Err(failure)) = (&fault, &said, pending) {
        fault = Fault::of(&failure).map(|fault| Fault { what: format!("before it ended: {}", fault.what), ..fault });
    }
    Ended { index, usage, fault, disputed: said, worked: matches!(outcome, Outcome::Success(_)) }
}

/// Shrink the arguments of a call that failed a check, and say so.
async fn report(subject: &Subject, index: u64, fault: &Fault, tally: &mut Tally) {
    let Some(tree) = subject.arguments(index) else { return };
    let mut shrinking = Shrinking::new(tree, fault);
    let mut least = fault.clone();
    while let Some(args) = shrinking.candidate() {
        let ended = one(subject.toolset.clone(), subject.tool.clone(), args, index).await;
        let fails = same(fault, ended.fault.as_ref());
        if fails && let Some(fault) = ended.fault {
            least = fault;
        }
        shrinking.failed(fails);
    }
    let args = shown(&shrinking.least());
    let message = format!("call {index}: {}; with the arguments {args}", least.what);
    let remedy = format!("{}; {}", fault.remedy(), subject.again(fault.id));
    tally.found(fault.id, Finding::refusal(rule(fault.id), subject.tool.as_str(), message, remedy));
}

/// Shrink arguments that the schema takes and the tool calls invalid: the schema could say it.
async fn dispute(subject: &Subject, index: u64, words: &str, tally: &mut Tally) {
    let Some(tree) = subject.arguments(index) else { return };
    let mut shrinking = Shrinking::new(tree, &Fault::new(CALLS, words));
    let mut words = words.to_owned();
    while let Some(args) = shrinking.candidate() {
        let said = one(subject.toolset.clone(), subject.tool.clone(), args, index).await.disputed;
        shrinking.failed(said.is_some());
        words = said.unwrap_or(words);
    }
    let args = shown(&shrinking.least());
    let message = format!("the input schema takes {args}, and the tool says: {words}; the schema could say it");
    tally.found(CALLS, Finding::note(rule(CALLS), subject.tool.as_str(), message));
}

/// Arguments that break the schema, or are no JSON: the host refuses them, and `execute` does not run.
async fn refused(subject: &Subject, tally: &mut Tally) {
    for case in wrong(&subject.arguments, subject.seed) {
        let outcome = subject.toolset.run(Call::from_text(subject.tool.as_str(), case.text.clone())).await;
        tally.wrong += 1;
        if !matches!(&outcome, Outcome::Failure(failure) if failure.code == Code::InvalidArgs) {
            let message = format!("arguments with {} (breaks {}) were let through: {}", case.how, case.rule, case.text);
            tally.found(
                CALLS,
                Finding::refusal(rule(CALLS), subject.tool.as_str(), message, "report this: it is the host's fault"),
            );
        }
    }
}

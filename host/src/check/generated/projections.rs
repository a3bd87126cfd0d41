//! Values drawn from the output schema, straight into both projectors: once, again, and in other code.

use proptest::strategy::ValueTree as _;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::fault::{Fault, disputed};
use super::shrinking::{Shrinking, same, shown};
use super::subject::Subject;
use super::tally::Tally;
use super::{FUEL, PROJECTIONS, SAME, batches, rule};
use crate::check::Headroom;
use crate::{Call, Failure, Finding, Outcome, Projection, Projector, Toolset, Usage};

/// What came of one value.
struct Ended {
    index: u64,
    usage: Usage,
    fault: Option<Fault>,
}

/// Where a value is projected, and as which tool's.
#[derive(Clone)]
struct Bench {
    tool: String,
    toolset: Toolset,
    first: Projector,
    other: Projector,
}

pub(super) async fn make(subject: &Subject, headroom: &mut Headroom, tally: &mut Tally) {
    let bench = Bench {
        tool: subject.tool.clone(),
        toolset: subject.toolset.clone(),
        first: subject.first.clone(),
        other: subject.other.clone(),
    };
    for batch in batches(subject.draws) {
        let mut faults: Vec<(u64, Fault)> = Vec::new();
        for ended in batch_of(subject, &bench, batch).await {
            tally.projections += 1;
            let run = || format!("generated-projections: {}, value {}", subject.tool, ended.index);
            headroom.note(&ended.usage, run);
            if let Some(fault) = ended.fault
                && !faults.iter().any(|(_, other)| other.id == fault.id)
            {
                faults.push((ended.index, fault));
            }
        }
        for (index, fault) in &faults {
            report(subject, &bench, *index, fault, tally).await;
        }
        if !faults.is_empty() {
            break;
        }
    }
}

/// The values of some indices, side by side: projectors share nothing.
async fn batch_of(subject: &Subject, bench: &Bench, batch: std::ops::Range<u64>) -> Vec<Ended> {
    let mut running = JoinSet::new();
    for index in batch {
        let (Some(args), Some(value)) = (subject.arguments(index), subject.value(index)) else { continue };
        let (bench, args, value) = (bench.clone(), args.current(), value.current());
        running.spawn(async move {
            let (fault, usage) = bench.project(&args, &value).await;
            Ended { index, usage, fault }
        });
    }
    let mut ended = running.join_all().await;
    ended.sort_by_key(|ended| ended.index);
    ended
}

impl Bench {
    async fn project(&self, drawn: &Value, value: &Value) -> (Option<Fault>, Usage) {
        let (args, value) = (drawn.to_string(), value.to_string());
        let once = self.first.project(&self.tool, &args, &value).await;
        let usage = match &once {
            Ok(projection) => projection.usage,
            Err(failure) => failure.usage,
        };
        let fault = self.compared(&once, &args, &value).await.or_else(|| {
            let failure = once.as_ref().err()?;
            // The value is one of the schema's, so whatever went wrong is the projector's.
            Fault::of(failure).or_else(|| Some(Fault::new(PROJECTIONS, failure.message.clone())))
        });
        match fault {
            Some(fault) if fault.id == PROJECTIONS && self.disputes(drawn).await => (None, usage),
            fault => (fault, usage),
        }
    }

    /// Whether the tool says that these arguments are invalid: there is no value for them, then, that it would have to show.
    async fn disputes(&self, args: &Value) -> bool {
        let outcome = self.toolset.run(Call::new(self.tool.as_str(), args.clone())).await;
        matches!(&outcome, Outcome::Failure(failure) if disputed(failure).is_some())
    }

    /// How what was made once differs from what is made again.
    async fn compared(&self, once: &Made, args: &str, value: &str) -> Option<Fault> {
        // The fuel is counted the same way everywhere, and using it up takes a second or more.
        let spent = once.as_ref().is_err_and(|failure| Fault::of(failure).is_some_and(|fault| fault.id == FUEL));
        if spent {
            return None;
        }
        let made = text(once);
        let again = text(&self.first.project(&self.tool, args, value).await);
        if made != again {
            return Some(differs("a second run", &made, &again));
        }
        let other = text(&self.other.project(&self.tool, args, value).await);
        (made != other).then(|| differs("the same code compiled in another way", &made, &other))
    }
}

type Made = Result<Projection, Box<Failure>>;

fn differs(what: &str, one: &str, other: &str) -> Fault {
    let at = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let part = |text: &str| {
        let (from, to) = (text.floor_char_boundary(at.saturating_sub(20)), text.floor_char_boundary(at + 40));
        text.get(from..to).unwrap_or_default().to_owned()
    };
    Fault::new(SAME, format!("{what} gives other bytes: {:?} became {:?}", part(one), part(other)))
}

/// All that a projection comes to.
fn text(made: &Made) -> String {
    match made {
        Ok(projection) => json!({ "content": projection.content, "card": projection.card }).to_string(),
        Err(failure) => format!("{}: {}", failure.code, failure.message),
    }
}

/// Shrink the value, then the arguments, and say so.
async fn report(subject: &Subject, bench: &Bench, index: u64, fault: &Fault, tally: &mut Tally) {
    let (Some(args), Some(value)) = (subject.arguments(index), subject.value(index)) else { return };
    let mut least = fault.clone();
    let drawn = args.current();
    let mut shrinking = Shrinking::new(value, fault);
    while let Some(value) = shrinking.candidate() {
        let (other, _) = bench.project(&drawn, &value).await;
        let fails = same(fault, other.as_ref());
        least = other.filter(|_| fails).unwrap_or(least);
        shrinking.failed(fails);
    }
    let value = shrinking.least();
    let mut shrinking = Shrinking::new(args, fault);
    while let Some(args) = shrinking.candidate() {
        let (other, _) = bench.project(&args, &value).await;
        let fails = same(fault, other.as_ref());
        least = other.filter(|_| fails).unwrap_or(least);
        shrinking.failed(fails);
    }
    let args = shrinking.least();
    let message =
        format!("value {index}: {}; of the value {}, with the arguments {}", least.what, shown(&value), shown(&args));
    let remedy = format!("{}; {}", fault.remedy(), subject.again(fault.id));
    tally.found(fault.id, Finding::refusal(rule(fault.id), subject.tool.as_str(), message, remedy));
}

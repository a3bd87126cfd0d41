//! Calls with the grants that a manifest asks for, with fewer, and with none.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::cases::shown;
use super::empty::EmptyWorld;
use super::{Check, Headroom, Loaded, Loading};
use crate::{Call, Code, Failure, FailureKind, Finding, LoadError, Outcome, Policy, Toolset};

/// As many examples of one fault as a person reads.
const MAX_EXAMPLES: usize = 3;

/// Who is at fault where a call ended badly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Blame {
    /// `execute`, which trapped, ran into a limit, or used what nobody asked for.
    Execute,
    /// The value that it returned.
    Value,
    /// A projector.
    Projector,
}

impl Blame {
    const fn rule(self) -> &'static str {
        match self {
            Self::Execute => "check/declared-grants",
            Self::Value => "check/values",
            Self::Projector => "check/projections",
        }
    }

    const fn remedy(self) -> &'static str {
        match self {
            Self::Execute => "return an error of the tool's own where it cannot do what is asked",
            Self::Value => "return one JSON text that the output schema takes, or say in the schema what comes",
            Self::Projector => "let the projectors take every value that the output schema takes",
        }
    }
}

/// Whose fault a failure is. `None`: nobody's, a tool may fail.
pub(super) fn blame(failure: &Failure) -> Option<Blame> {
    match failure.code {
        Code::InvalidToolOutput => {
            let projector = failure.details.as_ref().is_some_and(|details| details.get("projector").is_some());
            Some(if projector { Blame::Projector } else { Blame::Value })
        }
        Code::ToolTrapped | Code::ToolTimeout | Code::ResourceExhausted | Code::Denied | Code::HostFault => {
            Some(Blame::Execute)
        }
        _ => None,
    }
}

/// What came of the calls in an empty world.
pub(super) struct Ran {
    /// By the call's number, how it ended.
    outcomes: Vec<Option<Outcome>>,
    pub(super) checks: Vec<Check>,
}

impl Ran {
    /// The calls that worked.
    pub(super) fn worked(&self) -> impl Iterator<Item = (usize, &crate::Success)> {
        self.outcomes.iter().enumerate().filter_map(|(index, outcome)| match outcome {
            Some(Outcome::Success(success)) => Some((index, success)),
            _ => None,
        })
    }

    fn bad(&self, index: usize) -> bool {
        let outcome = self.outcomes.get(index).and_then(Option::as_ref);
        // A call that was not made, since an earlier one took all the time there is, is as bad.
        outcome.is_none_or(|outcome| matches!(outcome, Outcome::Failure(failure) if blame(failure).is_some()))
    }
}

/// With what the manifest asks for: the checks `declared-grants`, `values` and `projections`.
pub(super) async fn declared(loaded: &Loaded, calls: &[(String, Value)], headroom: &mut Headroom) -> Ran {
    let mut found: BTreeMap<Blame, Vec<Finding>> = BTreeMap::new();
    let mut add = |call: &(String, Value), failure: &Failure| {
        if let Some(blame) = blame(failure) {
            found.entry(blame).or_default().push(finding(blame.rule(), blame.remedy(), call, failure));
        }
    };
    let mut unreadable = Vec::new();
    let outcomes = each(&loaded.toolset, calls).await;
    for (index, (call, outcome)) in calls.iter().zip(&outcomes).enumerate() {
        if let Some(outcome) = outcome {
            headroom.note(outcome.usage(), || format!("declared-grants: {}, call {index}", call.0));
        }
        match outcome {
            Some(Outcome::Failure(failure)) => {
                add(call, failure);
                unreadable.extend(words(call, failure));
            }
            Some(Outcome::Success(_)) => {
                if let Err(failure) = loaded.toolset.pending_card(&Call::new(&call.0, call.1.clone())).await {
                    add(call, &failure);
                }
            }
            None => {}
        }
    }
    found.entry(Blame::Execute).or_default().append(&mut unreadable);
    let made = outcomes.iter().flatten().count();
    let failed = outcomes.iter().flatten().filter(|outcome| matches!(outcome, Outcome::Failure(_))).count();
    let line = format!("{made} calls: {} worked, {failed} failed politely", made - failed);
    let mut take =
        |blame: Blame| found.remove(&blame).unwrap_or_default().into_iter().take(MAX_EXAMPLES).collect::<Vec<_>>();
    let checks = if calls.is_empty() {
        ["declared-grants", "values", "projections"].map(|id| Check::skipped(id, NO_CALLS)).into()
    } else {
        vec![
            Check::of("declared-grants", line, take(Blame::Execute)),
            Check::of("values", format!("{} values", made - failed), take(Blame::Value)),
            Check::of("projections", format!("{} values projected", made - failed), take(Blame::Projector)),
        ]
    };
    Ran { outcomes, checks }
}

/// What nobody can make use of in a tool's own failure.
fn words(call: &(String, Value), failure: &Failure) -> Option<Finding> {
    if failure.code != Code::ToolFailed {
        return None;
    }
    let details = failure.details.as_ref()?;
    let finding = |what: &str, remedy: &str| {
        Finding::refusal(Blame::Execute.rule(), &call.0, format!("{}: {what}", name(call)), remedy)
    };
    // The host leaves out what is no code, and cuts what is too long.
    if details.get("error").is_some_and(|error| error == "failed") && details.get("code").is_none_or(Value::is_null) {
        return Some(finding("it fails with a code that is none", "write codes as [A-Z0-9_]{1,64}: NO_SUCH_BRANCH"));
    }
    let cut = failure.message.ends_with(" bytes more)") && failure.message.contains("… (");
    cut.then(|| finding("it fails with a text that no model is shown whole", "say in a few lines what went wrong"))
}

/// Why a run is skipped.
const NO_CALLS: &str = "there is no call to make: no case has one, and none can be drawn";

/// Without any grant.
///
/// - `limits`: a policy that grants nothing.
pub(super) async fn without(loading: &Loading, limits: &Policy, calls: &[(String, Value)], ran: &Ran) -> Check {
    const ID: &str = "no-grants";
    let asked = &loading.inspected.manifest().capabilities;
    if asked.is_empty() {
        return Check::skipped(ID, "it asks for no grant: declared-grants is the same");
    }
    let world = match EmptyWorld::try_make(loading, limits, |_| false).await {
        Ok(world) => world,
        Err(LoadError::Denied(denied)) => {
            let line = format!("refused before it runs: {} of what it asks for cannot be left out", denied.0.len());
            return Check::of(ID, line, Vec::new());
        }
        Err(error) => return Check::skipped(ID, error.to_string()),
    };
    let remedy = "return an error of the tool's own where a grant is missing";
    let outcomes = each(&world.toolset, calls).await;
    let (findings, worked) = worse("check/no-grants", remedy, calls, &outcomes, ran);
    Check::of(ID, format!("{} calls: {worked} worked, {} failed politely", calls.len(), calls.len() - worked), findings)
}

/// Without each of what it calls optional.
///
/// - `limits`: a policy that grants nothing.
pub(super) async fn optional(loading: &Loading, limits: &Policy, calls: &[(String, Value)], ran: &Ran) -> Check {
    const ID: &str = "optional-grants";
    const RULE: &str = "check/optional-grants";
    let requests = &loading.inspected.manifest().capabilities;
    let optional: Vec<_> = requests.iter().filter(|request| request.optional).collect();
    if optional.is_empty() {
        return Check::skipped(ID, "it calls nothing optional");
    }
    if calls.is_empty() {
        return Check::skipped(ID, NO_CALLS);
    }
    let mut findings = Vec::new();
    for left_out in &optional {
        let world = match EmptyWorld::make(loading, limits, |request| request != *left_out).await {
            Ok(world) => world,
            Err(error) => return Check::skipped(ID, error),
        };
        let outcomes = each(&world.toolset, calls).await;
        let remedy = "check what there is before using it, and do with less";
        let (worse, _) = worse(RULE, remedy, calls, &outcomes, ran);
        let without = |finding: Finding| Finding {
            message: format!("without {}, {}", left_out.capability, finding.message),
            ..finding
        };
        // Where it is all there is, `no-grants` is about the same calls.
        if requests.len() > 1 {
            findings.extend(worse.into_iter().map(without));
        }
        let works = |outcomes: &[Option<Outcome>], tool: &str| {
            let calls = calls.iter().zip(outcomes).filter(|((name, _), _)| name == tool);
            calls.filter(|(_, outcome)| matches!(outcome, Some(Outcome::Success(_)))).count()
        };
        let tools: BTreeSet<_> = calls.iter().map(|(tool, _)| tool.as_str()).collect();
        let (before, now): (Vec<_>, Vec<_>) =
            tools.iter().map(|tool| (works(&ran.outcomes, tool), works(&outcomes, tool))).unzip();
        if before.iter().sum::<usize>() > 0 && now.iter().sum::<usize>() == 0 {
            let message = format!("without {}, which is called optional, no call works", left_out.capability);
            findings.push(Finding::refusal(RULE, "/capabilities", message, "leave `optional` out of its request"));
        }
    }
    let line = format!("it works without each of the {} that it calls optional", optional.len());
    Check::of(ID, line, findings)
}

/// What ended badly, and did not do so with all grants; and how many calls worked.
fn worse(
    rule: &'static str,
    remedy: &str,
    calls: &[(String, Value)],
    outcomes: &[Option<Outcome>],
    ran: &Ran,
) -> (Vec<Finding>, usize) {
    let (mut findings, mut worked) = (Vec::new(), 0);
    for (index, (call, outcome)) in calls.iter().zip(outcomes).enumerate() {
        match outcome {
            Some(Outcome::Success(_)) => worked += 1,
            // A grant that is missing may be said by the host; the message then says which.
            Some(Outcome::Failure(failure))
                if failure.kind != FailureKind::Refused
                    && blame(failure).is_some()
                    && !ran.bad(index)
                    && findings.len() < MAX_EXAMPLES =>
            {
                findings.push(finding(rule, remedy, call, failure));
            }
            _ => {}
        }
    }
    (findings, worked)
}

/// Makes the calls, one after the other. Of a tool whose call took all the time there is, no other is made.
async fn each(toolset: &Toolset, calls: &[(String, Value)]) -> Vec<Option<Outcome>> {
    let (mut outcomes, mut slow) = (Vec::new(), BTreeSet::new());
    for (tool, args) in calls {
        if slow.contains(tool) {
            outcomes.push(None);
            continue;
        }
        let outcome = toolset.call(tool, args.clone()).await;
        if matches!(&outcome, Outcome::Failure(failure) if failure.code == Code::ToolTimeout) {
            slow.insert(tool);
        }
        outcomes.push(Some(outcome));
    }
    outcomes
}

fn finding(rule: &'static str, remedy: &str, call: &(String, Value), failure: &Failure) -> Finding {
    let mut message = format!("{}: {}: {}", name(call), failure.code, failure.message);
    if let Some(cause) = &failure.diagnostic.cause {
        message = format!("{message} ({cause})");
    }
    Finding::refusal(rule, &call.0, message, remedy)
}

fn name((tool, args): &(String, Value)) -> String {
    format!("{tool} {}", shown(&args.to_string()))
}

//! Every limit tightened to what a call used: twice as much leaves room, half of it does not.

use super::Check;
use super::scene::{Scene, Stage, Tightened};
use crate::{Code, Failure, FailureKind, Finding, LimitName, Outcome, Usage};

/// As many findings as a person reads.
const MAX_FINDINGS: usize = 10;

/// What can be tightened to a number of before. How long a call takes is the machine's, and what is written past its bound
/// is dropped without a word.
fn tightened() -> impl Iterator<Item = LimitName> {
    let by_itself =
        |name: &LimitName| !matches!(name, LimitName::WallClock | LimitName::LogBytes | LimitName::ProcessOutput);
    LimitName::ALL.iter().copied().filter(by_itself)
}

/// Everything at twice of what each call used. It has to work as before.
pub(super) async fn doubled(stage: &Stage) -> Check {
    const ID: &str = "limits-doubled";
    if stage.scenes.is_empty() {
        return Check::skipped(ID, NO_SCENE);
    }
    let runs = stage.scenes.iter().enumerate();
    let runs = runs.map(|(number, scene)| (number, scene.used.iter().map(twice).enumerate().collect())).collect();
    let mut findings = Vec::new();
    for (scene, ended) in stage.scenes.iter().zip(stage.again(runs).await) {
        let outcomes = match ended {
            Ok(outcomes) => outcomes,
            Err(error) => return Check::skipped(ID, error),
        };
        for outcome in outcomes {
            let Outcome::Failure(Failure { code, message, .. }) = outcome else { continue };
            let message = format!("{}: under twice of what it used: {code}: {message}", scene.name);
            let remedy = "let the same call take about as much each time: take no more memory or calls by chance";
            findings.push(Finding::refusal("check/limits-doubled", "", message, remedy));
        }
    }
    findings.truncate(MAX_FINDINGS);
    Check::of(ID, format!("{} runs worked again", stage.scenes.len()), findings)
}

/// Why nothing was run again.
const NO_SCENE: &str = "no call worked that could be made again";

fn twice(used: &Usage) -> Vec<(LimitName, u64)> {
    let used = tightened().map(|name| (name, used.get(name).used)).filter(|(_, used)| *used > 0);
    used.map(|(name, used)| (name, used.saturating_mul(2).max(*name.range().start()))).collect()
}

/// Each limit at half of what the call used that used most of it. It has to end as the limit says.
pub(super) async fn halved(stage: &Stage) -> Check {
    const ID: &str = "limits-halved";
    if stage.scenes.is_empty() {
        return Check::skipped(ID, NO_SCENE);
    }
    let halves: Vec<_> = stage.scenes.iter().enumerate().flat_map(|(number, scene)| halves(number, scene)).collect();
    let runs = halves.iter().map(|half| (half.scene, Tightened::from([(half.call, vec![(half.limit, half.most)])])));
    let mut findings = Vec::new();
    for (half, ended) in halves.iter().zip(stage.again(runs.collect()).await) {
        let outcomes = match ended {
            Ok(outcomes) => outcomes,
            Err(error) => return Check::skipped(ID, error),
        };
        // A call that works uses less than before: by chance, which the other check is about.
        let Some(Outcome::Failure(failure)) = outcomes.into_iter().nth(half.call) else { continue };
        let Half { limit, most, used, scene, .. } = *half;
        if !polite(&failure, limit) {
            let Failure { code, message, .. } = failure;
            let name = &stage.scenes[scene].name;
            let message = format!("{name}: {limit} at {most}, where it used {used}: {code}: {message}");
            let remedy = "let what the host refuses come through as an error of the tool's own";
            findings.push(Finding::refusal("check/limits-halved", limit.key(), message, remedy));
        }
    }
    findings.truncate(MAX_FINDINGS);
    Check::of(ID, format!("{} runs ended as their limit says", halves.len()), findings)
}

/// One limit of one call of a scene, at half of what it used.
struct Half {
    scene: usize,
    call: usize,
    limit: LimitName,
    used: u64,
    most: u64,
}

/// Of each limit that can be so low, for the call that used most of it.
fn halves(number: usize, scene: &Scene) -> impl Iterator<Item = Half> {
    tightened().filter_map(move |limit| {
        let used = scene.used.iter().map(|usage| usage.get(limit).used).enumerate();
        // Of several the first, which the others do not come in the way of.
        let (call, used) = used.rev().max_by_key(|(_, used)| *used)?;
        let most = used / 2;
        (most >= *limit.range().start() && used > 0).then_some(Half { scene: number, call, limit, used, most })
    })
}

/// Whether a failure is the limit's, or one that the tool made of it.
fn polite(failure: &Failure, limit: LimitName) -> bool {
    let named = failure.details.as_ref().and_then(|details| details.get("limit")).and_then(|limit| limit.get("name"));
    match failure.code {
        Code::ToolFailed => true,
        // Arguments are held against the same limits as the value.
        Code::InvalidArgs => matches!(limit, LimitName::ValueBytes | LimitName::JsonDepth | LimitName::JsonNodes),
        Code::InvalidToolOutput if matches!(limit, LimitName::JsonDepth | LimitName::JsonNodes) => true,
        _ => failure.kind != FailureKind::Fault && named.is_some_and(|name| name == limit.key()),
    }
}

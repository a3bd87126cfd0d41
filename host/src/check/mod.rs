//! The conformance kit: whether every host will take a tool, and how near its limits it runs.
//!
//! A surface, as an embedder could have written it: it uses what is public at the crate's root. Each check has an id, which
//! [`ALL`] lists and `docs/tool-authors/checks.md` explains, one line of verdict, and the findings behind it.

mod cases;
mod draw;
mod empty;
mod format;
mod generated;
mod headroom;
mod limits;
mod loaded;
mod loading;
mod look;
mod pointer;
mod report;
mod runs;
mod scene;
mod settings;
mod table;

use std::sync::Arc;

use proptest::strategy::ValueTree as _;
use serde_json::Value;

use crate::{ComponentKind, Digest, Finding, Host, Inspected, LoadLimits, Policy, ToolManifest};
use cases::Suite;
use draw::{Draws, Purpose};
use empty::EmptyWorld;
pub use headroom::{Headroom, Peak};
pub use loaded::Loaded;
use loading::Loading;
pub use report::{Check, Counts, Report, Verdict};
use scene::{Scene, Stage};
pub use settings::Settings;
pub use table::{ALL, About, about};

/// Two engines: what a tool shows may not depend on how it was compiled.
#[derive(Clone)]
#[non_exhaustive]
pub struct Engines {
    /// What most runs are made on.
    pub first: Host,
    /// One that compiles to other code: with other [`Bounds`](crate::Bounds), for one.
    pub other: Host,
}

impl Engines {
    /// Both.
    pub fn new(first: Host, other: Host) -> Self {
        Self { first, other }
    }
}

/// Make every check that `settings` wants of a component's bytes.
///
/// Give both engines a cache: the component is loaded once for each world that it runs in, and compiled once on each. Needs a
/// tokio runtime with time and network enabled. Dropping the future ends what runs.
pub async fn run(component: Vec<u8>, engines: &Engines, settings: &Settings) -> Report {
    let limits = LoadLimits::standard();
    let digest = (component.len() as u64 <= limits.bytes).then(|| Digest::of(&component));
    let looked = tokio::task::spawn_blocking(move || look::at(component, &limits)).await;
    let (mut checks, inspected) = looked.unwrap_or_else(|error| {
        let fault = Finding::refusal("check/component", "", format!("the host failed: {error}"), "");
        (vec![Check::of("component", "", vec![fault])], None)
    });
    let (mut name, mut version, mut headroom) = (None, None, Headroom::default());
    if let Some(inspected) = inspected {
        let manifest = inspected.manifest();
        (name, version) = (Some(manifest.name.clone()), Some(manifest.version.clone()));
        if settings.runs() {
            checks.extend(running(inspected, engines, settings, &mut headroom).await);
        }
    }
    // Whatever could not be made is said.
    let made: Vec<_> = checks.iter().map(|check| check.id).collect();
    let missing = ALL.iter().filter(|row| !made.contains(&row.id));
    checks.extend(missing.map(|row| Check::skipped(row.id, "nothing can be run: first mend what fails")));
    checks.retain(|check| settings.wants(check.id));
    checks.sort_by_key(|check| ALL.iter().position(|row| row.id == check.id));
    let peaks = headroom.peaks().cloned().collect();
    Report { name, version, digest, seed: settings.seed, checks, headroom: peaks }
}

/// The checks that run the component.
async fn running(inspected: Inspected, engines: &Engines, settings: &Settings, headroom: &mut Headroom) -> Vec<Check> {
    if inspected.kind() == ComponentKind::Reviewer {
        let running = ALL.iter().filter(|row| Settings::is_run(row.id));
        return running.map(|row| Check::skipped(row.id, "a reviewer has no tool that could be called")).collect();
    }
    let refused = |error: String| {
        let remedy = "see what the message names: a host refuses it for the same";
        vec![Check::of("compile", "", vec![Finding::refusal("check/compile", "", error, remedy)])]
    };
    let loading = match Loading::new(inspected, engines, settings.trust_cases) {
        Ok(loading) => loading,
        Err(error) => return refused(error),
    };
    let policy = &settings.policy;
    let limits = match settings.limits().try_fold(Policy::nothing(), |limits, (name, value)| limits.limit(name, value))
    {
        Ok(limits) => limits,
        Err(error) => return refused(error.to_string()),
    };
    let world = match EmptyWorld::make(&loading, policy, |_| true).await {
        Ok(world) => world,
        Err(error) => return refused(error),
    };
    let other = match loading.on_the_other(&world.policy, world.alone).await {
        Ok(other) => other,
        Err(error) => return refused(error.to_string()),
    };
    let mut checks = vec![Check::of("compile", "for two engines", Vec::new())];
    let loaded =
        Loaded { inspected: loading.inspected.clone(), toolset: world.toolset, other, _world: world.directory };

    let mut suite = Suite::default();
    let mut scenes = Vec::new();
    match settings.cases.as_deref().map(|folder| (folder, Suite::read(folder))) {
        None => checks
            .push(Check::skipped("cases", "there is no folder of cases: cases/ beside the component, or --cases DIR")),
        Some((folder, Err(error))) => {
            let remedy = format!("let {} be a folder of cases", folder.display());
            let finding = Finding::refusal("check/cases", "", error, remedy);
            checks.push(Check::of("cases", "", vec![finding]));
        }
        Some((_, Ok(read))) if read.is_empty() => checks.push(Check::skipped("cases", "the folder of cases has none")),
        Some((_, Ok(read))) if !settings.wants_any(&["cases", "limits-doubled", "limits-halved", "headroom"]) => {
            suite = read
        }
        Some((folder, Ok(read))) => {
            suite = read;
            let (check, used) = suite.check(&loading, folder, settings.bless, headroom).await;
            checks.push(check);
            scenes.extend(used.into_iter().map(|(place, used)| {
                let name = format!("cases/{}", suite.name(place));
                Scene { name, from: scene::From::Case(place), used }
            }));
        }
    }

    if settings.wants_any(&["declared-grants", "values", "projections", "no-grants", "optional-grants"])
        || scenes.is_empty()
    {
        let calls = calls(&loaded, &suite, settings.seed);
        let ran = runs::declared(&loaded, &calls, headroom).await;
        checks.push(runs::without(&loading, &limits, &calls, &ran).await);
        checks.push(runs::optional(&loading, &limits, &calls, &ran).await);
        if scenes.is_empty() {
            scenes.extend(ran.worked().map(|(index, success)| {
                let (tool, args) = calls[index].clone();
                let name = format!("{tool} {}", cases::shown(&args.to_string()));
                Scene { name, from: scene::From::Call { tool, args }, used: vec![success.usage] }
            }));
        }
        checks.extend(ran.checks);
    }
    let stage = Stage { scenes: scenes.into(), suite: Arc::new(suite), loading, policy: policy.clone() };
    if settings.wants("limits-doubled") {
        checks.push(limits::doubled(&stage).await);
    }
    if settings.wants("limits-halved") {
        checks.push(limits::halved(&stage).await);
    }
    checks.extend(generated::run(&loaded, settings, headroom).await);
    checks.push(headroom.check());
    checks
}

/// What is called where no case says what must come of it: the calls of the cases, and the least that a schema takes.
fn calls(loaded: &Loaded, suite: &Suite, seed: u64) -> Vec<(String, Value)> {
    /// Those of a large folder of cases.
    const MOST: usize = 200;
    let mut calls: Vec<(String, Value)> = Vec::new();
    let callable = |name: &str| loaded.inspected.manifest().tool(name).is_none_or(ToolManifest::is_callable);
    for call in suite.calls().into_iter().filter(|(tool, _)| callable(tool)) {
        if !calls.contains(&call) && calls.len() < MOST {
            calls.push(call);
        }
    }
    for tool in loaded.inspected.manifest().tools.iter().filter(|tool| tool.is_callable()) {
        // The least, and one with every part that may be left out. What cannot be drawn, another check says.
        let draws = tool.input().ok().and_then(|schema| Draws::new(schema, Purpose::Arguments).ok());
        let drawn = draws.into_iter().flat_map(|draws| {
            (0..2).filter_map(move |index| Some(draws.tree(seed, index, 0).ok()?.current())).collect::<Vec<_>>()
        });
        for call in drawn.map(|args| (tool.name.clone(), args)) {
            if !calls.contains(&call) {
                calls.push(call);
            }
        }
    }
    calls
}

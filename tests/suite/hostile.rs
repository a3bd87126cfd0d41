//! Hostile guests: each folder of `tests/guests` holds one, and what must come of it.
//!
//! After each hostile call the same host answers an honest one, so nothing poisons the next call.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "it reads guests and lays out files for them")]

#[path = "../support/mod.rs"]
mod support;

#[path = "hostile/expectation.rs"]
mod expectation;
#[path = "hostile/generators.rs"]
mod generators;
#[path = "hostile/stage.rs"]
mod stage;
#[path = "hostile/verdict.rs"]
mod verdict;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use expectation::{Expectation, Run};
use fumehood::{
    CacheLocation, Call, Compiler, Component, EngineSettings, Host, InspectError, Inspected, LoadError, LoadLimits,
    Outcome, Policy, Toolset,
};
use generators::GENERATORS;
use serde_json::{Value, json};
use support::{Guest, GuestFile, World, component_from_core_wat, packed, with_section};

const GUESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/guests");
const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/guests");

/// Set to a part of a folder's name to run only those.
const FILTER: &str = "FUMEHOOD_GUEST";

fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<_> = std::fs::read_dir(GUESTS).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

fn name(folder: &Path) -> &str {
    folder.file_name().unwrap().to_str().unwrap()
}

fn expectation(folder: &Path) -> Result<Expectation, String> {
    let file = folder.join("expect.toml");
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    Expectation::read(&text)
}

#[test]
fn every_guest_has_an_expectation_and_every_expectation_a_guest() {
    let (mut wrong, mut shared, mut made) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for folder in folders() {
        let expectation = match expectation(&folder) {
            Ok(expectation) => expectation,
            Err(error) => {
                wrong.push(format!("{}: {error}", name(&folder)));
                continue;
            }
        };
        let own = folder.join("guest.wat").exists();
        let (guest, maker) = (expectation.guest.is_some(), expectation.made_by.is_some());
        if [own, guest, maker].iter().filter(|source| **source).count() != 1 {
            wrong.push(format!("{}: needs a guest.wat, or `guest`, or `made-by`, and only one", name(&folder)));
        }
        for entry in std::fs::read_dir(&folder).unwrap() {
            let file = entry.unwrap().file_name();
            if file != "guest.wat" && file != "expect.toml" {
                wrong.push(format!("{}: nothing uses {file:?}", name(&folder)));
            }
        }
        shared.extend(expectation.guest.map(|guest| format!("{guest}.wat")));
        made.extend(expectation.made_by);
    }
    let there: BTreeSet<_> =
        std::fs::read_dir(SHARED).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(shared, there, "each shared guest is used, and each that is used exists");
    let known: BTreeSet<_> = GENERATORS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(made, known, "each generator is used, and each that is used exists");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_expectation_with_an_unknown_field_is_refused() {
    let good = "tries = \"a\"\n[expect]\nvalue = \"{}\"\n";
    assert!(Expectation::read(good).is_ok());
    for bad in [
        "tries = \"a\"\ntires = \"a\"\n[expect]\nvalue = \"{}\"\n",
        "tries = \"a\"\n[expect]\nvalues = \"{}\"\n",
        "tries = \"a\"\n[expect]\nvalue = \"{}\"\n[twin]\nargs = \"{}\"\nextra = 1\n[twin.expect]\nvalue = \"{}\"\n",
        "tries = \"a\"\nfiles = [{ file = \"a\", text = \"\", mode = 7 }]\n[expect]\nvalue = \"{}\"\n",
        "tries = \"a\"\n[expect]\n",
        "tries = \"a\"\n[expect]\ncode = \"DENIED\"\nkind = \"refused\"\nmessage = [\"x is not granted\"]\n",
    ] {
        assert!(Expectation::read(bad).is_err(), "{bad}");
    }
}

#[tokio::test]
async fn every_guest_meets_its_expectation() {
    // Two slots: a call that kept one would soon be noticed.
    let mut settings = EngineSettings::standard(Compiler::InProcess, CacheLocation::Off);
    settings.slots = 2;
    let bench = Bench::new(Host::new(settings).unwrap()).await;
    let filter = std::env::var(FILTER).unwrap_or_default();
    let (mut wrong, mut ran) = (Vec::new(), 0);
    for folder in folders() {
        if !name(&folder).contains(&filter) {
            continue;
        }
        ran += 1;
        match expectation(&folder) {
            Ok(expectation) => wrong.extend(bench.folder(&folder, &expectation).await),
            Err(error) => wrong.push(format!("{}: {error}", name(&folder))),
        }
    }
    assert!(ran > 0, "no guest matches {FILTER}={filter:?}");
    assert!(wrong.is_empty(), "{} of {ran} guests:\n{}", wrong.len(), wrong.join("\n"));
}

/// One host, and an honest tool on it.
struct Bench {
    host: Host,
    honest: Toolset,
    /// What the honest tool answers, but for the time it took.
    answer: Value,
}

/// What came of a run.
enum End {
    /// Rules, and the whole text.
    Refused(Vec<String>, String),
    Called(Box<Outcome>),
}

impl Bench {
    async fn new(host: Host) -> Self {
        let policy = Policy::nothing();
        let inspected = inspect(&packed(&Guest::default().wat(), &manifest(None))).unwrap();
        let honest = host.compile(policy.approve(inspected).unwrap()).await.unwrap();
        let answer = comparable(&honest.call("echo", json!({ "a": [1, "b"] })).await);
        assert_eq!(answer["outcome"], "success", "{answer}");
        Self { host, honest, answer }
    }

    async fn folder(&self, folder: &Path, expectation: &Expectation) -> Vec<String> {
        let components = match components(folder, expectation) {
            Ok(components) => components,
            Err(error) => return vec![format!("{}: {error}", name(folder))],
        };
        let mut wrong = Vec::new();
        for component in components {
            for (run_name, run) in expectation.runs() {
                let faults = self.run(&component, &run).await;
                wrong.extend(faults.into_iter().map(|fault| format!("{} ({run_name}): {fault}", name(folder))));
            }
            if self.honest_answer().await != self.answer {
                wrong.push(format!("{}: the next call of an honest tool has another outcome", name(folder)));
            }
        }
        wrong
    }

    async fn honest_answer(&self) -> Value {
        comparable(&self.honest.call("echo", json!({ "a": [1, "b"] })).await)
    }

    async fn run(&self, component: &[u8], run: &Run) -> Vec<String> {
        let fixture = tempfile::tempdir().unwrap();
        let root = fixture.path();
        let places: Vec<_> = run.files.iter().flatten().chain(run.after_load.iter().flatten()).cloned().collect();
        stage::set(root, run.files.as_deref().unwrap_or_default());
        let policy = match Policy::from_toml(run.policy.as_deref().unwrap_or_default(), root) {
            Ok(policy) => policy,
            Err(error) => return vec![error.to_string()],
        };
        let loaded = self.load(component, &policy).await;
        stage::set(root, run.after_load.as_deref().unwrap_or_default());
        let mut wrong = match loaded {
            Err(error) => {
                let (rules, text) = refusal(&error);
                verdict::of(&End::Refused(rules, text), 0, &run.expect)
            }
            Ok(toolset) => self.called(&toolset, run).await,
        };
        stage::release(root, &places);
        wrong.extend(stage::left(root, &run.expect.files));
        wrong
    }

    async fn called(&self, toolset: &Toolset, run: &Run) -> Vec<String> {
        let reports = Arc::new(AtomicUsize::new(0));
        let counter = reports.clone();
        let call = Call::from_text("echo", run.args.clone().unwrap_or_default()).on_progress(Arc::new(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        }));
        let outcome = toolset.run(call.clone()).await;
        let seen = reports.load(Ordering::Relaxed);
        let first = comparable(&outcome);
        let mut wrong = verdict::of(&End::Called(Box::new(outcome)), seen, &run.expect);
        // A file that the first call changed may make the second one another.
        if !run.expect.varies && run.files.is_none() {
            let second = comparable(&toolset.run(call.clone()).await);
            if first != second {
                wrong.push(format!("a second call has another outcome: {first} and {second}"));
            }
        }
        if let Some(expect) = &run.pending {
            wrong.extend(verdict::of_pending(toolset.pending_card(&call).await, expect));
        }
        wrong
    }

    async fn load(&self, component: &[u8], policy: &Policy) -> Result<Toolset, LoadError> {
        self.host.compile(policy.approve(inspect(component)?)?).await
    }
}

fn inspect(bytes: &[u8]) -> Result<Inspected, LoadError> {
    Ok(Inspected::of(Component::from_bytes(bytes.to_vec(), &LoadLimits::standard())?)?)
}

/// The rules of a refusal; stages that have none are named themselves.
fn refusal(error: &LoadError) -> (Vec<String>, String) {
    let rules = match error {
        LoadError::Inspect(InspectError::Refused(findings)) => findings.iter().map(|f| f.rule.to_owned()).collect(),
        LoadError::Denied(denied) => denied.0.iter().map(|f| f.rule.to_owned()).collect(),
        LoadError::Component(_) => vec!["load/component".to_owned()],
        LoadError::Compile(_) => vec!["load/compile".to_owned()],
        LoadError::Link(_) => vec!["load/link".to_owned()],
        _ => vec!["load/other".to_owned()],
    };
    (rules, error.to_string())
}

/// An outcome as JSON, without what differs from call to call: the time.
fn comparable(outcome: &Outcome) -> Value {
    let mut json = serde_json::to_value(outcome).unwrap();
    for used in json["usage"].as_array_mut().unwrap() {
        if used["limit"] == "wall-clock-ms" {
            used["used"] = Value::Null;
        }
    }
    json
}

fn manifest(expectation: Option<&Expectation>) -> Value {
    let mut manifest = support::manifest();
    let Some(expectation) = expectation else { return manifest };
    let schema = expectation.output_schema.as_ref().map(|schema| serde_json::to_value(schema).unwrap());
    manifest["tools"][0]["outputSchema"] = schema.unwrap_or_else(|| json!({}));
    let request = |words: &String, optional: bool| {
        let (capability, access) = words.split_once(' ').unwrap_or((words, ""));
        let mut request = json!({ "capability": capability, "reason": "It tries.", "optional": optional });
        if !access.is_empty() {
            request["access"] = json!(access);
        }
        request
    };
    let asks = expectation.asks.iter().map(|words| request(words, true));
    let requires = expectation.requires.iter().map(|words| request(words, false));
    manifest["capabilities"] = asks.chain(requires).collect();
    manifest
}

/// The components of a folder: one, or many where a generator makes them.
fn components(folder: &Path, expectation: &Expectation) -> Result<Vec<Vec<u8>>, String> {
    let manifest = manifest(Some(expectation));
    if let Some(name) = &expectation.made_by {
        let (_, make) = GENERATORS.iter().find(|(known, _)| known == name).ok_or("no such generator")?;
        return Ok(make(&manifest));
    }
    let file = match &expectation.guest {
        Some(shared) => Path::new(SHARED).join(format!("{shared}.wat")),
        None => folder.join("guest.wat"),
    };
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let component = match GuestFile::read(&text)? {
        GuestFile::Component(text) => wat::parse_str(text).map_err(|error| error.to_string())?,
        GuestFile::Module(text) => {
            let world = expectation.wit.as_deref().map_or(World::ToolOnWasi, World::Wit);
            component_from_core_wat(&text, world)
        }
    };
    Ok(vec![with_section(&component, "fumehood:manifest", manifest.to_string().as_bytes())])
}

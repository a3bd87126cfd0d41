//! Golden cases: what calls must come to, in files beside the component.
//!
//! A file holds one case or a list of them. Each is run in a world of its own; `docs/tool-authors/checks.md` has the form.

mod bless;
mod compare;
mod form;
mod server;
mod world;

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use serde_json::Value;

use super::scene::{Tightened, under};
use super::{Check, Headroom, Loading};
use crate::{Call, Failure, Finding, Outcome, Success, Usage};
use form::Step;
use world::World;

/// The largest file of cases: cases that name large files repeat a short text instead.
const MAX_FILE_BYTES: u64 = 16 << 20;
/// The most files of one folder.
const MAX_FILES: usize = 1_000;
/// As much of a call's arguments as a message shows.
const MAX_ARGS_SHOWN: usize = 200;

const ID: &str = "cases";
const RULE: &str = "check/cases";

/// The files of one folder, in the order of their names.
#[derive(Default)]
pub(super) struct Suite {
    files: Vec<CaseFile>,
}

/// One file.
struct CaseFile {
    name: String,
    /// As they are written, before a server has an address.
    cases: Result<Vec<Value>, String>,
    /// Whether the file is a list.
    list: bool,
}

/// Which case.
#[derive(Clone, Copy)]
pub(super) struct Place {
    file: usize,
    case: usize,
}

impl Suite {
    /// # Errors
    /// The folder cannot be read, or has too many files. A file that cannot be read is a finding of its own.
    pub(super) fn read(folder: &Path) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        let open = Dir::open_ambient_dir(folder, ambient_authority()).map_err(failed)?;
        let mut names = BTreeSet::new();
        for entry in open.entries().map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            names.extend(name.to_str().filter(|name| name.ends_with(".json")).map(str::to_owned));
        }
        if names.len() > MAX_FILES {
            return Err(format!("{}: {} files of cases; {MAX_FILES} are allowed", folder.display(), names.len()));
        }
        Ok(Self { files: names.into_iter().map(|name| CaseFile::read(&open, name)).collect() })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Every case that can be read.
    pub(super) fn places(&self) -> Vec<Place> {
        let files = self.files.iter().enumerate();
        let cases = |(file, cases): (usize, &CaseFile)| {
            let count = cases.cases.as_ref().map_or(0, Vec::len);
            (0..count).map(move |case| Place { file, case })
        };
        files.flat_map(cases).collect()
    }

    /// Every call of every case: tool and arguments.
    pub(super) fn calls(&self) -> Vec<(String, Value)> {
        let cases = self.places().into_iter().filter_map(|place| self.case(place));
        let steps = cases.flat_map(|case| case["calls"].as_array().cloned().unwrap_or_default());
        steps.filter_map(|step| Some((step["tool"].as_str()?.to_owned(), step["args"].clone()))).collect()
    }

    fn case(&self, Place { file, case }: Place) -> Option<&Value> {
        self.files.get(file)?.cases.as_ref().ok()?.get(case)
    }

    /// What reports call it: `cases/basic.json: An empty text has no longest word.`
    pub(super) fn name(&self, place: Place) -> String {
        let about = self.case(place).and_then(|case| case["about"].as_str()).unwrap_or_default();
        format!("{}: {about}", self.files.get(place.file).map_or("", |file| file.name.as_str()))
    }

    /// Where a part of a case stands: `basic.json#/0/calls/1`.
    fn at(&self, place: Place, inside: &str) -> String {
        let Some(file) = self.files.get(place.file) else { return String::new() };
        let case = if file.list { format!("/{}", place.case) } else { String::new() };
        format!("{}#{case}{inside}", file.name)
    }

    /// Make the calls of one case once more, each under what is tightened for it.
    ///
    /// # Errors
    /// The world of the case cannot be made.
    pub(super) async fn again(
        &self,
        place: Place,
        loading: &Loading,
        tightened: &Tightened,
    ) -> Result<Vec<Outcome>, String> {
        let world = World::make(self.case(place).ok_or("there is no such case")?, loading).await?;
        let mut outcomes = Vec::new();
        for (index, Step { tool, args, .. }) in world.case.calls.iter().enumerate() {
            let call = under(tightened, index, Call::new(tool, args.clone()));
            outcomes.push(world.toolset.run(call).await);
        }
        Ok(outcomes)
    }

    /// The check, and what each case's calls used where all of them succeeded.
    pub(super) async fn check(
        &mut self,
        loading: &Loading,
        folder: &Path,
        bless: bool,
        headroom: &mut Headroom,
    ) -> (Check, Vec<(Place, Vec<Usage>)>) {
        let (mut findings, mut shows, mut used, mut calls) = (Vec::new(), Shows::default(), Vec::new(), 0);
        for file in &self.files {
            if let Err(error) = &file.cases {
                findings.push(refusal(&file.name, error, "write cases as the page of this check shows them"));
            }
        }
        let mut changed = BTreeSet::new();
        for place in self.places() {
            let Some(case) = self.case(place).cloned() else { continue };
            let world = match World::make(&case, loading).await {
                Ok(world) => world,
                Err(error) => {
                    let remedy = "mend the case: the page of this check has its form";
                    findings.push(refusal(self.at(place, ""), format!("the case cannot be run: {error}"), remedy));
                    continue;
                }
            };
            let mut usages = Vec::new();
            let mut blessed = bless.then(|| case.clone());
            for (index, step) in world.case.calls.iter().enumerate() {
                let outcome = world.toolset.call(&step.tool, step.args.clone()).await;
                calls += 1;
                headroom.note(outcome.usage(), || format!("cases/{}", self.name(place)));
                if let Outcome::Success(success) = &outcome {
                    usages.push(success.usage);
                }
                let at = self.at(place, &format!("/calls/{index}"));
                if let Some(case) = &mut blessed {
                    let new = bless::step(case, index, &outcome, world.url());
                    findings.extend(new.into_iter().map(|what| Finding::note(RULE, format!("{at}/expect"), what)));
                } else {
                    findings.extend(differences(&at, step, &outcome));
                }
                shows.note(step);
            }
            for (inside, what) in world.left() {
                findings.push(refusal(
                    self.at(place, &inside),
                    what,
                    "mend the tool, or what the case expects afterwards",
                ));
            }
            if usages.len() == world.case.calls.len() {
                used.push((place, usages));
            }
            if let Some(blessed) = blessed.filter(|blessed| *blessed != case)
                && let Some(file) = self.files.get_mut(place.file)
                && let Ok(cases) = &mut file.cases
            {
                cases[place.case] = blessed;
                changed.insert(place.file);
            }
        }
        for file in changed {
            let file = &self.files[file];
            if let Err(error) = bless::write(folder, &file.name, file.cases.as_deref().unwrap_or_default(), file.list) {
                findings.push(refusal(
                    &file.name,
                    format!("it cannot be written: {error}"),
                    "let this user write there",
                ));
            }
        }
        let tools = loading.inspected.manifest().tools.iter().filter(|tool| tool.is_callable() && !bless);
        for tool in tools.filter(|tool| !shows.enough(&tool.name)) {
            let message = format!("no case of {} shows a value, its content and its card", tool.name);
            let remedy = "write a case with one call and no `expect`, and run this command with --bless";
            findings.push(Finding::warning(RULE, "", message, remedy));
        }
        let cases = self.places().len();
        (Check::of(ID, format!("{calls} calls in {cases} cases"), findings), used)
    }
}

/// What the cases show of each tool.
#[derive(Default)]
struct Shows {
    /// Tools with a call of which value, content and card are compared.
    whole: BTreeSet<String>,
    /// Tools with a call that is to fail, and with one that is not.
    failing: BTreeSet<String>,
    working: BTreeSet<String>,
}

impl Shows {
    fn note(&mut self, Step { tool, expect, .. }: &Step) {
        let fails = expect.as_ref().is_some_and(|expect| expect.failure.is_some());
        if fails { &mut self.failing } else { &mut self.working }.insert(tool.clone());
        if expect
            .as_ref()
            .is_some_and(|expect| expect.value.is_some() && expect.content.is_some() && expect.card.is_some())
        {
            self.whole.insert(tool.clone());
        }
    }

    /// A tool that is there to fail has nothing else to show.
    fn enough(&self, tool: &str) -> bool {
        self.whole.contains(tool) || self.failing.contains(tool) && !self.working.contains(tool)
    }
}

impl CaseFile {
    fn read(folder: &Dir, name: String) -> Self {
        let text = folder.open(&name).map_err(|error| error.to_string()).and_then(|file| {
            let mut text = String::new();
            file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
            if text.len() as u64 > MAX_FILE_BYTES {
                Err(format!("longer than {MAX_FILE_BYTES} bytes"))
            } else {
                Ok(text)
            }
        });
        match text.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string())) {
            Ok(Value::Array(cases)) => Self { name, cases: Ok(cases), list: true },
            Ok(case) => Self { name, cases: Ok(vec![case]), list: false },
            Err(error) => Self { name, cases: Err(error), list: false },
        }
    }
}

fn refusal(at: impl Into<String>, message: impl Into<String>, remedy: &str) -> Finding {
    Finding::refusal(RULE, at, message, remedy)
}

/// What of an outcome is not as expected, each part apart.
fn differences(at: &str, step: &Step, outcome: &Outcome) -> Vec<Finding> {
    let called = called(step);
    let remedy = "mend the tool; or, if this is what it should do, run this command with --bless and read what changed";
    let Some(expect) = &step.expect else {
        let message = format!("{called}: nothing is expected of it");
        return vec![Finding::warning(RULE, at, message, "run this command with --bless, and read what it wrote")];
    };
    let mut findings = Vec::new();
    let mut compare = |part: &str, difference: Option<(String, String)>| {
        if let Some((inside, lines)) = difference {
            let message = format!("{called}: the {part} differs\n{lines}");
            findings.push(refusal(format!("{at}/expect/{part}{inside}"), message, remedy));
        }
    };
    match (outcome, &expect.failure) {
        (Outcome::Success(Success { value, content, card, .. }), None) => {
            let value = expect.value.as_ref().and_then(|expected| compare::json(expected, value.value()));
            compare("value", value);
            compare("content", expect.content.as_ref().and_then(|expected| compare::json(expected, content)));
            compare("card", expect.card.as_ref().and_then(|expected| compare::json(expected, card)));
        }
        (Outcome::Failure(failure), Some(expected)) => {
            let found = compare::value(failure);
            for (key, expected) in expected {
                let difference = compare::json(expected, &found[key]);
                let difference = difference.map(|(inside, lines)| (format!("/{key}{inside}"), lines));
                compare("failure", difference);
            }
        }
        (Outcome::Failure(Failure { code, message, .. }), None) => {
            findings.push(refusal(format!("{at}/expect"), format!("{called}: it failed: {code}: {message}"), remedy));
        }
        (Outcome::Success(success), Some(_)) => {
            let message = format!("{called}: it should fail, and gave {}", shown(success.value.text()));
            findings.push(refusal(format!("{at}/expect/failure"), message, remedy));
        }
    }
    findings
}

fn called(Step { tool, args, .. }: &Step) -> String {
    format!("{tool} {}", shown(&args.to_string()))
}

pub(super) fn shown(text: &str) -> String {
    if text.len() <= MAX_ARGS_SHOWN {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(MAX_ARGS_SHOWN)])
}

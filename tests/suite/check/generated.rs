//! Generated calls: each of their checks has a guest in `tests/guests-check` that fails it and no other, and an honest one
//! that passes all of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fumehood::check::{self, Check, Engines, Report, Settings, Verdict};
use fumehood::{Bounds, CacheLocation, Compiler, EngineSettings, Host, Policy};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Guest, GuestFile, packed};

const GUESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/guests-check");

/// The checks of generated calls.
pub(super) const IDS: [&str; 6] =
    ["drawable", "generated-calls", "generated-values", "generated-projections", "projector-fuel", "same-bytes"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    /// What the guest does, for a reader.
    #[expect(dead_code, reason = "for a reader")]
    tries: String,
    /// The one check that it fails.
    fails: String,
    /// What the finding has to say, in any order.
    says: Vec<String>,
    /// The schemas, as JSON.
    input: String,
    output: String,
    /// Limits of the operator's.
    #[serde(default)]
    limits: toml::Table,
}

impl Expectation {
    fn read(folder: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join("expect.toml")).unwrap();
        let fails =
            toml::from_str::<toml::Table>(&text).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        // The guests of the other checks lie beside these.
        let ours = fails.get("fails").and_then(toml::Value::as_str).is_some_and(|id| IDS.contains(&id));
        ours.then(|| toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", folder.display())))
    }
}

fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<_> = std::fs::read_dir(GUESTS).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

fn manifest(input: &Value, output: &Value) -> Value {
    json!({
        "name": "guest",
        "version": "0.1.0",
        "description": "A component for tests of the conformance kit.",
        "tools": [{
            "name": "echo",
            "title": "Echo",
            "description": "Answer with what the test wants. Use it in tests of the conformance kit alone.",
            "concurrency": "parallel",
            "inputSchema": input,
            "outputSchema": output,
        }],
    })
}

fn engines() -> Engines {
    let first = EngineSettings::standard(Compiler::InProcess, CacheLocation::Off);
    let other = EngineSettings { bounds: Bounds::Virtual, ..first.clone() };
    Engines::new(Host::new(first).unwrap(), Host::new(other).unwrap())
}

fn settings(policy: &str, calls: u32, seed: u64) -> Settings {
    let mut settings = Settings::standard();
    settings.policy = Policy::from_toml(policy, Path::new("/")).unwrap();
    settings.only = IDS.map(str::to_owned).into();
    settings.calls = calls;
    settings.seed = seed;
    settings
}

fn verdicts(report: &Report) -> Vec<(&str, Verdict)> {
    report.checks.iter().map(|check| (check.id, check.verdict)).collect()
}

/// The checks that a report does not pass.
fn not_passed(report: &Report) -> Vec<&Check> {
    report.checks.iter().filter(|check| !matches!(check.verdict, Verdict::Passed | Verdict::Skipped)).collect()
}

#[tokio::test]
async fn each_guest_fails_its_check_and_no_other() {
    let engines = engines();
    let (mut wrong, mut failed) = (Vec::new(), BTreeSet::new());
    for folder in folders() {
        let Some(expect) = Expectation::read(&folder) else { continue };
        let name = folder.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(folder.join("guest.wat")).unwrap();
        let GuestFile::Module(wat) = GuestFile::read(&text).unwrap() else { panic!("{name}: write its parts") };
        let schema = |text: &str| serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let component = packed(&wat, &manifest(&schema(&expect.input), &schema(&expect.output)));
        let policy = format!("[limits]\n{}", expect.limits);
        let report = check::run(component, &engines, &settings(&policy, 100, 0)).await;
        let found = not_passed(&report);
        if found.iter().map(|check| check.id).collect::<Vec<_>>() != [expect.fails.as_str()] {
            wrong.push(format!("{name}: {found:#?}, all of {:?}", verdicts(&report)));
            continue;
        }
        let said = found[0].findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        wrong.extend(
            expect
                .says
                .iter()
                .filter(|part| !said.contains(*part))
                .map(|part| format!("{name}: no {part:?} in {said}")),
        );
        failed.insert(expect.fails);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut left: Vec<_> = IDS.into_iter().filter(|id| !failed.contains(*id)).collect();
    // Its guest has to be made for the machine: see below.
    left.retain(|id| *id != "same-bytes");
    assert!(left.is_empty(), "no guest fails {left:?}");
}

#[tokio::test]
async fn an_honest_guest_passes_each_check() {
    let rich = json!({
        "type": "object",
        "required": ["text"],
        "properties": {
            "text": { "type": "string" },
            "count": { "type": "integer" },
            "ratio": { "type": ["number", "null"] },
            "tree": { "$ref": "#/$defs/tree" },
        },
        "$defs": { "tree": { "type": "array", "items": { "anyOf": [{ "$ref": "#/$defs/tree" }, { "type": "string" }] } } },
    });
    let component = packed(&Guest::default().wat(), &manifest(&rich, &rich));
    let mut settings = settings("", 60, 5);
    settings.only.push("headroom".to_owned());
    let report = check::run(component, &engines(), &settings).await;
    assert_eq!(verdicts(&report)[..IDS.len()], IDS.map(|id| (id, Verdict::Passed)), "{:#?}", report.checks);
    let line = |id| report.checks.iter().find(|check| check.id == id).unwrap().line.as_str();
    assert!(
        line("generated-calls").starts_with("60 calls: 60 worked, 0 failed politely; "),
        "{}",
        line("generated-calls")
    );
    assert!(!line("generated-calls").ends_with("; 0 wrong ones refused"), "{}", line("generated-calls"));
    let peaks: Vec<_> = report.headroom.iter().map(|peak| peak.run.as_str()).collect();
    assert!(peaks.iter().any(|run| run.starts_with("generated-")), "{peaks:?}");
}

/// The same draws fail the same way, and another seed makes others; without calls, all is skipped and said to be.
#[tokio::test]
async fn a_seed_fails_in_the_same_way_again() {
    let engines = engines();
    let input = json!({ "type": "object", "properties": { "a": {} } });
    let output = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let component = packed(&Guest::default().wat(), &manifest(&input, &output));
    let told = async |settings: Settings| {
        let report = check::run(component.clone(), &engines, &settings).await;
        report
            .checks
            .iter()
            .flat_map(|check| check.findings.clone())
            .map(|finding| finding.to_string())
            .collect::<Vec<_>>()
    };
    let once = told(settings("", 50, 1)).await;
    assert!(once.iter().any(|text| text.contains("--seed 1 --calls 50 --only generated-values")), "{once:?}");
    assert_eq!(once, told(settings("", 50, 1)).await);
    let mut alone = settings("", 50, 1);
    alone.only = vec!["generated-values".to_owned()];
    assert_eq!(once, told(alone).await, "what else is checked changes nothing");

    let report = check::run(component.clone(), &engines, &settings("", 0, 1)).await;
    assert_eq!(verdicts(&report), IDS.map(|id| (id, Verdict::Skipped)));
}

/// Where `execute` says of arguments that the schema takes that they are invalid, the least of them is noted.
#[tokio::test]
async fn arguments_that_the_schema_could_refuse_are_noted() {
    let execute = "(if (result i32) (i32.lt_u (local.get $args_len) (i32.const 14))
      (then (call $error (i32.const 0) (local.get $args) (local.get $args_len)))
      (else (call $ok (local.get $args) (local.get $args_len))))";
    let guest = Guest { execute, ..Guest::default() };
    let schema = json!({ "type": "object", "additionalProperties": false, "required": ["text"],
        "properties": { "text": { "type": "string" } } });
    let component = packed(&guest.wat(), &manifest(&schema, &schema));
    let report = check::run(component, &engines(), &settings("", 60, 0)).await;
    let check = report.checks.iter().find(|check| check.id == "generated-calls").unwrap();
    assert_eq!(check.verdict, Verdict::Passed, "{check:?}");
    let said: Vec<_> = check.findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(
        said,
        ["the input schema takes {\"text\":\"\"}, and the tool says: {\"text\":\"\"}; the schema could say it"]
    );
    assert!(check.line.contains(" with invalid-args)"), "{}", check.line);
}

/// Arguments that a tool calls invalid have no value, so that no projector has to show one; with any other arguments it has.
#[tokio::test]
async fn a_projector_may_fail_for_arguments_that_the_tool_calls_invalid() {
    let engines = engines();
    let input =
        json!({ "type": "object", "additionalProperties": false, "properties": { "text": { "type": "string" } } });
    let output = json!({ "type": "object", "additionalProperties": false });
    let short = "(i32.lt_u (local.get $args_len) (i32.const 14))";
    let present = format!("(if {short} (then unreachable)) (call $no_card)");
    let execute = format!(
        "(if (result i32) {short} (then (call $error (i32.const 0) (i32.const 0) (i32.const 0)))
          (else (call $ok (i32.const 32000) (i32.const 2))))"
    );
    let items = "(data (i32.const 32000) \"{}\")";
    let failed = async |execute: &str| {
        let guest = Guest { items, execute, present: &present, ..Guest::default() };
        let report = check::run(packed(&guest.wat(), &manifest(&input, &output)), &engines, &settings("", 40, 0)).await;
        not_passed(&report).iter().map(|check| check.id).collect::<Vec<_>>()
    };
    assert_eq!(failed(&execute).await, Vec::<&str>::new());
    assert_eq!(failed("(call $ok (i32.const 32000) (i32.const 2))").await, ["generated-projections"]);
}

/// A projector has no clock, no randomness and no memory of earlier calls, and its arithmetic is that of every machine. What
/// is left is the depth of its call stack, which the compiler decides: this guest recurses as deep as its value says, and
/// the value is one that one engine has room for and the other has not.
#[tokio::test]
async fn what_differs_between_engines_is_found() {
    let engines = engines();
    let any = manifest(&json!({ "type": "object" }), &json!({ "type": "integer" }));
    // Where a bound is compared with takes registers; how many loads leave none for it is the compiler's to know.
    for loads in 4..=24 {
        let wat = recursing(loads);
        let first = deepest(&engines.first, &packed(&wat, &any)).await;
        let other = deepest(&engines.other, &packed(&wat, &any)).await;
        if first == other {
            continue;
        }
        let between = first.max(other);
        let output = json!({ "enum": [0, between] });
        let component = packed(&wat, &manifest(&json!({ "type": "object", "additionalProperties": false }), &output));
        let report = check::run(component, &engines, &settings("", 20, 0)).await;
        let found = not_passed(&report);
        assert_eq!(found.iter().map(|check| check.id).collect::<Vec<_>>(), ["same-bytes"], "{found:#?}");
        let said = found[0].findings[0].to_string();
        assert!(said.contains(&format!("of the value {between}, with the arguments {{}}")), "{said}");
        return;
    }
    panic!("both engines have room for the same depth, whatever is loaded: this guest has to be made anew");
}

/// A guest whose `render` recurses as deep as its value says, with so many loads alive at once in each frame.
fn recursing(loads: usize) -> String {
    let loaded: String = (0..loads).map(|at| format!("(i64.load offset={} (local.get $at))", 1_024 + 8 * at)).collect();
    let summed = "i64.add ".repeat(loads - 1);
    let items = format!(
        "(func $deeper (param $at i32) (param $left i32) (result i64) (local $sum i64)
          {loaded} {summed} (local.set $sum)
          (if (local.get $left) (then (local.set $sum (i64.add (local.get $sum)
            (call $deeper (i32.add (local.get $at) (i32.const 1)) (i32.sub (local.get $left) (i32.const 1)))))))
          {loaded} {summed} (i64.add (local.get $sum)))
        (func $number (param $at i32) (param $len i32) (result i32) (local $n i32)
          (loop $next
            (local.set $n (i32.mul (local.get $n) (i32.const 10)))
            (local.set $n (i32.add (local.get $n) (i32.sub (i32.load8_u (local.get $at)) (i32.const 48))))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $len (i32.sub (local.get $len) (i32.const 1)))
            (br_if $next (local.get $len)))
          (local.get $n))
        (data (i32.const 32000) \"0\")"
    );
    let guest = Guest {
        items: &items,
        execute: "(call $ok (i32.const 32000) (i32.const 1))",
        render: "(drop (call $deeper (i32.const 0) (call $number (local.get $value) (local.get $value_len))))
          (call $text (local.get $value) (local.get $value_len))",
        ..Guest::default()
    };
    guest.wat()
}

/// The deepest that it can recurse on a host.
async fn deepest(host: &Host, component: &[u8]) -> u32 {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), component).unwrap();
    let projector = host.load_projector(file.path()).await.unwrap();
    let (mut fits, mut fails) = (0, 1 << 20);
    while fails - fits > 1 {
        let middle = u32::midpoint(fits, fails);
        match projector.project("echo", "{}", &middle.to_string()).await {
            Ok(_) => fits = middle,
            Err(_) => fails = middle,
        }
    }
    fits
}

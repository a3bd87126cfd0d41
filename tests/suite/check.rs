//! The conformance kit: each check has a guest that fails it and nothing else, and the hostile guests fail the right one.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "it reads guests, and fails loudly")]

#[path = "../support/sarif.rs"]
mod published;
#[path = "../support/mod.rs"]
mod support;

#[path = "hostile/expectation.rs"]
#[expect(dead_code, reason = "what must come of a call is for the suite of the guests")]
mod expectation;
#[path = "check/generated.rs"]
mod generated;
#[path = "hostile/generators.rs"]
mod generators;
#[path = "check/hostile.rs"]
mod hostile;
#[path = "check/pages.rs"]
mod pages;
#[path = "hostile/stage.rs"]
#[expect(dead_code, reason = "what a run leaves behind is for the suite of the guests")]
mod stage;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fumehood::check::{ALL, Engines, Report, Settings, Verdict, run};
use fumehood::{Bounds, CacheLocation, Compiler, EngineSettings, Host, Scaled};
use published::sarif;
use serde::Deserialize;
use serde_json::{Value, json};
use support::{Guest, GuestFile, World, component_from_core_wat, with_section};

const GUESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/guests-check");

/// Enough to meet what is drawn first, and few, since there are many guests.
const CALLS: u32 = 12;

/// Two engines with a cache, and the folder that it is in.
struct Bench {
    engines: Engines,
    _cache: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self::with(|_| ())
    }

    fn with(change: impl Fn(&mut EngineSettings)) -> Self {
        let cache = tempfile::tempdir().unwrap();
        let location = CacheLocation::Directory(cache.path().join("code"));
        let mut first = EngineSettings::standard(Compiler::InProcess, location);
        first.slots = 4;
        change(&mut first);
        let other = EngineSettings { bounds: Bounds::Virtual, ..first.clone() };
        let engines = Engines::new(Host::new(first).unwrap(), Host::new(other).unwrap());
        Self { engines, _cache: cache }
    }

    async fn check(&self, component: Vec<u8>, change: impl FnOnce(&mut Settings)) -> Report {
        let mut settings = Settings::standard();
        settings.calls = CALLS;
        change(&mut settings);
        run(component, &self.engines, &settings).await
    }
}

/// `expect.toml`: the checks that fail, and those that warn.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Ended {
    fails: BTreeSet<String>,
    warns: BTreeSet<String>,
}

impl Ended {
    fn of(report: &Report) -> Self {
        let with = |verdict: Verdict| {
            report.checks.iter().filter(|check| check.verdict == verdict).map(|check| check.id.to_owned()).collect()
        };
        Self { fails: with(Verdict::Failed), warns: with(Verdict::Warned) }
    }

    fn only(fails: &str) -> Self {
        Self { fails: [fails.to_owned()].into(), ..Self::default() }
    }
}

/// A manifest that nothing is wrong with, with these fields in place of its own.
fn manifest(fields: &Value) -> Value {
    let mut manifest = support::manifest();
    manifest.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    manifest
}

fn component(wat: &str, manifest: &Value) -> Vec<u8> {
    with_section(
        &component_from_core_wat(wat, World::ToolWithHost),
        "fumehood:manifest",
        manifest.to_string().as_bytes(),
    )
}

fn honest() -> Vec<u8> {
    component(&Guest::default().wat(), &manifest(&json!({})))
}

/// A folder of `guests-check`: the component, and its cases where it has some.
fn guest(folder: &Path) -> (Vec<u8>, Option<PathBuf>) {
    let text = std::fs::read_to_string(folder.join("guest.wat")).unwrap();
    let fields = std::fs::read_to_string(folder.join("manifest.json")).unwrap_or_else(|_| "{}".to_owned());
    let GuestFile::Module(wat) = GuestFile::read(&text).unwrap() else { panic!("{}: no module", folder.display()) };
    let cases = folder.join("cases");
    (component(&wat, &manifest(&serde_json::from_str(&fields).unwrap())), cases.is_dir().then_some(cases))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_check_has_a_guest_that_it_alone_is_about() {
    let bench = Bench::new();
    let (mut wrong, mut met) = (Vec::new(), BTreeSet::new());
    let mut meet = |name: &str, expected: Ended, report: Report| {
        let found = Ended::of(&report);
        if found != expected {
            wrong.push(format!("{name}: {found:?}, expected {expected:?}\n{}", report.text()));
        }
        if let [id] = Vec::from_iter(expected.fails.iter().chain(&expected.warns))[..] {
            met.insert(id.clone());
        }
    };
    for entry in std::fs::read_dir(GUESTS).unwrap() {
        let folder = entry.unwrap().path();
        let expected: toml::Table = std::fs::read_to_string(folder.join("expect.toml")).unwrap().parse().unwrap();
        // The guests of generated calls name the one check that they fail, and have a test of their own.
        if expected["fails"].is_str() {
            continue;
        }
        let (component, cases) = guest(&folder);
        let report = bench.check(component, |settings| settings.cases = cases).await;
        meet(folder.file_name().unwrap().to_str().unwrap(), expected.try_into().unwrap(), report);
    }
    let text = bench.check(b"(component)".to_vec(), |_| ()).await;
    meet("is text", Ended::only("component"), text);
    let mut spoken = honest();
    let ours = b"fumehood:tool/tool@0.1.0";
    for at in (0..spoken.len()).filter(|at| spoken[*at..].starts_with(ours)).collect::<Vec<_>>() {
        spoken[at + ours.len() - 3] = b'2';
    }
    meet("speaks 0.2.0", Ended::only("interface"), bench.check(spoken, |_| ()).await);
    let large = with_section(&honest(), "padding", &vec![0; 26 << 20]);
    let warned = Ended { warns: ["size".to_owned()].into(), ..Ended::default() };
    meet(
        "is large",
        warned,
        bench.check(large, |settings| settings.only = vec!["size".into(), "component".into()]).await,
    );
    let too_large = with_section(&honest(), "padding", &vec![0; 33 << 20]);
    meet("is too large", Ended::only("size"), bench.check(too_large, |_| ()).await);
    // A machine that has room for little code.
    let small = Bench::with(|settings| settings.compile_limits.artifact_bytes = Scaled { base: 1 << 20, per_mib: 0 });
    let items =
        (0..4_000).map(|n| format!("(func (export \"f{n}\") (result i32) (i32.const {n}))")).collect::<String>();
    let much = component(&Guest { items: &items, ..Guest::default() }.wat(), &manifest(&json!({})));
    meet("is much code", Ended::only("compile"), small.check(much, |_| ()).await);
    meet("is little code", Ended::default(), small.check(honest(), |_| ()).await);

    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let ids: BTreeSet<_> =
        ALL.iter().map(|row| row.id).filter(|id| !generated::IDS.contains(id)).map(str::to_owned).collect();
    let missing: Vec<_> = ids.difference(&met).collect();
    assert!(missing.is_empty(), "no guest is about {missing:?} alone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_honest_tool_passes_every_check() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let component = std::fs::read(repository.join("sample-tools/dist/word-count.wasm")).unwrap();
    let cases = repository.join("sample-tools/word-count/cases");
    let report = Bench::new().check(component, |settings| settings.cases = Some(cases)).await;
    assert_eq!(Ended::of(&report), Ended::default(), "{}", report.text());
    let skipped: Vec<_> =
        report.checks.iter().filter(|check| check.verdict == Verdict::Skipped).map(|check| check.id).collect();
    // It asks for nothing.
    assert_eq!(skipped, ["no-grants", "optional-grants"], "{}", report.text());
    let ids: Vec<_> = report.checks.iter().map(|check| check.id).collect();
    assert_eq!(ids, ALL.iter().map(|row| row.id).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_programs_read_is_in_the_forms_that_they_know() {
    let folder = Path::new(GUESTS).join("does-not-do-what-its-case-says");
    let (component, cases) = guest(&folder);
    let only = vec!["cases".to_owned(), "texts".to_owned()];
    let report = Bench::new().check(component, |settings| (settings.cases, settings.only) = (cases, only)).await;
    let log = report.sarif("a folder/guest.wasm");
    let results = sarif(&log);
    // The value, and the card that shows the arguments.
    assert_eq!(results.len(), 2, "{results:?}");
    assert_eq!(results[0]["ruleId"], "check/cases");
    assert_eq!(results[0]["level"], "error");

    let junit = report.junit();
    assert!(junit.contains(r#"tests="2" failures="1""#), "{junit}");
    assert!(junit.contains(r#"<testcase classname="fumehood.check" name="texts"/>"#), "{junit}");
    assert!(junit.contains("&quot;a&quot;: 2") && !junit.contains("\"a\": 2"), "{junit}");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["checks"][1]["verdict"], "failed", "{json}");
    assert_eq!(json["checks"][1]["findings"][0]["severity"], "refusal", "{json}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blessing_writes_what_came_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("echo.json");
    let text = r#"{
  "about": "An echo.",
  "mount": null,
  "calls": [
    { "tool": "echo", "args": { "b": 1, "a": 2 } },
    { "tool": "echo", "args": { "c": 3 }, "expect": { "value": {} } },
    { "tool": "nobody", "args": {} }
  ]
}"#;
    std::fs::write(&file, text).unwrap();
    let bench = Bench::new();
    let check = async |bless: bool| {
        let change = |settings: &mut Settings| {
            (settings.cases, settings.bless) = (Some(folder.path().to_owned()), bless);
            settings.only = vec!["cases".into()];
        };
        bench.check(honest(), change).await.checks.remove(0)
    };
    let before = check(false).await;
    assert_eq!(before.verdict, Verdict::Failed);
    let at: Vec<_> = before.findings.iter().map(|finding| finding.at.as_str()).collect();
    assert_eq!(at, ["echo.json#/calls/1/expect/value/c", "echo.json#/calls/0", "echo.json#/calls/2", ""]);
    assert!(before.findings[0].message.contains("+  \"c\": 3"), "{}", before.findings[0].message);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "a check writes nothing");

    let blessed = check(true).await;
    assert_eq!((blessed.verdict, blessed.findings.len()), (Verdict::Passed, 3), "{blessed:?}");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.starts_with("{\n  \"about\": \"An echo.\",\n  \"mount\": null,\n"), "{written}");
    assert!(written.ends_with("}\n"), "{written}");
    let written: Value = serde_json::from_str(&written).unwrap();
    let expect = |call: usize| &written["calls"][call]["expect"];
    let keys = |call: usize| expect(call).as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(0), ["value", "content", "card"]);
    assert_eq!(expect(0)["value"].to_string(), r#"{"b":1,"a":2}"#);
    assert_eq!(expect(1), &json!({ "value": { "c": 3 } }));
    assert_eq!(expect(2)["failure"]["code"], "UNKNOWN_TOOL");
    assert_eq!(check(false).await.verdict, Verdict::Passed);
    assert_eq!(check(true).await.findings, [], "nothing is left to bless");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cases_that_cannot_be_run_say_why() {
    let bench = Bench::new();
    let check = async |case: &str, expect: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.json"), case).unwrap();
        let cases = Some(folder.path().to_owned());
        let only = vec!["cases".to_owned()];
        let report = bench.check(honest(), |settings| (settings.cases, settings.only) = (cases, only)).await;
        let [check] = &report.checks[..] else { panic!("{report:?}") };
        assert_eq!(check.verdict, Verdict::Failed, "{case}");
        assert!(check.findings[0].message.contains(expect), "{case}: {}", check.findings[0].message);
    };
    check("{", "EOF").await;
    check(r#"{"about":"a"}"#, "missing field `calls`").await;
    check(r#"{"about":"a","calls":[],"tils":1}"#, "unknown field `tils`").await;
    check(r#"{"about":"a","calls":[],"grants":["sockets"]}"#, "there is no capability").await;
    check(r#"{"about":"a","calls":[],"limits":{"wall":1}}"#, "there is no limit \"wall\"").await;
    check(r#"{"about":"a","calls":[],"limits":{"wall-clock-ms":0}}"#, "out of range").await;
    check(r#"{"about":"a","calls":[],"files":{"../a":""}}"#, "\"../a\"").await;
    check(r#"{"about":"a","calls":[],"files":{"a":{"base64":"?"}}}"#, "base64").await;
    check(r#"{"about":"a","calls":[],"files":{"a":{"repeat":"ab","times":1000000000000}}}"#, "are allowed").await;
    check(r#"{"about":"a","calls":[],"after":{"a":"b"}}"#, "no such file").await;
    check(r#"{"about":"a","calls":[],"files":{"a":"b"},"after":{"a":null}}"#, "the file exists").await;
    check(r#"{"about":"a","calls":[],"asked":["/"]}"#, "was asked for []").await;
}

/// Cases come with a component: what they grant may be an attack of their author's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_case_grants_nothing_of_this_machine_unless_it_is_trusted() {
    let bench = Bench::new();
    let check = async |grant: &str, trust: bool| {
        let folder = tempfile::tempdir().unwrap();
        let case = json!({ "about": "a", "calls": [], "grants": [grant] });
        std::fs::write(folder.path().join("a.json"), case.to_string()).unwrap();
        let cases = Some(folder.path().to_owned());
        let only = vec!["cases".to_owned()];
        let report = bench
            .check(honest(), |settings| {
                (settings.cases, settings.only, settings.trust_cases) = (cases, only, trust);
            })
            .await;
        let [check] = &report.checks[..] else { panic!("{report:?}") };
        check.findings.iter().map(|finding| finding.message.clone()).collect::<String>()
    };
    for grant in [
        "filesystem=/:/:ro",
        "filesystem=.:/:rw",
        "process=sh:/bin/sh -c *",
        "env=HOME",
        "secret=token env:HOME {server}/",
        "http=https://example.com/ GET",
        "http=http://127.0.0.1/ GET 127.0.0.1",
        "http=http://localhost:1/ GET 127.0.0.1",
        // Only the whole address is the server's own.
        "http={server}0/ GET 127.0.0.1",
        "http={server}@example.com/ GET",
    ] {
        // What is no grant at all is refused as such.
        let refused = check(grant, false).await;
        assert!(refused.starts_with("the case cannot be run: grants: "), "{grant} is given: {refused}");
        let trusted = check(grant, true).await;
        assert!(!trusted.contains("reaches out of the case"), "{grant}: {trusted}");
    }
    for grant in ["clock", "random", "tools=word_count", "env=LANG=C", "http={server}/ GET 127.0.0.1"] {
        let given = check(grant, false).await;
        assert!(!given.contains("grants: "), "{grant}, which the case brings along: {given}");
    }
}

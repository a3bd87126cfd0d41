//! Every check of the sample tools, their golden cases among them, made of the packed components of `sample-tools/dist`, or
//! of those in the folder that the environment variable `SAMPLE_TOOLS` names.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "it reads the repository, and fails loudly")]

#[path = "../support/mod.rs"]
mod support;

#[path = "samples/reviewers.rs"]
mod reviewers;

use std::path::{Path, PathBuf};

use fumehood::check::{Engines, Report, Settings, Verdict};
use fumehood::{Bounds, CacheLocation, Compiler, ContentBlock, EngineSettings, Grant, Host, Policy};
use serde::Deserialize;
use serde_json::{Value, json};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn packed(tool: &str) -> PathBuf {
    let folder = std::env::var_os("SAMPLE_TOOLS").map_or_else(|| repository().join("sample-tools/dist"), PathBuf::from);
    folder.join(format!("{tool}.wasm"))
}

/// What vendors run before a release, golden cases first. Each tool has one that shows its value, its content and its card.
/// The checks that warn are named; none may fail.
async fn check(tool: &str, warned: &[&str]) {
    let report = report(tool, |_| ()).await;
    let with = |verdict: Verdict| {
        report.checks.iter().filter(|check| check.verdict == verdict).map(|check| check.id).collect::<Vec<_>>()
    };
    let found = (with(Verdict::Failed), with(Verdict::Warned));
    assert_eq!(found, (Vec::new(), warned.to_vec()), "{tool}: {}", report.text());
    // What was not made has not passed.
    let mut skipped = with(Verdict::Skipped);
    skipped.retain(|id| !["no-grants", "optional-grants"].contains(id));
    assert_eq!(skipped, Vec::<&str>::new(), "{tool}: {}", report.text());
}

async fn report(tool: &str, change: impl FnOnce(&mut Settings)) -> Report {
    let folder = repository().join("sample-tools").join(tool);
    let cache = tempfile::tempdir().unwrap();
    let location = CacheLocation::Directory(cache.path().join("code"));
    // The command is the worker: what runs programs needs one.
    let compiler = Compiler::ChildProcess { program: env!("CARGO_BIN_EXE_fumehood").into() };
    let engine = EngineSettings::standard(compiler, location);
    let other = EngineSettings { bounds: Bounds::Virtual, ..engine.clone() };
    let host = Host::new(engine).unwrap();
    let policy_text = std::fs::read_to_string(folder.join("policy.toml")).unwrap();
    let allowed = Policy::from_toml(&policy_text, &folder).unwrap();
    host.load(packed(tool), &allowed).await.unwrap_or_else(|error| panic!("{tool} under its own policy: {error}"));

    let mut settings = Settings::standard();
    settings.cases = Some(folder.join("cases"));
    // They are this repository's, and run its programs.
    settings.trust_cases = true;
    change(&mut settings);
    let engines = Engines::new(host, Host::new(other).unwrap());
    fumehood::check::run(std::fs::read(packed(tool)).unwrap(), &engines, &settings).await
}

#[tokio::test]
async fn word_count() {
    check("word-count", &[]).await;
}

#[tokio::test]
async fn files() {
    check("files", &[]).await;
}

#[tokio::test]
async fn memory() {
    check("memory", &[]).await;
}

#[tokio::test]
async fn shell() {
    check("shell", &[]).await;
}

#[tokio::test]
async fn web() {
    check("web", &[]).await;
}

#[tokio::test]
async fn cookbook() {
    check("cookbook", &[]).await;
}

#[tokio::test]
async fn conformance() {
    // The suite that it is for asks for an input schema with `allOf` at the root.
    check("conformance", &["portable"]).await;
}

/// It does on request what no tool should: the cases say how each request ends, and the check that it is no example.
#[tokio::test]
async fn flaky() {
    let report = report("flaky", |settings| settings.only = vec!["cases".into(), "values".into()]).await;
    let verdicts: Vec<_> = report.checks.iter().map(|check| (check.id, check.verdict)).collect();
    assert_eq!(verdicts, [("cases", Verdict::Passed), ("values", Verdict::Failed)], "{}", report.text());
}

/// What is committed without a test here would be checked by nobody.
#[test]
fn each_has_a_test() {
    let source = concat!(include_str!("samples.rs"), include_str!("samples/reviewers.rs"));
    let files = std::fs::read_dir(packed("web").parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let components = files.filter(|path| path.extension().is_some_and(|it| it == "wasm"));
    let names: Vec<_> = components.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert!(!names.is_empty());
    for name in names {
        let tested = ["check", "report", "check_reviewer"].map(|function| format!("{function}(\"{name}\""));
        assert!(tested.iter().any(|call| source.contains(call)), "no test is about {name}");
    }
}

#[tokio::test]
async fn the_web_takes_a_grant() {
    let host = Host::new(EngineSettings::standard(Compiler::InProcess, CacheLocation::Off)).unwrap();
    let denied = host.load(packed("web"), &Policy::nothing()).await.err().unwrap().to_string();
    let (_, line) = denied.split_once("--allow '").unwrap_or_else(|| panic!("{denied}"));
    let grant: Grant = line.split_once('\'').unwrap().0.parse().unwrap();
    assert_eq!(grant.to_string(), "http=https://example.com/ GET");
    host.load(packed("web"), &Policy::nothing().allow(grant).unwrap()).await.unwrap();
}

/// Kills at many moments of a save, and asks after each: there is the last checkpoint that was saved whole, or an
/// earlier one, never a damaged one.
#[test]
fn a_kill_leaves_no_half_written_checkpoint() {
    let (directory, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let command = |tool: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fumehood"));
        command.arg("run").arg(packed("memory")).args(["--tool", tool, "--allow", "clock", "--show", "value"]);
        command.arg("--mount").arg(format!("{}:/:rw", directory.path().display()));
        command.arg("--cache").arg(cache.path().join("code")).args(["--args", "-"]);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::piped());
        command
    };
    let begin = |tool: &str, args: Value| {
        let mut child = command(tool).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), args.to_string().as_bytes()).unwrap();
        child
    };
    // As large as a value may well be, so that writing it takes a while.
    let state = |number: u64| json!({ "number": number, "filler": "x".repeat(1 << 20) });
    let save = |number| begin("checkpoint_save", json!({ "agent_id": "a", "state": state(number) }));
    let whole = save(0).wait_with_output().unwrap();
    assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));

    let took = {
        let began = std::time::Instant::now();
        assert!(save(1).wait_with_output().unwrap().status.success());
        began.elapsed()
    };
    let (mut newest, mut killed) = (1, 0);
    for number in 2..32u64 {
        let mut child = save(number);
        // The moment of the kill is all that differs: spread over the time that a whole save takes.
        std::thread::sleep(took * u32::try_from(number).unwrap() / 32);
        child.kill().unwrap();
        killed += u64::from(!child.wait().unwrap().success());
        let resumed = begin("checkpoint_resume", json!({ "agent_id": "a" })).wait_with_output().unwrap();
        assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
        let value: Value = serde_json::from_slice(&resumed.stdout).unwrap();
        let found = &value["state"];
        let found_number = found["number"].as_u64().unwrap();
        assert!(found_number == newest || found_number == number, "{found_number} after {newest}, at {number}");
        assert_eq!(found["filler"].as_str().map(str::len), Some(1 << 20));
        newest = found_number;
    }
    assert!(killed > 0, "no save was killed before its end");
}

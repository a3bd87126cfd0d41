//! The command line, as transcripts: standard output, standard error and exit status of each command.
//!
//! `tests/cli/*.md` and the README. `TRYCMD=overwrite cargo test --test cli` writes down what happens now.

use std::path::Path;

#[test]
#[expect(clippy::disallowed_methods, reason = "a test makes a directory for what its commands write")]
fn transcripts() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package has a parent");
    // The only test of this process: its commands start where a reader of the README is.
    std::env::set_current_dir(repository).expect("the repository exists");
    // What the transcripts of approvals write: each run begins without.
    let scratch = repository.join("target/tmp");
    std::fs::create_dir_all(&scratch).expect("a directory for what transcripts write");
    for left in [
        "approvals.lock",
        "reviewers.lock",
        "word-count-2.wasm",
        "inspect-2.wasm",
        "inspect-3.wasm",
        "inspect-hostile.wasm",
    ] {
        let _ = std::fs::remove_file(scratch.join(left));
    }
    sessions(repository, &scratch.join("sessions"));
    let cache = tempfile::tempdir().expect("a directory for compiled code");
    trycmd::TestCases::new()
        .register_bin("fumehood", Path::new(env!("CARGO_BIN_EXE_fumehood")))
        .env("XDG_CACHE_HOME", cache.path().to_string_lossy())
        .case(repository.join("tests/cli/*.md"))
        .case(repository.join("README.md"))
        .case(repository.join("docs/sessions.md"))
        .run();
}

/// What `docs/sessions.md` and `tests/cli/replay.md` begin with: no log of an earlier run, one whose writer was killed, one that somebody changed.
#[expect(clippy::disallowed_methods, reason = "a test makes the logs that its transcripts read")]
fn sessions(repository: &Path, scratch: &Path) {
    let _ = std::fs::remove_dir_all(scratch);
    std::fs::create_dir_all(scratch).expect("a directory for logs");
    let fumehood = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fumehood"));
        command.current_dir(repository).arg("run").stdout(std::process::Stdio::null());
        command
    };
    let count_with = |log: &Path, flags: &[&str]| {
        let counted = fumehood()
            .args(["sample-tools/dist/word-count.wasm", "--args", r#"{"text":"to be"}"#, "--log"])
            .arg(log)
            .args(flags)
            .status();
        assert!(counted.expect("the command runs").success());
    };
    let count = |log: &Path| count_with(log, &[]);
    let change = |log: &Path| {
        let text = std::fs::read_to_string(log).expect("a log");
        assert!(text.contains("2 words"), "{text}");
        std::fs::write(log, text.replacen("2 words", "9 words", 1)).expect("the log is written");
    };
    let changed = scratch.join("changed.jsonl");
    (0..2).for_each(|_| count(&changed));
    change(&changed);

    // What `tests/cli/replay.md` reads.
    let replay = scratch.with_file_name("replay");
    let _ = std::fs::remove_dir_all(&replay);
    std::fs::create_dir_all(&replay).expect("a directory for logs");
    (0..2).for_each(|_| count(&replay.join("plain.jsonl")));
    let twice = std::fs::read_to_string(replay.join("plain.jsonl")).expect("a log");
    let last = twice.lines().last().expect("a line");
    std::fs::write(replay.join("twice.jsonl"), format!("{twice}{last}\n")).expect("the log is written");
    for log in ["values.jsonl", "other.jsonl"] {
        count_with(&replay.join(log), &["--record-values"]);
    }
    change(&replay.join("other.jsonl"));

    let crash = scratch.join("crash.jsonl");
    count(&crash);
    let mut writer = fumehood()
        .args(["sample-tools/dist/flaky.wasm", "--args", r#"{"how":"loop-in-execute"}"#, "--log"])
        .arg(&crash)
        .spawn()
        .expect("the command runs");
    // The tool loops until its writer is killed, which is when its start is in the log. Thirty seconds are its wall clock.
    while !std::fs::read_to_string(&crash).expect("a log").contains(r#""event":"start","call":"2""#) {
        assert!(writer.try_wait().expect("a process").is_none(), "the writer ended by itself");
        std::thread::yield_now();
    }
    writer.kill().and_then(|()| writer.wait()).expect("the writer is killed");
    let mut torn = std::fs::read(&crash).expect("a log");
    torn.extend(br#"{"seq":7,"prev":"sha256:"#);
    std::fs::write(&crash, torn).expect("the log is written");
}

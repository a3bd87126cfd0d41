//! What generated calls cost: `cargo bench --bench check` remakes the figures of `docs/performance.md`, each as a line that
//! starts with `==>`.
//!
//! Nothing here fails on a bound: tests would then fail with the weather.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and stops at the first surprise")]
#![expect(clippy::disallowed_methods, reason = "it reads a sample tool")]

#[path = "speed/turns.rs"]
mod turns;

use std::path::Path;

use criterion::Criterion;
use fumehood::check::{self, Engines, Report, Settings, Verdict};
use fumehood::{Bounds, CacheLocation, Compiler, EngineSettings, Host, Policy, Toolset};
use serde_json::json;
use turns::in_turn;

/// It imports nothing, so that what is measured is the kit.
const WORD_COUNT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sample-tools/dist/word-count.wasm");

/// What a person would ask: 44 bytes, 9 words.
const TEXT: &str = "the quick brown fox jumps over the lazy dog\n";

/// The checks that draw.
const DRAWN: [&str; 6] =
    ["drawable", "generated-calls", "generated-values", "generated-projections", "projector-fuel", "same-bytes"];

fn main() {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let cache = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let component = std::fs::read(WORD_COUNT).unwrap();
    let engines = engines(cache.path());
    let checked = |calls| {
        let report = runtime.block_on(check::run(component.clone(), &engines, &settings(calls)));
        assert!(passed(&report), "{:#?}", report.checks);
    };
    // Compiles for both engines: from here on the code comes from the cache.
    checked(1);
    let toolset: Toolset = runtime.block_on(engines.first.load(WORD_COUNT, &Policy::nothing())).unwrap();
    let plain = || {
        for _ in 0..1_000 {
            runtime.block_on(toolset.call("word_count", json!({ "text": TEXT })));
        }
    };
    let turns = in_turn(
        &mut criterion,
        ("check", "1,000 generated calls of word-count"),
        1,
        [&mut || checked(1_000), &mut || checked(100), &mut || checked(1), &mut || plain()],
    );
    turns.print("check of word-count with 1,000 generated calls, in seconds:", "seconds", |times| times[0]);
    turns.print("1,000 generated calls against 100, without what each check begins with:", "linear is 10", |times| {
        (times[0] - times[2]) / (times[1] - times[2])
    });
    turns.print("a generated call against a plain one:", "four calls' worth of work, and the draws", |times| {
        (times[0] - times[2]) / times[3]
    });
    turns.print_times(["1,000 generated calls", "100 generated calls", "1 generated call", "1,000 plain calls"]);
    criterion.final_summary();
}

fn settings(calls: u32) -> Settings {
    let mut settings = Settings::standard();
    settings.calls = calls;
    settings.only = DRAWN.map(str::to_owned).into();
    settings
}

fn passed(report: &Report) -> bool {
    report.checks.len() == DRAWN.len() && report.checks.iter().all(|check| check.verdict == Verdict::Passed)
}

fn engines(cache: &Path) -> Engines {
    let first = EngineSettings::standard(Compiler::InProcess, CacheLocation::Directory(cache.join("code")));
    let other = EngineSettings { bounds: Bounds::Virtual, ..first.clone() };
    Engines::new(Host::new(first).unwrap(), Host::new(other).unwrap())
}

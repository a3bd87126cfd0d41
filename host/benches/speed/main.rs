//! Every figure of `docs/performance.md`: `cargo bench --bench speed` remakes them, each as a line that starts with `==>`.
//!
//! A ratio is the median over turns in which both sides ran in the same moment, so a busy machine moves it little. Nothing
//! here fails on a bound: tests would then fail with the weather.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and stops at the first surprise")]

mod audit;
#[expect(dead_code, reason = "the benchmark of the server uses the rest")]
mod bare;
mod call;
mod copies;
mod engine;
mod footprint;
#[path = "../../../tests/support/mod.rs"]
mod guests;
mod kit;
mod listing;
mod review;
mod rules;
mod turns;

use std::path::Path;

use criterion::Criterion;
use fumehood::{CacheLocation, Compiler, EngineSettings, Host, Policy, Toolset};

/// What a person would ask: 44 bytes, 9 words.
const TEXT: &str = "the quick brown fox jumps over the lazy dog\n";

fn main() {
    let args = Vec::from_iter(std::env::args());
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "listed", directory] => return footprint::listed(Path::new(directory)),
        [_, "loaded", directory] => return footprint::loaded(Path::new(directory)),
        _ => {}
    }
    let mut criterion = Criterion::default().sample_size(30).configure_from_args();
    call::small(&mut criterion);
    call::after_a_large_one(&mut criterion);
    call::large(&mut criterion);
    call::threads(&mut criterion);
    listing::listing(&mut criterion);
    audit::reading(&mut criterion);
    rules::rules(&mut criterion);
    review::review(&mut criterion);
    kit::least_tool(&mut criterion);
    engine::code(&mut criterion);
    engine::bounds(&mut criterion);
    engine::one_engine(&mut criterion);
    engine::giving_way(&mut criterion);
    // A filter names benchmarks of criterion's.
    if args.iter().all(|arg| arg.starts_with("--") && arg != "--test" || *arg == args[0]) {
        footprint::processes();
    }
    criterion.final_summary();
}

/// A tool that was granted nothing, in a host without a worker and a cache: neither has a part in a call.
async fn load(file: &Path) -> Toolset {
    let host = Host::new(EngineSettings::standard(Compiler::InProcess, CacheLocation::Off)).unwrap();
    host.load(file, &Policy::nothing()).await.unwrap()
}

/// One thread that does everything: what is measured is work, not wake-ups.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

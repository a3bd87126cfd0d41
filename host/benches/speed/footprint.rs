//! What a process costs: its memory per listed and per loaded idle tool, the time from start to answer of
//! `fumehood run`, and what the compile worker adds. Each figure comes from processes of its own, so criterion has
//! no part in it.
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use fumehood::{CacheLocation, Compiler, EngineSettings, Host, Manifest, Policy};

use crate::copies::{self, WORD_COUNT};

const FUMEHOOD: &str = env!("CARGO_BIN_EXE_fumehood");

/// Whole processes per figure: the median of these.
const RUNS: usize = 21;

/// Everything that needs processes.
pub(crate) fn processes() {
    let home = tempfile::tempdir().unwrap();
    let myself = std::env::args().next().unwrap();
    for (what, count) in [("listed", 1_000), ("loaded", 50)] {
        let directory = home.path().join(what);
        copies::fill(&directory, count);
        // The first run compiles and keeps; the second is the one that counts.
        for run in 0..2 {
            let output = Command::new(&myself).args([what, directory.to_str().unwrap()]).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            if run == 1 {
                print!("{}", String::from_utf8(output.stdout).unwrap());
            }
        }
    }

    let cache = home.path().join("runs");
    let [compiled, cached] = in_turn([&|| run(&["--no-cache"]), &|| run(&["--cache", cache.to_str().unwrap()])]);
    println!("==> start to answer of `fumehood run word-count.wasm`: ratio compiled/cached {:.2}", compiled / cached);
    println!("    compiled: {:.1} ms", compiled * 1e3);
    println!("    from the cache: {:.1} ms", cached * 1e3);

    let runtime = runtime();
    let [child, local] = [Compiler::ChildProcess { program: FUMEHOOD.into() }, Compiler::InProcess]
        .map(|compiler| Host::new(EngineSettings::standard(compiler, CacheLocation::Off)).unwrap());
    let load = |host: &Host| drop(runtime.block_on(host.load(WORD_COUNT, &Policy::nothing())).unwrap());
    let [child, local] = in_turn([&|| load(&child), &|| load(&local)]);
    println!("==> load of word-count.wasm: ratio compiled in a child/in this process {:.2}", child / local);
    println!("    in a child: {:.1} ms", child * 1e3);
    println!("    in this process: {:.1} ms", local * 1e3);
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// Median seconds of each, run by run in turn.
fn in_turn<const N: usize>(runs: [&dyn Fn(); N]) -> [f64; N] {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..RUNS {
        for (run, times) in runs.iter().zip(&mut times) {
            let start = Instant::now();
            run();
            times.push(start.elapsed().as_secs_f64());
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[RUNS / 2]
    })
}

fn run(flags: &[&str]) {
    let status = Command::new(FUMEHOOD)
        .args(["run", WORD_COUNT, "--args", r#"{"text":"to be or not to be"}"#])
        .args(flags)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}

fn files(directory: &Path) -> Vec<PathBuf> {
    directory.read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect()
}

/// In a process of its own: list a directory and say what that took.
pub(crate) fn listed(directory: &Path) {
    let files = files(directory);
    let before = resident();
    #[expect(clippy::disallowed_methods, reason = "the benchmark names the directory")]
    let manifests: Vec<_> = files.iter().map(|file| Manifest::list(&std::fs::read(file).unwrap()).unwrap()).collect();
    report("listed", manifests.len(), before);
}

/// In a process of its own: load a directory and say what that took.
pub(crate) fn loaded(directory: &Path) {
    let files = files(directory);
    let cache = CacheLocation::Directory(directory.with_extension("cache"));
    let host = Host::new(EngineSettings::standard(Compiler::InProcess, cache)).unwrap();
    let runtime = runtime();
    let load = |file: &PathBuf| runtime.block_on(host.load(file, &Policy::nothing())).unwrap();
    // What the first one brings into memory serves all.
    let first = load(&files[0]);
    let before = resident();
    let tools: Vec<_> = files[1..].iter().map(load).collect();
    report("loaded and idle", tools.len(), before);
    drop(first);
}

/// Resident memory in KiB: this process's own, and that of mapped files.
fn resident() -> [u64; 2] {
    #[expect(clippy::disallowed_methods, reason = "the kernel's own figures")]
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    ["RssAnon:", "RssFile:"].map(|key| {
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    })
}

fn report(what: &str, tools: usize, before: [u64; 2]) {
    let after = resident();
    let [own, mapped] = [0, 1].map(|kind| (after[kind].saturating_sub(before[kind])) as f64 / tools as f64);
    println!("==> memory per {what} tool, of {tools}: {own:.1} KiB, and {mapped:.1} KiB of mapped files");
}

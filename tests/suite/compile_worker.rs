//! Compiling in a child process, and all else about the engine that needs processes of its own.
//!
//! This program has no test harness, because it plays several parts, named by its first argument: it is the compile
//! worker of its own tests, a host in a small address space, and one of several hosts that share a cache. Without a
//! part it runs the tests whose names contain one of its arguments, or all.
#![expect(clippy::print_stdout, reason = "a test runner reports")]
#![expect(clippy::unwrap_used, reason = "no test attribute marks what is here")]
#![expect(clippy::disallowed_methods, reason = "files of the tests' own directories and of /proc, and this program")]

#[path = "../../host/src/engine/mod.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "the engine is private to its crate; this is its other user"
)]
mod engine;

use std::{
    io::{BufRead, BufReader, Read},
    os::unix::{fs::PermissionsExt, process::ExitStatusExt},
    panic::catch_unwind,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use engine::*;
use sha2::{Digest, Sha256};
use wasm_encoder as enc;
use wasmtime::{Store, component::Linker};

const SMALL_HOST: &str = "small-host";
const SHARING_HOST: &str = "sharing-host";
const DOOMED_HOST: &str = "doomed-host";

const TESTS: &[(&str, fn())] = &[
    ("compiles_and_runs", compiles_and_runs),
    ("refuses_what_is_no_component", refuses_what_is_no_component),
    ("a_slow_optimisation_gives_way_to_the_plain_tier", a_slow_optimisation_gives_way_to_the_plain_tier),
    ("the_wall_limit_ends_a_compile", the_wall_limit_ends_a_compile),
    ("the_cpu_limit_ends_a_compile", the_cpu_limit_ends_a_compile),
    ("the_memory_limit_ends_a_compile", the_memory_limit_ends_a_compile),
    ("the_artifact_limit_holds", the_artifact_limit_holds),
    ("a_dying_worker_is_a_crash", a_dying_worker_is_a_crash),
    ("another_program_is_no_worker", another_program_is_no_worker),
    ("a_missing_program_is_named", a_missing_program_is_named),
    ("a_worker_sees_no_environment", a_worker_sees_no_environment),
    ("a_worker_bounds_itself", a_worker_bounds_itself),
    ("a_worker_ends_with_its_host", a_worker_ends_with_its_host),
    ("a_cancelled_compile_kills_its_worker", a_cancelled_compile_kills_its_worker),
    ("a_host_in_a_small_address_space_works", a_host_in_a_small_address_space_works),
    ("hosts_share_a_cache", hosts_share_a_cache),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some(WORKER) if arguments.get(1).is_some_and(|job| job == COMPILE) => return compile(),
        Some(SMALL_HOST) => return small_host(Path::new(&arguments[1])),
        Some(SHARING_HOST) => return sharing_host(Path::new(&arguments[1])),
        Some(DOOMED_HOST) => return doomed_host(Path::new(&arguments[1])),
        _ => {}
    }
    // Flags of the usual harness mean nothing here.
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let chosen = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    let mut failed = false;
    for (name, test) in TESTS.iter().filter(|(name, _)| chosen(name)) {
        let passed = catch_unwind(test).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed |= !passed;
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

// ---- the parts -------------------------------------------------------------------------------------------------

fn this_program() -> PathBuf {
    std::env::current_exe().unwrap()
}

/// Has 2 000 000 KiB of address space, as under `ulimit -v 2000000`, and does all that a host does.
fn small_host(cache: &Path) -> ExitCode {
    let room = Some(2_000_000 << 10);
    rustix::process::setrlimit(rustix::process::Resource::As, rustix::process::Rlimit { current: room, maximum: room })
        .unwrap();
    let compiler = Compiler::ChildProcess { program: this_program() };
    let settings = EngineSettings::standard(compiler, CacheLocation::Directory(cache.into()));
    for origin in [CodeOrigin::Compiled(Tier::Optimised), CodeOrigin::Cached] {
        let engine = Engine::new(settings.clone()).unwrap();
        let notices = engine.notices();
        assert!(matches!(&notices[..], [one] if one.starts_with("no pool of 64 instances")), "{notices:?}");
        runtime().block_on(async {
            let (component, seen) = load(&engine, &add(1), 0).await;
            assert_eq!(seen, Some(origin));
            assert_eq!(run(&engine, &component.unwrap(), 41).await, 42);
        });
    }
    ExitCode::SUCCESS
}

/// Loads the same few components as its siblings do at the same time.
fn sharing_host(cache: &Path) -> ExitCode {
    let settings = EngineSettings { slots: 1, ..EngineSettings::standard(Compiler::InProcess, CacheLocation::Off) };
    let engine = Engine::new(EngineSettings { cache: CacheLocation::Directory(cache.into()), ..settings }).unwrap();
    for what in 0..SHARED {
        runtime().block_on(async {
            let (component, _) = load(&engine, &add(what), 0).await;
            assert_eq!(run(&engine, &component.unwrap(), 1).await, what + 1);
        });
    }
    assert_eq!(engine.notices(), [""; 0]);
    ExitCode::SUCCESS
}

/// Compiles for minutes, and is killed meanwhile.
fn doomed_host(program: &Path) -> ExitCode {
    let (result, _) = runtime().block_on(load(&long_compile(program), &rounds(1, 200_000), 0));
    panic!("outlived its end: {result:?}");
}

// ---- what the tests are made of --------------------------------------------------------------------------------

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

fn engine_with(program: impl Into<PathBuf>, change: impl FnOnce(&mut CompileLimits)) -> Engine {
    let compiler = Compiler::ChildProcess { program: program.into() };
    let mut settings = EngineSettings { slots: 1, ..EngineSettings::standard(compiler, CacheLocation::Off) };
    // The standard wall limit is for machines that do nothing else; what these tests are about, they set.
    settings.compile_limits.wall_ms = fixed(600_000);
    settings.compile_limits.cpu_seconds = fixed(600);
    change(&mut settings.compile_limits);
    Engine::new(settings).unwrap()
}

fn fixed(base: u64) -> Scaled {
    Scaled { base, per_mib: 0 }
}

async fn load(
    engine: &Engine,
    wasm: &Arc<[u8]>,
    largest_body: u64,
) -> (Result<wasmtime::component::Component, CompileError>, Option<CodeOrigin>) {
    let seen = Mutex::new(None);
    let progress = |stage| {
        if let CompileStage::Ready(origin) = stage {
            *seen.lock().unwrap() = Some(origin);
        }
    };
    let sha256 = Sha256::digest(wasm).into();
    let result = engine.component(Arc::clone(wasm), sha256, largest_body, progress).await;
    (result, seen.into_inner().unwrap())
}

/// Compiles `wasm` and returns why that failed.
fn failure(engine: &Engine, wasm: &Arc<[u8]>, largest_body: u64) -> CompileError {
    match runtime().block_on(load(engine, wasm, largest_body)) {
        (Err(error), None) => error,
        other => panic!("{other:?}"),
    }
}

async fn run(engine: &Engine, component: &wasmtime::component::Component, x: u32) -> u32 {
    let _slot = engine.slot(0).await;
    let _ticking = engine.ticking();
    let mut store = Store::new(engine.wasmtime(), ());
    store.set_fuel(1 << 20).unwrap();
    store.set_epoch_deadline(1);
    store.epoch_deadline_async_yield_and_update(1);
    let instance = Linker::new(engine.wasmtime()).instantiate_async(&mut store, component).await.unwrap();
    let run = instance.get_typed_func::<(u32,), (u32,)>(&mut store, "run").unwrap();
    run.call_async(&mut store, (x,)).await.unwrap().0
}

/// A component that adds `what`, in a guest with a memory.
fn add(what: u32) -> Arc<[u8]> {
    let module = format!(
        r#"(memory 1) (data (i32.const 0) "x")
           (func (export "run") (param i32) (result i32) (i32.add (local.get 0) (i32.const {what})))"#
    );
    wat::parse_str(format!(
        r#"(component (core module $m {module}) (core instance $i (instantiate $m))
             (func (export "run") (param "x" u32) (result u32) (canon lift (core func $i "run"))))"#
    ))
    .unwrap()
    .into()
}

fn in_component(module: &enc::Module) -> Arc<[u8]> {
    let mut component = enc::Component::new();
    component.section(&enc::ModuleSection(module));
    component.finish().into()
}

/// `count` functions that go twice through the same `steps / 2` products. An optimiser that merges equal values keeps
/// all of them at hand for the second time, and the time to assign registers grows with the square of that: one
/// function of 40 000 steps takes two minutes optimised, 0.6 s plainly.
fn rounds(count: u32, steps: u32) -> Arc<[u8]> {
    let mut types = enc::TypeSection::new();
    types.ty().function([enc::ValType::I32], [enc::ValType::I32]);
    let (mut functions, mut code) = (enc::FunctionSection::new(), enc::CodeSection::new());
    let mut body = enc::Function::new([(1, enc::ValType::I32)]);
    for round in 0..2 {
        for factor in (0..i32::try_from(steps / 2).unwrap()).map(|step| 4097 + 7 * step) {
            let mut add = body.instructions();
            add.local_get(1).local_get(0).i32_const(factor).i32_mul();
            if round == 0 { add.i32_xor() } else { add.i32_add() }.local_set(1);
        }
    }
    body.instructions().local_get(1).end();
    for _ in 0..count {
        functions.function(0);
        code.function(&body);
    }
    in_component(enc::Module::new().section(&types).section(&functions).section(&code))
}

/// `count` functions of four bytes each, which the compiler turns into kilobytes each while it works.
fn swarm(count: u32) -> Arc<[u8]> {
    let mut types = enc::TypeSection::new();
    types.ty().function([], []);
    let (mut functions, mut code) = (enc::FunctionSection::new(), enc::CodeSection::new());
    let mut body = enc::Function::new([]);
    body.instructions().end();
    for _ in 0..count {
        functions.function(0);
        code.function(&body);
    }
    in_component(enc::Module::new().section(&types).section(&functions).section(&code))
}

/// A shell script that stands in for a worker.
fn script(home: &tempfile::TempDir, body: &str) -> PathBuf {
    let path = home.path().join("worker");
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

/// This program as a worker that tells its process id through a pipe, which it then holds as long as it lives.
fn watched(home: &tempfile::TempDir) -> PathBuf {
    let pipe = home.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let (pipe, program) = (pipe.display(), this_program());
    script(home, &format!("exec 3> {pipe}; echo $$ >&3; exec {} \"$@\"", program.display()))
}

/// An engine whose compiles may take ten minutes in 1 GiB.
fn long_compile(program: &Path) -> Engine {
    engine_with(program, |limits| limits.address_space_bytes = fixed(1 << 30))
}

/// A worker made by [`watched`].
struct Worker {
    id: u32,
    pipe: BufReader<std::fs::File>,
}

impl Worker {
    /// Waits until it has read its input.
    fn meet(home: &tempfile::TempDir) -> Self {
        let mut pipe = BufReader::new(std::fs::File::open(home.path().join("pipe")).unwrap());
        let mut line = String::new();
        pipe.read_line(&mut line).unwrap();
        let id = line.trim().parse().unwrap();
        let start = Instant::now();
        while !thread_names(id).iter().any(|name| name == "host-watch") {
            assert!(start.elapsed() < SOON, "it does not get its input");
            std::thread::yield_now();
        }
        Self { id, pipe }
    }

    /// Reads the pipe until nobody holds it. By itself the worker would take minutes.
    fn assert_gone_soon(mut self) {
        let start = Instant::now();
        let mut rest = String::new();
        self.pipe.read_to_string(&mut rest).unwrap();
        assert!(start.elapsed() < SOON, "took {:?}", start.elapsed());
    }
}

/// Far more than a loaded machine needs, far less than [`rounds`]`(1, 200_000)` takes.
const SOON: Duration = Duration::from_secs(60);

fn thread_names(process: u32) -> Vec<String> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let name = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("comm")).ok();
    threads.filter_map(|thread| name(thread.ok()?)).map(|name| name.trim().to_owned()).collect()
}

fn assert_limit(error: &CompileError, expect: (CompileLimit, u64, Tier)) {
    match error {
        CompileError::Limit { limit, allowed, tier, used } => {
            assert_eq!((*limit, *allowed, *tier), expect, "{error}");
            assert!(!used.is_empty());
            let text = error.to_string();
            assert!(text.contains(&limit.to_string()) && text.contains(&allowed.to_string()), "{text}");
        }
        error => panic!("{error:?}"),
    }
}

// ---- the tests -------------------------------------------------------------------------------------------------

fn compiles_and_runs() {
    for bounds in [Bounds::Explicit, Bounds::Virtual] {
        let compiler = Compiler::ChildProcess { program: this_program() };
        let settings = EngineSettings::standard(compiler, CacheLocation::Off);
        // The pool of the host is no matter to the worker's code.
        let engine = Engine::new(EngineSettings { bounds, ..settings }).unwrap();
        assert_eq!(engine.notices(), [""; 0]);
        for (body, tier) in [(0, Tier::Optimised), (u64::MAX, Tier::Plain)] {
            runtime().block_on(async {
                let (component, origin) = load(&engine, &add(7), body).await;
                assert_eq!(origin, Some(CodeOrigin::Compiled(tier)));
                assert_eq!(run(&engine, &component.unwrap(), 3).await, 10);
            });
        }
    }
}

fn refuses_what_is_no_component() {
    let engine = engine_with(this_program(), |_| ());
    for wasm in [&b"(component)"[..], b"", b"\0asm\x01\0\0\0"] {
        let error = failure(&engine, &wasm.into(), 0);
        assert!(matches!(error, CompileError::Refused { .. }), "{error:?}");
    }
}

fn a_slow_optimisation_gives_way_to_the_plain_tier() {
    // Far above what the plain tier takes, far below what the optimised one would.
    let engine = engine_with(this_program(), |limits| limits.cpu_seconds = fixed(3));
    let (component, origin) = runtime().block_on(load(&engine, &rounds(1, 40_000), 0));
    assert!(component.is_ok(), "{component:?}");
    assert_eq!(origin, Some(CodeOrigin::Compiled(Tier::Plain)));
}

fn the_wall_limit_ends_a_compile() {
    let engine = engine_with(this_program(), |limits| limits.wall_ms = fixed(50));
    assert_limit(&failure(&engine, &rounds(1, 200_000), 0), (CompileLimit::Wall, 50, Tier::Plain));
    assert_limit(&failure(&engine, &rounds(1, 200_000), u64::MAX), (CompileLimit::Wall, 50, Tier::Plain));
}

fn the_cpu_limit_ends_a_compile() {
    // Ten seconds and more, even plainly.
    let engine = engine_with(this_program(), |limits| limits.cpu_seconds = fixed(1));
    assert_limit(&failure(&engine, &rounds(8, 100_000), u64::MAX), (CompileLimit::Cpu, 1, Tier::Plain));
}

fn the_memory_limit_ends_a_compile() {
    let allowed = 512 << 20;
    let engine = engine_with(this_program(), |limits| limits.address_space_bytes = fixed(allowed));
    let error = failure(&engine, &swarm(500_000), 0);
    assert_limit(&error, (CompileLimit::AddressSpace, allowed, Tier::Plain));
}

fn the_artifact_limit_holds() {
    let engine = engine_with(this_program(), |limits| limits.artifact_bytes = fixed(1_000));
    assert_limit(&failure(&engine, &add(1), 0), (CompileLimit::Artifact, 1_000, Tier::Plain));
}

fn a_dying_worker_is_a_crash() {
    for (signal, part) in [("SEGV", "SIGSEGV"), ("KILL", "signal 9"), ("ABRT", "SIGABRT")] {
        let home = tempfile::tempdir().unwrap();
        let engine = engine_with(script(&home, &format!("echo last words >&2\nkill -{signal} $$")), |_| ());
        match failure(&engine, &rounds(1, 20_000), 0) {
            CompileError::Crashed { how, log } => {
                assert!(how.contains(part), "{how}");
                assert_eq!(log, "last words\n");
            }
            error => panic!("{signal}: {error:?}"),
        }
    }
}

fn another_program_is_no_worker() {
    for (program, part) in [
        ("exit 3", "exit status: 3 and no whole answer"),
        ("exit 0", "exit status: 0 and no whole answer"),
        ("exec yes", "does not begin as one"),
        // Sends the request back.
        ("exec cat", "does not begin as one"),
        ("printf 'fhgives1\\001\\377\\377\\377\\377\\377\\377\\377\\377'", "its message has"),
        ("printf 'fhgives1\\000\\000\\000\\000\\000\\000\\000\\000\\000more'", "longer than announced"),
        ("printf 'fhgives1\\000\\011\\000\\000\\000\\000\\000\\000\\000less'", "no whole answer"),
        ("printf 'fhgives1\\011\\000\\000\\000\\000\\000\\000\\000\\000'", "does not begin as one"),
    ] {
        let home = tempfile::tempdir().unwrap();
        let engine = engine_with(script(&home, program), |_| ());
        match failure(&engine, &rounds(1, 20_000), 0) {
            error @ CompileError::Protocol { .. } => {
                let text = error.to_string();
                assert!(text.contains(part) && text.contains("worker` is no compile worker"), "{program}: {text}");
            }
            error => panic!("{program}: {error:?}"),
        }
    }
}

fn a_missing_program_is_named() {
    let engine = engine_with("/nowhere/at-all", |_| ());
    let error = failure(&engine, &add(1), 0);
    assert!(matches!(error, CompileError::Start { .. }), "{error:?}");
    assert!(error.to_string().contains("/nowhere/at-all"));
}

fn a_worker_sees_no_environment() {
    let home = tempfile::tempdir().unwrap();
    // The shell itself sets PWD and the like; what counts is what the system passed.
    let engine = engine_with(script(&home, "tr '\\0' '\\n' < /proc/self/environ >&2; pwd >&2; exit 1"), |_| ());
    match failure(&engine, &add(1), 0) {
        CompileError::Protocol { log, .. } => {
            let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with("PWD=")).collect();
            assert_eq!(lines, ["MALLOC_ARENA_MAX=2", "/"]);
        }
        error => panic!("{error:?}"),
    }
}

fn a_cancelled_compile_kills_its_worker() {
    let home = tempfile::tempdir().unwrap();
    let (engine, wasm) = (long_compile(&watched(&home)), rounds(1, 200_000));
    let runtime = runtime();
    let compile = runtime.spawn(async move { load(&engine, &wasm, 0).await });
    let worker = Worker::meet(&home);
    compile.abort();
    worker.assert_gone_soon();
}

fn a_worker_ends_with_its_host() {
    let home = tempfile::tempdir().unwrap();
    let mut host = Command::new(this_program()).arg(DOOMED_HOST).arg(watched(&home)).spawn().unwrap();
    let worker = Worker::meet(&home);
    host.kill().unwrap();
    assert_eq!(host.wait().unwrap().signal(), Some(9));
    worker.assert_gone_soon();
}

fn a_worker_bounds_itself() {
    let home = tempfile::tempdir().unwrap();
    let (engine, wasm) = (long_compile(&watched(&home)), rounds(1, 200_000));
    let runtime = runtime();
    let compile = runtime.spawn(async move { load(&engine, &wasm, 0).await });
    let worker = Worker::meet(&home);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", worker.id)).unwrap();
    for (name, soft, hard) in [
        ("Max cpu time", "600", "601"),
        ("Max address space", "1073741824", "1073741824"),
        ("Max open files", "32", "32"),
        ("Max file size", "0", "0"),
        ("Max core file size", "0", "0"),
    ] {
        let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        let mut values = line.split_whitespace();
        assert_eq!((values.next(), values.next()), (Some(soft), Some(hard)), "{name}");
    }
    compile.abort();
    worker.assert_gone_soon();
}

fn a_host_in_a_small_address_space_works() {
    let home = tempfile::tempdir().unwrap();
    let status = Command::new(this_program()).arg(SMALL_HOST).arg(home.path().join("cache")).status().unwrap();
    assert!(status.success(), "{status}, signal {:?}", status.signal());
}

/// How many components [`sharing_host`] loads.
const SHARED: u32 = 12;

fn hosts_share_a_cache() {
    let home = tempfile::tempdir().unwrap();
    let cache = home.path().join("cache");
    let start = || Command::new(this_program()).arg(SHARING_HOST).arg(&cache).spawn().unwrap();
    let hosts: Vec<_> = (0..4).map(|_| start()).collect();
    for mut host in hosts {
        assert!(host.wait().unwrap().success());
    }
    let settings = EngineSettings { slots: 1, ..EngineSettings::standard(Compiler::InProcess, CacheLocation::Off) };
    let engine = Engine::new(EngineSettings { cache: CacheLocation::Directory(cache), ..settings }).unwrap();
    for what in 0..SHARED {
        let (component, origin) = runtime().block_on(load(&engine, &add(what), 0));
        assert!(component.is_ok());
        assert_eq!(origin, Some(CodeOrigin::Cached), "component {what}");
    }
}

//! Programs that tools run: what is started, in what, and that nothing of it is left afterwards.
//!
//! Whether a process lives is asked of the system, never of a clock: each is granted a variable of its own, which every
//! descendant inherits and `/proc` shows, and each holds one end of a pipe open for as long as it lives.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail loudly, in directories of their own")]

#[path = "../support/mod.rs"]
mod support;

#[path = "process/guest.rs"]
mod guest;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fumehood::{
    ArgPattern, CacheLocation, Call, CancellationToken, Code, Compiler, Component, EngineSettings, Grant, Host,
    Inspected, LimitName, LinkError, LoadError, LoadLimits, NoProgramsError, Outcome, Policy, ProcessGrant, Toolset,
};
use guest::{Ran, Request};
use serde_json::{Value, json};
use support::{failure, success};

/// Nothing here takes so long; what does hangs for ever.
const FOR_EVER: Duration = Duration::from_secs(120);

fn settings(compiler: Compiler) -> EngineSettings {
    EngineSettings { slots: 2, ..EngineSettings::standard(compiler, CacheLocation::Off) }
}

/// A host with a worker: the command itself.
fn host() -> Host {
    Host::new(settings(Compiler::ChildProcess { program: env!("CARGO_BIN_EXE_fumehood").into() })).unwrap()
}

fn inspect(request: &Request<'_>) -> Inspected {
    Inspected::of(Component::from_bytes(wasm(request), &LoadLimits::standard()).unwrap()).unwrap()
}

/// A component that makes this request.
fn wasm(request: &Request<'_>) -> Vec<u8> {
    let mut manifest = support::manifest();
    manifest["tools"][0]["outputSchema"] = json!({});
    manifest["capabilities"] = json!([
        { "capability": "process", "program": "prog", "reason": "It is what the test runs.", "optional": true },
        { "capability": "process", "program": "other", "reason": "So is this.", "optional": true },
        { "capability": "filesystem", "access": "read-write", "reason": "To work in.", "optional": true },
    ]);
    support::packed(&guest::runs(request), &manifest)
}

async fn load(policy: &Policy, request: &Request<'_>) -> Toolset {
    host().compile(policy.approve(inspect(request)).unwrap()).await.unwrap()
}

/// Loads a guest that makes this request, calls it once.
async fn outcome(policy: &Policy, request: &Request<'_>) -> Outcome {
    load(policy, request).await.call("echo", json!({})).await
}

async fn ran(policy: &Policy, request: &Request<'_>) -> Ran {
    Ran::read(success(outcome(policy, request).await).value.value())
}

/// The bytes of standard output of a program that ended with 0.
async fn stdout(policy: &Policy, request: &Request<'_>) -> String {
    match ran(policy, request).await {
        Ran::Ended { code: Some(0), timed_out: false, stdout, .. } => String::from_utf8(stdout).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn allow(grant: &str) -> Policy {
    Policy::nothing().allow(format!("process={grant}").parse().unwrap()).unwrap()
}

/// What a message says to pass on the command line.
fn pasted(message: &str) -> Policy {
    let (_, rest) = message.split_once("--allow ").unwrap_or_else(|| panic!("{message}"));
    let (grant, _) = rest.split_once(", or at the top").unwrap_or_else(|| panic!("{message}"));
    // As a shell reads it.
    let grant = grant.trim_matches('\'').replace(r"'\''", "'");
    Policy::nothing().allow(grant.parse().unwrap()).unwrap()
}

fn mount(policy: Policy, directory: &Path, guest: &str) -> Policy {
    policy.mount(format!("{}:{guest}:rw", directory.display()).parse().unwrap()).unwrap()
}

// ---- what may run ----------------------------------------------------------------------------------------------

#[tokio::test]
async fn without_a_grant_nothing_runs_and_the_line_works_when_pasted() {
    let echo = Request { program: "prog", args: &["-e", "it's *"], ..Request::default() };
    let failed = failure(outcome(&Policy::nothing(), &echo).await);
    assert_eq!(failed.code, Code::Denied);
    assert!(failed.message.contains("execute called fumehood:host/process.run"), "{}", failed.message);
    assert!(failed.message.contains(r#"--allow 'process=prog:/usr/bin/prog -e "it'\''s *"'"#), "{}", failed.message);
    assert_eq!(failed.diagnostic.decisions.len(), 1, "{:?}", failed.diagnostic.decisions);

    // There is no such program here; `cat` there is. The same line for it, and the same call passes.
    let line = failed.message.replace("/usr/bin/prog", "/usr/bin/printf").replace("-e", "%s");
    let print = Request { args: &["%s", "it's *"], ..echo };
    assert_eq!(stdout(&pasted(&line), &print).await, "it's *");
}

#[tokio::test]
async fn arguments_outside_of_the_pattern_do_not_run_and_the_line_works_when_pasted() {
    let policy = allow("prog:/usr/bin/printf %s *");
    assert_eq!(
        stdout(&policy, &Request { args: &["%s", "a;b $HOME `x`"], ..Request::default() }).await,
        "a;b $HOME `x`"
    );
    for args in [&["%s", "a", "b"][..], &["%s"], &["%d", "1"], &[], &["%s", "--version"]] {
        let request = Request { args, ..Request::default() };
        let success = success(outcome(&policy, &request).await);
        let Ran::NotGranted(message) = Ran::read(success.value.value()) else { panic!("{args:?}") };
        assert!(message.contains(r#"the program "prog" is not granted with"#), "{message}");
        assert!(!message.contains("--allow") && !message.contains("/usr/bin"), "{message}");
        let [decision] = &success.diagnostic.decisions[..] else { panic!("{:?}", success.diagnostic) };
        let ran = ran(&pasted(&decision.rule), &request).await;
        assert!(matches!(ran, Ran::Ended { .. }), "{args:?}: {ran:?}");
    }
}

#[tokio::test]
async fn another_program_does_not_run_under_a_grant() {
    let policy = allow("prog:/usr/bin/printf ...");
    let Ran::NotGranted(message) = ran(&policy, &Request { program: "other", ..Request::default() }).await else {
        panic!("it ran")
    };
    assert!(message.contains(r#"the program "other" is not granted at all"#), "{message}");
    // Names are names, not paths; and what the manifest does not ask for no line can allow.
    for program in ["/usr/bin/printf", "printf", "sh", "PROG", "prog ", "../prog", ""] {
        let Ran::NotGranted(message) = ran(&policy, &Request { program, ..Request::default() }).await else {
            panic!("{program} ran")
        };
        assert!(message.contains("no policy can grant it before the vendor does"), "{message}");
        assert!(!message.contains("--allow"), "{message}");
    }
}

/// A grant's environment and path are the operator's. Whoever runs the tool sees them, with the line that helps.
#[tokio::test]
async fn a_denial_keeps_the_grant_from_the_tool_and_shows_it_to_the_operator() {
    let grant = "prog:TOKEN=s3cret /usr/bin/printf %s *";
    let request = Request { args: &["%d", "1"], fails: true, ..Request::default() };
    let failed = failure(outcome(&allow(grant), &request).await);
    assert_eq!(failed.code, Code::ToolFailed);
    assert!(failed.message.contains(r#"is not granted with the arguments "%d" "1""#), "{}", failed.message);
    let model = serde_json::to_string(&failed).unwrap();
    assert!(!model.contains("s3cret") && !model.contains("TOKEN") && !model.contains("/usr/bin"), "{model}");
    let line = "--allow 'process=prog:TOKEN=s3cret /usr/bin/printf %d 1'";
    assert!(failed.diagnostic.decisions[0].rule.contains(line), "{:?}", failed.diagnostic);
    assert!(failed.diagnostic.cause.unwrap().contains(line));

    let (file, cache) = (tempfile::NamedTempFile::new().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(file.path(), wasm(&request)).unwrap();
    let run = |grant: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_fumehood"))
            .arg("run")
            .arg(file.path())
            .args(["--args", "{}", "--allow", &format!("process={grant}")])
            .arg("--cache")
            .arg(cache.path())
            .output()
            .unwrap()
    };
    let denied = run(grant);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(!denied.status.success());
    assert!(text(&denied.stderr).contains(line), "{}", text(&denied.stderr));
    assert!(!text(&denied.stdout).contains("s3cret"), "{}", text(&denied.stdout));
    let allowed = run("prog:TOKEN=s3cret /usr/bin/printf %d 1");
    assert!(allowed.status.success(), "{}", text(&allowed.stderr));
}

#[tokio::test]
async fn what_cannot_be_started_says_so_without_the_hosts_path() {
    for (path, expect) in
        [("/no/such/program", "No such file"), ("/etc/passwd", "Permission denied"), ("/etc", "denied")]
    {
        let policy = allow(&format!("prog:{path}"));
        let Ran::Unavailable(message) = ran(&policy, &Request::default()).await else { panic!("{path} ran") };
        assert!(message.starts_with("the program prog cannot be started: ") && message.contains(expect), "{message}");
        assert!(!message.contains(path), "{message}");
    }
}

#[tokio::test]
async fn a_host_without_a_worker_refuses_the_grant_at_load() {
    let host = Host::new(settings(Compiler::InProcess)).unwrap();
    let policy = allow("prog:/bin/cat").allow("process=other:/bin/cat".parse().unwrap()).unwrap();
    let approved = policy.approve(inspect(&Request::default())).unwrap();
    match host.compile(approved).await.map(|_| ()) {
        Err(LoadError::Link(LinkError::Programs(error @ NoProgramsError::NoWorker(_)))) => {
            let text = error.to_string();
            assert!(text.contains("(prog, other)") && text.contains("Compiler::ChildProcess"), "{text}");
        }
        other => panic!("{other:?}"),
    }
    // Without the grant it loads.
    host.compile(Policy::nothing().approve(inspect(&Request::default())).unwrap()).await.unwrap();
}

// ---- what it runs in -------------------------------------------------------------------------------------------

#[tokio::test]
async fn the_environment_is_what_is_granted_and_nothing_else() {
    assert_eq!(stdout(&allow("prog:/usr/bin/env"), &Request::default()).await, "");
    let policy = allow(r#"prog:B=2 "A=1 =" /usr/bin/env"#);
    assert_eq!(stdout(&policy, &Request::default()).await, "A=1 =\nB=2\n");
}

/// A file that this process opened without the mark that closes it in other programs.
#[tokio::test]
async fn no_open_file_of_the_host_is_inherited() {
    let file = tempfile::NamedTempFile::new().unwrap();
    rustix::io::fcntl_setfd(file.as_file(), rustix::io::FdFlags::empty()).unwrap();
    let (name, list) = (file.path().to_str().unwrap(), ["-l", "/proc/self/fd"]);
    let inherited = std::process::Command::new("/bin/ls").args(list).output().unwrap();
    let inherited = String::from_utf8(inherited.stdout).unwrap();
    assert!(inherited.contains(name), "a program that this process starts itself has it: {inherited}");
    let open = stdout(&allow("prog:/bin/ls -l /proc/self/fd"), &Request { args: &list, ..Request::default() }).await;
    assert!(open.contains(" 0 -> ") && !open.contains(name), "{open}");
    // The three streams, and the directory that it lists.
    assert_eq!(open.matches(" -> ").count(), 4, "{open}");
}

#[tokio::test]
async fn a_program_gains_no_rights_by_a_file() {
    let args = ["NoNewPrivs", "/proc/self/status"];
    let own = std::process::Command::new("/bin/grep").args(args).output().unwrap();
    let policy = allow("prog:/bin/grep NoNewPrivs /proc/self/status");
    let granted = stdout(&policy, &Request { args: &args, ..Request::default() }).await;
    assert_eq!(granted, "NoNewPrivs:\t1\n", "it is this where the tests run: {own:?}");
}

#[tokio::test]
async fn standard_input_is_what_is_given_or_nothing() {
    let policy = allow("prog:/bin/cat");
    assert_eq!(stdout(&policy, &Request::default()).await, "");
    assert_eq!(stdout(&policy, &Request { stdin: Some(b""), ..Request::default() }).await, "");
    assert_eq!(stdout(&policy, &Request { stdin: Some(b"a\nb"), ..Request::default() }).await, "a\nb");
    // A program that does not read all of it ends all the same.
    let long = vec![b'x'; 20_000];
    let none = Request { stdin: Some(&long), ..Request::default() };
    assert_eq!(stdout(&allow("prog:/bin/true"), &none).await, "");
}

#[tokio::test]
async fn an_exit_status_is_a_value() {
    let check = async |script: &str, expect: (Option<i32>, Option<i32>)| {
        let policy = allow("prog:/bin/sh -c *");
        match ran(&policy, &Request { args: &["-c", script], ..Request::default() }).await {
            Ran::Ended { code, signal, timed_out: false, stderr, .. } => {
                assert_eq!((code, signal), expect, "{stderr:?}")
            }
            other => panic!("{script}: {other:?}"),
        }
    };
    check("exit 0", (Some(0), None)).await;
    check("echo no >&2; exit 7", (Some(7), None)).await;
    check("kill -KILL $$", (None, Some(9))).await;
    check("kill -TERM $$", (None, Some(15))).await;
}

/// A directory `work` beside a directory `outside`, with links from the first into the second.
fn room() -> (tempfile::TempDir, PathBuf) {
    let room = tempfile::tempdir().unwrap();
    let work = room.path().join("work");
    for (directory, text) in [("work", "top"), ("work/sub", "sub"), ("outside", "secret")] {
        std::fs::create_dir_all(room.path().join(directory)).unwrap();
        std::fs::write(room.path().join(directory).join("name"), text).unwrap();
    }
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, work.join(at)).unwrap();
    link("sub", "inside");
    link("../outside", "escape");
    link("..", "up");
    link("/etc", "etc");
    link(room.path().join("outside").to_str().unwrap(), "absolute");
    (room, work)
}

#[tokio::test]
async fn the_working_directory_lies_in_a_grant() {
    let ((_room, work), (_other, deep)) = (room(), room());
    let policy = mount(allow("prog:/bin/cat name"), &work, "/data");
    let policy = mount(policy, &deep.join("sub"), "/data/deep");
    let name = |directory| Request { args: &["name"], directory: Some(directory), ..Request::default() };
    for (directory, expect) in [("/data", "top"), ("/data/sub", "sub"), ("/data/inside", "sub"), ("/data/deep", "sub")]
    {
        assert_eq!(stdout(&policy, &name(directory)).await, expect, "{directory}");
    }
    for directory in [
        "/data/..",
        "/data/../outside",
        "/data/sub/../../outside",
        "/data/escape",
        "/data/absolute",
        "/data/up",
        "/data/up/outside",
        "/data/etc",
        "/data/nothing",
        "/data/name",
        "/database",
        "/",
        "/etc",
        "data",
        "",
        "/data/",
        "/data//sub",
        "/data/./sub",
        "/data/sub\0/etc",
        "/proc/self/cwd",
    ] {
        let ran = ran(&policy, &name(directory)).await;
        let Ran::Invalid(message) = &ran else { panic!("{directory}: {ran:?}") };
        assert!(message.contains("working directory"), "{message}");
        assert!(!message.contains(work.to_str().unwrap()), "{message}");
    }
}

#[tokio::test]
async fn a_swapped_mount_is_still_the_one_that_was_opened() {
    let (room, work) = room();
    let policy = mount(allow("prog:/bin/cat name"), &work, "/data");
    let request = Request { args: &["name"], directory: Some("/data"), ..Request::default() };
    let tools = load(&policy, &request).await;
    std::fs::rename(&work, room.path().join("moved")).unwrap();
    std::os::unix::fs::symlink(room.path().join("outside"), &work).unwrap();
    match Ran::read(success(tools.call("echo", json!({})).await).value.value()) {
        Ran::Ended { code: Some(0), stdout, .. } => assert_eq!(stdout, b"top"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn without_a_working_directory_it_is_the_root() {
    let policy = allow("prog:/bin/sh -c *");
    assert_eq!(stdout(&policy, &Request { args: &["-c", "pwd -P"], ..Request::default() }).await, "/\n");
}

// ---- how much --------------------------------------------------------------------------------------------------

#[tokio::test]
async fn output_past_the_bound_is_dropped_and_said_so() {
    let check = async |policy: &Policy, script: &str, bound: Option<u64>, expect: (usize, bool, usize, bool)| {
        let request = Request { args: &["-c", script], output: bound, ..Request::default() };
        match ran(policy, &request).await {
            Ran::Ended { code: Some(0), stdout, stdout_truncated, stderr, stderr_truncated, .. } => {
                assert_eq!((stdout.len(), stdout_truncated, stderr.len(), stderr_truncated), expect, "{script}");
            }
            other => panic!("{script}: {other:?}"),
        }
    };
    let policy = allow("prog:/bin/sh -c *");
    let both = "printf 12345; printf 123 >&2";
    check(&policy, both, None, (5, false, 3, false)).await;
    check(&policy, both, Some(5), (5, false, 3, false)).await;
    check(&policy, both, Some(4), (4, true, 3, false)).await;
    check(&policy, both, Some(0), (0, true, 0, true)).await;
    // Far more than a pipe holds: it is read to its end, or the program would never end.
    check(&policy, "head -c 3000000 /dev/zero", Some(10), (10, true, 0, false)).await;
    let policy = policy.limit(LimitName::ProcessOutput, 100).unwrap();
    check(&policy, "head -c 3000000 /dev/zero", Some(1 << 40), (100, true, 0, false)).await;
    check(&policy, "head -c 3000000 /dev/zero", None, (100, true, 0, false)).await;
}

#[tokio::test]
async fn the_number_of_runs_is_bounded() {
    let policy = allow("prog:/bin/true").limit(LimitName::ProcessRuns, 3).unwrap();
    let three = success(outcome(&policy, &Request { times: 3, ..Request::default() }).await);
    assert_eq!(three.usage.get(LimitName::ProcessRuns).used, 3);
    let failed = failure(outcome(&policy, &Request { times: 4, ..Request::default() }).await);
    assert_eq!(failed.code, Code::ResourceExhausted);
    assert!(failed.message.contains("process-runs: 4 runs wanted, 3 allowed (policy)"), "{}", failed.message);
}

// ---- the end ---------------------------------------------------------------------------------------------------

/// Starts, in the background, children that do what a program can do to stay: each says so through the pipe and then
/// runs for ever.
const STAYS: &str = r#"
    trap '' TERM HUP INT QUIT PIPE USR1 USR2
    exec 9>"$PIPE"
    stay() { echo ready >&9; while :; do sleep 1000; done; }
    stay &
    ( ( stay & ) & )
    ( setsid sh -c 'trap "" TERM HUP; echo ready >&9; while :; do sleep 1000; done' & )
    ( setsid setsid sh -c '( ( echo ready >&9; while :; do :; done ) & ) ; exit' & ) &
"#;
/// How many of them there are.
const STAYING: usize = 4;

/// A pipe in the file system, a variable that marks all of one test's processes, and a grant for `/bin/sh` with both.
struct Marked {
    _directory: tempfile::TempDir,
    marker: String,
    pipe: PathBuf,
}

impl Marked {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        for name in ["pipe", "pipe.go"] {
            let at = directory.path().join(name);
            rustix::fs::mknodat(rustix::fs::CWD, at, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        }
        let marker = format!("FUMEHOOD_TEST={}", directory.path().display());
        Self { _directory: directory, marker, pipe }
    }

    fn policy(&self) -> Policy {
        Policy::nothing().allow(self.grant()).unwrap()
    }

    fn grant(&self) -> Grant {
        let (key, value) = self.marker.split_once('=').unwrap();
        let env = [(key, value), ("PIPE", self.pipe.to_str().unwrap()), ("PATH", "/usr/bin:/bin")];
        let env: BTreeMap<_, _> = env.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let pattern: ArgPattern = "-c *".parse().unwrap();
        Grant::Process(ProcessGrant::new("prog", "/bin/sh", pattern, env).unwrap())
    }

    /// Waits until `count` processes said that they are there, and returns what waits until none is.
    async fn ready(&self, count: usize) -> BufReader<std::fs::File> {
        let pipe = self.pipe.clone();
        in_time(move || {
            let mut reader = BufReader::new(std::fs::File::open(pipe).unwrap());
            for _ in 0..count {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                assert_eq!(line, "ready\n");
            }
            reader
        })
        .await
    }

    /// Lets a program end that waits for a line.
    async fn go(&self) {
        let go = self.pipe.with_extension("go");
        in_time(move || std::fs::write(go, "go\n").unwrap()).await;
    }

    /// Waits until nobody holds the pipe, and makes sure that nobody who could have let go of it lives on.
    async fn gone(&self, mut reader: BufReader<std::fs::File>) {
        in_time(move || reader.read_to_end(&mut Vec::new()).unwrap()).await;
        let marker = self.marker.clone();
        in_time(move || {
            // The supervisor has no such variable. Who held the pipe is dead; who closed it may be a moment behind.
            while !alive(&marker).is_empty() {
                std::thread::yield_now();
            }
        })
        .await;
    }
}

/// What blocks, on a thread of its own, and not for ever.
async fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::time::timeout(FOR_EVER, tokio::task::spawn_blocking(work))
        .await
        .expect("a process outlived its end")
        .unwrap()
}

/// The processes that have this variable: zombies have none.
fn alive(marker: &str) -> Vec<String> {
    let has = |path: &Path| {
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == marker.as_bytes())
    };
    let processes = std::fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    processes.filter(|path| has(path)).map(|path| path.display().to_string()).collect()
}

#[tokio::test]
async fn what_a_program_leaves_behind_ends_with_it() {
    let marked = Marked::new();
    let script = format!("{STAYS}\nread line <\"$PIPE.go\"");
    let request = Request { args: &["-c", &script], ..Request::default() };
    let tools = load(&marked.policy(), &request).await;
    let call = tokio::spawn(async move { tools.call("echo", json!({})).await });
    let reader = marked.ready(STAYING).await;
    marked.go().await;
    match Ran::read(success(call.await.unwrap()).value.value()) {
        Ran::Ended { code: Some(0), timed_out: false, .. } => {}
        other => panic!("{other:?}"),
    }
    // Not even for a moment after the call: its supervisor answers when nobody is left.
    assert_eq!(alive(&marked.marker), [""; 0]);
    marked.gone(reader).await;
}

#[tokio::test]
async fn its_time_limit_ends_a_program_and_all_that_comes_from_it() {
    let marked = Marked::new();
    let script = format!("{STAYS}\nwhile :; do sleep 1000; done");
    let request = Request { args: &["-c", &script], limit: Some(4_000), ..Request::default() };
    let tools = load(&marked.policy(), &request).await;
    let call = tokio::spawn(async move { tools.call("echo", json!({})).await });
    let reader = marked.ready(STAYING).await;
    assert!(alive(&marked.marker).len() > STAYING);
    match Ran::read(success(call.await.unwrap()).value.value()) {
        Ran::Ended { signal: Some(9), code: None, timed_out: true, .. } => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(alive(&marked.marker), [""; 0]);
    marked.gone(reader).await;
}

#[tokio::test]
async fn the_calls_deadline_ends_them() {
    let marked = Marked::new();
    let script = format!("{STAYS}\nwhile :; do sleep 1000; done");
    let policy = marked.policy().limit(LimitName::WallClock, 4_000).unwrap();
    let tools = load(&policy, &Request { args: &["-c", &script], ..Request::default() }).await;
    let call = tokio::spawn(async move { tools.call("echo", json!({})).await });
    let reader = marked.ready(STAYING).await;
    assert_eq!(failure(call.await.unwrap()).code, Code::ToolTimeout);
    marked.gone(reader).await;
}

#[tokio::test]
async fn a_cancelled_call_ends_them() {
    let marked = Marked::new();
    let script = format!("{STAYS}\nwhile :; do sleep 1000; done");
    let tools = load(&marked.policy(), &Request { args: &["-c", &script], ..Request::default() }).await;
    let cancel = CancellationToken::new();
    let call = Call::new("echo", json!({})).cancelled_by(cancel.clone());
    let call = tokio::spawn(async move { tools.run(call).await });
    let reader = marked.ready(STAYING).await;
    cancel.cancel();
    assert_eq!(failure(call.await.unwrap()).code, Code::Aborted);
    marked.gone(reader).await;
}

/// Runs a script until so many of its processes are ready, drops the call, and waits until none is left.
async fn ends_with_the_dropped_call(marked: &Marked, script: &str, ready: usize) {
    let tools = load(&marked.policy(), &Request { args: &["-c", script], ..Request::default() }).await;
    let mut call = Box::pin(async move { tools.call("echo", json!({})).await });
    let reader = tokio::select! {
        outcome = &mut call => panic!("{outcome:?}"),
        reader = marked.ready(ready) => reader,
    };
    drop(call);
    marked.gone(reader).await;
}

#[tokio::test]
async fn a_dropped_call_ends_them() {
    let marked = Marked::new();
    let script = format!("{STAYS}\nwhile :; do sleep 1000; done");
    ends_with_the_dropped_call(&marked, &script, STAYING).await;
}

/// A chain of processes, each of which starts the next and ends: whoever looks has always just missed it.
#[tokio::test]
async fn a_chain_of_forks_is_caught() {
    let marked = Marked::new();
    let script = r#"
        trap '' TERM HUP
        exec 9>"$PIPE"
        next() { ( next & ) ; exit; }
        echo ready >&9
        ( next & )
        while :; do sleep 1000; done
    "#;
    ends_with_the_dropped_call(&marked, script, 1).await;
}

/// The same where each sets itself apart in a session of its own, and stays: there is no group to kill, and who is killed
/// first makes room for more.
#[tokio::test]
async fn a_chain_of_sessions_is_caught() {
    let marked = Marked::new();
    // It ends by itself in the end, so that a failure leaves a machine behind that can report it.
    let script = r#"
        exec 9>"$PIPE"
        LINK='[ $LEFT -gt 0 ] || exit; [ $LEFT -ne 4980 ] || echo ready >&9
              LEFT=$((LEFT - 1)); export LEFT; setsid sh -c "$LINK" & while :; do sleep 1000; done'
        LEFT=5000
        export LINK LEFT
        setsid sh -c "$LINK" &
        while :; do sleep 1000; done
    "#;
    ends_with_the_dropped_call(&marked, script, 1).await;
}

/// The same with many at once, and output without end.
#[tokio::test]
async fn floods_are_ended() {
    let marked = Marked::new();
    let script = r#"
        exec 9>"$PIPE"
        flood() { while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done; }
        for i in 1 2 3 4 5; do flood & flood >&2 & done
        echo ready >&9
        while :; do ( : & ) ; done
    "#;
    let tools = load(&marked.policy(), &Request { args: &["-c", script], ..Request::default() }).await;
    let cancel = CancellationToken::new();
    let call = Call::new("echo", json!({})).cancelled_by(cancel.clone());
    let call = tokio::spawn(async move { tools.run(call).await });
    let reader = marked.ready(1).await;
    cancel.cancel();
    assert_eq!(failure(call.await.unwrap()).code, Code::Aborted);
    marked.gone(reader).await;
}

/// A program that kills its supervisor ends too, as far as it stayed in its session; what set itself apart before is no
/// longer anybody's: `docs/security-model.md` says so.
#[tokio::test]
async fn a_program_that_kills_its_supervisor_is_lost_and_killed() {
    let marked = Marked::new();
    let script = r#"exec 9>"$PIPE"; echo ready >&9; ( while :; do sleep 1000; done & ); kill -KILL $PPID; sleep 1000"#;
    let tools = load(&marked.policy(), &Request { args: &["-c", script], ..Request::default() }).await;
    let call = tokio::spawn(async move { tools.call("echo", json!({})).await });
    let reader = marked.ready(1).await;
    match Ran::read(success(call.await.unwrap()).value.value()) {
        Ran::Unavailable(message) => assert!(message.contains("the program prog was lost"), "{message}"),
        other => panic!("{other:?}"),
    }
    marked.gone(reader).await;
}

/// Everything that the program can do to its supervisor but kill it: it is stopped, over and over.
const STOPS_ITS_SUPERVISOR: &str = r#"
    while :; do kill -STOP $PPID; done &
    kill -STOP $PPID
"#;

#[tokio::test]
async fn a_program_that_stops_its_supervisor_ends_with_the_dropped_call() {
    let marked = Marked::new();
    let script = format!("{STAYS}\n{STOPS_ITS_SUPERVISOR}\necho ready >&9\nwhile :; do sleep 1000; done");
    let tools = load(&marked.policy(), &Request { args: &["-c", &script], ..Request::default() }).await;
    let mut call = Box::pin(async move { tools.call("echo", json!({})).await });
    let reader = tokio::select! {
        outcome = &mut call => panic!("{outcome:?}"),
        reader = marked.ready(STAYING + 1) => reader,
    };
    let supervisor = parent_of_one(&marked.marker);
    drop(call);
    marked.gone(reader).await;
    in_time(move || {
        while supervisor.exists() {
            std::thread::yield_now();
        }
    })
    .await;
}

#[tokio::test]
async fn a_program_that_stops_its_supervisor_has_no_more_time_than_it_was_given() {
    let marked = Marked::new();
    let script = format!("{STAYS}\n{STOPS_ITS_SUPERVISOR}\necho ready >&9\nwhile :; do sleep 1000; done");
    let request = Request { args: &["-c", &script], limit: Some(4_000), ..Request::default() };
    let tools = load(&marked.policy(), &request).await;
    let call = tokio::spawn(async move { tools.call("echo", json!({})).await });
    let reader = marked.ready(STAYING + 1).await;
    match Ran::read(success(call.await.unwrap()).value.value()) {
        Ran::Unavailable(message) => assert!(message.contains("its supervisor does not answer"), "{message}"),
        other => panic!("{other:?}"),
    }
    // Not even for a moment after the call.
    assert_eq!(alive(&marked.marker), [""; 0]);
    marked.gone(reader).await;
}

/// The command does not end before them, or there would be nobody left to kill what a stopped supervisor does not.
#[tokio::test]
async fn a_program_that_stops_its_supervisor_does_not_outlive_the_command() {
    let marked = Marked::new();
    let script = format!(r#"exec 9>"$PIPE"; {STOPS_ITS_SUPERVISOR} echo ready >&9; while :; do sleep 1000; done"#);
    let (file, cache) = (tempfile::NamedTempFile::new().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(file.path(), wasm(&Request { args: &["-c", &script], ..Request::default() })).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fumehood"));
    command.arg("run").arg(file.path()).args(["--args", "{}", "--limit", "wall-clock-ms=4000"]);
    command.arg("--allow").arg(marked.grant().to_string()).arg("--cache").arg(cache.path());
    let command = tokio::spawn(in_time(move || command.output().unwrap()));
    let reader = marked.ready(1).await;
    let output = command.await.unwrap();
    assert_eq!(alive(&marked.marker), [""; 0], "{output:?}");
    assert!(!output.status.success(), "{output:?}");
    marked.gone(reader).await;
}

/// The directory in `/proc` of the process that adopted all that have this variable.
fn parent_of_one(marker: &str) -> PathBuf {
    let parents = alive(marker).into_iter().filter_map(|path| {
        let status = std::fs::read_to_string(Path::new(&path).join("status")).ok()?;
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim();
        Some(Path::new("/proc").join(parent))
    });
    let mut workers = parents.filter(|path| {
        let command = std::fs::read(path.join("cmdline")).unwrap_or_default();
        command.split(|byte| *byte == 0).any(|word| word == b"supervise")
    });
    workers.next().expect("a supervisor")
}

#[test]
fn a_worker_that_is_told_nothing_does_nothing() {
    for job in [&["supervise"][..], &["compile"], &["something"], &[]] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_fumehood"))
            .arg("fumehood-worker")
            .args(job)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{job:?}: {output:?}");
    }
}

/// What the values above are read from.
#[test]
fn a_value_is_read_as_it_was_written() {
    let value: Value = json!({ "ok": [0, 3, 0, "6162", 1, "", 0] });
    assert_eq!(
        Ran::read(&value),
        Ran::Ended {
            code: Some(3),
            signal: None,
            timed_out: false,
            stdout: b"ab".to_vec(),
            stdout_truncated: true,
            stderr: vec![],
            stderr_truncated: false
        }
    );
    assert_eq!(Ran::read(&json!({ "error": [1, "6e6f"] })), Ran::Invalid("no".to_owned()));
}

//! The library in use: many calls at once, cancelled, dropped, queued. No test asks a clock how long something took.

#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

#[path = "../support/mod.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fumehood::{
    Bounds, CacheLocation, Call, CancellationToken, Card, Code, CodeOrigin, CompileStage, Compiler, Component,
    ContentBlock, EngineSettings, FailureKind, Host, Inspected, LimitName, LoadLimits, Origin, Outcome, Policy,
    Progress, ProgressSink, Toolset,
};
use serde_json::{Value, json};
use support::{Guest, failure, packed, success};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;

const REPORT: &str = r#"(import "fumehood:tool/progress@0.1.0" "report"
    (func $report (param i64 i32 i64 i32 i32 i32)))"#;
/// Says `done = 1`, of two, with a word.
const BEGUN: &str =
    "(call $report (i64.const 1) (i32.const 1) (i64.const 2) (i32.const 1) (i32.const 1024) (i32.const 5))";
const WORD: &str = r#"(data (i32.const 1024) "begun")"#;
const FOR_EVER: &str = "(loop $ever (br $ever)) unreachable";

fn settings(slots: u32) -> EngineSettings {
    EngineSettings { slots, ..EngineSettings::standard(Compiler::InProcess, CacheLocation::Off) }
}

fn host(slots: u32) -> Host {
    Host::new(settings(slots)).unwrap()
}

fn inspect(wat: &str, manifest: &Value) -> Inspected {
    let component = Component::from_bytes(packed(wat, manifest), &LoadLimits::standard()).unwrap();
    Inspected::of(component).unwrap()
}

async fn load(host: &Host, guest: Guest<'_>, policy: &Policy) -> Toolset {
    let inspected = inspect(&guest.wat(), &support::manifest());
    host.compile(policy.approve(inspected).unwrap()).await.unwrap()
}

async fn honest(host: &Host) -> Toolset {
    load(host, Guest::default(), &Policy::nothing()).await
}

/// Reports that it has begun, and then computes for ever.
async fn busy(host: &Host) -> Toolset {
    let execute = format!("{BEGUN} {FOR_EVER}");
    load(host, Guest { imports: REPORT, items: WORD, execute: &execute, ..Guest::default() }, &Policy::nothing()).await
}

/// A sink, and what comes out of it.
fn reports() -> (ProgressSink, UnboundedReceiver<Progress>) {
    let (send, receive) = unbounded_channel();
    (Arc::new(move |progress| drop(send.send(progress))), receive)
}

/// A call that has begun, on a task of its own.
async fn begun(tools: &Toolset, cancel: CancellationToken) -> tokio::task::JoinHandle<Outcome> {
    let (sink, mut progress) = reports();
    let (tools, call) = (tools.clone(), Call::new("echo", json!({})).cancelled_by(cancel).on_progress(sink));
    let task = tokio::spawn(async move { tools.run(call).await });
    progress.recv().await.unwrap();
    task
}

/// One thread, and one guest that never ends: the others are served all the same.
#[tokio::test(flavor = "current_thread")]
async fn a_busy_guest_blocks_nobody() {
    let host = host(4);
    let (busy, honest) = (busy(&host).await, honest(&host).await);
    let cancel = CancellationToken::new();
    let running = begun(&busy, cancel.clone()).await;
    let mut calls = JoinSet::new();
    for index in 0..50 {
        let honest = honest.clone();
        calls.spawn(async move { (index, success(honest.call("echo", json!({ "n": index })).await)) });
    }
    while let Some(done) = calls.join_next().await {
        let (index, success) = done.unwrap();
        assert_eq!(success.value.text(), format!("{{\"n\":{index}}}"));
    }
    assert!(!running.is_finished());
    cancel.cancel();
    assert_eq!(failure(running.await.unwrap()).code, Code::Aborted);
}

/// Two slots and ten calls: the rest wait, and no more than two run at once.
#[tokio::test]
async fn a_full_pool_makes_calls_wait() {
    let end = "(call $report (i64.const 2) (i32.const 0) (i64.const 0) (i32.const 0) (i32.const 0) (i32.const 0))";
    let execute = format!(
        "{BEGUN}
         (loop $work
           (local.set $a (i32.add (local.get $a) (i32.const 1)))
           (br_if $work (i32.lt_u (local.get $a) (i32.const 3000000))))
         {end} (call $ok (local.get $args) (local.get $args_len))"
    );
    let guest = Guest { imports: REPORT, items: WORD, execute: &execute, ..Guest::default() };
    let tools = load(&host(2), guest, &Policy::nothing()).await;
    let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut calls = JoinSet::new();
    for _ in 0..10 {
        let (tools, inside, most) = (tools.clone(), inside.clone(), most.clone());
        let sink: ProgressSink = Arc::new(move |progress| match progress.done {
            1 => drop(most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst)),
            _ => drop(inside.fetch_sub(1, Ordering::SeqCst)),
        });
        calls.spawn(async move { tools.run(Call::new("echo", json!({})).on_progress(sink)).await });
    }
    while let Some(outcome) = calls.join_next().await {
        success(outcome.unwrap());
    }
    assert_eq!(inside.load(Ordering::SeqCst), 0);
    assert!((1..=2).contains(&most.load(Ordering::SeqCst)), "{most:?} ran at once");
}

#[tokio::test]
async fn waiting_for_a_slot_counts_against_the_deadline() {
    let host = host(1);
    let busy = busy(&host).await;
    let policy = Policy::nothing().limit(LimitName::WallClock, 50).unwrap();
    let hurried = load(&host, Guest::default(), &policy).await;
    let cancel = CancellationToken::new();
    let running = begun(&busy, cancel.clone()).await;
    let failed = failure(hurried.call("echo", json!({})).await);
    assert_eq!((failed.code, failed.kind), (Code::ToolTimeout, FailureKind::Aborted));
    assert!(failed.message.starts_with("out of time waiting for a free slot"), "{}", failed.message);
    cancel.cancel();
    assert_eq!(failure(running.await.unwrap()).code, Code::Aborted);
    success(hurried.call("echo", json!({})).await);
}

#[tokio::test]
async fn dropping_a_call_stops_the_guest_and_frees_its_slot() {
    let host = host(1);
    let (busy, honest) = (busy(&host).await, honest(&host).await);
    let running = begun(&busy, CancellationToken::new()).await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    success(honest.call("echo", json!({})).await);
}

#[tokio::test]
async fn cancelled_before_it_began() {
    let host = host(1);
    let (busy, honest) = (busy(&host).await, honest(&host).await);
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let failed = failure(honest.run(Call::new("echo", json!({})).cancelled_by(cancelled)).await);
    assert_eq!((failed.code, failed.kind), (Code::AbortedBeforeDispatch, FailureKind::Aborted));

    // While it waits for a slot is before, too.
    let (first, second) = (CancellationToken::new(), CancellationToken::new());
    let running = begun(&busy, first.clone()).await;
    let waiting = honest.run(Call::new("echo", json!({})).cancelled_by(second.clone()));
    let (waited, ()) = tokio::join!(waiting, async { second.cancel() });
    assert_eq!(failure(waited).code, Code::AbortedBeforeDispatch);
    first.cancel();
    assert_eq!(failure(running.await.unwrap()).code, Code::Aborted);
}

/// Long texts are checked on a thread that other calls may hold. One that does not come is not waited for.
#[test]
fn out_of_time_while_a_text_waits_to_be_checked() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build().unwrap();
    runtime.block_on(async {
        let host = host(1);
        // `{"a":"aaa…"}`, of 32 KiB.
        let long = Guest {
            items: r#"(data (i32.const 1024) "{\"a\":\"") (data (i32.const 33792) "\"}")"#,
            execute: "(memory.fill (i32.const 1030) (i32.const 97) (i32.const 32762))
                (call $ok (i32.const 1024) (i32.const 32770))",
            ..Guest::default()
        };
        let policy = Policy::nothing().limit(LimitName::WallClock, 500).unwrap();
        let short = load(&host, Guest::default(), &policy).await;
        let long_value = load(&host, long, &policy).await;
        let args = || Call::from_text("echo", format!("{{\"a\":\"{}\"}}", "a".repeat(32 << 10)));

        let (release, held) = std::sync::mpsc::channel::<()>();
        let holding = tokio::task::spawn_blocking(move || held.recv().unwrap());
        let check = |outcome: Outcome, expect: &str| {
            let failed = failure(outcome);
            assert_eq!(failed.code, Code::ToolTimeout);
            assert!(failed.message.starts_with(expect), "{}", failed.message);
        };
        check(short.run(args()).await, "out of time checking the arguments: wall-clock-ms is 500 (policy)");
        let card = short.pending_card(&args()).await.unwrap_err();
        assert_eq!(card.code, Code::ToolTimeout);
        check(
            long_value.call("echo", json!({})).await,
            "out of time checking the value: wall-clock-ms is 500 (policy)",
        );
        // A short text needs no thread.
        success(short.call("echo", json!({})).await);

        release.send(()).unwrap();
        holding.await.unwrap();
        success(short.run(args()).await);
        success(long_value.call("echo", json!({})).await);
    });
}

#[tokio::test]
async fn cancelled_in_execute() {
    let host = host(1);
    let busy = busy(&host).await;
    let cancel = CancellationToken::new();
    let running = begun(&busy, cancel.clone()).await;
    cancel.cancel();
    let failed = failure(running.await.unwrap());
    assert_eq!((failed.code, failed.kind), (Code::Aborted, FailureKind::Aborted));
    assert_eq!(failed.usage.get(LimitName::ProjectorFuel).used, 0, "no projector ran");
}

/// One thread: after the report the guest has the next turns, and spends them in render.
#[tokio::test(flavor = "current_thread")]
async fn cancelled_in_render() {
    let execute = format!("{BEGUN} (call $ok (local.get $args) (local.get $args_len))");
    let guest = Guest { imports: REPORT, items: WORD, execute: &execute, render: FOR_EVER, ..Guest::default() };
    let policy = Policy::nothing().limit(LimitName::ProjectorFuel, 1_000_000_000_000).unwrap();
    let tools = load(&host(1), guest, &policy).await;
    let cancel = CancellationToken::new();
    let running = begun(&tools, cancel.clone()).await;
    for _ in 0..5 {
        tokio::task::yield_now().await;
    }
    cancel.cancel();
    let failed = failure(running.await.unwrap());
    assert_eq!(failed.code, Code::Aborted);
    assert!(failed.usage.get(LimitName::ProjectorFuel).used > 0, "render had begun");
}

#[tokio::test]
async fn progress_is_told_as_the_tool_reports_it() {
    let execute = format!("{BEGUN} (call $ok (local.get $args) (local.get $args_len))");
    let guest = Guest { imports: REPORT, items: WORD, execute: &execute, ..Guest::default() };
    let tools = load(&host(1), guest, &Policy::nothing()).await;
    let (sink, mut progress) = reports();
    success(tools.run(Call::new("echo", json!({})).on_progress(sink)).await);
    assert_eq!(progress.recv().await, Some(Progress { done: 1, total: Some(2), message: Some("begun".to_owned()) }));
    assert_eq!(progress.recv().await, None, "one report, and the sink is let go with the call");
    success(tools.call("echo", json!({})).await);
}

#[tokio::test]
async fn a_call_can_move_between_threads() {
    fn assert_send<T: Send>(future: T) -> T {
        future
    }
    let tools = honest(&host(1)).await;
    let call = Call::new("echo", json!({}));
    assert_send(tools.pending_card(&call)).await.unwrap();
    success(assert_send(tools.run(call)).await);
}

#[tokio::test]
async fn a_pending_card_comes_without_running_the_tool() {
    let guest = Guest {
        items: r#"(data (i32.const 1024) "workdone")"#,
        execute: "unreachable",
        present: "(call $card (select (i32.const 1028) (i32.const 1024) (local.get $has_value)) (i32.const 4))",
        ..Guest::default()
    };
    let host = host(1);
    let tools = load(&host, guest, &Policy::nothing()).await;
    let call = Call::new("echo", json!({ "a": 1 }));
    let Card::Generic { title, input, body, .. } = tools.pending_card(&call).await.unwrap() else { panic!("generic") };
    assert_eq!((title.as_str(), input, body), ("work", Some(json!({ "a": 1 })), vec![]));
    // Where the tool has none, its name and the arguments make one.
    let plain = honest(&host).await.pending_card(&call).await.unwrap();
    assert_eq!(plain.title(), "echo");
    // Arguments that would not be called with have no card.
    let wrong = tools.pending_card(&Call::from_text("echo", "[1]")).await.unwrap_err();
    assert_eq!(wrong.code, Code::InvalidArgs);
}

#[tokio::test]
async fn every_end_says_what_was_used() {
    let host = host(1);
    let used = |outcome: &Outcome, limit| outcome.usage().get(limit).used;
    let worked = honest(&host).await.call("echo", json!({ "a": [1] })).await;
    assert_eq!(worked.usage().iter().count(), LimitName::ALL.len());
    assert_eq!(used(&worked, LimitName::ValueBytes), 9);
    assert_eq!(used(&worked, LimitName::JsonDepth), 2);
    assert_eq!(used(&worked, LimitName::JsonNodes), 3);
    assert_eq!(used(&worked, LimitName::ContentBytes), 9);
    assert_eq!(used(&worked, LimitName::ContentBlocks), 1);
    assert_eq!(used(&worked, LimitName::Memory), 2 * 65_536);
    assert_eq!(used(&worked, LimitName::Instances), 1);
    assert!(used(&worked, LimitName::ProjectorFuel) > 0);
    success(worked);

    let guest = Guest { execute: "(drop (memory.grow (i32.const 3))) unreachable", ..Guest::default() };
    let failed = load(&host, guest, &Policy::nothing()).await.call("echo", json!({})).await;
    assert_eq!(used(&failed, LimitName::Memory), 5 * 65_536);
    assert_eq!(used(&failed, LimitName::ProjectorFuel), 0);
    assert_eq!(failure(failed).code, Code::ToolTrapped);

    // Many ticks of the clock, and no call into the host.
    let policy = Policy::nothing().limit(LimitName::WallClock, 50).unwrap();
    let late = load(&host, Guest { execute: FOR_EVER, ..Guest::default() }, &policy).await;
    let late = late.call("echo", json!({})).await;
    assert!(used(&late, LimitName::WallClock) >= 50);
    assert_eq!(used(&late, LimitName::HostCalls), 0);
    assert_eq!(used(&late, LimitName::Memory), 2 * 65_536);
    assert_eq!(failure(late).code, Code::ToolTimeout);
}

#[tokio::test]
async fn a_limit_says_who_set_it() {
    let host = host(1);
    let mut manifest = support::manifest();
    manifest["tools"][0]["timeLimitMs"] = json!(5_000);
    let policy = Policy::nothing().limit(LimitName::LogBytes, 7).unwrap();
    let approved = policy.approve(inspect(&Guest::default().wat(), &manifest)).unwrap();
    let tools = host.compile(approved).await.unwrap();
    let usage = success(tools.call("echo", json!({})).await).usage;
    let limit = |name| (usage.get(name).max, usage.get(name).origin);
    assert_eq!(limit(LimitName::WallClock), (5_000, Origin::Manifest));
    assert_eq!(limit(LimitName::LogBytes), (7, Origin::Policy));
    assert_eq!(limit(LimitName::Memory), (LimitName::Memory.standard(), Origin::Default));

    // A vendor who asks for more time than the operator gives does not get it.
    let policy = Policy::nothing().limit(LimitName::WallClock, 1_000).unwrap();
    let tools = host.compile(policy.approve(inspect(&Guest::default().wat(), &manifest)).unwrap()).await.unwrap();
    let usage = success(tools.call("echo", json!({})).await).usage;
    assert_eq!(usage.get(LimitName::WallClock).origin, Origin::Policy);
}

#[tokio::test]
async fn a_tool_whose_schema_is_refused_takes_no_other_with_it() {
    let mut manifest = support::manifest();
    let mut other = manifest["tools"][0].clone();
    other["name"] = json!("broken");
    other["outputSchema"] = json!({ "$ref": "https://example.com/schema.json" });
    manifest["tools"].as_array_mut().unwrap().push(other);
    let inspected = inspect(&Guest::default().wat(), &manifest);
    let tools = host(1).compile(Policy::nothing().approve(inspected).unwrap()).await.unwrap();
    let names: Vec<_> = tools.tools().iter().map(|tool| (tool.name.as_str(), tool.is_callable())).collect();
    assert_eq!(names, [("echo", true), ("broken", false)]);
    success(tools.call("echo", json!({})).await);
    let failed = failure(tools.call("broken", json!({})).await);
    assert_eq!(failed.code, Code::Denied);
    assert!(failed.message.contains("broken cannot be called"), "{}", failed.message);
    let unknown = failure(tools.call("nothing", json!({})).await);
    assert_eq!(unknown.code, Code::UnknownTool);
    assert!(unknown.message.contains("echo, broken"), "{}", unknown.message);
}

#[tokio::test]
async fn arguments_that_do_not_pass_run_nothing() {
    let tools = load(&host(1), Guest { execute: "unreachable", ..Guest::default() }, &Policy::nothing()).await;
    for text in ["{\"a\":1,\"a\":2}", "[]", "{", "{} {}", "{\"a\":1e999}", "null"] {
        let failed = failure(tools.run(Call::from_text("echo", text)).await);
        assert_eq!((failed.code, failed.kind), (Code::InvalidArgs, FailureKind::Failed), "{text}");
        assert_eq!(failed.usage.get(LimitName::Memory).used, 0, "{text}");
    }
    // Blank text means no arguments.
    assert_eq!(failure(tools.run(Call::from_text("echo", " \n")).await).code, Code::ToolTrapped);
}

#[tokio::test]
async fn two_hosts_share_one_cache() {
    let directory = tempfile::tempdir().unwrap();
    let cache = CacheLocation::Directory(directory.path().join("code"));
    let mut origins = Vec::new();
    let mut texts = Vec::new();
    for _ in 0..2 {
        let host =
            Host::new(EngineSettings { slots: 1, ..EngineSettings::standard(Compiler::InProcess, cache.clone()) });
        let approved = Policy::nothing().approve(inspect(&Guest::default().wat(), &support::manifest())).unwrap();
        let stages = std::sync::Mutex::new(Vec::new());
        let tools = host.unwrap().compile_watched(approved, |stage| stages.lock().unwrap().push(stage)).await.unwrap();
        origins.extend(stages.into_inner().unwrap().into_iter().filter_map(|stage| match stage {
            CompileStage::Ready(origin) => Some(origin),
            _ => None,
        }));
        texts.push(success(tools.call("echo", json!({ "a": 1 })).await).value.text().to_owned());
    }
    assert!(matches!(origins.as_slice(), [CodeOrigin::Compiled(_), CodeOrigin::Cached]), "{origins:?}");
    assert_eq!(texts[0], texts[1]);
}

/// How memory accesses are checked changes the speed and nothing else: not the bytes, not the fuel.
#[tokio::test]
async fn both_ways_to_check_bounds_give_the_same_bytes() {
    let out_of_bounds = "(drop (i32.load (i32.const -8))) unreachable";
    let mut ends = Vec::new();
    for bounds in [Bounds::Explicit, Bounds::Virtual] {
        let host = Host::new(EngineSettings { bounds, ..settings(1) }).unwrap();
        let worked = success(honest(&host).await.call("echo", json!({ "a": "ü" })).await);
        let trapped = load(&host, Guest { render: out_of_bounds, ..Guest::default() }, &Policy::nothing()).await;
        let trapped = failure(trapped.call("echo", json!({})).await);
        assert_eq!(worked.content, [ContentBlock::text("{\"a\":\"ü\"}")]);
        ends.push((
            worked.value.text().to_owned(),
            worked.content,
            worked.card,
            worked.usage.get(LimitName::ProjectorFuel),
            trapped.message,
            trapped.details,
        ));
    }
    assert_eq!(ends[0], ends[1]);
}

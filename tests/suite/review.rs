//! Reviewers that are components: what they are given, what they may decide, and what becomes of those that fail.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "it reads guests and lays out files for them")]

#[path = "../support/mod.rs"]
mod support;

#[path = "review/guests.rs"]
mod guests;

use std::pin::Pin;
use std::sync::Arc;

use fumehood::{
    Amendment, CacheLocation, Call, CancellationToken, Code, Compiler, Component, ComponentReviewer, ContentBlock,
    Draft, EngineSettings, Host, Inspected, LoadError, LoadLimits, LockFile, Outcome, Policy, Registry, ReviewError,
    Reviewer, Session, SessionRules, Toolset, Verdict,
};
use serde_json::{Value, json};
use support::{
    Guest, GuestFile, ReviewGuest, Watch, World, component_from_core_wat, failure, packed, packed_in,
    reviewer_manifest, success, with_section,
};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

fn host(slots: u32) -> Host {
    Host::new(EngineSettings { slots, ..EngineSettings::standard(Compiler::InProcess, CacheLocation::Off) }).unwrap()
}

fn inspected(bytes: Vec<u8>) -> Inspected {
    Inspected::of(Component::from_bytes(bytes, &LoadLimits::standard()).unwrap()).unwrap()
}

async fn compiled(host: &Host, wat: &str, manifest: &Value, policy: &str) -> Result<ComponentReviewer, LoadError> {
    let policy = Policy::from_toml(policy, std::path::Path::new("")).unwrap();
    host.compile_reviewer(policy.approve(inspected(packed_in(wat, manifest, World::Reviewer)))?).await
}

/// A reviewer with this body, under a name of its own.
async fn reviewer(host: &Host, name: &str, review: &str) -> ComponentReviewer {
    let mut manifest = reviewer_manifest();
    manifest["name"] = json!(name);
    compiled(host, &ReviewGuest { review, ..ReviewGuest::default() }.wat(), &manifest, "").await.unwrap()
}

/// A tool `echo` that returns its arguments, or fails with this message.
async fn tools(host: &Host, fails: Option<&str>, manifest: &Value) -> Registry {
    Registry::new([toolset(host, fails, manifest).await]).unwrap()
}

async fn toolset(host: &Host, fails: Option<&str>, manifest: &Value) -> Toolset {
    let (data, execute);
    let guest = match fails {
        None => Guest::default(),
        Some(message) => {
            data = format!("(data (i32.const 1024) {message:?})");
            execute = format!("(call $error (i32.const 1) (i32.const 1024) (i32.const {}))", message.len());
            Guest { items: &data, execute: &execute, ..Guest::default() }
        }
    };
    host.compile(Policy::nothing().approve(inspected(packed(&guest.wat(), manifest))).unwrap()).await.unwrap()
}

async fn echoing(host: &Host, fails: Option<&str>) -> Registry {
    tools(host, fails, &support::manifest()).await
}

fn under(reviewers: impl IntoIterator<Item = Arc<dyn Reviewer>>) -> Session {
    let rules = reviewers.into_iter().fold(SessionRules::none(), SessionRules::reviewer);
    Session::new(rules).unwrap()
}

/// The one text block of a content.
fn text_of(content: &[ContentBlock]) -> String {
    match content {
        [ContentBlock::Text { text, .. }] => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// Accepts, and says when it was asked.
struct Bell(UnboundedSender<()>);

impl Reviewer for Bell {
    fn name(&self) -> &str {
        "bell"
    }

    fn review<'a>(&'a self, _: Draft<'a>) -> Pin<Box<dyn Future<Output = Result<Verdict, ReviewError>> + Send + 'a>> {
        self.0.send(()).unwrap();
        Box::pin(async { Ok(Verdict::Accept(Amendment::None)) })
    }
}

/// Says back the text at this place of the draft, as its feedback.
fn says(offset: u32) -> String {
    format!(
        "(call $block (i32.load offset={offset} (local.get $draft)) (i32.load offset={} (local.get $draft)))",
        offset + 4
    )
}

// ---- what it is given ------------------------------------------------------------------------------------------

#[tokio::test]
async fn a_reviewer_reads_the_whole_draft() {
    let host = host(2);
    let args = json!({ "a": [1, "ü"] });
    let first_text = "(local.set $a (i32.load offset=40 (local.get $draft)))
        (call $block (i32.load offset=8 (local.get $a)) (i32.load offset=12 (local.get $a)))";
    let told = async |review: &str, fails: Option<&str>, expect: &str| {
        let session = under([Arc::new(reviewer(&host, "reader", review).await) as Arc<dyn Reviewer>]);
        let failed = failure(session.run(&echoing(&host, fails).await, Call::new("echo", args.clone())).await);
        assert_eq!((failed.code, failed.message.as_str()), (Code::Blocked, expect), "{review}");
        assert_eq!(failed.details.unwrap()["reviewer"], "reader");
    };
    told(&says(0), None, "echo").await;
    told(&says(8), None, r#"{"a":[1,"ü"]}"#).await;
    told(&says(32), None, r#"{"a":[1,"ü"]}"#).await;
    told(first_text, None, r#"{"a":[1,"ü"]}"#).await;
    // Of a failure.
    told(&says(36), Some("gone"), "TOOL_FAILED").await;
    told(&says(44), Some("gone"), "gone").await;
    let content = "(local.set $a (i32.load offset=52 (local.get $draft)))
        (call $block (i32.load offset=8 (local.get $a)) (i32.load offset=12 (local.get $a)))";
    told(content, Some("gone"), "TOOL_FAILED: gone").await;
    told(&says(64), Some("gone"), r#"{"error":"not-found","message":"gone"}"#).await;
    // 1 is `failed`: the kind, at 32, as a digit.
    let kind = "(local.set $a (call $alloc (i32.const 8)))
        (i32.store8 (local.get $a) (i32.add (i32.const 48) (i32.load8_u offset=32 (local.get $draft))))
        (call $block (local.get $a) (i32.const 1))";
    told(kind, Some("gone"), "1").await;
}

/// The card: the option at 48, its case from 56, the title of each card from 64.
#[tokio::test]
async fn a_nested_call_has_no_card_and_says_that_it_is_one() {
    let host = host(1);
    let title = "(if (i32.load8_u offset=16 (local.get $draft))
          (then (if (i32.load8_u offset=48 (local.get $draft)) (then unreachable)) (return (call $accept))))
        (call $block (i32.load offset=64 (local.get $draft)) (i32.load offset=68 (local.get $draft)))";
    let session = under([Arc::new(reviewer(&host, "reader", title).await) as Arc<dyn Reviewer>]);
    let failed = failure(session.run(&chain(&host).await, Call::new("a", json!({}))).await);
    assert_eq!((failed.code, failed.message.as_str()), (Code::Blocked, "a"));
}

// ---- what it decides -------------------------------------------------------------------------------------------

#[tokio::test]
async fn reviewers_see_what_those_before_them_left() {
    let host = host(1);
    let items = r#"(data (i32.const 1024) "{\22a\22:2}")"#;
    let wat = ReviewGuest { items, review: "(call $value (i32.const 1024) (i32.const 7))", ..ReviewGuest::default() };
    let first = compiled(&host, &wat.wat(), &reviewer_manifest(), "").await.unwrap();
    let (second, said) = Watch::over(reviewer(&host, "second", &says(32)).await);
    let session = under([Arc::new(first) as Arc<dyn Reviewer>, second]);
    let failed = failure(session.run(&echoing(&host, None).await, Call::new("echo", json!({ "a": 1 }))).await);
    assert_eq!(failed.message, r#"{"a":2}"#);
    assert_eq!(said.lock().unwrap().len(), 1);
    let names: Vec<_> = failed.diagnostic.reviews.iter().map(|reviewed| reviewed.reviewer.as_str()).collect();
    assert_eq!(names, ["looker", "second"]);
}

// ---- room ------------------------------------------------------------------------------------------------------

/// `a`, which calls `b` and returns its value.
async fn chain(host: &Host) -> Registry {
    let mut manifest = support::manifest();
    manifest["name"] = json!("caller");
    manifest["tools"][0]["name"] = json!("a");
    manifest["capabilities"] = json!([{ "capability": "tools", "tool": "b", "reason": "A test." }]);
    let call = r#"(import "fumehood:host/tools@0.1.0" "call" (func $call (param i32 i32 i32 i32 i32)))"#;
    let execute = "(local.set $a (call $alloc (i32.const 32)))
        (call $call (i32.const 1024) (i32.const 1) (local.get $args) (local.get $args_len) (local.get $a))
        (if (i32.load8_u (local.get $a)) (then unreachable))
        (call $ok (i32.load offset=4 (local.get $a)) (i32.load offset=8 (local.get $a)))";
    let items = r#"(data (i32.const 1024) "b")"#;
    let wat = Guest { imports: call, items, execute, ..Guest::default() }.wat();
    let policy = Policy::nothing().allow("tools=b".parse().unwrap()).unwrap();
    let a = host.compile(policy.approve(inspected(packed(&wat, &manifest))).unwrap()).await.unwrap();
    let mut manifest = support::manifest();
    manifest["tools"][0]["name"] = json!("b");
    Registry::new([a, toolset(host, None, &manifest).await]).unwrap()
}

/// Calls hold their slots, of both levels, while they wait for reviews: those have room of their own, and come to an end.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_that_hold_every_slot_wait_for_reviews_and_not_for_each_other() {
    for slots in [1, 3] {
        let host = host(slots);
        let registry = chain(&host).await;
        let looks = [reviewer(&host, "one", "(call $accept)").await, reviewer(&host, "two", "(call $accept)").await];
        let (watches, said): (Vec<_>, Vec<_>) = looks.map(Watch::over).into_iter().unzip();
        let session = under(watches.into_iter().map(|watch| watch as Arc<dyn Reviewer>));
        let mut calls = JoinSet::new();
        for index in 0..24 {
            let (session, registry) = (session.clone(), registry.clone());
            calls.spawn(async move { (index, session.run(&registry, Call::new("a", json!({ "n": index }))).await) });
        }
        while let Some(done) = calls.join_next().await {
            let (index, outcome) = done.unwrap();
            assert_eq!(success(outcome).value.value(), &json!({ "n": index }));
        }
        // Each of the two calls was looked at by both.
        assert_eq!(said.iter().map(|said| said.lock().unwrap().len()).collect::<Vec<_>>(), [48, 48]);
    }
}

/// A cancelled call ends the review too, and gives back its room: with one slot, the next call needs it.
#[tokio::test]
async fn a_cancelled_call_ends_its_review() {
    let host = host(1);
    let registry = echoing(&host, None).await;
    for dropped in [false, true] {
        let (send, mut asked) = unbounded_channel();
        let loops = reviewer(&host, "looper", "(loop $ever (br $ever)) unreachable").await;
        let session = under([Arc::new(Bell(send)) as Arc<dyn Reviewer>, Arc::new(loops)]);
        let cancel = CancellationToken::new();
        let call = Call::new("echo", json!({})).cancelled_by(cancel.clone());
        let running = {
            let registry = registry.clone();
            tokio::spawn(async move { session.run(&registry, call).await })
        };
        asked.recv().await.unwrap();
        for _ in 0..5 {
            tokio::task::yield_now().await;
        }
        if dropped {
            running.abort();
            assert!(running.await.unwrap_err().is_cancelled());
        } else {
            cancel.cancel();
            assert_eq!(failure(running.await.unwrap()).code, Code::Aborted);
        }
        let honest = under([Arc::new(reviewer(&host, "honest", "(call $accept)").await) as Arc<dyn Reviewer>]);
        assert_eq!(success(honest.run(&registry, Call::new("echo", json!({}))).await).value.text(), "{}");
    }
}

// ---- what is loaded as what ------------------------------------------------------------------------------------

#[tokio::test]
async fn a_tool_is_no_reviewer_and_a_reviewer_no_tool() {
    let host = host(1);
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let tool = put("tool.wasm", &packed(&Guest::default().wat(), &support::manifest()));
    let look = put("look.wasm", &packed_in(&ReviewGuest::default().wat(), &reviewer_manifest(), World::Reviewer));
    let policy = Policy::nothing();
    let loaded = host.load_reviewer(&look, &policy).await.unwrap();
    assert_eq!(loaded.name(), "looker");
    assert_eq!(loaded.approved().inspected().manifest().version, "0.1.0");
    host.load(&tool, &policy).await.unwrap();
    let text = host.load(&look, &policy).await.err().unwrap().to_string();
    assert!(text.starts_with("looker is a reviewer, not a tool"), "{text}");
    assert!(text.contains("--review FILE") && text.contains("Host::load_reviewer"), "{text}");
    let listed = host.list(&look, Arc::new(policy.clone())).await.err().unwrap().to_string();
    assert_eq!(listed, text);
    let text = host.load_reviewer(&tool, &policy).await.err().unwrap().to_string();
    assert!(text.starts_with("guest is a tool, not a reviewer"), "{text}");
    assert!(text.contains("Host::load"), "{text}");
}

/// An approval that is taken back ends reviews at once: what they should have seen does not pass.
#[tokio::test]
async fn a_revoked_reviewer_lets_nothing_pass() {
    let folder = tempfile::tempdir().unwrap();
    let lock = || LockFile::new(folder.path().join("fumehood.lock"), folder.path());
    let bytes = packed_in(&ReviewGuest::default().wat(), &reviewer_manifest(), World::Reviewer);
    let approved = || Policy::nothing().approve(inspected(bytes.clone())).unwrap();
    let locked = host(1).locked_by(lock());
    // Nothing is approved yet.
    lock().update(|_, _| ()).unwrap();
    assert!(matches!(locked.compile_reviewer(approved()).await, Err(LoadError::Lock(_))));
    lock().update(|lock, base| lock.approve(&approved(), base)).unwrap();
    let reviewer = locked.compile_reviewer(approved()).await.unwrap();
    let session = under([Arc::new(reviewer) as Arc<dyn Reviewer>]);
    let registry = echoing(&host(1), None).await;
    success(session.run(&registry, Call::new("echo", json!({}))).await);
    lock().update(|lock, _| lock.revoke("looker")).unwrap();
    let failed = failure(session.run(&registry, Call::new("echo", json!({}))).await);
    assert_eq!(failed.code, Code::Blocked);
    let cause = failed.diagnostic.cause.unwrap();
    assert!(cause.contains("looker") && cause.contains("approve"), "{cause}");
}

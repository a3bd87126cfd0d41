//! What `docs/conformance.md` says of calls and sessions, where no other suite has it.

#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

#[path = "conformance/replay.rs"]
mod replay;
#[path = "conformance/reviews.rs"]
mod reviews;
#[path = "conformance/spill.rs"]
mod spill;
#[path = "../support/mod.rs"]
mod support;

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use fumehood::{
    Access, Amendment, CacheLocation, Call, CallPolicy, Card, Code, Compiler, Component, ContentBlock, Draft,
    DraftResult, EngineSettings, Event, FileDiff, GuestPath, Host, Inspected, LimitName, LoadLimits, Mount, Policy,
    Proposed, Recorder, Registry, ReviewError, Reviewer, Ruling, Session, SessionRules, Toolset, Verdict,
};
use serde_json::{Value, json};
use support::{Guest, failure, success};

/// What happened, in order, whoever saw it.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn add(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Recorder for Seen {
    fn records_values(&self) -> bool {
        true
    }

    fn record(&self, events: &[Event]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        for event in events {
            self.add(match event {
                Event::Call(call) => format!("call {} {}", call.call, call.args),
                Event::Start { call } => format!("start {call}"),
                Event::End(end) => {
                    let ended = serde_json::to_value(&end.ended).unwrap();
                    format!("end {} {}", end.call, ended["code"].as_str().unwrap_or("success"))
                }
                other => format!("{other:?}"),
            });
        }
        Ok(())
    }
}

impl CallPolicy for Seen {
    fn name(&self) -> &str {
        "seen"
    }

    fn rule(&self, proposed: &Proposed<'_>) -> Ruling {
        self.add(format!("policy {} {}", proposed.tool.name, proposed.args.text()));
        Ruling::Allow
    }
}

impl Reviewer for Seen {
    fn name(&self) -> &str {
        "seen"
    }

    fn review<'a>(
        &'a self,
        draft: Draft<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Verdict, ReviewError>> + Send + 'a>> {
        self.add(match draft.result {
            DraftResult::Success { value, content, card } => {
                format!("review {} {} {}", value.text(), text_of(content), card.map_or("no card", Card::title))
            }
            DraftResult::Failure(failure) => format!("review {}", failure.code),
        });
        Box::pin(async { Ok(Verdict::Accept(Amendment::None)) })
    }
}

/// A reviewer that is a function.
struct Looks<F>(&'static str, F);

impl<F: Fn(&Draft<'_>) -> Verdict + Send + Sync + 'static> Reviewer for Looks<F> {
    fn name(&self) -> &str {
        self.0
    }

    fn review<'a>(
        &'a self,
        draft: Draft<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Verdict, ReviewError>> + Send + 'a>> {
        Box::pin(async move { Ok((self.1)(&draft)) })
    }
}

fn text_of(content: &[ContentBlock]) -> &str {
    let [ContentBlock::Text { text, .. }] = content else { panic!("{content:?}") };
    text
}

fn seen_by(seen: &Seen) -> SessionRules {
    let seen = Arc::new(seen.clone());
    SessionRules::none().policy(seen.clone()).reviewer(seen)
}

fn session(seen: &Seen) -> Session {
    Session::recorded(seen_by(seen), Arc::new(seen.clone()), 1).unwrap()
}

fn host() -> Host {
    let settings = EngineSettings { slots: 2, ..EngineSettings::standard(Compiler::InProcess, CacheLocation::Off) };
    Host::new(settings).unwrap()
}

async fn load(host: &Host, guest: Guest<'_>, manifest: &Value, policy: &Policy) -> Toolset {
    let component = Component::from_bytes(support::packed(&guest.wat(), manifest), &LoadLimits::standard()).unwrap();
    host.compile(policy.approve(Inspected::of(component).unwrap()).unwrap()).await.unwrap()
}

async fn tools(guest: Guest<'_>, output: Value) -> Registry {
    let mut manifest = support::manifest();
    manifest["tools"][0]["outputSchema"] = output;
    Registry::new([load(&host(), guest, &manifest, &Policy::nothing()).await]).unwrap()
}

const IMPORTS: &str =
    r#"(import "fumehood:tool/progress@0.1.0" "report" (func $report (param i64 i32 i64 i32 i32 i32)))"#;

/// Says that it has begun, and echoes.
const SAYS: Guest<'static> = Guest {
    imports: IMPORTS,
    items: "",
    execute: "(call $report (i64.const 1) (i32.const 0) (i64.const 0) (i32.const 0) (i32.const 0) (i32.const 0))
              (call $ok (local.get $args) (local.get $args_len))",
    render: "(call $text (local.get $value) (local.get $value_len))",
    present: "(call $no_card)",
};

async fn echo() -> Registry {
    tools(Guest::default(), json!({ "type": "object" })).await
}

#[tokio::test]
async fn the_stages_have_one_order() {
    let tools = tools(SAYS, json!({ "type": "object" })).await;
    let seen = Seen::default();
    let works = seen.clone();
    // The arguments are written down as they came, and everybody after the gates sees them as they passed.
    let call = Call::from_text("echo", " { \"a\" : 1 }").on_progress(Arc::new(move |_| works.add("execute")));
    success(session(&seen).run(&tools, call).await);
    assert_eq!(
        seen.take(),
        [
            "call 1  { \"a\" : 1 }",
            "policy echo {\"a\":1}",
            "start 1",
            "execute",
            "review {\"a\":1} {\"a\":1} echo",
            "end 1 success"
        ]
    );
}

#[tokio::test]
async fn a_value_that_does_not_pass_is_not_projected() {
    let guest = Guest { render: "unreachable", present: "unreachable", ..Guest::default() };
    let output = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let tools = tools(guest, output).await;
    let seen = Seen::default();
    let failed = failure(session(&seen).run(&tools, Call::new("echo", json!({ "n": "one" }))).await);
    assert_eq!(failed.code, Code::InvalidToolOutput);
    assert!(failed.message.starts_with("the value does not match the schema: "), "{}", failed.message);
    assert_eq!(failed.usage.get(LimitName::ProjectorFuel).used, 0);
    // One that passes is projected, and fails there.
    let failed = failure(session(&seen).run(&tools, Call::new("echo", json!({ "n": 1 }))).await);
    assert_eq!(failed.details.unwrap()["projector"], "render");
}

#[tokio::test]
async fn roots_of_every_kind_come_through() {
    for text in ["null", "true", "-0.5", "\"ü\"", "[]", "[1,[2,{\"z\":3,\"a\":null}]]", "{\"z\":{},\"a\":[]}"] {
        let items = format!("(data (i32.const 1024) \"{}\")", text.replace('"', "\\22"));
        let execute = format!("(call $ok (i32.const 1024) (i32.const {}))", text.len());
        let tools = tools(Guest { items: &items, execute: &execute, ..Guest::default() }, json!({})).await;
        let success = success(tools.call("echo", json!({})).await);
        assert_eq!(success.value.text(), text);
        assert_eq!(success.content, [ContentBlock::text(text)]);
    }
}

#[tokio::test]
async fn without_a_card_of_its_own_a_call_has_the_generic_one() {
    let success = success(echo().await.call("echo", json!({ "z": 1, "a": 2 })).await);
    let expect = Card::Generic {
        title: "echo".to_owned(),
        kind: None,
        input: Some(json!({ "z": 1, "a": 2 })),
        body: vec![ContentBlock::text("{\"z\":1,\"a\":2}")],
        locations: Vec::new(),
    };
    assert_eq!(success.card, expect);
}

#[tokio::test]
async fn a_change_is_shown_as_one_before_it_is_made() {
    let files = concat!(env!("CARGO_MANIFEST_DIR"), "/../sample-tools/dist/files.wasm");
    let folder = tempfile::tempdir().unwrap();
    let mount = Mount { host: folder.path().to_owned(), guest: GuestPath::root(), access: Access::ReadWrite };
    let settings = EngineSettings::standard(Compiler::InProcess, CacheLocation::Off);
    let tools = Host::new(settings).unwrap().load(files, &Policy::nothing().mount(mount).unwrap()).await.unwrap();
    let diff = |card: Card| match card {
        Card::Diff { diffs, .. } => diffs,
        other => panic!("{other:?}"),
    };
    let change = |old: Option<&str>, new: &str| {
        vec![FileDiff { path: "a.txt".to_owned(), old: old.map(ToOwned::to_owned), new: new.to_owned() }]
    };
    let write = Call::new("write", json!({ "path": "a.txt", "content": "one\ntwo\n" }));
    assert_eq!(diff(tools.pending_card(&write).await.unwrap()), change(None, "one\ntwo\n"));
    assert!(!folder.path().join("a.txt").exists());
    assert_eq!(diff(success(tools.run(write).await).card), change(None, "one\ntwo\n"));
    // What is known before is the part that changes, afterwards the whole file.
    let edit = Call::new("edit", json!({ "path": "a.txt", "oldText": "two", "newText": "2" }));
    assert_eq!(diff(tools.pending_card(&edit).await.unwrap()), change(Some("two"), "2"));
    assert_eq!(diff(success(tools.run(edit).await).card), change(Some("one\ntwo\n"), "one\n2\n"));
}

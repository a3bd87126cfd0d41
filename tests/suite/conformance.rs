//! What `docs/conformance.md` says of calls and sessions, where no other suite has it.

#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

#[path = "../support/mod.rs"]
mod support;

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use fumehood::{
    Amendment, CacheLocation, Call, CallPolicy, Card, Code, Compiler, Component, ContentBlock, Draft, DraftResult,
    EngineSettings, Event, Host, Inspected, LimitName, LoadLimits, Outcome, Policy, Proposed, Recorder, Registry,
    ReviewError, Reviewer, Ruling, Session, SessionRules, Verdict,
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
                let Some(ContentBlock::Text { text, .. }) = content.first() else { panic!("{content:?}") };
                format!("review {} {text} {}", value.text(), card.map_or("no card", Card::title))
            }
            DraftResult::Failure(failure) => format!("review {}", failure.code),
        });
        Box::pin(async { Ok(Verdict::Accept(Amendment::None)) })
    }
}

fn seen_by(seen: &Seen) -> SessionRules {
    let seen = Arc::new(seen.clone());
    SessionRules::none().policy(seen.clone()).reviewer(seen)
}

fn session(seen: &Seen) -> Session {
    Session::recorded(seen_by(seen), Arc::new(seen.clone()), 1).unwrap()
}

async fn tools(guest: Guest<'_>, output: Value) -> Registry {
    let mut manifest = support::manifest();
    manifest["tools"][0]["outputSchema"] = output;
    let settings = EngineSettings { slots: 1, ..EngineSettings::standard(Compiler::InProcess, CacheLocation::Off) };
    let component = Component::from_bytes(support::packed(&guest.wat(), &manifest), &LoadLimits::standard()).unwrap();
    let approved = Policy::nothing().approve(Inspected::of(component).unwrap()).unwrap();
    Registry::new([Host::new(settings).unwrap().compile(approved).await.unwrap()]).unwrap()
}

async fn echo() -> Registry {
    tools(Guest::default(), json!({ "type": "object" })).await
}

#[tokio::test]
async fn the_stages_have_one_order() {
    let execute = "(call $report (i64.const 1) (i32.const 0) (i64.const 0) (i32.const 0) (i32.const 0) (i32.const 0)) \
                   (call $ok (local.get $args) (local.get $args_len))";
    let imports = r#"(import "fumehood:tool/progress@0.1.0" "report" (func $report (param i64 i32 i64 i32 i32 i32)))"#;
    let tools = tools(Guest { imports, execute, ..Guest::default() }, json!({ "type": "object" })).await;
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
async fn an_unknown_tool_is_written_down_and_nobody_is_asked() {
    let seen = Seen::default();
    let failed = failure(session(&seen).run(&echo().await, Call::new("nobody", json!({ "a": 1 }))).await);
    assert_eq!(failed.code, Code::UnknownTool);
    assert_eq!(seen.take(), ["call 1 {\"a\":1}", "end 1 UNKNOWN_TOOL"]);
}

#[tokio::test]
async fn arguments_that_do_not_pass_are_written_down_and_nobody_is_asked() {
    let (seen, tools) = (Seen::default(), echo().await);
    for text in ["{\"a\":1,\"a\":2}", "not JSON", "[]"] {
        let failed = failure(session(&seen).run(&tools, Call::from_text("echo", text)).await);
        assert_eq!(failed.code, Code::InvalidArgs);
        assert_eq!(seen.take(), [format!("call 1 {text}"), "end 1 INVALID_ARGS".to_owned()]);
    }
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
async fn whoever_watches_and_fails_changes_nothing_and_stops_nobody() {
    let seen = Seen::default();
    let watches = seen.clone();
    let rules = SessionRules::none()
        .watched_by(Arc::new(|_| panic!("a watch that fails")))
        .watched_by(Arc::new(move |event| watches.record(std::slice::from_ref(event)).unwrap()));
    let session = Session::new(rules).unwrap();
    let tools = echo().await;
    for number in 1..=2 {
        let outcome = session.run(&tools, Call::new("echo", json!({}))).await;
        assert!(matches!(outcome, Outcome::Success(_)), "{outcome:?}");
        let ends = [format!("call {number} {{}}"), format!("start {number}"), format!("end {number} success")];
        assert_eq!(seen.take(), ends, "each call ends once");
    }
}

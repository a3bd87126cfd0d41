//! Results that are too long: what the model reads, what the person sees, and what neither changes.

use std::path::Path;
use std::sync::{Arc, Mutex};

use fumehood::{
    Amendment, Call, Card, CardBudget, ContentBlock, Draft, EndEvent, Event, ExitStatus, Locator, Outcome, Policy,
    RecordedCard, Recorder, Registry, SessionRules, SpillBudget, SpillLimits, SpillStore, Success, Verdict,
};
use serde_json::{Value, json};

use super::support::{self, Guest, success};
use super::{Looks, Session, echo, host, load, text_of, tools};

/// `a` calls `b` with its own arguments, and comes to what that came to.
async fn two() -> Registry {
    let imports = r#"(import "fumehood:host/tools@0.1.0" "call" (func $call (param i32 i32 i32 i32 i32)))"#;
    let execute = "(local.set $a (call $alloc (i32.const 32)))
        (call $call (i32.const 1024) (i32.const 1) (local.get $args) (local.get $args_len) (local.get $a))
        (if (result i32) (i32.load8_u (local.get $a))
          (then (call $failed (i32.load offset=4 (local.get $a)) (i32.load offset=8 (local.get $a))
            (i32.load offset=12 (local.get $a)) (i32.load offset=16 (local.get $a))))
          (else (call $ok (i32.load offset=4 (local.get $a)) (i32.load offset=8 (local.get $a)))))";
    let caller = Guest { imports, items: r#"(data (i32.const 1024) "b")"#, execute, ..Guest::default() };
    let named = |name: &str, asks: Value| {
        let mut manifest = support::manifest();
        manifest["name"] = json!(name);
        manifest["tools"][0]["name"] = json!(name);
        manifest["capabilities"] = asks;
        manifest
    };
    let asks = json!([{ "capability": "tools", "tool": "b", "reason": "A test.", "optional": true }]);
    let host = host();
    let granted = Policy::nothing().allow("tools=b".parse().unwrap()).unwrap();
    let a = load(&host, caller, &named("a", asks), &granted).await;
    let b = load(&host, Guest::default(), &named("b", json!([])), &Policy::nothing()).await;
    Registry::new([a, b]).unwrap()
}

/// Keeps all events.
#[derive(Default)]
struct Keeps(Mutex<Vec<Event>>);

impl Keeps {
    fn events(&self) -> Vec<Event> {
        self.0.lock().unwrap().clone()
    }
}

impl Recorder for Keeps {
    fn records_values(&self) -> bool {
        false
    }

    fn record(&self, events: &[Event]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.0.lock().unwrap().extend_from_slice(events);
        Ok(())
    }
}

fn store(home: &Path) -> SpillStore {
    SpillStore::open(home.join("spill"), SpillLimits::standard()).unwrap()
}

fn spilling(home: &Path) -> SessionRules {
    SessionRules::none().spilling(store(home), SpillBudget::new(1024).unwrap())
}

/// How many texts are kept there.
fn kept(home: &Path) -> usize {
    home.join("spill").read_dir().unwrap().count()
}

/// A call with arguments that make a long text, and what is written down of its end.
async fn call(tools: &Registry, tool: &str, rules: SessionRules) -> (Success, EndEvent) {
    let keeps = Arc::new(Keeps::default());
    let recorder: Arc<dyn Recorder> = keeps.clone();
    let session = Session::recorded(rules, recorder, 1).unwrap();
    let success = success(session.run(tools, Call::new(tool, json!({ "text": "x".repeat(60_000) }))).await);
    let ends = keeps.events();
    let Some(Event::End(end)) = ends.last() else { panic!("{ends:?}") };
    (success, (**end).clone())
}

#[tokio::test]
async fn without_a_budget_nothing_is_spilled() {
    let (success, end) = call(&echo().await, "echo", SessionRules::none()).await;
    assert_eq!(text_of(&success.content), success.value.text());
    assert!(end.spilled.is_none() && end.card_cut.is_none() && end.content == success.content);
}

#[tokio::test]
async fn what_is_spilled_is_what_the_reviewers_left() {
    let home = tempfile::tempdir().unwrap();
    let words = "other words ".repeat(1000);
    let reviewed = words.clone();
    let look = move |_: &Draft<'_>| Verdict::Accept(Amendment::Content(vec![ContentBlock::text(&reviewed)]));
    let rules = spilling(home.path()).reviewer(Arc::new(Looks("looks", look)));
    let (success, end) = call(&echo().await, "echo", rules).await;
    let spilled = end.spilled.unwrap();
    assert!(text_of(&success.content).starts_with("other words ") && text_of(&success.content).len() <= 1024);
    assert_eq!((spilled.bytes, end.content), (words.len() as u64, success.content));
    assert_eq!(store(home.path()).read(&spilled.locator.parse::<Locator>().unwrap()).unwrap(), words);
    assert_eq!(kept(home.path()), 1, "and nothing of what was there before");
    // Value and card are what they were.
    assert_eq!(success.value.text().len(), 60_011);
    let Card::Generic { body, .. } = success.card else { panic!() };
    assert_eq!(text_of(&body), success.value.text());
}

#[tokio::test]
async fn where_nothing_can_be_kept_the_call_succeeds_and_the_operator_is_told() {
    let home = tempfile::tempdir().unwrap();
    let rules = spilling(home.path());
    std::fs::remove_dir(home.path().join("spill")).unwrap();
    let (success, end) = call(&echo().await, "echo", rules).await;
    assert_eq!(text_of(&success.content), success.value.text());
    assert_eq!(end.spilled, None);
    let cause = success.diagnostic.cause.unwrap();
    assert!(cause.starts_with("a long text is not kept, and the model read all of it: "), "{cause}");
}

#[tokio::test]
async fn what_a_program_reads_is_not_spilled() {
    let home = tempfile::tempdir().unwrap();
    let (success, end) = call(&two().await, "a", spilling(home.path())).await;
    // The text of the called tool is as long as that of its caller, and only the caller's is kept.
    assert_eq!(success.value.text().len(), 60_011);
    assert_eq!(end.spilled.unwrap().bytes, 60_011);
    assert_eq!(kept(home.path()), 1);
}

#[tokio::test]
async fn a_status_is_the_values_when_its_text_is_spilled() {
    let guest = Guest {
        items: r#"(data (i32.const 1024) "sh")"#,
        // The command, its output, and exit code 3.
        present: "(local.set $a (call $some_card (i32.const 1)))
            (call $put (i32.add (local.get $a) (i32.const 24)) (i32.const 1024) (i32.const 2))
            (call $put (i32.add (local.get $a) (i32.const 56)) (local.get $value) (local.get $value_len))
            (i32.store8 offset=64 (local.get $a) (i32.const 1))
            (i32.store offset=72 (local.get $a) (i32.const 3))
            (local.get $a)",
        ..Guest::default()
    };
    let tools = tools(guest, json!({ "type": "object" })).await;
    let home = tempfile::tempdir().unwrap();
    let rules = spilling(home.path()).card_budget(CardBudget::new(CardBudget::LEAST).unwrap());
    let session = Session::new(rules).unwrap();
    let printed = format!("{}[exit code: 0]", "x\n".repeat(5000));
    let Outcome::Success(success) = session.run(&tools, Call::new("echo", json!({ "out": printed }))).await else {
        panic!()
    };
    assert!(text_of(&success.content).len() <= 1024);
    let Card::Terminal { exit, output, .. } = success.card else { panic!() };
    assert_eq!(exit, Some(ExitStatus::Code(3)));
    assert!(output.contains(" bytes are left out here ...]") && output.contains("[exit code: 0]"));
}

#[tokio::test]
async fn a_card_over_its_budget_is_cut_before_it_is_written_down_or_shown() {
    let least = SessionRules::none().card_budget(CardBudget::new(CardBudget::LEAST).unwrap()).pending_cards();
    let keeps = Arc::new(Keeps::default());
    let session = Session::recorded(least, keeps.clone(), 1).unwrap();
    let success = success(session.run(&echo().await, Call::new("echo", json!({ "text": "x".repeat(60_000) }))).await);
    let bytes = |card: &RecordedCard| serde_json::to_vec(card).unwrap().len() as u64;
    assert!(serde_json::to_vec(&success.card).unwrap().len() as u64 <= CardBudget::LEAST);
    let events = keeps.events();
    let [Event::Call(call), _, Event::End(end)] = events.as_slice() else { panic!("{events:?}") };
    assert!(bytes(call.card.as_ref().unwrap()) <= CardBudget::LEAST);
    assert!(bytes(end.card.as_ref().unwrap()) <= CardBudget::LEAST);
    let cut = end.card_cut.unwrap();
    assert!(cut.budget == CardBudget::LEAST && cut.bytes > 120_000, "{cut:?}");
    assert_eq!(text_of(&success.content).len(), 60_011, "the model has another budget");
}

//! A log read again: the same content and the same cards, byte for byte, and no tool.

#![expect(clippy::disallowed_methods, reason = "it reads the log that it wrote")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::SystemTime;

use fumehood::{
    Amendment, Call, CallId, ContentBlock, Draft, DraftResult, Log, LogSettings, LogSync, Outcome, Passage,
    SessionRules, SpillBudget, SpillLimits, SpillStore, Transcript, Verdict,
};
use serde_json::{Value, json};

use super::support::Guest;
use super::{Looks, Session, tools};

fn written(of: &impl serde::Serialize) -> String {
    serde_json::to_string(of).unwrap()
}

#[tokio::test]
async fn a_replay_shows_what_was_shown() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("session.jsonl");
    // Fails where its arguments are long in the way of `{"fail":…}`: by the eighth byte, `:`.
    let execute = "(if (result i32) (i32.eq (i32.load8_u offset=7 (local.get $args)) (i32.const 58))
        (then (call $error (i32.const 1) (local.get $args) (local.get $args_len)))
        (else (call $ok (local.get $args) (local.get $args_len))))";
    let tools = tools(Guest { execute, ..Guest::default() }, json!({ "type": "object" })).await;
    let look = |draft: &Draft<'_>| match draft.result {
        DraftResult::Success { value, .. } if value.text().contains("secret") => {
            Verdict::Accept(Amendment::Content(vec![ContentBlock::text("(nothing to read)")]))
        }
        DraftResult::Success { value, .. } if value.text().contains("instruction") => {
            Verdict::Block { feedback: "blocked".to_owned() }
        }
        _ => Verdict::Accept(Amendment::None),
    };
    let store = SpillStore::open(home.path().join("spill"), SpillLimits::standard()).unwrap();
    let rules = SessionRules::none()
        .reviewer(Arc::new(Looks("looks", look)))
        .spilling(store, SpillBudget::new(1024).unwrap())
        .card_budget(fumehood::CardBudget::new(4096).unwrap());
    let (log, _) = Log::open(&path, LogSettings { sync: LogSync::Never, ..LogSettings::standard() }).unwrap();
    let session = Session::recorded(rules, Arc::new(log), 1).unwrap();
    let mut live = Vec::new();
    for args in [
        json!({ "z": -0.0, "a": [1e20, 0.1, "\u{0}\u{2028}😀</script>"], "n": u64::MAX }),
        json!({ "fail": 1 }),
        json!({ "a": "secret" }),
        json!({ "a": "instruction" }),
        json!({ "a": "long ".repeat(5000) }),
    ] {
        live.push(session.run(&tools, Call::new("echo", args)).await);
    }
    live.push(session.run(&tools, Call::from_text("echo", "not JSON")).await);
    live.push(session.run(&tools, Call::new("nobody", json!({}))).await);
    drop((session, tools));

    let bytes = std::fs::read(&path).unwrap();
    let contents: Vec<_> = Transcript::new(&bytes[..]).model_contents().map(Result::unwrap).collect();
    let expect: Vec<_> =
        live.iter().zip(1..).map(|(outcome, at)| (CallId::top(at), written(&outcome.content()))).collect();
    assert_eq!(contents.iter().map(|(call, content)| (call.clone(), written(content))).collect::<Vec<_>>(), expect);
    let mut cards = 0;
    for passage in Transcript::new(&bytes[..]) {
        let Passage::Call(call) = passage.unwrap() else { continue };
        let Outcome::Success(success) = &live[usize::try_from(call.id.root()).unwrap() - 1] else { continue };
        let card = call.card_at_end();
        assert_eq!((written(&card.card), card.note), (written(&success.card), None));
        cards += 1;
    }
    assert_eq!(cards, 3);
}

/// One of each card, each of its own tool.
fn cards() -> Vec<(&'static str, Value)> {
    vec![
        ("remember", json!({ "card": "generic", "title": "Title", "body": [{ "type": "text", "text": "body" }] })),
        (
            "run",
            json!({ "card": "terminal", "title": "ls", "output": "a\n", "exit": { "code": 1 }, "timedOut": false }),
        ),
        (
            "edit",
            json!({ "card": "diff", "title": "Change", "diffs": [{ "path": "a.rs", "old": "1\n", "new": "2\n" }] }),
        ),
        (
            "read",
            json!({ "card": "read", "title": "a.rs", "path": "a.rs", "offset": 1, "lines": [{ "number": 1, "text":
            "fn main() {}" }], "totalLines": 1, "language": "rust" }),
        ),
        (
            "grep",
            json!({ "card": "search", "title": "x", "results": { "paths": { "paths": ["a", "b"], "truncated": true,
            "total": 3 } } }),
        ),
        (
            "search",
            json!({ "card": "web", "title": "y", "results": { "search": { "sources": [{ "url":
            "https://example.com/" }], "truncated": false } } }),
        ),
        ("later", json!({ "card": "hologram", "title": "Title" })),
    ]
}

/// What the command shows of calls of these tools, from a log in which they have other names.
fn shown(home: &Path, name: impl Fn(&str) -> String) -> String {
    let path = home.join("renamed.jsonl");
    let clock = || SystemTime::UNIX_EPOCH;
    let (log, _) = Log::open(&path, LogSettings { sync: LogSync::Never, values: false, clock }).unwrap();
    for (at, (tool, card)) in cards().into_iter().enumerate() {
        let call = (at + 1).to_string();
        for event in [
            json!({ "event": "call", "call": call, "tool": name(tool), "args": "{}" }),
            json!({ "event": "start", "call": call }),
            json!({ "event": "end", "call": call, "outcome": "success", "content": [], "card": card, "usage": {}, "millis": 4 }),
        ] {
            log.append(serde_json::from_value(event).unwrap()).unwrap();
        }
    }
    drop(log);
    let output = Command::new(env!("CARGO_BIN_EXE_fumehood")).arg("replay").arg(&path).output().unwrap();
    std::fs::remove_file(&path).unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("fn main() {}"), "{shown} {}", String::from_utf8_lossy(&output.stderr));
    shown
}

#[test]
fn the_same_is_drawn_whatever_a_tool_is_called() {
    let home = tempfile::tempdir().unwrap();
    let plain = shown(home.path(), |tool| format!("<{tool}>"));
    let renamed = shown(home.path(), |tool| format!("<{}>", tool.chars().rev().collect::<String>()));
    let mut back = renamed;
    for (tool, _) in cards() {
        assert!(plain.contains(&format!("<{tool}>")), "{plain}");
        back = back.replace(&format!("<{}>", tool.chars().rev().collect::<String>()), &format!("<{tool}>"));
    }
    assert_eq!(back, plain);
}

//! Another value in the place of the tool's: through both gates and both projectors, once more.

use std::sync::Arc;

use fumehood::{
    Amendment, Call, Card, Code, ContentBlock, Digest, DraftResult, Event, Outcome, RecordedCard, Registry, ReviewedAs,
    Reviewer, SessionRules, Success, Verdict,
};
use serde_json::{Value, json};

use super::stage::{
    Keeps, Log, Notes, always, compiled, echo, elsewhere, host, now, reviewer, said, session, session_that, tool,
};
use super::support::{Guest, failure, success};

fn value(json: &str) -> Verdict {
    Verdict::Accept(Amendment::Value(json.to_owned()))
}

fn content(text: &str) -> Verdict {
    Verdict::Accept(Amendment::Content(vec![ContentBlock::text(text)]))
}

async fn run(registry: &Registry, reviewers: Vec<Arc<dyn Reviewer>>) -> (Outcome, Log) {
    let rules = reviewers.into_iter().fold(SessionRules::none(), SessionRules::reviewer);
    let (session, log) = session_that(Keeps::AllWithValues, rules);
    (session.run(registry, Call::new("a", json!({ "x": 1 }))).await, log)
}

fn digest(json: &impl serde::Serialize) -> Digest {
    Digest::of(&serde_json::to_vec(json).unwrap())
}

/// The title of the card is the value.
async fn titled() -> Registry {
    let present = "(if (result i32) (local.get $has_value)
        (then (call $card (local.get $value) (local.get $value_len)))
        (else (call $no_card)))";
    let guest = Guest { present, ..Guest::default() };
    Registry::new([compiled(&host(1), &guest.wat(), &[tool("a")], &[], |policy| policy).await]).unwrap()
}

#[tokio::test]
async fn everything_is_made_from_the_new_value() {
    let seen = Notes::default();
    let sees = |name: &'static str| {
        let seen = seen.clone();
        reviewer(name, move |draft| {
            let DraftResult::Success { value, content, card } = draft.result else { panic!("{draft:?}") };
            let content = serde_json::to_string(content).unwrap();
            seen.add(format!("{name}: {} {content} {}", value.text(), card.unwrap().title()));
            now(Ok(Verdict::Accept(Amendment::None)))
        })
    };
    let swaps = always("swaps", value(r#" {"x" : 2.0} "#));
    let (outcome, log) = run(&titled().await, vec![sees("before"), swaps, sees("after")]).await;
    let Success { value, content, card, diagnostic, .. } = success(outcome);
    let new = r#"{"x":2.0}"#;
    assert_eq!((value.text(), card.title()), (new, new));
    assert_eq!(content, [ContentBlock::text(new)]);
    let shows = |text: &str| format!("{text} {} {text}", json!([{ "type": "text", "text": text }]));
    // What the projectors made of the new value is shown to those who saw the old one, too.
    let before = |text: &str| format!("before: {}", shows(text));
    assert_eq!(seen.take(), [before(r#"{"x":1}"#), before(new), format!("after: {}", shows(new))]);
    assert_eq!(diagnostic.reviews.len(), 1);

    let end = log.end("1");
    assert_eq!((&end.reviews[0].reviewer[..], end.reviews[0].verdict), ("swaps", ReviewedAs::Value));
    assert_eq!(end.value, Some(json!({ "x": 2.0 })));
    let projected = end.projected.unwrap();
    assert_eq!(projected.value, Digest::of(new.as_bytes()));
    assert_eq!((projected.content, projected.card), (digest(&content), Some(digest(&card))));
    assert_eq!(log.lines(), ["call 1 a", "start 1", "end 1 ok"]);
}

/// Content is made from the value, and whoever replaced the old content is asked about the new.
#[tokio::test]
async fn a_new_value_brings_its_own_content() {
    let (outcome, log) =
        run(&titled().await, vec![always("words", content("other words")), always("swaps", value("{}"))]).await;
    assert_eq!(success(outcome).content, [ContentBlock::text("other words")]);
    assert_eq!(log.end("1").reviews.len(), 3);

    let (outcome, log) =
        run(&titled().await, vec![always("swaps", value("{}")), always("words", content("other words"))]).await;
    let Success { value, content, card, .. } = success(outcome);
    assert_eq!((value.text(), content, card.title()), ("{}", vec![ContentBlock::text("other words")], "{}"));
    // The digests are those of what the projectors made.
    assert_eq!(log.end("1").projected.unwrap().content, digest(&[ContentBlock::text("{}")]));
}

/// A projector cannot keep back for the new value what a reviewer would have stopped with the old one.
#[tokio::test]
async fn what_is_made_of_a_new_value_is_reviewed() {
    let render = "(if (result i32) (i32.eq (local.get $value_len) (i32.const 2))
        (then (call $text (i32.const 1024) (i32.const 4)))
        (else (call $text (local.get $value) (local.get $value_len))))";
    let guest = Guest { items: r#"(data (i32.const 1024) "HUSH")"#, render, ..Guest::default() };
    let registry = Registry::new([compiled(&host(1), &guest.wat(), &[tool("a")], &[], |policy| policy).await]).unwrap();
    let stops = || {
        reviewer("stops", |draft| {
            let DraftResult::Success { content, .. } = draft.result else { panic!("{draft:?}") };
            let hush = content.iter().any(|block| *block == ContentBlock::text("HUSH"));
            let block = Verdict::Block { feedback: "no".to_owned() };
            now(Ok(if hush { block } else { Verdict::Accept(Amendment::None) }))
        })
    };
    let swaps = || always("swaps", value("{}"));
    for reviewers in [vec![stops(), swaps()], vec![swaps(), stops()]] {
        let (outcome, log) = run(&registry, reviewers).await;
        assert_eq!(failure(outcome).code, Code::Blocked);
        assert!(!serde_json::to_string(&log.events()).unwrap().contains("HUSH"));
    }
    assert_eq!(success(run(&registry, vec![stops()]).await.0).content, [ContentBlock::text(r#"{"x":1}"#)]);
}

#[tokio::test]
async fn each_reviewer_may_replace_it_once() {
    let doubles = |name, up_to: u64| {
        reviewer(name, move |draft| {
            let DraftResult::Success { value: before, .. } = draft.result else { panic!("{draft:?}") };
            let x = before.value()["x"].as_u64().unwrap();
            let twice =
                if x < up_to { value(&json!({ "x": x * 2 }).to_string()) } else { Verdict::Accept(Amendment::None) };
            now(Ok(twice))
        })
    };
    let reviewers = vec![doubles("one", 2), doubles("two", 4), doubles("three", 8)];
    let (outcome, log) = run(&titled().await, reviewers).await;
    assert_eq!(success(outcome).value.text(), r#"{"x":8}"#);
    assert_eq!(log.end("1").reviews.len(), 3);
    // One that is not content with what it wanted would never end.
    let (outcome, _log) = run(&titled().await, vec![doubles("one", 8)]).await;
    let failed = failure(outcome);
    assert_eq!(failed.code, Code::Blocked);
    assert!(failed.diagnostic.cause.unwrap().contains("a second time"));
}

#[tokio::test]
async fn a_value_that_does_not_pass_names_its_reviewer_and_is_nowhere() {
    let mut strict = tool("a");
    strict["outputSchema"] = json!({ "type": "object", "properties": { "x": { "type": "integer" } } });
    // A value of more than 16 bytes is too much for its projector.
    let render = "(if (i32.gt_u (local.get $value_len) (i32.const 16)) (then unreachable))
        (call $text (local.get $value) (local.get $value_len))";
    let guest = Guest { render, ..Guest::default() };
    let registry = Registry::new([compiled(&host(1), &guest.wat(), &[strict], &[], |policy| policy).await]).unwrap();
    let check = async |new: &str, part: &str| {
        let seen = Notes::default();
        let notes = seen.clone();
        let after = reviewer("after", move |draft| {
            let DraftResult::Failure(failure) = draft.result else { panic!("{draft:?}") };
            notes.add(failure.code.as_str());
            now(Ok(Verdict::Accept(Amendment::None)))
        });
        let (outcome, log) = run(&registry, vec![always("swaps", value(new)), after]).await;
        assert!(!serde_json::to_string(&outcome).unwrap().contains("HUSH"), "{new}");
        let failed = failure(outcome);
        assert_eq!(failed.code, Code::InvalidToolOutput, "{new}");
        assert!(failed.message.contains(part), "{new}: {}", failed.message);
        assert!(failed.message.ends_with("; the value is that of the reviewer swaps"), "{}", failed.message);
        assert_eq!(failed.content, [ContentBlock::text(format!("INVALID_TOOL_OUTPUT: {}", failed.message))]);
        let end = log.end("1");
        assert_eq!((end.value, end.card, end.projected), (None, None, None));
        assert_eq!(end.reviews.len(), 1);
        assert!(!serde_json::to_string(&log.events()).unwrap().contains("HUSH"), "{new}");
        // `execute` ran once. Whoever looks after it sees the failure.
        assert_eq!(log.lines(), ["call 1 a", "start 1", "end 1 INVALID_TOOL_OUTPUT"]);
        assert_eq!(seen.take(), ["INVALID_TOOL_OUTPUT"]);
    };
    check("HUSH", "cannot be used").await;
    check(r#"{"x":1,"x":2}"#, "cannot be used").await;
    check("", "cannot be used").await;
    check("[]", "schema").await;
    check(r#"{"x":"HUSH"}"#, "schema").await;
    check(r#"{"y":"HUSH HUSH HUSH"}"#, "render failed").await;
    let (outcome, _log) = run(&registry, vec![always("swaps", value(r#"{"x":7}"#))]).await;
    assert_eq!(success(outcome).value.text(), r#"{"x":7}"#);
}

/// The value of a mounted tool is what it says, and so is its content.
#[tokio::test]
async fn a_mounted_tools_value_is_its_content() {
    let registry = elsewhere(&[tool("a")], |_| now(said("done")));
    let (outcome, log) = run(&registry, vec![always("swaps", value(&said("hidden").unwrap()))]).await;
    let Success { value: new, content, card, .. } = success(outcome);
    assert_eq!(new.text(), said("hidden").unwrap());
    assert_eq!(content, [ContentBlock::text("hidden")]);
    let Card::Generic { body, .. } = &card else { panic!("{card:?}") };
    assert_eq!(body[1..], content);
    assert_eq!(log.end("1").card, Some(RecordedCard::Known(card)));
    assert!(!serde_json::to_string(&log.events()).unwrap().contains("done"));

    let (outcome, _log) = run(&registry, vec![always("swaps", value("{}"))]).await;
    let failed = failure(outcome);
    assert_eq!(failed.code, Code::InvalidToolOutput);
    assert!(failed.message.contains("no list `content`; the value is that of the reviewer swaps"), "{failed:?}");
}

/// Any JSON is a value: also the one that says that there is none.
#[tokio::test]
async fn a_recorded_value_is_read_as_it_was() {
    for text in ["null", "-0.0", "18446744073709551615", r#""a\u0000""#, r#"{"b":1,"a":[]}"#] {
        let mut any = tool("a");
        any["outputSchema"] = json!({});
        let registry = Registry::new([compiled(&host(1), &Guest::default().wat(), &[any], &[], |p| p).await]).unwrap();
        let (outcome, log) = run(&registry, vec![always("swaps", value(text))]).await;
        let success = success(outcome);
        assert_eq!(success.value.text(), text);
        let written = serde_json::to_string(log.events().last().unwrap()).unwrap();
        let Event::End(read) = serde_json::from_str(&written).unwrap() else { panic!("{written}") };
        assert_eq!(read.value.as_ref().map(Value::to_string).as_deref(), Some(text));
        assert_eq!(read.projected.unwrap().value, digest(&read.value.unwrap()));
    }
}

#[tokio::test]
async fn values_are_written_down_on_request_alone() {
    let registry = Registry::new([echo(&host(1), "a").await]).unwrap();
    let (with, kept) = session_that(Keeps::AllWithValues, SessionRules::none());
    let (without, log) = session(SessionRules::none());
    for session in [&with, &without] {
        success(session.run(&registry, Call::new("a", json!({ "x": 1 }))).await);
    }
    assert_eq!((kept.end("1").value, log.end("1").value), (Some(json!({ "x": 1 })), None));
    assert_eq!(kept.end("1").projected, log.end("1").projected);
}

//! Who looks at a result before anybody else: what passes, what is put in its place, what is withheld.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fumehood::{
    Amendment, Call, CancellationToken, Code, ContentBlock, Draft, DraftResult, Failure, FailureKind, Outcome,
    Progress, Registry, RemoteError, ReviewError, ReviewedAs, SessionRules, Success, Verdict,
};
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;

use super::stage::{
    Dropped, Log, Notes, Reviewed, always, asking, compiled, echo, elsewhere, host, never, now, relay, reviewer, said,
    session, tool,
};
use super::support::{Guest, failure, success};

const ACCEPT: Verdict = Verdict::Accept(Amendment::None);

fn content(text: &str) -> Verdict {
    Verdict::Accept(Amendment::Content(vec![ContentBlock::text(text)]))
}

fn block(feedback: &str) -> Verdict {
    Verdict::Block { feedback: feedback.to_owned() }
}

/// What a reviewer sees that a model would read.
fn shown(draft: &Draft<'_>) -> String {
    let content = match draft.result {
        DraftResult::Success { content, .. } => content,
        DraftResult::Failure(failure) => &failure.content,
    };
    let texts = content.iter().map(|block| match block {
        ContentBlock::Text { text, .. } => text.as_str(),
        other => panic!("{other:?}"),
    });
    texts.collect()
}

fn one_tool() -> Registry {
    elsewhere(&[tool("a")], |_| now(said("done")))
}

async fn reviewed(registry: &Registry, rules: SessionRules) -> (Outcome, Log) {
    let (session, log) = session(rules);
    (session.run(registry, Call::new("a", json!({ "x": 1 }))).await, log)
}

async fn blocked(registry: &Registry, rules: SessionRules) -> (Failure, Log) {
    let (outcome, log) = reviewed(registry, rules).await;
    let failed = failure(outcome);
    assert_eq!((failed.code, failed.kind), (Code::Blocked, FailureKind::Refused));
    let end = log.end("1");
    assert_eq!((end.card, end.value, end.projected), (None, None, None));
    assert_eq!(end.content, failed.content);
    assert_eq!(log.lines(), ["call 1 a", "start 1", "end 1 BLOCKED"]);
    (failed, log)
}

#[tokio::test]
async fn each_sees_what_those_before_it_left() {
    let registry = Registry::new([echo(&host(1), "a").await]).unwrap();
    let seen = Notes::default();
    let notes = |name: &'static str, verdict: Verdict| {
        let seen = seen.clone();
        reviewer(name, move |draft| {
            assert!(draft.tool == "a" && draft.args.text() == r#"{"x":1}"# && !draft.nested);
            let DraftResult::Success { value, card, .. } = draft.result else { panic!("{draft:?}") };
            assert_eq!((value.text(), card.unwrap().title()), (r#"{"x":1}"#, "Tool a"));
            seen.add(format!("{name}: {}", shown(&draft)));
            now(Ok(verdict.clone()))
        })
    };
    let rules = SessionRules::none()
        .reviewer(notes("outer", content("outer's")))
        .reviewer(notes("middle", ACCEPT))
        .reviewer(notes("inner", content("inner's")));
    let plain = success(registry.call("a", json!({ "x": 1 })).await);
    let (outcome, log) = reviewed(&registry, rules).await;
    assert_eq!(seen.take(), [r#"outer: {"x":1}"#, "middle: outer's", "inner: outer's"]);

    // What is shown is another, and the value and the card are not.
    let Success { value, content, card, diagnostic, .. } = success(outcome);
    assert_eq!((value.text(), &card), (plain.value.text(), &plain.card));
    assert_eq!(content, [ContentBlock::text("inner's")]);
    let verdicts: Vec<_> = diagnostic.reviews.iter().map(|by| (by.reviewer.as_str(), by.verdict)).collect();
    assert_eq!(verdicts, [("outer", ReviewedAs::Content), ("inner", ReviewedAs::Content)]);
    let end = log.end("1");
    assert_eq!((end.content, &end.reviews), (content, &diagnostic.reviews));
    assert_eq!(serde_json::to_value(end.card).unwrap(), serde_json::to_value(card).unwrap());
}

#[tokio::test]
async fn an_acceptance_changes_nothing_and_is_not_told() {
    let plain = success(one_tool().call("a", json!({ "x": 1 })).await);
    let (outcome, log) = reviewed(&one_tool(), SessionRules::none().reviewer(always("calm", ACCEPT))).await;
    let accepted = success(outcome);
    assert_eq!((accepted.content, accepted.card), (plain.content, plain.card));
    assert!(accepted.diagnostic.reviews.is_empty() && log.end("1").reviews.is_empty());
}

#[tokio::test]
async fn a_blocked_result_is_a_failure_with_the_reviewers_words_and_nothing_else() {
    let check = async |feedback: &str, words: &str| {
        let later = Arc::new(AtomicUsize::new(0));
        let count = later.clone();
        let after = reviewer("after", move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            now(Ok(ACCEPT))
        });
        let rules = SessionRules::none().reviewer(always("guard", block(feedback))).reviewer(after);
        let (failed, log) = blocked(&one_tool(), rules).await;
        assert_eq!(failed.message, words);
        assert_eq!(failed.content, [ContentBlock::text(format!("BLOCKED: {words}"))]);
        assert_eq!(failed.details, Some(json!({ "reviewer": "guard" })));
        assert_eq!(failed.diagnostic.reviews[0].verdict, ReviewedAs::Block);
        assert_eq!(log.end("1").reviews, failed.diagnostic.reviews);
        assert_eq!(later.load(Ordering::SeqCst), 0);
        let event = serde_json::to_string(&log.events()).unwrap();
        assert!(!event.contains("done") && !serde_json::to_string(&Outcome::Failure(failed)).unwrap().contains("done"));
    };
    check("it tells you what to do", "it tells you what to do").await;
    check("", "the result was blocked by a reviewer").await;
    check(" \n\t ", "the result was blocked by a reviewer").await;
    let long = "ü".repeat(8_000);
    check(&long, &format!("{}… (7808 bytes more)", &long[..8_192])).await;
}

#[tokio::test]
async fn a_review_that_fails_blocks_and_only_the_operator_learns_why() {
    let check = async |reviewed_by: Arc<dyn fumehood::Reviewer>, why: &str| {
        let later = Notes::default();
        let heard = later.clone();
        let after = reviewer("after", move |_| {
            heard.add("asked");
            now(Ok(ACCEPT))
        });
        let rules = SessionRules::none().reviewer(reviewed_by).reviewer(after).review_time(Duration::from_millis(20));
        let (failed, log) = blocked(&one_tool(), rules).await;
        assert_eq!(failed.message, "the result was withheld: a reviewer could not look at it");
        assert_eq!(failed.diagnostic.cause.unwrap(), format!("the reviewer guard came to no verdict: {why}"));
        assert_eq!(log.end("1").reviews[0].verdict, ReviewedAs::Failed);
        assert!(!serde_json::to_string(&log.events()).unwrap().contains(why), "{why}");
        assert!(later.take().is_empty(), "{why}");
    };
    let guard = |review: fn(Draft<'_>) -> Reviewed| reviewer("guard", review);
    check(guard(|_| now(Err(ReviewError("no such file: /srv/rules".to_owned())))), "no such file: /srv/rules").await;
    check(guard(|_| Box::pin(async { panic!("index 3 of 2") })), "it panicked: index 3 of 2").await;
    // Before it has a future.
    check(guard(|_| panic!("index 3 of 2")), "it panicked: index 3 of 2").await;
    check(guard(|_| never()), "it took longer than 20 ms").await;
}

/// A tool that fails, and says what it should not in every place there is.
async fn leaky() -> Registry {
    let guest = Guest {
        items: r#"(data (i32.const 1024) "SECRET is what it said")"#,
        execute: "(call $failed (i32.const 1024) (i32.const 6) (i32.const 1024) (i32.const 22))",
        ..Guest::default()
    };
    Registry::new([compiled(&host(1), &guest.wat(), &[tool("a")], &[], |policy| policy).await]).unwrap()
}

#[tokio::test]
async fn content_for_a_failure_leaves_nothing_of_what_it_said() {
    let registry = leaky().await;
    // The twin: it is everywhere.
    let (outcome, log) = reviewed(&registry, SessionRules::none().reviewer(always("calm", ACCEPT))).await;
    assert!(serde_json::to_string(&log.events()).unwrap().matches("SECRET").count() >= 3);
    assert_eq!(failure(outcome).details.unwrap()["code"], "SECRET");

    let seen = Notes::default();
    let notes = seen.clone();
    let after = reviewer("after", move |draft| {
        notes.add(shown(&draft));
        now(Ok(ACCEPT))
    });
    let rules = SessionRules::none().reviewer(always("redacts", content("it failed"))).reviewer(after);
    let (outcome, log) = reviewed(&registry, rules).await;
    assert!(!serde_json::to_string(&log.events()).unwrap().contains("SECRET"));
    assert!(!serde_json::to_string(&outcome).unwrap().contains("SECRET"));
    let failed = failure(outcome);
    assert!(!format!("{failed:?}").contains("SECRET"), "{failed:?}");
    assert_eq!((failed.code, failed.message.as_str(), failed.details), (Code::ToolFailed, "it failed", None));
    assert_eq!(failed.content, [ContentBlock::text("it failed")]);
    assert_eq!(log.end("1").reviews[0].verdict, ReviewedAs::Content);
    assert_eq!(seen.take(), ["it failed"]);

    // Without a word: the message still says something.
    let nothing = Verdict::Accept(Amendment::Content(Vec::new()));
    let (outcome, _log) = reviewed(&registry, SessionRules::none().reviewer(always("redacts", nothing))).await;
    let failed = failure(outcome);
    assert!(failed.content.is_empty());
    assert_eq!(failed.message, "a reviewer took out what it said");
}

#[tokio::test]
async fn a_failure_has_no_value_to_replace_and_can_be_blocked() {
    let value = Verdict::Accept(Amendment::Value("{}".to_owned()));
    let (failed, _log) = blocked(&leaky().await, SessionRules::none().reviewer(always("guard", value))).await;
    let cause = failed.diagnostic.cause.as_deref().unwrap();
    assert!(cause.contains("wants another value, and a failure has none"), "{cause}");
    let (failed, log) = blocked(&leaky().await, SessionRules::none().reviewer(always("guard", block("no")))).await;
    assert_eq!(failed.message, "no");
    assert!(!serde_json::to_string(&log.events()).unwrap().contains("SECRET"));
}

/// Why a call failed is for the operator, whatever a reviewer makes of it.
#[tokio::test]
async fn the_operator_keeps_the_cause_of_what_is_blocked() {
    let gone = |_| now(Err(RemoteError::Unavailable("the socket /srv/s is gone".to_owned())));
    let check = async |verdict: Verdict, more: &str| {
        let registry = elsewhere(&[tool("a")], gone);
        let (outcome, _log) = reviewed(&registry, SessionRules::none().reviewer(always("guard", verdict))).await;
        let cause = failure(outcome).diagnostic.cause.unwrap();
        assert!(cause.contains("the socket /srv/s is gone") && cause.contains(more), "{cause}");
    };
    check(ACCEPT, "").await;
    check(content("later"), "").await;
    check(block("no"), "").await;
    check(Verdict::Accept(Amendment::Value("{}".to_owned())), "the reviewer guard came to no verdict").await;
}

#[tokio::test]
async fn a_reviewers_content_keeps_the_rules_of_content() {
    let check = async |blocks: Vec<ContentBlock>, why: &str| {
        let verdict = Verdict::Accept(Amendment::Content(blocks));
        let (failed, _log) = blocked(&one_tool(), SessionRules::none().reviewer(always("guard", verdict))).await;
        let cause = failed.diagnostic.cause.unwrap();
        assert!(cause.contains("its content cannot be used") && cause.contains(why), "{cause}");
    };
    let from = |json: serde_json::Value| -> ContentBlock { serde_json::from_value(json).unwrap() };
    check(vec![from(json!({ "type": "image", "data": "AA==", "mimeType": "no type" }))], "image/subtype").await;
    check(vec![from(json!({ "type": "resource_link", "uri": "../x", "name": "x" }))], "uri").await;
    check(vec![ContentBlock::text("x"); 100_000], "content-blocks").await;
    let image = from(json!({ "type": "image", "data": "AA==", "mimeType": "image/png" }));
    let verdict = Verdict::Accept(Amendment::Content(vec![image.clone()]));
    let (outcome, _log) = reviewed(&one_tool(), SessionRules::none().reviewer(always("guard", verdict))).await;
    assert_eq!(success(outcome).content, [image]);
}

#[tokio::test]
async fn what_never_began_is_no_matter_for_a_reviewer() {
    let heard = Arc::new(AtomicUsize::new(0));
    let count = heard.clone();
    let counts = reviewer("counts", move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        now(Ok(block("no")))
    });
    let (session, _log) = session(SessionRules::none().reviewer(counts.clone()));
    let registry = one_tool();
    let cancel = CancellationToken::new();
    cancel.cancel();
    for (call, code) in [
        (Call::new("b", json!({})), Code::UnknownTool),
        (Call::new("a", json!([])), Code::InvalidArgs),
        (Call::new("a", json!({})).cancelled_by(cancel), Code::AbortedBeforeDispatch),
    ] {
        assert_eq!(failure(session.run(&registry, call).await).code, code);
    }
    let asks = super::stage::session(SessionRules::none().reviewer(counts).policy(asking("careful"))).0;
    assert_eq!(failure(asks.run(&registry, Call::new("a", json!({}))).await).code, Code::Denied);
    assert_eq!(heard.load(Ordering::SeqCst), 0);
    assert_eq!(failure(session.run(&registry, Call::new("a", json!({}))).await).code, Code::Blocked);
    assert_eq!(heard.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_call_that_is_cancelled_while_it_is_reviewed_is_aborted() {
    let (send, mut heard) = unbounded_channel();
    let holds = reviewer("holds", move |_| {
        let _ = send.send("asked");
        let held = Dropped(send.clone(), "gone");
        Box::pin(async move {
            let _held = held;
            never().await
        })
    });
    let (session, log) = session(SessionRules::none().reviewer(holds));
    let cancel = CancellationToken::new();
    let call = Call::new("a", json!({})).cancelled_by(cancel.clone());
    let running = tokio::spawn({
        let (session, registry) = (session.clone(), one_tool());
        async move { session.run(&registry, call).await }
    });
    assert_eq!(heard.recv().await, Some("asked"));
    cancel.cancel();
    let aborted = failure(running.await.unwrap());
    assert_eq!((aborted.code, aborted.message.as_str()), (Code::Aborted, "cancelled"));
    assert_eq!(heard.recv().await, Some("gone"));
    assert_eq!(log.lines(), ["call 1 a", "start 1", "end 1 ABORTED"]);
}

/// What a program gets is the value, whatever a model would have read; and a model reads nothing of a nested call.
#[tokio::test]
async fn a_nested_call_is_reviewed_as_one() {
    let host = host(1);
    let registry = Registry::new([relay(&host, "a", &["b"]).await, echo(&host, "b").await]).unwrap();
    let check = async |verdict: Verdict| {
        let nested = reviewer("nested", move |draft| {
            let DraftResult::Success { card, .. } = draft.result else { return now(Ok(ACCEPT)) };
            assert_eq!((draft.nested, card.is_none()), (draft.tool == "b", draft.tool == "b"));
            now(Ok(if draft.nested { verdict.clone() } else { ACCEPT }))
        });
        reviewed(&registry, SessionRules::none().reviewer(nested)).await
    };
    let (outcome, log) = check(content("instead")).await;
    assert_eq!(success(outcome).value.text(), r#"{"x":1}"#);
    assert_eq!(log.end("1.1").content, [ContentBlock::text("instead")]);
    assert_eq!(log.end("1").content, [ContentBlock::text(r#"{"x":1}"#)]);

    let (outcome, log) = check(Verdict::Accept(Amendment::Value(r#"{"x":2}"#.to_owned()))).await;
    assert_eq!(success(outcome).value.text(), r#"{"x":2}"#);
    assert_eq!(log.end("1.1").reviews[0].verdict, ReviewedAs::Value);
    assert!(log.end("1").reviews.is_empty());

    let (outcome, log) = check(block("words for a model")).await;
    let failed = failure(outcome);
    assert_eq!(failed.details.as_ref().unwrap()["code"], "BLOCKED");
    assert_eq!(failed.message, "b did not come to a value (BLOCKED); the operator's log says why");
    assert_eq!(log.lines()[4], "end 1.1 BLOCKED");
}

/// A reviewer that calls tools finds room for them: the call that it looks at keeps none.
#[tokio::test]
async fn a_call_keeps_no_room_while_it_is_reviewed() {
    let host = host(1);
    let registry = Registry::new([echo(&host, "a").await, echo(&host, "b").await]).unwrap();
    let (of_b, seen) = (registry.clone(), Arc::new(Mutex::new(None)));
    let kept = seen.clone();
    let asks = reviewer("asks", move |_| {
        let (registry, kept) = (of_b.clone(), kept.clone());
        Box::pin(async move {
            let looked = success(registry.call("b", json!({ "y": 1 })).await);
            *kept.lock().unwrap() = Some(looked.value.text().to_owned());
            Ok(Verdict::Accept(Amendment::Value(r#"{"x":3}"#.to_owned())))
        })
    });
    let (outcome, _log) = reviewed(&registry, SessionRules::none().reviewer(asks)).await;
    assert_eq!(success(outcome).value.text(), r#"{"x":3}"#);
    assert_eq!(seen.lock().unwrap().as_deref(), Some(r#"{"y":1}"#));
}

/// What a tool says while it runs is there before anybody could look at it.
#[tokio::test]
async fn progress_has_no_words_where_results_are_reviewed() {
    let registry = elsewhere(&[tool("a")], |call| {
        let progress = Progress { done: 1, total: Some(2), message: Some("HUSH".to_owned()) };
        call.progress.unwrap()(progress);
        now(said("done"))
    });
    let heard = async |rules: SessionRules| {
        let told = Notes::default();
        let notes = told.clone();
        let (session, _log) = session(rules);
        let call = Call::new("a", json!({})).on_progress(Arc::new(move |progress| notes.add(format!("{progress:?}"))));
        success(session.run(&registry, call).await);
        told.take()
    };
    let said = heard(SessionRules::none()).await;
    assert!(said.len() == 1 && said[0].contains("HUSH"), "{said:?}");
    let said = heard(SessionRules::none().reviewer(always("looks", Verdict::Accept(Amendment::None)))).await;
    assert!(said.len() == 1 && said[0].contains("done: 1") && !said[0].contains("HUSH"), "{said:?}");
}

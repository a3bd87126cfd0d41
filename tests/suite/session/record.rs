//! What is written down of a call, and what becomes of one that cannot be.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fumehood::{
    Amendment, Call, CallEvent, CancellationToken, Card, Code, ContentBlock, EndedAs, Event, Failure, LimitName,
    Policy, Provider, ProviderId, RecordedCard, Registry, RemoteError, Ruling, Session, SessionRules, Verdict,
};
use serde_json::{Value, json};

use super::stage::{
    Keeps, Log, Notes, always, compiled, echo, elsewhere, elsewhere_under, host, line, never, now, parallel, policy,
    reviewer, said, session, session_that, tool,
};
use super::support::{Guest, failure, success};

#[tokio::test]
async fn a_call_is_written_down_before_it_runs_and_its_end_before_anybody_has_it() {
    let (session, log) = session(SessionRules::none());
    let (seen, lines) = (Notes::default(), log.reader());
    let notes = seen.clone();
    let registry = elsewhere(&[tool("a")], move |_| {
        notes.add(lines().join(", "));
        now(said("done"))
    });
    success(session.run(&registry, Call::new("a", json!({}))).await);
    assert_eq!(seen.take(), ["call 1 a, start 1"]);
    assert_eq!(log.lines(), ["call 1 a", "start 1", "end 1 ok"]);
}

/// One tool for each way to end.
async fn every_way(host: &fumehood::Host, cancel: &CancellationToken) -> Registry {
    let cancel = cancel.clone();
    let limit = |name, value| Policy::nothing().limit(name, value).unwrap();
    let tools = ["fine", "denied", "odd", "fails", "aborted", "blocked", "gone", "panics"].map(tool);
    let most = elsewhere_under(&tools, &Policy::nothing(), move |call| match call.tool.as_str() {
        "odd" => now(Ok("[]".to_owned())),
        "fails" => now(Err(RemoteError::Failed("not today".to_owned()))),
        "aborted" => {
            cancel.cancel();
            never()
        }
        "gone" => now(Err(RemoteError::Unavailable("at /srv".to_owned()))),
        "panics" => panic!("as asked"),
        _ => now(said("done")),
    });
    let slow = elsewhere_under(&[tool("slow")], &limit(LimitName::WallClock, 20), |_| never());
    let traps = Guest { execute: "unreachable", ..Guest::default() };
    let traps = compiled(host, &traps.wat(), &[tool("traps")], &[], |policy| policy).await;
    let deep = "(func $deep (result i32) (i32.add (call $deep) (i32.const 1)))";
    let deep = Guest { items: deep, execute: "(call $deep)", ..Guest::default() };
    let deep = compiled(host, &deep.wat(), &[tool("deep")], &[], |policy| policy).await;
    Registry::new([Provider::from(most), slow.into(), traps.into(), deep.into()]).unwrap()
}

#[tokio::test]
async fn each_call_has_one_beginning_and_one_end_however_it_ends() {
    let (cancel, early) = (CancellationToken::new(), CancellationToken::new());
    early.cancel();
    let registry = every_way(&host(1), &cancel).await;
    let rules = SessionRules::none()
        .policy(policy("fence", |proposed| match proposed.tool.name.as_str() {
            "denied" => Ruling::Deny { reason: "no".to_owned() },
            _ => Ruling::Allow,
        }))
        .reviewer(reviewer("guard", |draft| {
            let verdict = match draft.tool {
                "blocked" => Verdict::Block { feedback: "no".to_owned() },
                _ => Verdict::Accept(Amendment::None),
            };
            now(Ok(verdict))
        }));
    let (session, log) = session(rules);
    let ways = [
        ("fine", json!({}), false, "ok"),
        ("nobody", json!({}), false, "UNKNOWN_TOOL"),
        ("fine", json!(1), false, "INVALID_ARGS"),
        ("denied", json!({}), false, "DENIED"),
        ("odd", json!({}), true, "INVALID_TOOL_OUTPUT"),
        ("fails", json!({}), true, "TOOL_FAILED"),
        ("traps", json!({}), true, "TOOL_TRAPPED"),
        ("slow", json!({}), true, "TOOL_TIMEOUT"),
        ("deep", json!({}), true, "RESOURCE_EXHAUSTED"),
        ("aborted", json!({}), true, "ABORTED"),
        ("fine", json!({ "early": true }), false, "ABORTED_BEFORE_DISPATCH"),
        ("blocked", json!({}), true, "BLOCKED"),
        ("gone", json!({}), true, "HOST_FAULT"),
        ("panics", json!({}), true, "HOST_FAULT"),
    ];
    let call = |(tool, args, ..): &(&str, Value, bool, &str)| {
        let cancel = if args.get("early").is_some() { &early } else { &cancel };
        let stoppable = *tool == "aborted" || args.get("early").is_some();
        let call = Call::new(*tool, args.clone());
        if stoppable { call.cancelled_by(cancel.clone()) } else { call }
    };
    let outcomes = session.batch(&registry, ways.iter().map(call).collect()).await;
    let lines = log.lines();
    assert_eq!(lines.iter().filter(|line| line.starts_with("call")).count(), ways.len());
    assert_eq!(lines.iter().filter(|line| line.starts_with("end")).count(), ways.len());
    for (index, ((tool, _, starts, code), outcome)) in ways.iter().zip(outcomes).enumerate() {
        let n = index + 1;
        let starts = *starts || *code == "ok";
        assert_eq!(lines.iter().filter(|line| **line == format!("call {n} {tool}")).count(), 1);
        assert_eq!(lines.iter().filter(|line| **line == format!("start {n}")).count(), usize::from(starts), "{tool}");
        assert_eq!(lines.iter().filter(|line| **line == format!("end {n} {code}")).count(), 1, "{tool}: {lines:?}");
        let end = log.end(&n.to_string());
        assert_eq!(end.content, outcome.content());
        if let fumehood::Outcome::Failure(failure) = outcome {
            let (kind, message) = (failure.kind.as_str().to_owned(), failure.message);
            let code = failure.code.as_str().to_owned();
            assert_eq!(end.ended, EndedAs::Failure { kind, code, message, details: failure.details });
            assert_eq!((end.card, end.projected), (None, None));
        }
    }
}

#[tokio::test]
async fn numbers_go_on_where_an_earlier_session_left_off() {
    let registry = elsewhere(&[parallel("a")], |_| now(said("done")));
    for (first, expect) in [(7, ["call 7 a", "call 8 a"]), (1, ["call 1 a", "call 2 a"]), (0, ["call 1 a", "call 2 a"])]
    {
        let heard = Notes::default();
        let notes = heard.clone();
        let rules = SessionRules::none().watched_by(Arc::new(move |event: &Event| notes.add(line(event))));
        let session = Session::recorded(rules, Arc::new(Nothing), first).unwrap();
        let calls = vec![Call::new("a", json!({})), Call::new("a", json!({}))];
        session.batch(&registry, calls).await.into_iter().for_each(|outcome| drop(success(outcome)));
        assert_eq!(heard.take()[..2], expect);
    }
}

struct Nothing;

impl fumehood::Recorder for Nothing {
    fn records_values(&self) -> bool {
        false
    }

    fn record(&self, _: &[Event]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

// ---- what cannot be written down -----------------------------------------------------------------------------------

/// Two calls, and what came of them; a watch that hears only what was written.
async fn unwritten(keeps: Keeps) -> (Vec<Failure>, Log, usize) {
    let ran = Arc::new(AtomicUsize::new(0));
    let count = ran.clone();
    let registry = elsewhere(&[tool("a")], move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        now(said("done"))
    });
    let heard = Notes::default();
    let notes = heard.clone();
    let rules = SessionRules::none().watched_by(Arc::new(move |event: &Event| notes.add(line(event))));
    let (session, log) = session_that(keeps, rules);
    let calls = vec![Call::new("a", json!({})), Call::new("a", json!({}))];
    let failures = session.batch(&registry, calls).await.into_iter().map(failure).collect();
    assert_eq!(heard.take(), log.lines());
    (failures, log, ran.load(Ordering::SeqCst))
}

fn check_fault(failure: &Failure, message: &str, cause: &str) {
    assert_eq!(failure.code, Code::HostFault);
    assert_eq!(failure.message, format!("{message}; the host's log says why"));
    assert_eq!(failure.content, [ContentBlock::text(format!("HOST_FAULT: {}", failure.message))]);
    assert_eq!(failure.diagnostic.cause.as_deref(), Some(cause));
    let told = serde_json::to_string(failure).unwrap();
    assert!(!told.contains("/srv") && !told.contains("done"), "{told}");
}

const FULL: &str = "the session's log: the disk of /srv is full";
const PANICKED: &str = "the session's log panicked: as asked";

#[tokio::test]
async fn nothing_runs_that_is_not_written_down() {
    let nothing_ran = "nothing ran: the call could not be written down";
    for (keeps, cause) in [(Keeps::NotThose("call 2"), FULL), (Keeps::PanicsAt("call 2"), PANICKED)] {
        // They are announced together.
        let (failures, log, ran) = unwritten(keeps).await;
        failures.iter().for_each(|failure| check_fault(failure, nothing_ran, cause));
        assert_eq!((log.lines().len(), ran), (0, 0));
    }
    for (keeps, cause) in [(Keeps::NotThose("start"), FULL), (Keeps::PanicsAt("start"), PANICKED)] {
        let (failures, log, ran) = unwritten(keeps).await;
        failures.iter().for_each(|failure| check_fault(failure, nothing_ran, cause));
        assert_eq!(log.lines(), ["call 1 a", "call 2 a", "end 1 HOST_FAULT", "end 2 HOST_FAULT"]);
        assert_eq!(ran, 0);
    }
}

#[tokio::test]
async fn no_result_is_told_that_is_not_written_down() {
    let withheld = "the result could not be written down, and is withheld";
    for (keeps, cause) in [(Keeps::NotThose("end"), FULL), (Keeps::PanicsAt("end"), PANICKED)] {
        let (failures, log, ran) = unwritten(keeps).await;
        failures.iter().for_each(|failure| check_fault(failure, withheld, cause));
        assert_eq!(log.lines(), ["call 1 a", "call 2 a", "start 1", "start 2"]);
        // It did run, and says what it used.
        assert_eq!(ran, 2);
        assert!(failures[0].usage.get(LimitName::ValueBytes).used > 0);
    }
}

/// A result that is too long for the log is withheld, and that it is stands there: each call has an end.
#[tokio::test]
async fn what_is_too_long_to_be_written_leaves_a_short_end() {
    let registry = elsewhere(&[tool("a")], |_| now(said("done")));
    let (session, log) = session_that(Keeps::NotThose("end 1 ok"), SessionRules::none());
    let calls = vec![Call::new("a", json!({})), Call::new("a", json!({}))];
    let mut outcomes = session.batch(&registry, calls).await.into_iter();
    let withheld = "the result could not be written down, and is withheld";
    check_fault(&failure(outcomes.next().unwrap()), withheld, FULL);
    success(outcomes.next().unwrap());
    assert_eq!(log.lines(), ["call 1 a", "call 2 a", "start 1", "end 1 HOST_FAULT", "start 2", "end 2 ok"]);
    assert!(!serde_json::to_string(&log.end("1")).unwrap().contains("done"));
}

/// A process may end once this has returned: whoever went away has left no call without an end.
#[tokio::test]
async fn closing_waits_for_the_ends_of_calls_whose_callers_left() {
    let registry = elsewhere(&[tool("a")], |_| never());
    let (session, log) = session(SessionRules::none());
    let mut call = Box::pin(session.run(&registry, Call::new("a", json!({}))));
    while log.lines() != ["call 1 a", "start 1"] {
        tokio::select! {
            biased;
            _ = &mut call => panic!("it never ends by itself"),
            () = tokio::task::yield_now() => {}
        }
    }
    drop(call);
    session.close(Duration::from_secs(60)).await;
    assert_eq!(log.lines(), ["call 1 a", "start 1", "end 1 ABORTED"]);
    // What has nobody to wait for returns at once.
    session.close(Duration::from_secs(60)).await;
}

#[tokio::test]
async fn a_watch_that_panics_changes_nothing_and_the_others_hear() {
    let heard = Notes::default();
    let notes = |name: &'static str| {
        let heard = heard.clone();
        Arc::new(move |event: &Event| heard.add(format!("{name}: {}", line(event))))
    };
    let rules = SessionRules::none()
        .watched_by(notes("first"))
        .watched_by(Arc::new(|_| panic!("as asked")))
        .watched_by(notes("last"));
    let registry = elsewhere(&[tool("a")], |_| now(said("done")));
    let expect = ["call 1 a", "start 1", "end 1 ok"].map(|line| [format!("first: {line}"), format!("last: {line}")]);
    let (recorded, log) = session(rules.clone());
    success(recorded.run(&registry, Call::new("a", json!({}))).await);
    assert_eq!(heard.take(), expect.as_flattened());
    assert_eq!(log.lines().len(), 3);
    // With nothing written down they hear just the same.
    success(Session::new(rules).unwrap().run(&registry, Call::new("a", json!({}))).await);
    assert_eq!(heard.take(), expect.as_flattened());
}

// ---- what stands in an event -----------------------------------------------------------------------------------------

#[tokio::test]
async fn a_call_names_its_tool_its_component_and_its_arguments_as_they_came() {
    let component = echo(&host(1), "a").await;
    let digest = component.approved().inspected().digest();
    let mounted = elsewhere_under(&[tool("b")], &Policy::nothing(), |_| now(said("done")));
    let registry = Registry::new([Provider::from(component), mounted.into()]).unwrap();
    let (session, log) = session(SessionRules::none());
    session.run(&registry, Call::from_text("a", " {\"x\" : 1.0}\n")).await;
    session.run(&registry, Call::from_text("b", "not JSON")).await;
    session.run(&registry, Call::new("c", json!({ "x": [1, -0.0] }))).await;
    let (a, b, c) = (log.call("1"), log.call("2"), log.call("3"));
    assert_eq!((a.args.as_str(), a.args_bytes, a.title.as_deref()), (" {\"x\" : 1.0}\n", None, Some("Tool a")));
    let by = ProviderId::Component { name: "a".to_owned(), version: "0.1.0".to_owned(), digest };
    assert_eq!(a.provider, Some(by));
    assert_eq!(
        (b.args.as_str(), b.provider),
        ("not JSON", Some(ProviderId::Mounted { origin: "elsewhere".to_owned() }))
    );
    assert_eq!((c.args.as_str(), c.provider, c.title), (r#"{"x":[1,-0.0]}"#, None, None));
    // Nobody asked for a card of a call that is not done.
    assert!([a.card, b.card, c.card].iter().all(Option::is_none));
}

#[tokio::test]
async fn what_is_too_long_is_cut_and_says_so() {
    let registry = elsewhere(&[tool("a")], |_| now(said("done")));
    let (session, log) = session(SessionRules::none());
    let most = CallEvent::MAX_ARGS;
    // Two bytes each: one of them lies across the limit.
    let long = format!("{{\"x\":\"{}", "ü".repeat(most / 2));
    assert!(!long.is_char_boundary(most) || long.len() > most);
    session.run(&registry, Call::from_text("a", long.clone())).await;
    session.run(&registry, Call::from_text("a", long[..long.floor_char_boundary(most)].to_owned())).await;
    session.run(&registry, Call::new("a", Value::String("x".repeat(most)))).await;
    let cut = log.call("1");
    assert!(long.starts_with(&cut.args) && most - cut.args.len() <= 1, "{}", cut.args.len());
    assert_eq!(cut.args_bytes, Some(long.len() as u64));
    assert_eq!(log.call("2").args_bytes, None);
    let value = log.call("3");
    assert_eq!((value.args.len(), value.args_bytes), (most, Some(most as u64 + 2)));

    // A tool's name is whatever was asked for.
    let name = "ü".repeat(100_000);
    session.run(&registry, Call::new(name, json!({}))).await;
    let named = log.call("4").tool;
    assert!(named.len() < 1_000 && named.starts_with("üü") && named.ends_with(" bytes more)"), "{}", named.len());
}

#[tokio::test]
async fn the_card_of_a_call_that_is_not_done_is_made_on_request() {
    let present = r#"(if (result i32) (local.get $has_value)
        (then (call $card (local.get $value) (local.get $value_len)))
        (else (call $card (local.get $args) (local.get $args_len))))"#;
    let guest = Guest { present, ..Guest::default() };
    let component = compiled(&host(1), &guest.wat(), &[tool("a")], &[], |policy| policy).await;
    let mounted = elsewhere_under(&[tool("b")], &Policy::nothing(), |_| now(said("done")));
    let registry = Registry::new([Provider::from(component), mounted.into()]).unwrap();
    let (session, log) = session(SessionRules::none().pending_cards());
    let calls = [("a", "{}"), ("a", "[]"), ("b", "{}"), ("nobody", "{}")];
    session.batch(&registry, calls.map(|(tool, args)| Call::from_text(tool, args)).into()).await;
    let title = |id: &str| {
        log.call(id).card.map(|card| match card {
            RecordedCard::Known(card) => card.title().to_owned(),
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(
        [title("1"), title("2"), title("3"), title("4")],
        [Some("{}".into()), None, Some("Tool b".into()), None]
    );
    let Some(RecordedCard::Known(Card::Generic { body, .. })) = log.call("3").card else { panic!() };
    assert_eq!(body, [ContentBlock::text("Run at elsewhere, not sandboxed.")]);
}

#[tokio::test]
async fn an_end_says_what_was_used_and_decided() {
    let guest = Guest {
        imports: r#"(import "wasi:clocks/wall-clock@0.2.12" "now" (func $now (param i32)))"#,
        execute: "(call $now (call $alloc (i32.const 16))) (call $ok (local.get $args) (local.get $args_len))",
        ..Guest::default()
    };
    let mut manifest = super::support::manifest();
    manifest["capabilities"] = json!([{ "capability": "clock", "reason": "When.", "optional": true }]);
    let bytes = super::support::packed(&guest.wat(), &manifest);
    let component = fumehood::Component::from_bytes(bytes, &fumehood::LoadLimits::standard()).unwrap();
    let inspected = fumehood::Inspected::of(component).unwrap();
    let check = async |policy: Policy, code: &str| {
        let toolset = host(1).compile(policy.approve(inspected.clone()).unwrap()).await.unwrap();
        let rules = SessionRules::none().reviewer(always("calm", Verdict::Accept(Amendment::None)));
        let (session, log) = session(rules);
        let outcome = session.run(&Registry::new([toolset]).unwrap(), Call::new("echo", json!({}))).await;
        let end = log.end("1");
        assert_eq!(log.lines()[2], format!("end 1 {code}"));
        assert_eq!(end.decisions, outcome.diagnostic().decisions);
        let used = outcome.usage().iter().filter(|used| used.used > 0);
        assert_eq!(end.usage, used.map(|used| (used.limit.key().to_owned(), used.used)).collect());
        assert!(end.usage.contains_key("value-bytes") && !end.usage.contains_key("nested-calls"));
        (end.decisions, end.reviews)
    };
    let (decisions, reviews) = check(Policy::nothing(), "DENIED").await;
    assert_eq!((decisions.len(), decisions[0].allowed, reviews.len()), (1, false, 0));
    let (decisions, _) = check(Policy::nothing().allow("clock".parse().unwrap()).unwrap(), "ok").await;
    assert_eq!((decisions.len(), decisions[0].allowed), (1, true));
}

/// Where nobody hears of events, all else is as it is.
#[tokio::test]
async fn a_session_that_writes_nothing_has_its_rules_all_the_same() {
    let registry = elsewhere(&[parallel("a")], |_| now(said("done")));
    let rules = SessionRules::none()
        .pending_cards()
        .policy(policy("fence", |proposed| match proposed.args.value().get("no") {
            Some(_) => Ruling::Deny { reason: "no".to_owned() },
            None => Ruling::Allow,
        }))
        .reviewer(always("swaps", Verdict::Accept(Amendment::Value(said("swapped").unwrap()))));
    let session = Session::new(rules).unwrap();
    let calls = vec![Call::new("a", json!({})), Call::new("a", json!({ "no": 1 }))];
    let mut outcomes = session.batch(&registry, calls).await.into_iter();
    assert_eq!(success(outcomes.next().unwrap()).content, [ContentBlock::text("swapped")]);
    assert_eq!(failure(outcomes.next().unwrap()).code, Code::Denied);
}

//! What is written down of calls that tools make.

use std::sync::{Arc, Mutex};

use fumehood::{
    Call, CancellationToken, Code, ContentBlock, EndEvent, EndedAs, LimitName, Policy, Provider, Registry, RemoteError,
    Ruling, SessionRules,
};
use serde_json::json;
use tokio::sync::Notify;
use tokio::sync::mpsc::unbounded_channel;

use super::stage::{
    Keeps, Notes, compiled, echo, elsewhere_under, host, never, now, policy, relay, relay_under, said, session,
    session_that, tool,
};
use super::support::{Guest, failure, success};

fn limited(policy: Policy, millis: u64) -> Policy {
    policy.limit(LimitName::WallClock, millis).unwrap()
}

/// `a` calls `b` and `c`, `b` calls `c`, `c` echoes.
async fn tree() -> Registry {
    let host = host(1);
    let (a, b) = (relay(&host, "a", &["b", "c"]).await, relay(&host, "b", &["c"]).await);
    Registry::new([a, b, echo(&host, "c").await]).unwrap()
}

#[tokio::test]
async fn they_stand_under_their_parent_in_the_order_asked_with_neither_value_nor_card() {
    let (session, log) = session_that(Keeps::AllWithValues, SessionRules::none().pending_cards());
    let registry = tree().await;
    success(session.run(&registry, Call::new("a", json!({ "x": 1 }))).await);
    success(session.run(&registry, Call::new("b", json!({}))).await);
    let first = [
        "call 1 a",
        "start 1",
        "call 1.1 b",
        "start 1.1",
        "call 1.1.1 c",
        "start 1.1.1",
        "end 1.1.1 ok",
        "end 1.1 ok",
        "call 1.2 c",
        "start 1.2",
        "end 1.2 ok",
        "end 1 ok",
    ];
    assert_eq!(log.lines()[..12], first);
    assert_eq!(log.lines()[12..], ["call 2 b", "start 2", "call 2.1 c", "start 2.1", "end 2.1 ok", "end 2 ok"]);
    for id in ["1.1", "1.1.1", "1.2", "2.1"] {
        let (call, end) = (log.call(id), log.end(id));
        assert_eq!((call.card, end.card, end.value), (None, None, None), "{id}");
        assert!(end.projected.unwrap().card.is_none(), "{id}");
        assert!(call.provider.is_some() && end.usage.contains_key("value-bytes"), "{id}");
    }
    assert_eq!(
        (log.call("1.1.1").args, log.end("1.1.1").content),
        (r#"{"x":1}"#.to_owned(), vec![ContentBlock::text(r#"{"x":1}"#)])
    );
    assert!(log.end("1").value.is_some() && log.end("1").card.is_some());
}

/// A tool that tries names, or its own, leaves a trace: as often as it may call, and no more.
#[tokio::test]
async fn what_a_tool_may_not_call_is_on_record_and_does_not_start() {
    let host = host(1);
    let registry = Registry::new([relay(&host, "a", &["a"]).await, relay(&host, "b", &["nobody"]).await]).unwrap();
    let (session, log) = session(SessionRules::none());
    session.batch(&registry, vec![Call::new("a", json!({})), Call::new("b", json!({}))]).await;
    let lines = log.lines();
    assert_eq!(lines[..5], ["call 1 a", "call 2 b", "start 1", "call 1.1 a", "end 1.1 DENIED"]);
    assert_eq!(lines[6..9], ["start 2", "call 2.1 nobody", "end 2.1 UNKNOWN_TOOL"]);
    assert!(log.call("1.1").provider.is_some() && log.call("2.1").provider.is_none());

    let guest = Guest {
        imports: r#"(import "fumehood:host/tools@0.1.0" "call" (func $call (param i32 i32 i32 i32 i32)))"#,
        items: r#"(data (i32.const 1024) "nobody")"#,
        execute: "(local.set $a (call $alloc (i32.const 32)))
            (local.set $b (i32.const 1000))
            (loop $more
              (call $call (i32.const 1024) (i32.const 6) (local.get $args) (local.get $args_len) (local.get $a))
              (local.set $b (i32.sub (local.get $b) (i32.const 1)))
              (br_if $more (local.get $b)))
            (call $ok (local.get $args) (local.get $args_len))",
        ..Guest::default()
    };
    let tries = compiled(&host, &guest.wat(), &[tool("c")], &["nobody"], |policy| policy).await;
    let (session, log) = self::session(SessionRules::none());
    success(session.run(&Registry::new([tries]).unwrap(), Call::new("c", json!({}))).await);
    let begun = |how: &str| log.lines().iter().filter(|line| line.starts_with(how)).count();
    assert_eq!((begun("call 1."), begun("end 1."), begun("start 1.")), (64, 64, 0));
}

#[tokio::test]
async fn little_is_kept_of_what_they_show() {
    let host = host(1);
    let texts = |blocks: &[ContentBlock]| -> Vec<String> {
        let text = |block: &ContentBlock| match block {
            ContentBlock::Text { text, .. } => text.clone(),
            other => panic!("{other:?}"),
        };
        blocks.iter().map(text).collect()
    };
    let check = async |blocks: serde_json::Value| {
        let answer = json!({ "content": blocks }).to_string();
        let b = elsewhere_under(&[tool("b")], &Policy::nothing(), move |_| now(Ok(answer.clone())));
        let registry = Registry::new([Provider::from(relay(&host, "a", &["b"]).await), b.into()]).unwrap();
        let (session, log) = session(SessionRules::none());
        success(session.run(&registry, Call::new("a", json!({}))).await);
        texts(&log.end("1.1").content)
    };
    let text = |text: &str| json!({ "type": "text", "text": text });
    let most = EndEvent::MAX_NESTED_CONTENT;
    // An empty one is passed over, as are pictures.
    let picture = json!({ "type": "image", "data": "AA==", "mimeType": "image/png" });
    assert_eq!(check(json!([text(""), picture, text("seen")])).await, ["seen"]);
    let long = "ü".repeat(most);
    let kept = check(json!([text("x"), text(&long), text("y")])).await;
    assert_eq!((kept.len(), kept[0].as_str(), kept[1].len()), (2, "x", most - 2));
    assert!(long.starts_with(&kept[1]));
    assert_eq!(check(json!([text(&"x".repeat(most)), text("y")])).await, ["x".repeat(most)]);
}

#[tokio::test]
async fn little_is_kept_of_why_they_failed() {
    let host = host(1);
    // Data of 20,000 bytes, and a message of 6,000.
    let execute = r#"
        (memory.fill (i32.const 2048) (i32.const 120) (i32.const 20000))
        (i32.store8 (i32.const 2048) (i32.const 34))
        (i32.store8 (i32.const 22047) (i32.const 34))
        (local.set $a (call $failed (i32.const 1024) (i32.const 3) (i32.const 4096) (i32.const 6000)))
        (i32.store8 offset=24 (local.get $a) (i32.const 1))
        (i32.store offset=28 (local.get $a) (i32.const 2048))
        (i32.store offset=32 (local.get $a) (i32.const 20000))
        (local.get $a)"#;
    let guest = Guest { items: r#"(data (i32.const 1024) "ODD")"#, execute, ..Guest::default() };
    let b = compiled(&host, &guest.wat(), &[tool("b")], &[], |policy| policy).await;
    let registry = Registry::new([relay(&host, "a", &["b"]).await, b]).unwrap();
    let (session, log) = session(SessionRules::none());
    failure(session.run(&registry, Call::new("a", json!({}))).await);
    let written = serde_json::to_string(&log.end("1.1")).unwrap().len();
    assert!(written < 3 * EndEvent::MAX_NESTED_CONTENT, "{written}");
    let EndedAs::Failure { code, message, .. } = log.end("1.1").ended else { panic!() };
    assert!(code == "TOOL_FAILED" && message.starts_with("xxx") && message.ends_with("bytes more)"), "{message}");

    // The twin: called from the top, all of it is kept.
    failure(session.run(&registry, Call::new("b", json!({}))).await);
    let EndedAs::Failure { message, details, .. } = log.end("2").ended else { panic!() };
    let data = details.unwrap()["data"].as_str().unwrap().len();
    assert_eq!((message.len(), data), (6_000, 19_998));
}

/// The parent is out of time, and so is what it waits for.
#[tokio::test]
async fn what_a_stopped_call_waited_for_ends_before_it_and_once() {
    let host = host(1);
    let c = || elsewhere_under(&[tool("c")], &Policy::nothing(), |_| never());
    let b = relay(&host, "b", &["c"]).await;

    // The top-level call: whoever of them hears first that the time is over, the deepest one's end comes first.
    let a = relay_under(&host, tool("a"), &["b"], |policy| limited(policy, 1_000)).await;
    let registry = Registry::new([Provider::from(a), b.clone().into(), c().into()]).unwrap();
    let (first, log) = session(SessionRules::none());
    failure(first.run(&registry, Call::new("a", json!({}))).await);
    let lines = log.lines();
    assert_eq!(lines[..6], ["call 1 a", "start 1", "call 1.1 b", "start 1.1", "call 1.1.1 c", "start 1.1.1"]);
    let ends: Vec<_> = lines[6..].iter().map(|line| line.rsplit_once(' ').unwrap().0).collect();
    assert_eq!(ends, ["end 1.1.1", "end 1.1", "end 1"]);

    // One in the middle: the call that waits for it goes on.
    let middle = relay_under(&host, tool("b"), &["c"], |policy| limited(policy, 1_000)).await;
    let a = relay(&host, "a", &["b", "d"]).await;
    let d = echo(&host, "d").await;
    let registry = Registry::new([Provider::from(a), middle.into(), c().into(), d.into()]).unwrap();
    let (second, log) = session(SessionRules::none());
    success(second.run(&registry, Call::new("a", json!({}))).await);
    let lines = log.lines();
    let ends: Vec<_> = lines[6..].iter().map(|line| line.rsplit_once(' ').unwrap().0).collect();
    assert_eq!(ends, ["end 1.1.1", "end 1.1", "call 1.2", "start", "end 1.2", "end 1"]);
}

#[tokio::test]
async fn what_a_cancelled_call_waited_for_ends_before_it_and_once() {
    let host = host(1);
    let (send, mut heard) = unbounded_channel();
    let b = elsewhere_under(&[tool("b")], &Policy::nothing(), move |_| {
        let _ = send.send(());
        never()
    });
    let registry = Registry::new([Provider::from(relay(&host, "a", &["b"]).await), b.into()]).unwrap();
    let check = async |drops: bool, heard: &mut tokio::sync::mpsc::UnboundedReceiver<()>| {
        let (session, log) = session(SessionRules::none());
        let token = CancellationToken::new();
        let call = Call::new("a", json!({})).cancelled_by(token.clone());
        let registry = registry.clone();
        let running = tokio::spawn(async move { session.run(&registry, call).await });
        heard.recv().await.unwrap();
        if drops {
            running.abort();
        } else {
            token.cancel();
            assert_eq!(failure(running.await.unwrap()).code, Code::Aborted);
        }
        let lines = log.closed().await;
        assert_eq!(lines[..4], ["call 1 a", "start 1", "call 1.1 b", "start 1.1"]);
        assert_eq!(lines[4..], ["end 1.1 ABORTED", "end 1 ABORTED"]);
    };
    check(false, &mut heard).await;
    check(true, &mut heard).await;
}

/// A nested call is on a task of its own, which may be at work while the call that waits for it is out of time.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_begins_after_its_end() {
    let host = host(1);
    let (ran, go) = (Notes::default(), Arc::new(Notify::new()));
    let (notes, gone, (send, mut begun)) = (ran.clone(), go.clone(), unbounded_channel());
    // As long as `x` runs the batch does, and nothing of it is cancelled.
    let rest = elsewhere_under(&[tool("b"), tool("x")], &Policy::nothing(), move |call| {
        notes.add(call.tool.as_str());
        let (gone, send) = (gone.clone(), send.clone());
        Box::pin(async move {
            if call.tool == "x" {
                send.send(()).unwrap();
                gone.notified().await;
            }
            said("done")
        })
    });
    let a = relay_under(&host, tool("a"), &["b"], |policy| limited(policy, 1_000)).await;
    let registry = Registry::new([Provider::from(a), rest.into()]).unwrap();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = Mutex::new(released);
    let rules = SessionRules::none().policy(policy("slow", move |proposed| {
        if !proposed.callers.is_empty() {
            // It was said that this takes no time.
            released.lock().unwrap().recv().unwrap();
            go.notify_one();
        }
        Ruling::Allow
    }));
    let (session, log) = session(rules);
    let calls = vec![Call::new("a", json!({})), Call::new("x", json!({}))];
    let running = tokio::spawn(async move { session.batch(&registry, calls).await });
    begun.recv().await.unwrap();
    release.send(()).unwrap();
    let mut outcomes = running.await.unwrap().into_iter();
    assert_eq!(failure(outcomes.next().unwrap()).code, Code::ToolTimeout);
    success(outcomes.next().unwrap());
    assert_eq!(
        log.closed().await,
        [
            "call 1 a",
            "call 2 x",
            "start 1",
            "call 1.1 b",
            "end 1.1 ABORTED",
            "end 1 TOOL_TIMEOUT",
            "start 2",
            "end 2 ok",
        ]
    );
    assert_eq!(ran.take(), ["x"]);
}

#[tokio::test]
async fn what_cannot_be_written_down_does_not_run_or_is_withheld_from_the_caller() {
    let host = host(1);
    let ran = Notes::default();
    let notes = ran.clone();
    let b = elsewhere_under(&[tool("b")], &Policy::nothing(), move |_| {
        notes.add("ran");
        now(Err(RemoteError::Failed("words of b".to_owned())))
    });
    let registry = Registry::new([Provider::from(relay(&host, "a", &["b"]).await), b.into()]).unwrap();
    for (at, runs, lines) in [
        ("call 1.1", 0, &["call 1 a", "start 1", "end 1 TOOL_FAILED"][..]),
        ("start 1.1", 0, &["call 1 a", "start 1", "call 1.1 b", "end 1.1 HOST_FAULT", "end 1 TOOL_FAILED"]),
        ("end 1.1", 1, &["call 1 a", "start 1", "call 1.1 b", "start 1.1", "end 1 TOOL_FAILED"]),
    ] {
        for keeps in [Keeps::NotThose(at), Keeps::PanicsAt(at)] {
            let (session, log) = session_that(keeps, SessionRules::none());
            let failed = failure(session.run(&registry, Call::new("a", json!({}))).await);
            assert_eq!(failed.details.unwrap()["code"], "HOST_FAULT", "{at}");
            assert!(!failed.message.contains("words of b") && !failed.message.contains("/srv"), "{}", failed.message);
            let cause = failed.diagnostic.nested[0].1.cause.as_deref().unwrap();
            assert!(cause.contains("the session's log"), "{at}: {cause}");
            assert_eq!(ran.take().len(), runs, "{at}");
            assert_eq!(log.lines(), lines, "{at}");
        }
    }
}

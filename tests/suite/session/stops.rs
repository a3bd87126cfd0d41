//! Calls that are cancelled, before and during each stage, and calls whose caller has gone: each with its code and one end.

use std::sync::Arc;

use fumehood::{
    Amendment, Call, CancellationToken, Code, Failure, Policy, Progress, Provider, Registry, RemoteCall, RemoteError,
    SessionRules, Verdict,
};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::stage::{
    Dropped, Later, Log, compiled, elsewhere, elsewhere_under, host, never, now, parallel, reviewer, said, session,
    tool,
};
use super::support::{Guest, failure, success};

/// Runs for ever, and says when it begins and when it is dropped.
fn held() -> (impl Fn(RemoteCall) -> Later<Result<String, RemoteError>> + Send + Sync, UnboundedReceiver<&'static str>)
{
    let (send, heard) = unbounded_channel();
    let run = move |_| -> Later<Result<String, RemoteError>> {
        let _ = send.send("begun");
        let held = Dropped(send.clone(), "gone");
        Box::pin(async move {
            let _held = held;
            never().await
        })
    };
    (run, heard)
}

fn cancelled(token: &CancellationToken) -> Call {
    Call::new("a", json!({})).cancelled_by(token.clone())
}

fn aborted(failure: &Failure, code: Code, log: &Log) {
    assert_eq!(failure.code, code, "{failure:?}");
    let begun: &[&str] = if code == Code::Aborted { &["call 1 a", "start 1"] } else { &["call 1 a"] };
    let expect: Vec<_> = begun.iter().map(ToString::to_string).chain([format!("end 1 {code}")]).collect();
    assert_eq!(log.lines(), expect);
}

#[tokio::test]
async fn before_it_begins() {
    let token = CancellationToken::new();
    token.cancel();
    let guest = compiled(&host(1), &Guest::default().wat(), &[tool("a")], &[], |policy| policy).await;
    for registry in [Registry::new([guest]).unwrap(), elsewhere(&[tool("a")], |_| now(said("done")))] {
        let (session, log) = session(SessionRules::none());
        aborted(&failure(session.run(&registry, cancelled(&token)).await), Code::AbortedBeforeDispatch, &log);
        success(session.run(&registry, Call::new("a", json!({}))).await);
    }
}

#[tokio::test]
async fn while_it_runs() {
    let (run, mut heard) = held();
    let ((session, log), registry) = (session(SessionRules::none()), elsewhere(&[tool("a")], run));
    let token = CancellationToken::new();
    let running = tokio::spawn({
        let (session, call) = (session.clone(), cancelled(&token));
        async move { session.run(&registry, call).await }
    });
    assert_eq!(heard.recv().await, Some("begun"));
    token.cancel();
    aborted(&failure(running.await.unwrap()), Code::Aborted, &log);
    assert_eq!(heard.recv().await, Some("gone"));
}

/// The guest is told nothing: it ends, and then its value is thrown away.
#[tokio::test]
async fn between_execute_and_the_projectors() {
    let report = r#"(import "fumehood:tool/progress@0.1.0" "report" (func $report (param i64 i32 i64 i32 i32 i32)))"#;
    let execute = "(call $report (i64.const 1) (i32.const 0) (i64.const 0) (i32.const 0) (i32.const 0) (i32.const 0))
        (call $ok (local.get $args) (local.get $args_len))";
    let guest = Guest { imports: report, execute, render: "(loop $ever (br $ever)) unreachable", ..Guest::default() };
    let toolset = compiled(&host(1), &guest.wat(), &[tool("a")], &[], |policy| policy).await;
    let (session, log) = session(SessionRules::none());
    let token = CancellationToken::new();
    let cancels = token.clone();
    let call = cancelled(&token).on_progress(Arc::new(move |_: Progress| cancels.cancel()));
    aborted(&failure(session.run(&Registry::new([toolset]).unwrap(), call).await), Code::Aborted, &log);
}

/// One thread: the token is cancelled when the projector, which never ends, yields for the first time.
#[tokio::test(flavor = "current_thread")]
async fn while_it_is_projected() {
    // Only the reviewer's value loops.
    let render = "(if (i32.gt_u (local.get $value_len) (i32.const 8)) (then (loop $ever (br $ever))))
        (call $text (local.get $value) (local.get $value_len))";
    let guest = Guest { render, ..Guest::default() };
    let toolset = compiled(&host(1), &guest.wat(), &[tool("a")], &[], |policy| policy).await;
    let registry = Registry::new([toolset]).unwrap();
    let check = async |cancels: bool| {
        let token = CancellationToken::new();
        let cancel = token.clone();
        let swaps = reviewer("swaps", move |_| {
            if cancels {
                let cancel = cancel.clone();
                tokio::spawn(async move { cancel.cancel() });
            }
            now(Ok(Verdict::Accept(Amendment::Value(r#"{"x":"long enough"}"#.to_owned()))))
        });
        let (session, log) = session(SessionRules::none().reviewer(swaps));
        (failure(session.run(&registry, cancelled(&token)).await), log)
    };
    let (failed, log) = check(true).await;
    aborted(&failed, Code::Aborted, &log);
    assert_eq!(failed.message, "cancelled");
    // The twin: it ends with its fuel.
    assert_eq!(check(false).await.0.code, Code::InvalidToolOutput);
}

#[tokio::test]
async fn between_a_review_and_what_it_wants() {
    let guest = compiled(&host(1), &Guest::default().wat(), &[tool("a")], &[], |policy| policy).await;
    let registry = Registry::new([guest]).unwrap();
    let token = CancellationToken::new();
    let cancel = token.clone();
    let next = reviewer("next", |_| panic!("nobody is asked any more"));
    let accepts = reviewer("accepts", move |_| {
        cancel.cancel();
        now(Ok(Verdict::Accept(Amendment::None)))
    });
    let (session, log) = session(SessionRules::none().reviewer(accepts).reviewer(next));
    aborted(&failure(session.run(&registry, cancelled(&token)).await), Code::Aborted, &log);
}

/// One call of a batch is cancelled, and the others go on.
#[tokio::test]
async fn one_of_a_batch() {
    let (run, mut heard) = held();
    let hold = elsewhere_under(&[parallel("a")], &Policy::nothing(), run);
    let rest = elsewhere_under(&[parallel("p"), tool("x")], &Policy::nothing(), |_| now(said("done")));
    let registry = Registry::new([Provider::from(hold), rest.into()]).unwrap();
    let (session, log) = session(SessionRules::none());
    let (token, early) = (CancellationToken::new(), CancellationToken::new());
    early.cancel();
    let calls = vec![
        Call::new("p", json!({})),
        cancelled(&token),
        Call::new("p", json!({})).cancelled_by(early),
        Call::new("x", json!({})),
    ];
    let running = tokio::spawn({
        let session = session.clone();
        async move { session.batch(&registry, calls).await }
    });
    assert_eq!(heard.recv().await, Some("begun"));
    token.cancel();
    let mut outcomes = running.await.unwrap().into_iter();
    success(outcomes.next().unwrap());
    assert_eq!(failure(outcomes.next().unwrap()).code, Code::Aborted);
    assert_eq!(failure(outcomes.next().unwrap()).code, Code::AbortedBeforeDispatch);
    success(outcomes.next().unwrap());
    let mut ends: Vec<_> = log.lines().into_iter().filter(|line| line.starts_with("end")).collect();
    ends.sort();
    assert_eq!(ends, ["end 1 ok", "end 2 ABORTED", "end 3 ABORTED_BEFORE_DISPATCH", "end 4 ok"]);
}

/// Whoever asked has gone: what was announced comes to its end, once each.
#[tokio::test]
async fn a_batch_that_nobody_waits_for() {
    let (run, mut heard) = held();
    let registry = elsewhere(&[parallel("a"), tool("x")], run);
    let (session, log) = session(SessionRules::none().parallel(2));
    let calls = ["a", "a", "a", "x", "nobody"].map(|tool| Call::new(tool, json!({})));
    let running = tokio::spawn(async move { session.batch(&registry, calls.into()).await });
    assert_eq!(heard.recv().await, Some("begun"));
    assert_eq!(heard.recv().await, Some("begun"));
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    let lines = log.closed().await;
    assert_eq!(heard.recv().await, Some("gone"));
    assert_eq!(heard.recv().await, Some("gone"));
    assert_eq!(heard.recv().await, None);
    assert_eq!(lines[..5], ["call 1 a", "call 2 a", "call 3 a", "call 4 x", "call 5 nobody"]);
    let mut rest = lines[5..].to_vec();
    rest.sort();
    let before = "ABORTED_BEFORE_DISPATCH";
    let ends = [format!("end 3 {before}"), format!("end 4 {before}")];
    assert_eq!(rest[..2], ["end 1 ABORTED", "end 2 ABORTED"]);
    assert_eq!(rest[2..4], ends);
    assert_eq!(rest[4..], ["end 5 UNKNOWN_TOOL", "start 1", "start 2"]);
}

/// The same for one call, and for one that nobody ever waited for.
#[tokio::test]
async fn a_call_that_nobody_waits_for() {
    let (run, mut heard) = held();
    let registry = elsewhere(&[tool("a")], run);
    let (session, log) = session(SessionRules::none());
    drop(session.run(&registry, Call::new("a", json!({}))));
    let running = tokio::spawn(async move { session.run(&registry, Call::new("a", json!({}))).await });
    assert_eq!(heard.recv().await, Some("begun"));
    running.abort();
    assert_eq!(log.closed().await, ["call 1 a", "start 1", "end 1 ABORTED"]);
}

//! Several calls at once: what runs side by side, what runs alone, and in which order the outcomes stand.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use fumehood::{Call, Code, Outcome, Policy, Provider, Registry, SessionRules};
use serde_json::{Value, json};
use tokio::sync::{Barrier, Notify};

use super::stage::{
    Keeps, Notes, compiled, elsewhere, elsewhere_under, host, parallel, relay_under, said, session, session_that, tool,
};
use super::support::{Guest, failure, success};

/// How many are inside, and the most there ever were.
#[derive(Default)]
struct Inside(AtomicUsize, AtomicUsize);

impl Inside {
    fn enter(&self) {
        self.1.fetch_max(self.0.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
    }

    fn leave(&self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }

    fn most(&self) -> usize {
        self.1.load(Ordering::SeqCst)
    }
}

/// The tools `p`, side by side, and `x`, alone. A call of `p` ends when as many as this are inside; one of `x` lets others in
/// if they can come.
fn meeting(together: usize, inside: &Arc<Inside>) -> Registry {
    let (barrier, inside) = (Arc::new(Barrier::new(together)), inside.clone());
    elsewhere(&[parallel("p"), tool("x")], move |call| {
        let (barrier, inside) = (barrier.clone(), inside.clone());
        Box::pin(async move {
            inside.enter();
            if call.tool == "p" {
                barrier.wait().await;
            }
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            inside.leave();
            said(call.args.text())
        })
    })
}

fn calls(tool: &str, range: std::ops::Range<usize>) -> Vec<Call> {
    range.map(|n| Call::new(tool, json!({ "n": n }))).collect()
}

/// What each call was called with.
fn numbers(outcomes: Vec<Outcome>) -> Vec<usize> {
    let number = |outcome| {
        let value = success(outcome).value;
        let args: Value = serde_json::from_str(value.value()["content"][0]["text"].as_str().unwrap()).unwrap();
        usize::try_from(args["n"].as_u64().unwrap()).unwrap()
    };
    outcomes.into_iter().map(number).collect()
}

#[tokio::test]
async fn parallel_calls_run_side_by_side_and_exclusive_ones_do_not() {
    let inside = Arc::default();
    let registry = meeting(5, &inside);
    let (session, _log) = session(SessionRules::none());
    assert_eq!(numbers(session.batch(&registry, calls("p", 0..5)).await), [0, 1, 2, 3, 4]);
    assert_eq!(inside.most(), 5);
    let inside = Arc::default();
    let registry = meeting(5, &inside);
    assert_eq!(numbers(session.batch(&registry, calls("x", 0..5)).await), [0, 1, 2, 3, 4]);
    assert_eq!(inside.most(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_more_run_at_once_than_the_rules_allow() {
    for most in [1, 3, 10] {
        let inside = Arc::default();
        let registry = meeting(most, &inside);
        let (session, _log) = session(SessionRules::none().parallel(most));
        numbers(session.batch(&registry, calls("p", 0..most * 4)).await);
        assert_eq!(inside.most(), most);
    }
    // Zero is one.
    let inside = Arc::default();
    let registry = meeting(1, &inside);
    let (session, _log) = session(SessionRules::none().parallel(0));
    numbers(session.batch(&registry, calls("p", 0..8)).await);
    assert_eq!(inside.most(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_begin_in_the_order_asked() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let kept = order.clone();
    let registry = elsewhere(&[parallel("p")], move |call| {
        kept.lock().unwrap().push(call.args.value()["n"].as_u64().unwrap());
        Box::pin(async move {
            tokio::task::yield_now().await;
            said(call.args.text())
        })
    });
    let (session, _log) = session(SessionRules::none().parallel(1));
    numbers(session.batch(&registry, calls("p", 0..64)).await);
    assert_eq!(*order.lock().unwrap(), (0..64).collect::<Vec<_>>());
}

/// Each waits for the one after it.
#[tokio::test]
async fn outcomes_stand_in_the_order_asked_whoever_ends_first() {
    let ended: Arc<Vec<Notify>> = Arc::new((0..=8).map(|_| Notify::new()).collect());
    let order = Notes::default();
    let notes = order.clone();
    let registry = elsewhere(&[parallel("p")], move |call| {
        let (ended, notes) = (ended.clone(), notes.clone());
        Box::pin(async move {
            let n = usize::try_from(call.args.value()["n"].as_u64().unwrap()).unwrap();
            if n < 7 {
                ended[n + 1].notified().await;
            }
            notes.add(n.to_string());
            ended[n].notify_one();
            said(call.args.text())
        })
    });
    let (session, log) = session(SessionRules::none());
    assert_eq!(numbers(session.batch(&registry, calls("p", 0..8)).await), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(order.take(), ["7", "6", "5", "4", "3", "2", "1", "0"]);
    let asked: Vec<_> = (1..=8).map(|n| format!("call {n} p")).collect();
    assert_eq!(log.lines()[..8], asked);
}

#[tokio::test]
async fn an_exclusive_call_is_a_barrier_on_both_sides() {
    let inside = Arc::default();
    let registry = meeting(2, &inside);
    let (session, log) = session(SessionRules::none());
    let batch = [calls("p", 0..2), calls("x", 2..3), calls("p", 3..5)].concat();
    assert_eq!(numbers(session.batch(&registry, batch).await), [0, 1, 2, 3, 4]);
    let mut lines = log.lines().split_off(5);
    for part in [0..4, 6..10] {
        let starts = lines[part.start..].iter().take(2).all(|line| line.starts_with("start"));
        assert!(starts, "{lines:?}");
        lines[part].sort();
    }
    let expect = [
        "end 1 ok", "end 2 ok", "start 1", "start 2", "start 3", "end 3 ok", "end 4 ok", "end 5 ok", "start 4",
        "start 5",
    ];
    assert_eq!(lines, expect);
}

/// What it calls may have to run alone, and nobody knows before.
#[tokio::test]
async fn a_tool_that_asks_for_tools_runs_alone() {
    let host = host(4);
    let check = async |asks: &[&str], alone: bool| {
        let a = match asks {
            [] => compiled(&host, &Guest::default().wat(), &[parallel("a")], &[], |policy| policy).await,
            // The grant is not what counts.
            _ => relay_under(&host, parallel("a"), asks, |_| Policy::nothing()).await,
        };
        // Where the two calls of `b` can meet, they do.
        let barrier = Arc::new(Barrier::new(if alone { 1 } else { 2 }));
        let b = elsewhere_under(&[parallel("b")], &Policy::nothing(), move |_| {
            let barrier = barrier.clone();
            Box::pin(async move {
                barrier.wait().await;
                said("done")
            })
        });
        let registry = Registry::new([Provider::from(a), b.into()]).unwrap();
        let (session, log) = session(SessionRules::none());
        let batch = ["b", "a", "b"].map(|tool| Call::new(tool, json!({})));
        assert_eq!(session.batch(&registry, batch.into()).await.len(), 3);
        let lines = log.lines();
        let at = |line: &str| lines.iter().position(|found| found.starts_with(line)).unwrap();
        let was_alone = at("end 1") < at("start 2") && at("end 2") < at("start 3");
        assert_eq!(was_alone, alone, "{lines:?}");
    };
    check(&["b"], true).await;
    check(&[], false).await;
}

#[tokio::test]
async fn an_unknown_tool_in_the_middle_keeps_nobody_apart() {
    let inside = Arc::default();
    let registry = meeting(2, &inside);
    let (session, log) = session(SessionRules::none());
    let batch = [calls("p", 0..1), calls("nobody", 1..2), calls("p", 2..3)].concat();
    let mut outcomes = session.batch(&registry, batch).await;
    let unknown = failure(outcomes.remove(1));
    assert_eq!(unknown.code, Code::UnknownTool);
    assert_eq!(numbers(outcomes), [0, 2]);
    assert_eq!(log.call("2").provider, None);
    assert_eq!(log.lines().iter().filter(|line| *line == "end 2 UNKNOWN_TOOL").count(), 1);
}

#[tokio::test]
async fn nothing_asked_is_nothing_done() {
    let (session, log) = session_that(Keeps::NotThose(""), SessionRules::none());
    assert!(session.batch(&meeting(1, &Arc::default()), Vec::new()).await.is_empty());
    assert!(log.lines().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_large_batch_comes_through_whole() {
    let inside = Arc::default();
    let registry = meeting(1, &inside);
    let (session, log) = session(SessionRules::none());
    let mut batch = calls("p", 0..200);
    batch[100] = Call::new("x", json!({ "n": 100 }));
    assert_eq!(numbers(session.batch(&registry, batch).await), (0..200).collect::<Vec<_>>());
    assert!((1..=10).contains(&inside.most()));
    let lines = log.lines();
    assert_eq!(lines.len(), 600);
    for n in 1..=200 {
        let tool = if n == 101 { "x" } else { "p" };
        let at = [format!("call {n} {tool}"), format!("start {n}"), format!("end {n} ok")]
            .map(|wanted| lines.iter().position(|line| *line == wanted).unwrap());
        assert!(at[0] < at[1] && at[1] < at[2], "{n}");
    }
}

/// Sessions side by side keep no order among each other, and each call has its number.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn batches_of_one_session_do_not_mix_their_outcomes() {
    let registry = meeting(1, &Arc::default());
    let (session, log) = session(SessionRules::none());
    let batches: Vec<_> = (0..8)
        .map(|n| {
            let (session, registry) = (session.clone(), registry.clone());
            tokio::spawn(async move { session.batch(&registry, calls("p", n * 10..n * 10 + 10)).await })
        })
        .collect();
    for (n, batch) in batches.into_iter().enumerate() {
        assert_eq!(numbers(batch.await.unwrap()), (n * 10..n * 10 + 10).collect::<Vec<_>>());
    }
    let calls: Vec<_> = log.lines().into_iter().filter(|line| line.starts_with("call")).collect();
    // As they are numbered, so they stand in the log.
    assert_eq!(calls, (1..=80).map(|n| format!("call {n} p")).collect::<Vec<_>>());
}

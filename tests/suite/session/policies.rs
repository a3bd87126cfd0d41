//! Who may stop a call before its tool runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fumehood::{
    Amendment, Answer, Call, CancellationToken, Code, FailureKind, LimitName, LockFile, Mounted, Outcome, Policy,
    Provider, Registry, Ruling, SessionRules, Verdict,
};
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;

use super::stage::{
    Dropped, Notes, always, approver, asking, echo, elsewhere, elsewhere_under, host, never, now, policy, relay, said,
    session, tool,
};
use super::support::{Guest, failure, success};

fn deny(reason: &str) -> Ruling {
    Ruling::Deny { reason: reason.to_owned() }
}

/// The tool `a`, which notes that it ran.
fn noting(ran: &Notes) -> Registry {
    let ran = ran.clone();
    elsewhere(&[tool("a")], move |call| {
        ran.add(call.args.text());
        now(said("done"))
    })
}

#[tokio::test]
async fn a_policy_sees_the_call_and_lets_it_run_as_it_is() {
    let host = host(1);
    let (component, seen) = (echo(&host, "b").await, Notes::default());
    let digest = component.approved().inspected().digest();
    let elsewhere = elsewhere_under(&[tool("a")], &Policy::nothing(), |_| now(said("done")));
    let registry = Registry::new([Provider::from(component), elsewhere.into()]).unwrap();
    let notes = seen.clone();
    let rules = SessionRules::none().policy(policy("sees", move |proposed| {
        assert_eq!(proposed.component, (proposed.tool.name == "b").then_some(digest));
        assert_eq!(proposed.remote, (proposed.tool.name == "a").then_some("elsewhere"));
        assert!(proposed.callers.is_empty());
        notes.add(format!("{} of {}: {}", proposed.tool.name, proposed.manifest.name, proposed.args.text()));
        Ruling::Allow
    }));
    let (session, log) = session(rules);
    let value = success(session.run(&registry, Call::from_text("b", r#" {"x" : 1.0} "#)).await).value;
    assert_eq!(value.text(), r#"{"x":1.0}"#);
    success(session.run(&registry, Call::from_text("a", "")).await);
    assert_eq!(seen.take(), [r#"b of b: {"x":1.0}"#, "a of a: {}"]);
    assert_eq!(log.lines(), ["call 1 b", "start 1", "end 1 ok", "call 2 a", "start 2", "end 2 ok"]);
}

#[tokio::test]
async fn a_denied_call_does_not_begin() {
    let ran = Notes::default();
    let registry = noting(&ran);
    let (session, log) = session(SessionRules::none().policy(policy("fence", |_| deny("not on a Sunday"))));
    let denied = failure(session.run(&registry, Call::new("a", json!({}))).await);
    assert_eq!((denied.code, denied.kind), (Code::Denied, FailureKind::Refused));
    assert_eq!(denied.message, "the policy fence does not allow this call: not on a Sunday");
    assert_eq!(denied.details, Some(json!({ "policy": "fence", "reason": "not on a Sunday" })));
    assert!(ran.take().is_empty());
    assert_eq!(log.lines(), ["call 1 a", "end 1 DENIED"]);

    // The twin, without the policy.
    success(registry.call("a", json!({})).await);
    assert_eq!(ran.take(), ["{}"]);
}

/// The first denial is told; the others hold just as well.
#[tokio::test]
async fn one_denial_denies_in_every_order_and_every_policy_is_heard() {
    let say = [Ruling::Allow, Ruling::Ask { reason: "sure?".to_owned() }, deny("no")];
    let names = ["first", "second", "third"];
    for order in 0..27 {
        let rulings = [order % 3, order / 3 % 3, order / 9].map(|index| say[index].clone());
        let (ran, heard, asked) = (Notes::default(), Notes::default(), Notes::default());
        let mut rules = SessionRules::none();
        for (name, ruling) in names.into_iter().zip(rulings.clone()) {
            let heard = heard.clone();
            rules = rules.policy(policy(name, move |_| {
                heard.add(name);
                ruling.clone()
            }));
        }
        let notes = asked.clone();
        let rules = rules.approver(approver(move |question| {
            assert!(question.asked_by.iter().all(|(_, reason)| reason == "sure?"));
            question.asked_by.iter().for_each(|(name, _)| notes.add(name));
            now(Answer::Allowed)
        }));
        let (session, log) = session(rules);
        let outcome = session.run(&noting(&ran), Call::new("a", json!({}))).await;
        assert_eq!(heard.take(), names, "{rulings:?}");
        let first = |what: &Ruling| names.into_iter().zip(&rulings).find(|(_, said)| *said == what);
        if let Some((name, _)) = first(&say[2]) {
            let denied = failure(outcome);
            assert_eq!(denied.code, Code::Denied);
            assert!(denied.message.starts_with(&format!("the policy {name} ")), "{rulings:?}: {}", denied.message);
            assert!(asked.take().is_empty() && ran.take().is_empty(), "{rulings:?}");
            assert_eq!(log.lines(), ["call 1 a", "end 1 DENIED"]);
        } else {
            success(outcome);
            let ask = names.into_iter().zip(&rulings).filter(|(_, said)| **said == say[1]);
            assert_eq!(asked.take(), ask.map(|(name, _)| name).collect::<Vec<_>>(), "{rulings:?}");
            assert_eq!(ran.take().len(), 1);
        }
    }
}

#[tokio::test]
async fn each_answer_has_its_own_words() {
    let check = async |rules: SessionRules, why: &str, answer: &str| {
        let ran = Notes::default();
        let (session, log) = session(rules.policy(asking("careful")));
        let denied = failure(session.run(&noting(&ran), Call::new("a", json!({}))).await);
        assert_eq!((denied.code, denied.kind), (Code::Denied, FailureKind::Refused));
        assert_eq!(denied.message, format!("this call needs somebody's approval: {why}"));
        assert_eq!(denied.details, Some(json!({ "policies": ["careful"], "answer": answer })));
        assert!(ran.take().is_empty());
        assert_eq!(log.lines(), ["call 1 a", "end 1 DENIED"]);
        denied.diagnostic.cause
    };
    let none = SessionRules::none;
    let says = |answer| none().approver(approver(move |_| now(answer)));
    assert_eq!(check(none(), "there is nobody to ask", "unavailable").await, None);
    assert_eq!(check(says(Answer::Unavailable), "there is nobody to ask", "unavailable").await, None);
    assert_eq!(check(says(Answer::Rejected), "it was rejected", "rejected").await, None);
    let silent = none().approver(approver(|_| never())).patience(Duration::from_millis(20));
    assert_eq!(check(silent, "nobody answered in time", "unanswered").await, None);
    // Before it has a future, and in it.
    let panics = none().approver(approver(|_| panic!("the terminal is gone")));
    let cause = check(panics, "whoever would be asked cannot be", "failed").await;
    assert_eq!(cause.unwrap(), "the approver panicked: the terminal is gone");
    let panics = none().approver(approver(|_| Box::pin(async { panic!("the terminal is gone") })));
    let cause = check(panics, "whoever would be asked cannot be", "failed").await;
    assert_eq!(cause.unwrap(), "the approver panicked: the terminal is gone");

    // However long somebody may take.
    let accept = always("calm", Verdict::Accept(Amendment::None));
    for time in [Duration::from_secs(600), Duration::MAX] {
        let rules = says(Answer::Allowed).policy(asking("careful")).patience(time);
        let (session, _log) = session(rules.reviewer(accept.clone()).review_time(time));
        success(session.run(&noting(&Notes::default()), Call::new("a", json!({}))).await);
    }
}

#[tokio::test]
async fn a_cancelled_call_asks_no_longer() {
    let (send, mut heard) = unbounded_channel();
    let rules = SessionRules::none().policy(asking("careful")).approver(approver(move |_| {
        let _ = send.send("asked");
        let held = Dropped(send.clone(), "gone");
        Box::pin(async move {
            let _held = held;
            never().await
        })
    }));
    let ((session, log), ran) = (session(rules), Notes::default());
    let cancel = CancellationToken::new();
    let call = Call::new("a", json!({})).cancelled_by(cancel.clone());
    let running = tokio::spawn({
        let (session, registry) = (session.clone(), noting(&ran));
        async move { session.run(&registry, call).await }
    });
    assert_eq!(heard.recv().await, Some("asked"));
    cancel.cancel();
    let aborted = failure(running.await.unwrap());
    assert_eq!((aborted.code, aborted.kind), (Code::AbortedBeforeDispatch, FailureKind::Aborted));
    assert_eq!(heard.recv().await, Some("gone"));
    assert!(ran.take().is_empty());
    assert_eq!(log.lines(), ["call 1 a", "end 1 ABORTED_BEFORE_DISPATCH"]);
}

#[tokio::test]
async fn a_policy_that_panics_denies_and_the_operator_learns_why() {
    let ran = Notes::default();
    let rules = SessionRules::none().policy(policy("broken", |_| panic!("index 3 of 2")));
    let (session, log) = session(rules.policy(policy("other", |_| Ruling::Allow)));
    let denied = failure(session.run(&noting(&ran), Call::new("a", json!({}))).await);
    assert_eq!(denied.code, Code::Denied);
    assert_eq!(denied.message, "the policy broken does not allow this call: the policy failed");
    assert_eq!(denied.diagnostic.cause.unwrap(), "the policy broken panicked: index 3 of 2");
    assert!(ran.take().is_empty());
    assert_eq!(log.lines(), ["call 1 a", "end 1 DENIED"]);
}

#[tokio::test]
async fn what_cannot_be_called_is_no_matter_for_a_policy() {
    let heard = Arc::new(AtomicUsize::new(0));
    let count = heard.clone();
    let rules = SessionRules::none().policy(policy("counts", move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Ruling::Allow
    }));
    let ((session, _log), registry) = (session(rules), noting(&Notes::default()));
    for (tool, args, code) in [
        ("b", "{}", Code::UnknownTool),
        ("a", "[]", Code::InvalidArgs),
        ("a", "{", Code::InvalidArgs),
        ("a", r#"{"x":1,"x":2}"#, Code::InvalidArgs),
    ] {
        assert_eq!(failure(session.run(&registry, Call::from_text(tool, args)).await).code, code);
    }
    let cancel = CancellationToken::new();
    cancel.cancel();
    let call = Call::new("a", json!({})).cancelled_by(cancel);
    assert_eq!(failure(session.run(&registry, call).await).code, Code::AbortedBeforeDispatch);
    assert_eq!(heard.load(Ordering::SeqCst), 0);
    success(session.run(&registry, Call::new("a", json!({}))).await);
    assert_eq!(heard.load(Ordering::SeqCst), 1);
}

/// The answer comes when the tool would long be out of time. The tool itself waits a moment: it is asked for its time.
#[tokio::test]
async fn the_time_to_answer_is_not_the_tools() {
    let limit = 1_500;
    let policy = Policy::nothing().limit(LimitName::WallClock, limit).unwrap();
    let yields = || -> Mounted {
        elsewhere_under(&[tool("a")], &policy, |_| {
            Box::pin(async {
                tokio::task::yield_now().await;
                said("done")
            })
        })
    };
    let later = move || {
        approver(move |_| {
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(limit + 50)).await;
                Answer::Allowed
            })
        })
    };
    let rules = SessionRules::none().policy(asking("careful")).approver(later());
    let guest = super::stage::compiled(&host(1), &Guest::default().wat(), &[tool("b")], &[], |_| policy.clone()).await;
    let registry = Registry::new([Provider::from(guest), yields().into()]).unwrap();
    let (session, _log) = session(rules);
    let (a, b) = tokio::join!(
        session.run(&registry, Call::new("a", json!({}))),
        session.run(&registry, Call::new("b", json!({})))
    );
    for outcome in [a, b] {
        let used = success(outcome).usage.get(LimitName::WallClock).used;
        assert!(used < limit, "{used}");
    }
}

/// The lock is asked again, however fast the answer came.
#[tokio::test]
async fn an_approval_that_is_taken_back_while_somebody_is_asked_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fumehood.lock");
    let lock = LockFile::new(&path, folder.path());
    let approve = || Policy::nothing().approve(super::stage::component(&Guest::default().wat(), &[tool("a")], &[]));
    let approved = approve().unwrap();
    lock.update(|lock, base| lock.approve(&approved, base)).unwrap();
    let host = host(1).locked_by(LockFile::new(&path, folder.path()));
    let registry = Registry::new([host.compile(approve().unwrap()).await.unwrap()]).unwrap();

    let revokes = Arc::new(lock);
    let revoking = {
        let lock = revokes.clone();
        approver(move |_| {
            assert_eq!(lock.update(|lock, _| lock.revoke("a")).unwrap(), 1);
            now(Answer::Allowed)
        })
    };
    let (revoked, log) = session(SessionRules::none().policy(asking("careful")).approver(revoking));
    let allows = SessionRules::none().policy(asking("careful")).approver(approver(|_| now(Answer::Allowed)));
    let (allowed, _log) = session(allows);
    success(allowed.run(&registry, Call::new("a", json!({}))).await);
    let denied = failure(revoked.run(&registry, Call::new("a", json!({}))).await);
    assert_eq!(denied.code, Code::Denied);
    assert!(denied.message.contains("not approved, or no longer"), "{}", denied.message);
    assert_eq!(log.lines(), ["call 1 a", "end 1 DENIED"]);
    assert_eq!(failure(allowed.run(&registry, Call::new("a", json!({}))).await).code, Code::Denied);
}

#[tokio::test]
async fn calls_that_tools_make_are_asked_for_too() {
    let host = host(1);
    let check = async |fence: &'static str| -> (Outcome, Vec<String>, Vec<String>) {
        let (ran, seen) = (Notes::default(), Notes::default());
        let (notes, heard) = (ran.clone(), seen.clone());
        let c = elsewhere_under(&[tool("c")], &Policy::nothing(), move |call| {
            notes.add(call.tool);
            now(said("done"))
        });
        let (a, b) = (relay(&host, "a", &["b"]).await, relay(&host, "b", &["c"]).await);
        let registry = Registry::new([Provider::from(a), b.into(), c.into()]).unwrap();
        let rules = SessionRules::none().policy(policy("fence", move |proposed| {
            heard.add(format!("{} for {}", proposed.tool.name, proposed.callers.join(" ")));
            if proposed.tool.name == fence { deny("a secret reason") } else { Ruling::Allow }
        }));
        let (session, _log) = session(rules);
        (session.run(&registry, Call::new("a", json!({}))).await, seen.take(), ran.take())
    };
    let (outcome, seen, ran) = check("nothing").await;
    success(outcome);
    assert_eq!((seen, ran), (vec!["a for ".into(), "b for a".into(), "c for a b".into()], vec!["c".to_owned()]));

    let (outcome, seen, ran) = check("c").await;
    // Two tools up: each passes on what it got. Why it was denied is for the operator.
    let failed = failure(outcome);
    assert_eq!((failed.code, failed.details.unwrap()["code"].as_str()), (Code::ToolFailed, Some("TOOL_FAILED")));
    assert_eq!(failed.message, "c did not come to a value (DENIED); the operator's log says why");
    assert_eq!((seen.len(), ran.len()), (3, 0));

    let (outcome, seen, ran) = check("b").await;
    assert_eq!(failure(outcome).details.unwrap()["code"], "DENIED");
    assert_eq!((seen.len(), ran.len()), (2, 0));
}

/// A nested question ends with the call that waits for it, however patient the session is.
#[tokio::test]
async fn a_question_for_a_nested_call_ends_with_its_caller() {
    let host = host(1);
    let rules = SessionRules::none()
        .policy(policy("asks below", |proposed| match proposed.callers {
            [] => Ruling::Allow,
            _ => Ruling::Ask { reason: "it is nested".to_owned() },
        }))
        .approver(approver(|_| never()));
    let limited = |policy: Policy| policy.limit(LimitName::WallClock, 1_000).unwrap();
    let a = super::stage::relay_under(&host, tool("a"), &["b"], limited).await;
    let registry = Registry::new([a, echo(&host, "b").await]).unwrap();
    let (session, log) = session(rules);
    // Both are out of time at one instant: who of them is told first is open.
    failure(session.run(&registry, Call::new("a", json!({}))).await);
    let lines = log.lines();
    assert_eq!(lines[..3], ["call 1 a", "start 1", "call 1.1 b"]);
    assert!(lines[3].starts_with("end 1.1 ") && lines[4].starts_with("end 1 ") && lines.len() == 5, "{lines:?}");
}

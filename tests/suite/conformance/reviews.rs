//! Reviewers: which results are shown to them.

use std::pin::Pin;
use std::sync::Arc;

use fumehood::{
    Call, CallPolicy, CancellationToken, Code, Draft, Event, Proposed, Recorder, ReviewError, Reviewer, Ruling,
    SessionRules, Verdict,
};
use serde_json::{Value, json};

use super::support::{Guest, failure};
use super::{Seen, Session, tools};

/// Fails with a text.
const FAILS: Guest<'static> = Guest {
    imports: "",
    items: r#"(data (i32.const 1024) "no")"#,
    execute: "(call $error (i32.const 1) (i32.const 1024) (i32.const 2))",
    render: "(call $no_text)",
    present: "(call $no_card)",
};

fn any() -> Value {
    json!({ "type": "object" })
}

#[tokio::test]
async fn what_a_tool_came_to_is_shown_and_what_the_host_says_is_not() {
    struct Never;
    impl CallPolicy for Never {
        fn name(&self) -> &str {
            "never"
        }
        fn rule(&self, _: &Proposed<'_>) -> Ruling {
            Ruling::Deny { reason: "no".to_owned() }
        }
    }
    let shown = async |guest: Guest<'_>, call: Call, rules: SessionRules| {
        let seen = Seen::default();
        let tools = tools(guest, any()).await;
        let outcome = Session::new(rules.reviewer(Arc::new(seen.clone()))).unwrap().run(&tools, call).await;
        (failure(outcome).code, seen.take())
    };
    let call = || Call::new("echo", json!({}));
    let not_an_object = Guest {
        execute: "(call $ok (i32.const 1024) (i32.const 2))",
        items: r#"(data (i32.const 1024) "[]")"#,
        ..Guest::default()
    };
    for (guest, code) in [
        (FAILS, Code::ToolFailed),
        (Guest { execute: "unreachable", ..Guest::default() }, Code::ToolTrapped),
        (not_an_object, Code::InvalidToolOutput),
        (Guest { render: "unreachable", ..Guest::default() }, Code::InvalidToolOutput),
    ] {
        assert_eq!(shown(guest, call(), SessionRules::none()).await, (code, vec![format!("review {code}")]));
    }
    let nothing: Vec<String> = Vec::new();
    let wrong = Call::from_text("echo", "[]");
    assert_eq!(shown(FAILS, wrong, SessionRules::none()).await, (Code::InvalidArgs, nothing.clone()));
    let denied = SessionRules::none().policy(Arc::new(Never));
    assert_eq!(shown(FAILS, call(), denied).await, (Code::Denied, nothing.clone()));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let cancelled = call().cancelled_by(cancel);
    assert_eq!(shown(FAILS, cancelled, SessionRules::none()).await, (Code::AbortedBeforeDispatch, nothing));
}

/// Cancels the call: as a reviewer, and never comes to a verdict; as a recorder, when the call's end is written down.
struct Cancels(CancellationToken);

impl Reviewer for Cancels {
    fn name(&self) -> &str {
        "cancels"
    }

    fn review<'a>(&'a self, _: Draft<'a>) -> Pin<Box<dyn Future<Output = Result<Verdict, ReviewError>> + Send + 'a>> {
        self.0.cancel();
        Box::pin(std::future::pending())
    }
}

impl Recorder for Cancels {
    fn records_values(&self) -> bool {
        false
    }

    fn record(&self, events: &[Event]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if events.iter().any(|event| matches!(event, Event::End(_))) {
            self.0.cancel();
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_failure_stays_itself_unless_it_is_cancelled_unseen() {
    let tools = tools(FAILS, any()).await;
    let call = |cancel: &CancellationToken| Call::new("echo", json!({})).cancelled_by(cancel.clone());
    let cancel = CancellationToken::new();
    let cancels = Arc::new(Cancels(cancel.clone()));
    let session = Session::recorded(SessionRules::none(), cancels, 1).unwrap();
    assert_eq!(failure(session.run(&tools, call(&cancel)).await).code, Code::ToolFailed);
    assert!(cancel.is_cancelled());
    let cancel = CancellationToken::new();
    let session = Session::new(SessionRules::none().reviewer(Arc::new(Cancels(cancel.clone())))).unwrap();
    assert_eq!(failure(session.run(&tools, call(&cancel)).await).code, Code::Aborted);
}

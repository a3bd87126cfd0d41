//! What came of a run, held against what was expected.

use fumehood::{Card, ContentBlock, Failure, Outcome, Success};
use serde_json::Value;

use super::End;
use super::expectation::Expect;

/// All that is not as expected.
pub(crate) fn of(end: &End, progress: usize, expect: &Expect) -> Vec<String> {
    let mut wrong = match end {
        End::Refused(rules, text) => refused(rules, text, expect),
        End::Called(outcome) => match outcome.as_ref() {
            Outcome::Success(success) => succeeded(success, expect),
            Outcome::Failure(failure) => failed(failure, expect),
        },
    };
    if let End::Called(outcome) = end {
        wrong.extend(written(outcome, expect));
        let read = serde_json::to_string(outcome).unwrap();
        let shown = expect.hides.iter().filter(|hidden| read.contains(hidden.as_str()));
        wrong.extend(shown.map(|hidden| format!("a model reads {hidden:?} in {read}")));
    }
    if expect.progress.is_some_and(|expected| expected != progress) {
        wrong.push(format!("{progress} reports of progress"));
    }
    wrong
}

/// The same for a card of a call that has not finished.
pub(crate) fn of_pending(card: Result<Card, Box<Failure>>, expect: &Expect) -> Vec<String> {
    let wrong = match card {
        Ok(card) => match &expect.card {
            Some(part) => holds("the pending card", &serde_json::to_value(card).unwrap(), part),
            None => vec![format!("there is a card: {card:?}")],
        },
        Err(failure) => failed(&failure, expect),
    };
    wrong.into_iter().map(|fault| format!("pending: {fault}")).collect()
}

fn refused(rules: &[String], text: &str, expect: &Expect) -> Vec<String> {
    if expect.harmless {
        return if rules.is_empty() { vec!["refused without a reason".to_owned()] } else { Vec::new() };
    }
    let mut wrong = missing(text, &expect.message);
    if expect.refused.as_deref() != Some(rules) {
        wrong.push(format!("refused for {rules:?}: {text}"));
    }
    wrong
}

fn failed(failure: &Failure, expect: &Expect) -> Vec<String> {
    let code = failure.code.as_str();
    if expect.harmless {
        return if code == "HOST_FAULT" { vec![format!("{:?}", failure.diagnostic.cause)] } else { Vec::new() };
    }
    let Some(expected) = &expect.code else {
        return vec![format!("failed: {code}: {} ({:?})", failure.message, failure.diagnostic)];
    };
    let mut wrong = missing(&failure.message, &expect.message);
    if expected != code {
        wrong.push(format!("{code}, not {expected}: {} ({:?})", failure.message, failure.diagnostic.cause));
    }
    let kind = serde_json::to_value(failure.kind).unwrap();
    if expect.kind.as_deref() != kind.as_str() {
        wrong.push(format!("the kind is {kind}"));
    }
    let details = failure.details.clone().unwrap_or_default();
    if details["limit"]["name"].as_str() != expect.limit.as_deref() {
        wrong.push(format!("the limit in the details is {}", details["limit"]));
    }
    if let Some(part) = &expect.details {
        wrong.extend(holds("details", &details, part));
    }
    wrong
}

fn succeeded(success: &Success, expect: &Expect) -> Vec<String> {
    if expect.harmless {
        return Vec::new();
    }
    if !expect.is_success() {
        return vec![format!("succeeded with {}", success.value.text())];
    }
    let mut wrong = Vec::new();
    if let Some(value) = &expect.value
        && value != success.value.text()
    {
        wrong.push(format!("the value is {}", success.value.text()));
    }
    if let Some(text) = &expect.text {
        let blocks = success.content.iter().filter_map(|block| match block {
            ContentBlock::Text { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let found = blocks.collect::<Vec<_>>().join("\n");
        if *text != found {
            wrong.push(format!("the text is {found:?}"));
        }
    }
    if let Some(part) = &expect.content {
        wrong.extend(holds("content", &serde_json::to_value(&success.content).unwrap(), part));
    }
    if let Some(part) = &expect.card {
        wrong.extend(holds("card", &serde_json::to_value(&success.card).unwrap(), part));
    }
    wrong
}

/// What the exports wrote for the operator.
fn written(outcome: &Outcome, expect: &Expect) -> Vec<String> {
    let logs = &outcome.diagnostic().logs;
    let mut wrong = Vec::new();
    for (place, text) in &expect.log {
        let found = logs.iter().find_map(|(export, log)| match place.split_once(' ') {
            Some((name, "stdout")) if name == *export => Some(&log.stdout),
            Some((name, "stderr")) if name == *export => Some(&log.stderr),
            _ => None,
        });
        if found != Some(text) {
            wrong.push(format!("{place} is {found:?}"));
        }
    }
    let dropped: u64 = logs.iter().map(|(_, log)| log.dropped).sum();
    if expect.dropped.is_some_and(|expected| expected != dropped) {
        wrong.push(format!("{dropped} bytes of the log were dropped"));
    }
    wrong
}

fn missing(text: &str, parts: &[String]) -> Vec<String> {
    parts.iter().filter(|part| !text.contains(part.as_str())).map(|part| format!("{text:?} lacks {part:?}")).collect()
}

/// Whether all of `part` is in `whole`: objects may have more keys, everything else is equal.
fn holds(what: &str, whole: &Value, part: &str) -> Vec<String> {
    fn inside(part: &Value, whole: &Value) -> bool {
        match (part, whole) {
            (Value::Object(part), Value::Object(whole)) => {
                part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| inside(part, whole)))
            }
            (Value::Array(part), Value::Array(whole)) => {
                part.len() == whole.len() && part.iter().zip(whole).all(|(part, whole)| inside(part, whole))
            }
            (part, whole) => part == whole,
        }
    }
    match serde_json::from_str(part) {
        Ok(part) if inside(&part, whole) => Vec::new(),
        Ok(_) => vec![format!("{what}: {whole} lacks {part}")],
        Err(error) => vec![format!("{what}: the expectation is not JSON: {error}")],
    }
}

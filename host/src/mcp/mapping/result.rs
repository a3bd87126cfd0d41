//! How a call ended, as a client gets it.

use std::borrow::Cow;
use std::io;

use rmcp::model::{CallToolResult, ContentBlock as Sent, MetaObject};
use serde::Serialize;
use serde_json::{Value, json};

use super::budget::{Budget, sent_len};
use super::overflow::{Body, Overflow};
use super::schema::is_unsafe;
use super::{content, key};
use crate::{Card, Code, ContentBlock, Failure, FailureKind, Outcome, Role, Success};

/// Integers that are pointed at, and bytes of the pointers; past either, the whole value is. A client that has to care
/// reads the text then.
const POINTERS: (usize, usize) = (32, 2_000);

/// Bytes of a card's title when the rest of the card was too much.
const TITLE: usize = 200;

/// What a result has to fit.
#[derive(Clone, Copy, Debug)]
pub(in crate::mcp) struct Wire<'a> {
    /// Whether the peer was told that the value stands under `result`: [`super::Schemas::wraps`].
    pub(in crate::mcp) wraps: bool,
    /// Whether the value holds the content, as that of a mounted tool does.
    pub(in crate::mcp) mounted: bool,
    pub(in crate::mcp) budget: &'a Budget,
    pub(in crate::mcp) overflow: &'a Overflow,
}

/// The result of a call. Nothing of [`crate::Diagnostic`] is in it.
pub(in crate::mcp) fn result(outcome: &Outcome, wire: &Wire<'_>) -> CallToolResult {
    match outcome {
        Outcome::Success(success) => succeeded(success, wire),
        Outcome::Failure(failure) => failed(failure, wire),
    }
}

fn succeeded(success: &Success, wire: &Wire<'_>) -> CallToolResult {
    let text = success.value.text();
    if text.len() > wire.budget.value {
        return too_large(success, wire);
    }
    let twin = twin(success, wire.mounted);
    let twin = twin.as_deref();
    let mut result = CallToolResult::success(content::success(&success.content, twin, wire.budget, wire.overflow));
    result.is_error = None;
    let value = success.value.value();
    result.structured_content = Some(if wire.wraps { json!({ "result": value }) } else { value.clone() });
    let mut meta = MetaObject::new();
    meta.insert(key::CARD.to_owned(), card(&success.card, wire));
    let base = if wire.wraps { "/result" } else { "" };
    let pointers = unsafe_integers(text, value, base);
    if !pointers.is_empty() {
        meta.insert(key::UNSAFE_INTEGERS.to_owned(), pointers.into());
    }
    result.meta = Some(meta);
    result
}

/// What has to stand beside the content so that it says all that the value says.
fn twin(success: &Success, mounted: bool) -> Option<Cow<'_, str>> {
    let (text, value) = if mounted {
        // The rest of the value is the content, pictures and all.
        let structured = success.value.value().get("structuredContent")?;
        (Cow::Owned(structured.to_string()), structured)
    } else {
        (Cow::Borrowed(success.value.text()), success.value.value())
    };
    (!carries(&success.content, &text, value)).then_some(text)
}

/// Whether a block that the model reads is the value's JSON: its canonical text, or a text that parses to the same.
fn carries(blocks: &[ContentBlock], canonical: &str, value: &Value) -> bool {
    blocks.iter().any(|block| {
        let ContentBlock::Text { text, annotations } = block else { return false };
        let audience = annotations.as_ref().map_or(&[][..], |annotations| &annotations.audience);
        let read = audience.is_empty() || audience.contains(&Role::Assistant);
        // Most texts differ in their first character: nothing is parsed for them.
        let text = text.trim_ascii();
        read && (text == canonical
            || (text.as_bytes().first() == canonical.as_bytes().first()
                && serde_json::from_str::<Value>(text).is_ok_and(|parsed| parsed == *value)))
    })
}

/// A value that strict clients could not be given whole.
///
/// Under an output schema they take a success without `structuredContent` for a broken server, and a cut one for a broken
/// tool. A failure they pass on to the model, which learns that the tool is done and where the value is.
fn too_large(success: &Success, wire: &Wire<'_>) -> CallToolResult {
    let text = success.value.text();
    let (bytes, allowed) = (text.len(), wire.budget.value);
    let address = wire.overflow.keep("application/json", Body::Text(text.to_owned()));
    let place = match &address {
        Some(address) => format!("the whole value is at {address}"),
        None => "it was not kept".to_owned(),
    };
    let code = Code::ResourceExhausted;
    let message = format!(
        "{code}: the tool has finished, and what it did stands; its value of {bytes} bytes is over the {allowed} that one \
         result may carry, and {place}. Ask for less of it rather than for the same again."
    );
    let details = json!({ "finished": true, "bytes": bytes, "allowed": allowed, "resource": address });
    let texts = success.content.iter().filter_map(|block| match block {
        ContentBlock::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let texts: Vec<&str> = std::iter::once(message.as_str()).chain(texts).collect();
    error(&texts, code.kind(), code, Some(&details), wire)
}

fn failed(failure: &Failure, wire: &Wire<'_>) -> CallToolResult {
    let message = format!("{}: {}", failure.code, failure.message);
    let mut texts: Vec<&str> = failure.content.iter().filter_map(text_of).collect();
    if !texts.first().is_some_and(|first| first.starts_with(failure.code.as_str())) {
        texts.insert(0, &message);
    }
    error(&texts, failure.kind, failure.code, failure.details.as_ref(), wire)
}

fn text_of(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Text { text, .. } => Some(text),
        _ => None,
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ending<'a> {
    kind: FailureKind,
    code: Code,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Value>,
    /// In place of `details`, how long they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    details_bytes: Option<usize>,
}

/// Text only: a client that validates `structuredContent` of an error as well hides the error itself.
fn error(texts: &[&str], kind: FailureKind, code: Code, details: Option<&Value>, wire: &Wire<'_>) -> CallToolResult {
    let limit = wire.budget.text.max(Budget::LEAST_TEXT);
    let ending = ending(kind, code, details, limit / 4);
    let mut blocks = content::failure(texts, limit - sent_len(&ending) - 100, wire.overflow);
    blocks.insert(1.min(blocks.len()), Sent::text(ending));
    let mut result = CallToolResult::error(blocks);
    let mut meta = MetaObject::new();
    meta.insert(key::FAILURE.to_owned(), json!({ "kind": kind, "code": code }));
    result.meta = Some(meta);
    result
}

/// The ending as JSON, with its details if they take no more than `limit` bytes as sent.
fn ending(kind: FailureKind, code: Code, details: Option<&Value>, limit: usize) -> String {
    let bytes = details.map_or(0, written_len);
    let write = |details, details_bytes| {
        serde_json::to_string(&Ending { kind, code, details, details_bytes }).unwrap_or_default()
    };
    let whole = if bytes <= limit { write(details, None) } else { String::new() };
    if whole.is_empty() || sent_len(&whole) > limit { write(None, Some(bytes)) } else { whole }
}

/// The card as JSON: what may not leave is replaced, and a card that is too much gives way to one that says so.
fn card(card: &Card, wire: &Wire<'_>) -> Value {
    let vetted = vetted(card);
    let card = vetted.as_ref().unwrap_or(card);
    let bytes = written_len(card);
    if bytes <= wire.budget.card {
        return serde_json::to_value(card).unwrap_or_default();
    }
    let whole = serde_json::to_string(card).unwrap_or_default();
    let note = match wire.overflow.keep("application/json", Body::Text(whole)) {
        Some(address) => format!("This card is {bytes} bytes long, more than fits here; the whole is at {address}"),
        None => format!("This card is {bytes} bytes long, more than fits here, and was not kept."),
    };
    let title = card.title();
    let title = match title.char_indices().find(|(at, c)| at + c.len_utf8() > TITLE) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title.to_owned(),
    };
    let body = vec![ContentBlock::text(note)];
    let brief = Card::Generic { title, kind: None, input: None, body, locations: Vec::new() };
    serde_json::to_value(brief).unwrap_or_default()
}

/// A generic card whose blocks may all leave; `None`: they may as they are.
fn vetted(card: &Card) -> Option<Card> {
    let Card::Generic { body, .. } = card else { return None };
    let whys: Vec<Option<String>> = body.iter().map(content::withheld).collect();
    if whys.iter().all(Option::is_none) {
        return None;
    }
    let mut card = card.clone();
    if let Card::Generic { body, .. } = &mut card {
        for (block, why) in body.iter_mut().zip(whys) {
            if let Some(why) = why {
                *block = ContentBlock::text(why);
            }
        }
    }
    Some(card)
}

/// JSON pointers, after `base`, to the integers that a double may not hold exactly.
fn unsafe_integers(text: &str, value: &Value, base: &str) -> Vec<String> {
    // 2^53 has 16 digits; without so many in a row there is no need to look.
    let mut run = 0;
    let long = text.bytes().any(|byte| {
        run = if byte.is_ascii_digit() { run + 1 } else { 0 };
        run == 16
    });
    let mut found = Vec::new();
    if long {
        let (count, bytes) = POINTERS;
        collect(value, &mut base.to_owned(), &mut found);
        if found.len() > count || found.iter().map(String::len).sum::<usize>() > bytes {
            return vec![base.to_owned()];
        }
    }
    found
}

/// Recursion goes no deeper than the JSON gate lets a value nest.
fn collect(value: &Value, at: &mut String, found: &mut Vec<String>) {
    if found.len() > POINTERS.0 {
        return;
    }
    let here = at.len();
    match value {
        Value::Number(number) if is_unsafe(number) => found.push(at.clone()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                at.push_str(&format!("/{index}"));
                collect(item, at, found);
                at.truncate(here);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                at.push('/');
                at.push_str(&key.replace('~', "~0").replace('/', "~1"));
                collect(member, at, found);
                at.truncate(here);
            }
        }
        _ => {}
    }
}

/// Bytes of a value's JSON.
fn written_len(value: &impl Serialize) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Neither the counter nor plain data can fail to be written; were it so, nothing would fit.
    serde_json::to_writer(&mut count, value).map_or(usize::MAX, |()| count.0)
}

#[cfg(test)]
mod tests;

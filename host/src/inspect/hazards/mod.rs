//! Texts that a tool supplies and a model or a person will read, looked at for what they may do to the reader.
//!
//! The manifest gate refuses what hides (control, bidirectional, invisible characters). Nothing here refuses: words are
//! judged by people, and these are the places to look at. A finding quotes the text, escaped and short.

mod phrases;
mod shapes;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::escape::escaped;
use super::provenance::Provenance;
use crate::finding::Finding;
use crate::json::bounded_pointer;
use crate::manifest::{Manifest, hides};

/// As many findings as a person reads.
const MAX_FINDINGS: usize = 100;
/// Bytes of a quotation.
const QUOTED: usize = 80;
/// Half of what the manifest lets a description take, which is two screens: few honest ones reach it.
const LONG: usize = 2048;

/// What one rule found in one text: the byte range to quote.
struct Hit {
    rule: &'static str,
    message: &'static str,
    remedy: &'static str,
    /// A note, not a warning.
    minor: bool,
    start: usize,
    end: usize,
}

/// Every text hazard of a manifest and of what the binary says about its making. At most 100 findings; the last says how
/// many were left out.
pub(super) fn find(manifest: &Manifest, provenance: &Provenance) -> Vec<Finding> {
    let mut found = Found::default();
    found.text("/description", &manifest.description);
    for (index, tool) in manifest.tools.iter().enumerate() {
        let at = |field: &str| format!("/tools/{index}/{field}");
        found.text(&at("description"), &tool.description);
        if let Some(title) = &tool.title {
            found.text(&at("title"), title);
        }
        for (field, schema) in [("inputSchema", tool.input_json()), ("outputSchema", tool.output_json())] {
            let mut path = vec!["tools".to_owned(), index.to_string(), field.to_owned()];
            found.value(&mut path, schema);
        }
    }
    for (index, request) in manifest.capabilities.iter().enumerate() {
        found.text(&format!("/capabilities/{index}/reason"), &request.reason);
    }
    for producer in &provenance.producers {
        for text in [&producer.field, &producer.name, &producer.version] {
            found.text("producers", text);
        }
    }
    for claim in &provenance.claims {
        found.text(&claim.name, &claim.text);
    }
    for dependency in &provenance.dependencies {
        for text in [&dependency.name, &dependency.version, &dependency.source] {
            found.text(".dep-v0", text);
        }
    }
    found.finish()
}

#[derive(Default)]
struct Found {
    findings: Vec<Finding>,
    more: usize,
}

impl Found {
    fn text(&mut self, at: &str, text: &str) {
        for hit in hits(text) {
            if self.findings.len() == MAX_FINDINGS {
                self.more += 1;
                continue;
            }
            let quoted = escaped(&text[hit.start..hit.end], QUOTED);
            let message = format!("{}: \u{201c}{quoted}\u{201d}", hit.message);
            let finding = Finding::warning(hit.rule, at, message, hit.remedy);
            self.findings.push(if hit.minor { Finding::note(hit.rule, at, finding.message) } else { finding });
        }
    }

    /// The manifest's gate has bounded the depth, so recursion is safe.
    fn value(&mut self, path: &mut Vec<String>, value: &Value) {
        match value {
            Value::String(text) => self.pointed(path, text),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    path.push(index.to_string());
                    self.value(path, item);
                    path.pop();
                }
            }
            Value::Object(members) => {
                for (key, member) in members {
                    path.push(key.clone());
                    self.pointed(path, key);
                    self.value(path, member);
                    path.pop();
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// [`Self::text`], with a pointer only where something is found.
    fn pointed(&mut self, path: &[String], text: &str) {
        if !hits(text).is_empty() {
            self.text(&bounded_pointer(path.iter().map(String::as_str)), text);
        }
    }

    fn finish(mut self) -> Vec<Finding> {
        if self.more > 0 {
            let message = format!("{} more text hazards are not listed", self.more);
            self.findings.push(Finding::note("text/more", "", message));
        }
        self.findings
    }
}

/// What there is to say about one text: the first place for each rule.
fn hits(text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    hits.extend(shapes::all(text));
    hits.extend(phrases::first(text));
    if let Some((start, hidden)) = text.char_indices().find(|(_, character)| hides_here(*character)) {
        hits.push(Hit {
            rule: "text/hidden",
            message: "a character that does not show",
            remedy: "ask the vendor what it is for",
            minor: false,
            start,
            end: start + hidden.len_utf8(),
        });
    }
    if text.len() > LONG {
        hits.push(Hit {
            rule: "text/long",
            message: "a text of more than 2048 bytes, in which much can be missed",
            remedy: "read all of it, or ask the vendor for a shorter one",
            minor: false,
            start: 0,
            end: text.len(),
        });
    }
    hits
}

/// What the manifest's gate leaves and nobody sees: U+2800 is a blank that is no white space. The rest is refused there,
/// save in schemas, which may hold line separators, and is escaped in what a binary says about its making.
fn hides_here(character: char) -> bool {
    character == '\u{2800}' || (hides(character).is_some() && !matches!(character, '\n' | '\t' | '\r' | '\u{fe0f}'))
}

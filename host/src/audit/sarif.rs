//! SARIF 2.1.0: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Audit, rules};
use crate::finding::{Finding, Severity};
use crate::inspect::{Doubt, Purity};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log of an audit: one run with one artifact.
pub(super) fn log(audit: &Audit, file: &str) -> Value {
    let uri = uri(file);
    let mut run = Run { uri: &uri, rules: Vec::new(), results: Vec::new() };
    audit.all_findings().for_each(|finding| run.finding(finding));
    for problem in &audit.provenance.problems {
        run.finding(&Finding::note("provenance/unreadable", "", problem.clone()));
    }
    audit.projectors().for_each(|(name, purity)| run.projector(name, purity));
    let digest = audit.digest.to_string();
    run.finish(json!({
        "location": { "uri": uri },
        "length": audit.bytes,
        "mimeType": "application/wasm",
        "roles": ["analysisTarget"],
        "hashes": { "sha-256": digest.trim_start_matches("sha256:") },
        "properties": {
            "name": audit.name, "version": audit.version, "manifestDigest": audit.manifest_digest,
            "kind": audit.kind, "interface": audit.interface,
        },
    }))
}

/// The log of a file that was not audited: of one that is no component this host can use, for one.
pub(super) fn of_findings(findings: &[Finding], file: &str) -> Value {
    let uri = uri(file);
    let mut run = Run { uri: &uri, rules: Vec::new(), results: Vec::new() };
    findings.iter().for_each(|finding| run.finding(finding));
    run.finish(json!({ "location": { "uri": uri }, "mimeType": "application/wasm", "roles": ["analysisTarget"] }))
}

struct Run<'a> {
    uri: &'a str,
    rules: Vec<&'static str>,
    results: Vec<Value>,
}

impl Run<'_> {
    fn finish(self, artifact: Value) -> Value {
        json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "fumehood",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": self.rules.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
                } },
                "artifacts": [artifact],
                "results": self.results,
            }],
        })
    }

    fn finding(&mut self, finding: &Finding) {
        let level = match finding.severity {
            Severity::Refusal => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let mut message = finding.message.clone();
        if !finding.remedy.is_empty() {
            message.push_str("; ");
            message.push_str(&finding.remedy);
        }
        let kind = if finding.at.starts_with('/') { "property" } else { "module" };
        let at = (!finding.at.is_empty()).then_some((finding.at.as_str(), kind));
        self.result(finding.rule, "fail", level, &message, at);
    }

    fn projector(&mut self, name: &str, purity: &Purity) {
        let at = Some((name, "function"));
        match purity {
            Purity::Proved => {
                let message = format!("No path in the code leads from {name} to an import");
                // A level other than "none" would say that something failed.
                self.result("purity/proved", "pass", "none", &message, at);
            }
            Purity::Enforced(Doubt::Path(path)) => {
                let message = format!("A path may lead from {name} to an import: {}", path.join(" > "));
                self.result("purity/enforced", "informational", "none", &message, at);
            }
            Purity::Enforced(Doubt::NotCovered(reason)) => {
                let message = format!("The code of {name} was not followed to its end: {reason}");
                self.result("purity/enforced", "informational", "none", &message, at);
            }
        }
    }

    fn result(&mut self, rule: &'static str, kind: &str, level: &str, message: &str, at: Option<(&str, &str)>) {
        let index = self.rules.iter().position(|known| *known == rule).unwrap_or_else(|| {
            self.rules.push(rule);
            self.rules.len() - 1
        });
        let mut location = json!({ "physicalLocation": { "artifactLocation": { "uri": self.uri, "index": 0 } } });
        if let Some((name, kind)) = at {
            location["logicalLocations"] = json!([{ "fullyQualifiedName": name, "kind": kind }]);
        }
        self.results.push(json!({
            "ruleId": rule, "ruleIndex": index, "kind": kind, "level": level,
            "message": { "text": plain(message) }, "locations": [location],
        }));
    }
}

fn descriptor(rule: &str) -> Value {
    let (about, help) = rules::about(rule);
    json!({ "id": rule, "shortDescription": { "text": plain(about) }, "help": { "text": plain(help) } })
}

/// A message as plain text: braces are doubled, since they stand for placeholders (§3.11.5), and what would be an
/// embedded link (§3.11.6) is taken apart.
fn plain(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

/// A path as a URI reference.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_hold_no_link_and_no_placeholder() {
        assert_eq!(plain("see [this](https://example.com) {0}"), "see [this] (https://example.com) {{0}}");
        assert_eq!(plain("/tools/0 [x] (y)"), "/tools/0 [x] (y)");
    }

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("a b/c:d.wasm"), "a%20b/c%3Ad.wasm");
        assert_eq!(uri("/srv/ä.wasm"), "file:///srv/%C3%A4.wasm");
    }
}

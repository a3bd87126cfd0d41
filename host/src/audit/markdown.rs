//! One page of Markdown, for a review that lives in a pull request or a ticket.

use std::fmt::{self, Write as _};

use super::{Audit, PolicyAnswer};
use crate::finding::{Finding, Severity};
use crate::inspect::{Doubt, Purity};
use crate::manifest::ComponentKind;

/// Dependencies that are listed. The rest is in the JSON form.
const LISTED: usize = 40;

pub(super) fn page(audit: &Audit) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = write(&mut out, audit);
    out
}

fn write(out: &mut String, audit: &Audit) -> fmt::Result {
    writeln!(out, "# Audit of {} {}\n", text(&audit.name), text(&audit.version))?;
    writeln!(out, "{}\n", quote(&audit.description))?;
    writeln!(out, "| | |\n|---|---|")?;
    writeln!(out, "| digest | `{}` |", audit.digest)?;
    writeln!(out, "| manifest | `{}` |", audit.manifest_digest)?;
    writeln!(out, "| interface | {} {} |", audit.interface_package(), text(&audit.interface))?;
    writeln!(out, "| size | {} bytes |", audit.bytes)?;
    provenance(out, audit)?;

    writeln!(out, "\n## Asks for\n")?;
    if audit.capabilities.is_empty() {
        writeln!(out, "Nothing.")?;
    } else {
        writeln!(out, "| capability | optional | why, says the vendor |\n|---|---|---|")?;
    }
    for request in &audit.capabilities {
        let optional = if request.optional { "yes" } else { "no" };
        writeln!(out, "| {} | {optional} | {} |", text(&request.capability.to_string()), text(&request.reason))?;
    }

    if let Some(decision) = &audit.policy {
        policy(out, decision)?;
    }

    if audit.kind == ComponentKind::Tool {
        writeln!(out, "\n## Projectors\n")?;
    }
    for (name, purity) in audit.projectors() {
        match purity {
            Purity::Proved => writeln!(out, "- `{name}` is **proved** pure: no path in its code leads to an import.")?,
            Purity::Enforced(Doubt::Path(path)) => {
                writeln!(out, "- `{name}` is **enforced** pure by the sandbox: a path may lead to an import.")?;
                for step in path {
                    writeln!(out, "  1. {}", text(step))?;
                }
            }
            Purity::Enforced(Doubt::NotCovered(reason)) => {
                writeln!(out, "- `{name}` is **enforced** pure by the sandbox: {}.", text(reason))?;
            }
        }
    }

    writeln!(out, "\n## Links\n")?;
    if audit.imports.is_empty() {
        writeln!(out, "Nothing.")?;
    } else {
        writeln!(out, "| interface | | functions |\n|---|---|---|")?;
    }
    for import in &audit.imports {
        writeln!(out, "| {} | {} | {} |", text(&import.name), import.need, import.functions.len())?;
    }

    match audit.kind {
        ComponentKind::Tool => writeln!(out, "\n## Tools")?,
        ComponentKind::Reviewer => writeln!(out, "\n## Reviews\n\nEvery result. It may replace it, or block it.")?,
    }
    for tool in &audit.tools {
        writeln!(out, "\n### {}\n\n{}", text(&tool.name), quote(&tool.description))?;
        if !tool.callable {
            writeln!(out, "\nIt cannot be called: see the findings.")?;
        }
        for (what, schema) in [("Input", &tool.input_schema), ("Output", &tool.output_schema)] {
            let pretty = serde_json::to_string_pretty(schema).map_err(|_| fmt::Error)?;
            writeln!(out, "\n{what}:\n\n{}", indented(&pretty))?;
        }
    }

    findings(out, "Findings", &audit.findings)
}

fn provenance(out: &mut String, audit: &Audit) -> fmt::Result {
    let provenance = &audit.provenance;
    if provenance.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Made with\n\nThe binary says so; nobody checked it.\n")?;
    for producer in &provenance.producers {
        writeln!(out, "- {}: {} {}", text(&producer.field), text(&producer.name), text(&producer.version))?;
    }
    for claim in &provenance.claims {
        writeln!(out, "- {}: {}", text(&claim.name), text(&claim.text))?;
    }
    for sbom in &provenance.sboms {
        writeln!(out, "- section {}: {} bytes, `{}`", text(&sbom.name), sbom.bytes, sbom.digest)?;
    }
    if !provenance.dependencies.is_empty() {
        writeln!(out, "- {} dependencies:", provenance.dependencies.len())?;
    }
    for dependency in provenance.dependencies.iter().take(LISTED) {
        writeln!(out, "  - {} {} ({})", text(&dependency.name), text(&dependency.version), text(&dependency.source))?;
    }
    if let Some(more @ 1..) = provenance.dependencies.len().checked_sub(LISTED) {
        writeln!(out, "  - and {more} more")?;
    }
    for problem in &provenance.problems {
        writeln!(out, "- problem: {}", text(problem))?;
    }
    Ok(())
}

fn policy(out: &mut String, decision: &PolicyAnswer) -> fmt::Result {
    writeln!(out, "\n## Would get\n")?;
    match &decision.grants {
        None => writeln!(out, "Nothing: the policy refuses it.")?,
        Some(grants) if grants.is_empty() => writeln!(out, "Nothing.")?,
        Some(_) => {
            for line in decision.given() {
                writeln!(out, "- {}", text(&line))?;
            }
        }
    }
    findings(out, "What the policy says", &decision.findings)
}

fn findings(out: &mut String, title: &str, findings: &[Finding]) -> fmt::Result {
    writeln!(out, "\n## {title}\n")?;
    if findings.is_empty() {
        return writeln!(out, "None.");
    }
    writeln!(out, "| | rule | where | what | instead |\n|---|---|---|---|---|")?;
    for finding in findings {
        let weight = match finding.severity {
            Severity::Refusal => "**refusal**",
            Severity::Warning => "**warning**",
            Severity::Note => "note",
        };
        let Finding { rule, at, message, remedy, .. } = finding;
        writeln!(out, "| {weight} | {rule} | {} | {} | {} |", text(at), text(message), text(remedy))?;
    }
    Ok(())
}

/// One line of plain text: no character of it means anything in Markdown or HTML.
fn text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\r' => {
                shown.push(' ');
                continue;
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '!' | '|' | '~' | '&' | '$' => shown.push('\\'),
            // A URL would make a link of itself.
            ':' if characters.peek() == Some(&'/') => shown.push('\\'),
            _ => {}
        }
        shown.push(character);
    }
    shown
}

/// Lines of plain text, set apart from the page's own.
fn quote(lines: &str) -> String {
    let lines = lines.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<_> = lines.map(|line| format!("> {}", start(&text(line)))).collect();
    lines.join("\n>\n")
}

/// The start of a line can make a list of it, a rule, or a heading of the line before.
fn start(line: &str) -> String {
    let trimmed = line.trim_start();
    let digits = trimmed.len() - trimmed.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if trimmed.starts_with(['-', '=', '+']) {
        format!("\\{trimmed}")
    } else if digits > 0 && trimmed[digits..].starts_with('.') {
        format!("{}\\{}", &trimmed[..digits], &trimmed[digits..])
    } else {
        trimmed.to_owned()
    }
}

/// A code block by indentation, which no text can end.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(text("![x](https://e.com) <b> `c` | a_b"), "\\!\\[x\\](https\\://e.com) \\<b\\> \\`c\\` \\| a\\_b");
        assert_eq!(text("a\n# b"), "a \\# b");
        assert_eq!(quote("a\n\n# b\n- c\n12. d\n==="), "> a\n>\n> \\# b\n>\n> \\- c\n>\n> 12\\. d\n>\n> \\===");
        assert_eq!(indented("{\n}"), "    {\n    }");
    }
}

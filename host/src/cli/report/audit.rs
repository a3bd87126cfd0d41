//! What `fumehood inspect` shows.

use std::fmt::{self, Write as _};

use fumehood::{Audit, ComponentKind, Doubt, Finding, Purity};

use super::set_in;

/// Dependencies that are listed. The rest is in the JSON form.
const LISTED: usize = 20;

pub(in crate::cli) fn audit(audit: &Audit) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = write(&mut out, audit);
    out
}

fn write(out: &mut String, audit: &Audit) -> fmt::Result {
    writeln!(out, "{} {}\n  {}\n", audit.name, audit.version, set_in(&audit.description, 2))?;
    writeln!(out, "digest     {}", audit.digest)?;
    writeln!(out, "manifest   {}", audit.manifest_digest)?;
    writeln!(out, "interface  {} {}", audit.interface_package(), audit.interface)?;
    writeln!(out, "size       {} bytes", audit.bytes)?;
    provenance(out, audit)?;

    match audit.kind {
        ComponentKind::Tool => writeln!(out, "\nTools")?,
        ComponentKind::Reviewer => writeln!(out, "\nReviews\n  every result: it may replace it, or block it")?,
    }
    for tool in &audit.tools {
        let barred = if tool.callable { "" } else { "  (cannot be called: see findings)" };
        writeln!(out, "  {}{barred}\n    {}", tool.name, set_in(&tool.description, 4))?;
    }

    writeln!(out, "\nAsks for")?;
    if audit.capabilities.is_empty() {
        writeln!(out, "  nothing")?;
    }
    for request in &audit.capabilities {
        let optional = if request.optional { " (optional)" } else { "" };
        writeln!(out, "  {}{optional}: {}", request.capability, set_in(&request.reason, 4))?;
    }

    writeln!(out, "\nLinks")?;
    if audit.imports.is_empty() {
        writeln!(out, "  nothing")?;
    }
    let width = audit.imports.iter().map(|import| import.name.len()).max().unwrap_or(0);
    for import in &audit.imports {
        writeln!(out, "  {:width$}  {}", import.name, import.need)?;
    }

    if let Some(projectors) = &audit.projectors {
        writeln!(out, "\nProjectors")?;
        purity(out, "render", &projectors.render)?;
        purity(out, "present", &projectors.present)?;
    }

    if let Some(decision) = &audit.policy {
        writeln!(out, "\nWould get")?;
        let given = decision.given();
        match decision.allowed {
            true if given.is_empty() => writeln!(out, "  nothing")?,
            true => given.iter().try_for_each(|line| writeln!(out, "  {line}"))?,
            false => writeln!(out, "  nothing: it would be refused")?,
        }
    }
    findings(out, "Findings", &audit.findings)?;
    match &audit.policy {
        Some(decision) => findings(out, "Policy", &decision.findings),
        None => Ok(()),
    }
}

fn provenance(out: &mut String, audit: &Audit) -> fmt::Result {
    let provenance = &audit.provenance;
    if provenance.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nMade with, says the binary")?;
    for producer in &provenance.producers {
        writeln!(out, "  {}: {} {}", producer.field, producer.name, producer.version)?;
    }
    for claim in &provenance.claims {
        writeln!(out, "  {}: {}", claim.name, claim.text)?;
    }
    for sbom in &provenance.sboms {
        writeln!(out, "  section {}: {} bytes, {}", sbom.name, sbom.bytes, sbom.digest)?;
    }
    for dependency in provenance.dependencies.iter().take(LISTED) {
        writeln!(out, "  dependency: {} {} ({})", dependency.name, dependency.version, dependency.source)?;
    }
    if let Some(more @ 1..) = provenance.dependencies.len().checked_sub(LISTED) {
        writeln!(out, "  and {more} more dependencies: --json lists them")?;
    }
    for problem in &provenance.problems {
        writeln!(out, "  problem: {problem}")?;
    }
    Ok(())
}

fn purity(out: &mut String, name: &str, purity: &Purity) -> fmt::Result {
    match purity {
        Purity::Proved => writeln!(out, "  {name:<8} proved pure: no path in its code leads to an import"),
        Purity::Enforced(Doubt::NotCovered(reason)) => {
            writeln!(out, "  {name:<8} enforced by the sandbox: {reason}")
        }
        Purity::Enforced(Doubt::Path(path)) => {
            writeln!(out, "  {name:<8} enforced by the sandbox: a path may lead to an import")?;
            path.iter().try_for_each(|step| writeln!(out, "             {step}"))
        }
    }
}

fn findings(out: &mut String, title: &str, findings: &[Finding]) -> fmt::Result {
    if findings.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    for finding in findings {
        writeln!(out, "  {:<8} {}", finding.severity, set_in(&finding.to_string(), 11))?;
    }
    Ok(())
}

//! `fumehood inspect`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use fumehood::{Approved, Denied, Finding, Inspected, Policy, Severity};
use serde_json::{Value, json};

use super::exit::Exit;
use super::host::GrantArgs;
use super::screen;

/// Say what a tool component is and may do, without compiling or running any of it.
///
/// Shows who it claims to be, its tools, what it asks for and why, what it links and which capability each import
/// needs, and what a reviewer should look at. With grants it also says what the component would get.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fumehood inspect files.wasm
  fumehood inspect files.wasm --mount . --json
  fumehood inspect files.wasm --policy policy.toml

Exit status:
  0 usable   1 refused, with every reason   2 the file cannot be read   3 the given grants are not enough")]
pub(super) struct Args {
    /// The tool component
    #[arg(value_name = "TOOL.wasm")]
    component: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    grants: GrantArgs,
}

pub(super) async fn run(args: Args) -> Result<ExitCode, Exit> {
    let policy = args.grants.policy()?;
    let inspected = fumehood::inspect(args.component.clone()).await;
    let inspected = inspected.map_err(|error| Exit::of(&args.component, error))?;
    let decision = (policy != Policy::nothing()).then(|| policy.approve(inspected.clone()));
    let text = if args.json {
        serde_json::to_string_pretty(&as_json(&inspected, decision.as_ref())).map_err(anyhow::Error::from)?
    } else {
        as_text(&inspected, decision.as_ref())
    };
    screen::print(&text).map_err(anyhow::Error::from)?;
    match decision {
        Some(Err(denied)) => Err(fumehood::LoadError::from(denied).into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

type Decision = Result<Approved, Denied>;

fn as_json(inspected: &Inspected, decision: Option<&Decision>) -> Value {
    let manifest = inspected.manifest();
    let tools: Vec<_> = manifest
        .tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name, "title": tool.title, "description": tool.description,
                "callable": tool.is_callable(), "annotations": tool.annotations, "concurrency": tool.concurrency,
                "timeLimitMs": tool.time_limit.map(|time| time.as_millis() as u64),
                "inputSchema": tool.input_json(), "outputSchema": tool.output_json(),
            })
        })
        .collect();
    let mut document = json!({
        "digest": inspected.digest(), "manifestDigest": manifest.digest(),
        "interface": inspected.interface_version(), "bytes": inspected.component().bytes().len(),
        "name": manifest.name, "version": manifest.version, "description": manifest.description,
        "tools": tools, "capabilities": manifest.capabilities, "imports": inspected.imports(),
        "exports": inspected.exports(), "shape": inspected.shape(), "findings": inspected.findings(),
    });
    document["policy"] = match decision {
        None => Value::Null,
        Some(Ok(approved)) => {
            json!({ "allowed": true, "grants": approved.grants(), "findings": approved.findings() })
        }
        Some(Err(Denied(reasons))) => json!({ "allowed": false, "findings": reasons }),
    };
    document
}

fn as_text(inspected: &Inspected, decision: Option<&Decision>) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = write_text(&mut out, inspected, decision);
    out
}

fn write_text(out: &mut String, inspected: &Inspected, decision: Option<&Decision>) -> std::fmt::Result {
    let manifest = inspected.manifest();
    writeln!(out, "{} {}\n  {}\n", manifest.name, manifest.version, manifest.description)?;
    writeln!(out, "digest     {}", inspected.digest())?;
    writeln!(out, "manifest   {}", manifest.digest())?;
    writeln!(out, "interface  fumehood:tool {}", inspected.interface_version())?;
    writeln!(out, "size       {} bytes", inspected.component().bytes().len())?;

    writeln!(out, "\nTools")?;
    for tool in &manifest.tools {
        let barred = if tool.is_callable() { "" } else { "  (cannot be called: see findings)" };
        writeln!(out, "  {}{barred}\n    {}", tool.name, tool.description)?;
    }

    writeln!(out, "\nAsks for")?;
    if manifest.capabilities.is_empty() {
        writeln!(out, "  nothing")?;
    }
    for request in &manifest.capabilities {
        let optional = if request.optional { " (optional)" } else { "" };
        writeln!(out, "  {}{optional}: {}", request.capability, request.reason)?;
    }

    writeln!(out, "\nLinks")?;
    if inspected.imports().is_empty() {
        writeln!(out, "  nothing")?;
    }
    let width = inspected.imports().iter().map(|import| import.name.len()).max().unwrap_or(0);
    for import in inspected.imports() {
        writeln!(out, "  {:width$}  {}", import.name, import.need)?;
    }

    if let Some(decision) = decision {
        writeln!(out, "\nWould get")?;
        match decision {
            Ok(approved) => write_grants(out, approved)?,
            Err(_) => writeln!(out, "  nothing: it would be refused")?,
        }
    }
    write_findings(out, "Findings", inspected.findings())?;
    match decision {
        Some(Ok(approved)) => write_findings(out, "Policy", approved.findings()),
        Some(Err(Denied(reasons))) => write_findings(out, "Policy", reasons),
        None => Ok(()),
    }
}

fn write_grants(out: &mut String, approved: &Approved) -> std::fmt::Result {
    let grants = approved.grants();
    for grant in grants.iter() {
        writeln!(out, "  {grant}")?;
    }
    if grants.is_empty() { writeln!(out, "  nothing") } else { Ok(()) }
}

fn write_findings(out: &mut String, title: &str, findings: &[Finding]) -> std::fmt::Result {
    if findings.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    for finding in findings {
        let weight = match finding.severity {
            Severity::Refusal => "refusal",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        writeln!(out, "  {weight:<8} {finding}")?;
    }
    Ok(())
}

//! `fumehood inspect`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use fumehood::{Audit, Diff, InspectError, Inspected, LoadError, Policy};
use serde_json::json;

use super::exit::Exit;
use super::host::GrantArgs;
use super::{report, screen};

/// Say what a tool component is and may do, without compiling or running any of it.
///
/// Shows who it claims to be, what it was made with, its tools, what it asks for and why, what it links and which
/// capability each import needs, whether its projectors can reach an import at all, and what a reviewer should look
/// at. With grants it also says what the component would get. With --diff it compares two versions. A server to mount,
/// unlike a component, is started, listed and ended.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fumehood inspect files.wasm
  fumehood inspect files.wasm --mount . --json
  fumehood inspect files.wasm --policy policy.toml --format markdown
  fumehood inspect files.wasm --format sarif > files.sarif
  fumehood inspect --diff files-0.1.0.wasm files-0.2.0.wasm
  fumehood inspect --mount-server 'notes=/usr/bin/notes-server --stdio'

Exit status:
  0 usable   1 refused, with every reason   2 the file cannot be read   3 the given grants are not enough
  With --diff:
  0 authority did not grow   1 it grew   2 a file cannot be read, or is refused")]
pub(super) struct Args {
    /// The tool component
    #[cfg_attr(not(feature = "mcp"), arg(value_name = "TOOL.wasm", required = true))]
    #[cfg_attr(feature = "mcp", arg(value_name = "TOOL.wasm", required_unless_present = "mount_server"))]
    component: Option<PathBuf>,
    /// Compare with this earlier version, and say whether authority grew
    #[arg(long, value_name = "OLD.wasm", conflicts_with = "GrantArgs")]
    diff: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Print JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    grants: GrantArgs,
    #[cfg(feature = "mcp")]
    #[command(flatten)]
    mounts: super::mounts::MountArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// For programs
    Json,
    /// For a pull request or a ticket
    Markdown,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

pub(super) async fn run(args: Args) -> Result<ExitCode, Exit> {
    let format = if args.json { Format::Json } else { args.format };
    #[cfg(feature = "mcp")]
    if args.mounts.any() {
        let json = match (format, &args.component) {
            (Format::Text | Format::Json, None) => format == Format::Json,
            (_, None) => return Err(Exit::usage("--mount-server prints text or json")),
            (_, Some(_)) => return Err(Exit::usage("inspect a component or a mounted server, not both at once")),
        };
        let (text, sound) = super::mounts::audit(args.mounts, json).await?;
        print(&text)?;
        return Ok(if sound { ExitCode::SUCCESS } else { ExitCode::from(1) });
    }
    let component = args.component.ok_or_else(|| Exit::usage("name a component"))?;
    match args.diff {
        Some(old) => compare(&old, &component, format).await,
        None => audit(&component, format, &args.grants.policy()?).await,
    }
}

async fn audit(file: &Path, format: Format, policy: &Policy) -> Result<ExitCode, Exit> {
    let inspected = match fumehood::inspect(file.to_owned()).await {
        Ok(inspected) => inspected,
        Err(error) => {
            if let LoadError::Inspect(InspectError::Refused(findings)) = &error {
                // A program that reads the output gets the reasons in its own form too.
                match format {
                    Format::Sarif => print(&pretty(&Audit::sarif_of_findings(findings, &file.to_string_lossy()))?)?,
                    Format::Json => print(&pretty(&json!({ "refused": true, "findings": findings }))?)?,
                    Format::Text | Format::Markdown => {}
                }
            }
            return Err(Exit::of(file, error));
        }
    };
    let decision = (*policy != Policy::nothing()).then(|| policy.approve(inspected.clone()));
    let mut audit = away(move || Audit::of(&inspected)).await?;
    if let Some(decision) = &decision {
        audit = audit.with_policy(decision);
    }
    let text = match format {
        Format::Text => report::audit(&audit),
        Format::Json => pretty(&audit)?,
        Format::Markdown => audit.markdown(),
        Format::Sarif => pretty(&audit.sarif(&file.to_string_lossy()))?,
    };
    print(&text)?;
    match decision {
        Some(Err(denied)) => Err(LoadError::from(denied).into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

async fn compare(old: &Path, new: &Path, format: Format) -> Result<ExitCode, Exit> {
    // Refused is not grown: a script has to tell them apart.
    let (old, new) = match (inspected(old).await, inspected(new).await) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(exit), _) | (_, Err(exit)) => return Err(Exit::usage(exit.message())),
    };
    let diff = away(move || Diff::of(&old, &new)).await?;
    let text = match format {
        Format::Text => report::diff(&diff),
        Format::Json => pretty(&diff)?,
        Format::Markdown | Format::Sarif => return Err(Exit::usage("--diff prints text or json")),
    };
    print(&text)?;
    Ok(if diff.grew { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

async fn inspected(file: &Path) -> Result<Inspected, Exit> {
    fumehood::inspect(file.to_owned()).await.map_err(|error| Exit::of(file, error))
}

/// Reading all of the code of a large component takes a while, and threads of the runtime do not block.
async fn away<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Exit> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Exit::fault(error.to_string()))
}

fn pretty(value: &impl serde::Serialize) -> Result<String, Exit> {
    Ok(serde_json::to_string_pretty(value).map_err(anyhow::Error::from)?)
}

fn print(text: &str) -> Result<(), Exit> {
    Ok(screen::print(text).map_err(anyhow::Error::from)?)
}

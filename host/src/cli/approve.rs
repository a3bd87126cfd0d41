//! `fumehood approve` and `fumehood revoke`.

use std::fmt::Write as _;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use fumehood::{Approved, ComponentKind, Finding, LoadError, Severity};

use super::exit::Exit;
use super::host::{GrantArgs, lock_file};
use super::screen;

const LOCK: &str = "fumehood.lock";

/// Approve a component, as it is, with the grants that are shown.
///
/// Shows who the component claims to be, what it asks for and why, and exactly what it would be granted; asks; and
/// records the answer. `fumehood run --lock FILE` then runs this component with these grants, and no other: a changed
/// byte is another component. An earlier approval of a component of the same name ends.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fumehood approve files.wasm --mount ./notes:rw
  fumehood approve web.wasm --policy policy.toml --lock ops/fumehood.lock --yes

Exit status:
  0 approved, or approved before   1 not a tool component, or the answer was no   2 the lock file cannot be written
  3 the grants are not enough for it")]
pub(super) struct Args {
    /// The tool component
    #[arg(value_name = "TOOL.wasm")]
    component: PathBuf,
    /// The lock file
    #[arg(long, value_name = "FILE", default_value = LOCK)]
    lock: PathBuf,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    grants: GrantArgs,
}

/// Take an approval back. It ends for the next call of every host that runs under the lock file.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fumehood revoke files
  fumehood revoke sha256:… --lock ops/fumehood.lock

Exit status:
  0 taken back   1 there was no such approval   2 the lock file cannot be read or written")]
pub(super) struct RevokeArgs {
    /// The component's name in its manifest, or its digest
    #[arg(value_name = "NAME|DIGEST")]
    component: String,
    /// The lock file
    #[arg(long, value_name = "FILE", default_value = LOCK)]
    lock: PathBuf,
}

pub(super) async fn run(args: Args) -> Result<ExitCode, Exit> {
    let policy = args.grants.policy()?;
    let inspected = fumehood::inspect(args.component.clone()).await;
    let inspected = inspected.map_err(|error| Exit::of(&args.component, error))?;
    let approved = policy.approve(inspected).map_err(LoadError::from)?;
    let lock = lock_file(args.lock)?;
    if lock.check(&approved).is_ok() {
        screen::note("this component is approved already, with these grants");
        return Ok(ExitCode::SUCCESS);
    }
    screen::print(&summary(&approved)).map_err(anyhow::Error::from)?;
    if !args.yes && !agreed().await? {
        return Err(Exit::failed("not approved; nothing was written"));
    }
    lock.update(|lock, base| lock.approve(&approved, base))?;
    screen::note(&format!("approved, in {}", lock.path().display()));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn revoke(args: RevokeArgs) -> Result<ExitCode, Exit> {
    let lock = lock_file(args.lock)?;
    // A file that is not there approves nothing: nothing is written either.
    lock.current()?;
    let revoked = lock.update(|lock, _| lock.revoke(&args.component))?;
    if revoked == 0 {
        let path = lock.path().display();
        return Err(Exit::failed(format!("{} is not approved in {path}", args.component)));
    }
    screen::note(&format!("{} is no longer approved", args.component));
    Ok(ExitCode::SUCCESS)
}

/// What is approved: all of it, so that nothing is agreed to unseen.
fn summary(approved: &Approved) -> String {
    let inspected = approved.inspected();
    let manifest = inspected.manifest();
    let mut out = String::new();
    let _ = writeln!(out, "{} {}\n  {}", manifest.name, manifest.version, manifest.description.replace('\n', "\n  "));
    let _ = writeln!(out, "  {}", inspected.digest());
    let tools: Vec<_> = manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
    let _ = match manifest.kind {
        ComponentKind::Tool => writeln!(out, "  tools: {}", tools.join(", ")),
        ComponentKind::Reviewer => writeln!(out, "  a reviewer: it reads every result, and may replace it or block it"),
    };
    let _ = writeln!(out, "\nAsks for");
    if manifest.capabilities.is_empty() {
        let _ = writeln!(out, "  nothing");
    }
    for request in &manifest.capabilities {
        let optional = if request.optional { " (optional)" } else { "" };
        let _ = writeln!(out, "  {}{optional}: {}", request.capability, request.reason.replace('\n', "\n    "));
    }
    let _ = writeln!(out, "\nIs granted");
    if approved.grants().is_empty() {
        let _ = writeln!(out, "  nothing");
    }
    for grant in approved.grants().iter() {
        // The whole line: what is recorded is what is shown.
        let _ = writeln!(out, "  {}", grant.policy_line());
    }
    let worth = |finding: &&Finding| finding.severity != Severity::Note;
    let findings: Vec<_> = inspected.findings().iter().chain(approved.findings()).filter(worth).collect();
    if !findings.is_empty() {
        let _ = writeln!(out, "\nLook at");
    }
    for finding in findings {
        let _ = writeln!(out, "  {finding}");
    }
    out
}

/// Ask on the terminal. Nobody there is no agreement.
async fn agreed() -> Result<bool, Exit> {
    if !std::io::stdin().is_terminal() {
        return Err(Exit::failed(
            "not approved: nobody can be asked here, standard input is no terminal; look at what is shown, and add --yes",
        ));
    }
    let answer = tokio::task::spawn_blocking(|| {
        let _ = write!(std::io::stderr().lock(), "\nApprove this component with these grants? [y/N] ");
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer).map(|_| answer)
    });
    let answer = answer.await.context("the answer")?.context("the answer")?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

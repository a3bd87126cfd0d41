//! `fumehood policy`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Subcommand;
use fumehood::{Denied, Grant, LimitName, Policy, Selector};

use super::exit::{Exit, worse};
use super::host::{MAX_POLICY_BYTES, read_text};
use super::screen;

/// Look at a policy file.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(Check),
    Reference(Reference),
}

/// Print what can stand in a policy file: every grant and every limit.
#[derive(clap::Args)]
struct Reference {}

/// Check a policy file, and say what each component would get under it.
///
/// Lists what the file allows, and to whom. With components it also says what of it each one would get, what it asks
/// for and would not get, and what it would not use.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fumehood policy check policy.toml
  fumehood policy check policy.toml tools/*.wasm
  fumehood policy check policy.toml web.wasm --request 'GET https://api.example.com/v1/users'

Exit status:
  0 the file is a policy, and every component may run under it   1 a component is no tool component
  2 the file is no policy, or cannot be read   3 the policy does not let a component run")]
struct Check {
    /// The policy file
    #[arg(value_name = "POLICY.toml")]
    policy: PathBuf,
    /// Components to look at under it
    #[arg(value_name = "TOOL.wasm")]
    components: Vec<PathBuf>,
    /// Say whether each component could make this request, and by which rule. Repeatable
    #[arg(long, value_name = "METHOD URL")]
    request: Vec<String>,
}

pub(super) async fn run(args: Args) -> Result<ExitCode, Exit> {
    match args.command {
        Command::Check(args) => check(args).await,
        Command::Reference(Reference {}) => {
            screen::print(&reference()).map_err(anyhow::Error::from)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn check(args: Check) -> Result<ExitCode, Exit> {
    let text = read_text(&args.policy, MAX_POLICY_BYTES)?;
    let base = args.policy.parent().unwrap_or(Path::new(""));
    let policy = Policy::from_toml(&text, base).with_context(|| args.policy.display().to_string())?;
    let mut out = String::new();
    list(&mut out, &policy);
    let mut worst = None;
    let mut met = Vec::new();
    for path in &args.components {
        let inspected = match fumehood::inspect(path.clone()).await {
            Ok(inspected) => inspected,
            Err(error) => {
                let exit = Exit::of(path, error);
                let _ = writeln!(out, "\n{}\n  {}", path.display(), exit.message());
                worst = worse(worst, exit);
                continue;
            }
        };
        let manifest = inspected.manifest();
        met.push(Selector::Digest(inspected.digest()));
        met.push(Selector::Name(manifest.name.clone()));
        let _ = writeln!(out, "\n{} {} ({})", manifest.name, manifest.version, inspected.digest());
        let findings = match policy.approve(inspected) {
            Ok(approved) => {
                let grants: Vec<_> = approved.grants().iter().map(ToString::to_string).collect();
                let grants = if grants.is_empty() { "nothing".to_owned() } else { grants.join("\n           ") };
                let _ = writeln!(out, "  would get {grants}");
                for request in &args.request {
                    let (method, url) = request.split_once(' ').unwrap_or(("GET", request));
                    let _ = match approved.grants().decide_request(method, url) {
                        Ok(rule) => writeln!(out, "  {request}: allowed by {rule}"),
                        Err(why) => writeln!(out, "  {request}: {why}"),
                    };
                }
                approved.findings().to_vec()
            }
            Err(Denied(reasons)) => {
                let _ = writeln!(out, "  would be refused");
                worst = worse(worst, Exit::from(fumehood::LoadError::from(Denied(reasons.clone()))));
                reasons
            }
        };
        for finding in findings {
            let _ = writeln!(out, "  {:<8} {finding}", finding.severity);
        }
    }
    if !args.components.is_empty() {
        for selector in policy.components().filter(|selector| !met.contains(selector)) {
            let _ = writeln!(out, "\nwarning  {} is for none of these components", whom(Some(selector)));
        }
    }
    screen::print(&out).map_err(anyhow::Error::from)?;
    match worst {
        Some(exit) => Err(exit),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn list(out: &mut String, policy: &Policy) {
    let mut empty = true;
    for (selector, grant) in policy.grants() {
        let _ = writeln!(out, "{}  {grant}", whom(selector));
        empty = false;
    }
    for (selector, name, value) in policy.limits() {
        let _ = writeln!(out, "{}  {name} = {value} {}", whom(selector), name.unit());
        empty = false;
    }
    let (deny, ask) = policy.calls().lists();
    for (tools, does) in [(deny, "denied"), (ask, "asked for")] {
        for tool in tools {
            let _ = writeln!(out, "calls of {tool} are {does}");
            empty = false;
        }
    }
    if empty {
        let _ = writeln!(out, "allows nothing, and leaves each limit as it is");
    }
}

fn whom(selector: Option<&Selector>) -> String {
    match selector {
        None => "everyone".to_owned(),
        Some(Selector::Name(name)) => name.clone(),
        Some(Selector::Digest(digest)) => digest.to_string(),
        Some(other) => format!("{other:?}"),
    }
}

/// Markdown, made from the types. `docs/policy-reference.md` is this text.
fn reference() -> String {
    let mut out = String::from(
        "# What can stand in a policy file\n\n\
         `fumehood policy reference` prints this page. [operators.md](operators.md) explains it.\n\n\
         Grants and limits at the top of the file are for every component. Below `[component.NAME]`, or\n\
         `[component.\"sha256:…\"]`, they are for one, and added to those for all unless it says `inherit = false`. Of two\n\
         limits, and of two directories at one guest path, the more specific one holds: digest before name before all.\n\n\
         ## Grants\n",
    );
    for grant in Grant::examples() {
        let kind = grant.kind();
        let _ = write!(out, "\n### `{kind}`\n\n{}\n\n", kind.meaning());
        let _ = write!(
            out,
            "```toml\n{}\n```\n\n```sh\nfumehood run tool.wasm {}\n```\n",
            grant.policy_line(),
            grant.flag()
        );
    }
    out.push_str(
        "\n## Calls\n\n\
         Which calls of granted tools are denied, and for which somebody is asked each time: a tool's name, the beginning of\n\
         names with `*` after it, or `*`. A denial holds, whatever else is said. Where nobody can be asked, the call is\n\
         denied.\n\n\
         ```toml\n[calls]\ndeny = [\"delete\"]\nask = [\"write\", \"shell_*\"]\n```\n\n\
         ```sh\nfumehood run tool.wasm --deny delete --ask write --ask 'shell_*'\n```\n",
    );
    out.push_str("\n## Limits\n\n`limits.NAME = NUMBER`, or `--limit NAME=NUMBER`.\n\n");
    out.push_str("| name | stands at | from | to | unit | bounds |\n|---|---|---|---|---|---|\n");
    for name in LimitName::ALL {
        let (range, meaning) = (name.range(), name.meaning());
        let (from, to) = (range.start(), range.end());
        let _ = writeln!(out, "| `{name}` | {} | {from} | {to} | {} | {meaning} |", name.standard(), name.unit());
    }
    out
}

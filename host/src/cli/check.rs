//! `fumehood check`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::ValueEnum;
use fumehood::check::{ALL, Report, Settings};

use super::exit::Exit;
use super::host::{EngineArgs, GrantArgs};
use super::pack::{self, PackingArgs};
use super::screen;

/// Check that every host will take a tool, and say how near its limits it runs.
///
/// Looks at the component as a host does, runs the golden cases in the folder `cases/` beside it, calls its tools without
/// grants, with what the manifest asks for, and under limits of twice and of half of what each call used, and draws calls
/// from the schemas. What the manifest asks for is given from an empty world: empty folders, a network that leads nowhere,
/// a secret of nobody's, no program. With grants of your own, the tool gets those instead.
///
/// Each check has an id, a verdict, and a section in docs/tool-authors/checks.md.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fumehood check word-count.wasm
  fumehood check target/wasm32-wasip2/release/dice.wasm --cargo Cargo.toml
  fumehood check word-count.wasm --bless
  fumehood check word-count.wasm --calls 1000 --seed 7 --only cases --only headroom
  fumehood check word-count.wasm --strict --format junit --output check.xml

Exit status:
  0  every check passed, or warned    1  a check failed, or the tool cannot be packed    2  a file cannot be read or written
  With --strict, a warning fails too.")]
pub(super) struct Args {
    /// The tool component, or a build's output to be packed in memory
    #[arg(value_name = "TOOL.wasm")]
    component: PathBuf,
    #[command(flatten)]
    packing: PackingArgs,
    /// The folder of golden cases, where it is not `cases` beside the component, or beside what it is packed with
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// Give cases what they grant themselves: programs, folders, variables and hosts of this machine. Read them first
    ///
    /// Without it a case that grants more than its own files and its own server is not run, and fails the check.
    #[arg(long)]
    trust_cases: bool,
    /// Write again what the cases expect, and say what changed
    #[arg(long)]
    bless: bool,
    /// Draw so many calls for each tool
    #[arg(long, value_name = "N", default_value_t = Settings::standard().calls)]
    calls: u32,
    /// Draw them from this number: the same gives the same calls
    #[arg(long, value_name = "NUMBER", default_value_t = Settings::standard().seed)]
    seed: u64,
    /// Make this check alone. Repeatable
    #[arg(long, value_name = "ID", value_parser = id)]
    only: Vec<String>,
    /// Let a warning fail
    #[arg(long)]
    strict: bool,
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Write it there instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    grants: GrantArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// For programs
    Json,
    /// For what shows the results of tests
    Junit,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

fn id(text: &str) -> Result<String, String> {
    let known = || ALL.iter().map(|row| row.id).collect::<Vec<_>>().join(", ");
    let found = ALL.iter().any(|row| row.id == text).then(|| text.to_owned());
    found.ok_or_else(|| format!("there is no check {text:?}; the checks are {}", known()))
}

pub(super) async fn run(args: Args) -> Result<ExitCode, Exit> {
    tokio::select! {
        biased;
        // Dropping the rest ends the guest, and the compiler's process.
        _ = tokio::signal::ctrl_c() => Err(Exit::interrupted()),
        ended = checked(args) => ended,
    }
}

async fn checked(args: Args) -> Result<ExitCode, Exit> {
    let component = args.packing.read(&args.component, || EngineArgs::uncached().host()).await?;
    let mut settings = Settings::standard();
    (settings.calls, settings.seed, settings.bless, settings.only) = (args.calls, args.seed, args.bless, args.only);
    settings.trust_cases = args.trust_cases;
    settings.cases = args.cases.or_else(|| beside(&args.component)).or_else(|| args.packing.files().find_map(beside));
    settings.policy = args.grants.policy()?;
    let kept = tempfile::tempdir().context("no room for compiled code")?;
    let engines = args.engine.engines(&kept.path().join("code"))?;
    // Hidden where standard error is no terminal.
    let spinner = indicatif::ProgressBar::new_spinner();
    spinner.set_message(format!("checking {}", args.component.display()));
    spinner.enable_steady_tick(std::time::Duration::from_millis(120));
    let report = fumehood::check::run(component, &engines, &settings).await;
    spinner.finish_and_clear();
    let text = written(&report, args.format, &args.component)?;
    match &args.output {
        None => screen::print(&text).map_err(anyhow::Error::from)?,
        Some(path) => {
            pack::write(path, text.as_bytes()).with_context(|| path.display().to_string())?;
            let counts = report.counts();
            screen::note(&format!("{}: {} passed, {} failed", path.display(), counts.passed, counts.failed));
        }
    }
    let counts = report.counts();
    let good = counts.failed == 0 && (counts.warned == 0 || !args.strict);
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The folder of cases that a vendor has without saying so.
fn beside(component: &Path) -> Option<PathBuf> {
    let folder = component.parent()?.join("cases");
    folder.is_dir().then_some(folder)
}

fn written(report: &Report, format: Format, file: &Path) -> Result<String, Exit> {
    let pretty = |value: &serde_json::Value| format!("{value:#}\n");
    Ok(match format {
        Format::Text => report.text(),
        Format::Json => pretty(&serde_json::to_value(report).map_err(anyhow::Error::from)?),
        Format::Junit => report.junit(),
        Format::Sarif => pretty(&report.sarif(&file.to_string_lossy())),
    })
}

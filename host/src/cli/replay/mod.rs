//! `fumehood replay`.

mod page;
mod show;
mod verify;

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::ValueEnum;
use fumehood::{CallId, Log, LogSettings, Passage, Replay, Transcript};

use super::exit::Exit;
use super::host::EngineArgs;
use super::screen::{self, Screen};
use super::session::mended;
use page::Page;

/// Show again what a log holds: what the model read, and every card. No tool runs.
///
/// The log is read and nothing else; a damaged one as far as it can be read, with what is wrong with it.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fumehood replay session.jsonl
  fumehood replay session.jsonl --call 7 --show content
  fumehood replay session.jsonl --html session.html
  fumehood replay session.jsonl --verify tools/
  fumehood replay session.jsonl --mend

Exit status:
  0 all of it was shown   1 something is wrong with the log, or a projection differs   2 wrong usage   70 the host failed")]
pub(super) struct Args {
    /// The log; `-` reads standard input
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// Show this call only: 7, or 7.2 for the second call that it made. Repeatable
    #[arg(long, value_name = "CALL")]
    call: Vec<CallId>,
    /// What to print of each call
    #[arg(long, value_enum, default_value_t = Show::Cards)]
    show: Show,
    /// Fold nothing, however long it is
    #[arg(long)]
    full: bool,
    /// Write one self-contained page instead, which a browser shows without a network
    #[arg(long, value_name = "FILE", conflicts_with_all = ["show", "call", "full"])]
    html: Option<PathBuf>,
    /// Run the projectors of these components again on the recorded values, and compare. A file, or a directory of them.
    /// Repeatable
    ///
    /// Nothing of `execute` runs, and no grant is given.
    #[arg(long, value_name = "DIR|TOOL.wasm", conflicts_with_all = ["show", "html", "full"])]
    verify: Vec<PathBuf>,
    /// Mend what a killed writer left, as the next writer would, and show nothing
    #[arg(long, conflicts_with_all = ["show", "html", "call", "full", "verify"])]
    mend: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Show {
    /// The cards a person saw, and how each call ended
    Cards,
    /// What the model read, and nothing else
    Content,
}

pub(super) async fn run(args: Args) -> Result<ExitCode, Exit> {
    if args.mend {
        return mend(args.log).await;
    }
    if !args.verify.is_empty() {
        let calls = verify::Wanted { calls: args.call, components: args.verify };
        return verify::run(open(&args.log)?, calls, args.engine).await;
    }
    if let Some(html) = args.html.as_ref().filter(|html| is_same(html, &args.log)) {
        return Err(Exit::usage(format!("{} is the log itself: name another file for the page", html.display())));
    }
    let (log, name) = (open(&args.log)?, args.log.display().to_string());
    // Reading waits for the disk, and printing for whoever reads.
    let work = tokio::task::spawn_blocking(move || match args.html {
        Some(html) => write_page(log, &name, &html),
        None => {
            show::all(log, &show::Wanted { calls: args.call, show: args.show, screen: Screen::of_stdout(args.full) })
        }
    });
    let flaws = work.await.map_err(|error| Exit::fault(error.to_string()))??;
    if flaws == 0 { Ok(ExitCode::SUCCESS) } else { Ok(Exit::failed(String::new()).code()) }
}

fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead + Send>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    #[expect(clippy::disallowed_methods, reason = "the operator names the log")]
    let file = File::open(path).with_context(|| path.display().to_string())?;
    Ok(Box::new(BufReader::with_capacity(1 << 20, file)))
}

/// Says what is wrong with a line, on standard error.
fn flawed(line: u64, why: &dyn std::fmt::Display) {
    screen::error(&format!("line {line} of the log: {why}"));
}

async fn mend(path: PathBuf) -> Result<ExitCode, Exit> {
    let (log, name) = (open(&path)?, path.display().to_string());
    let broken = tokio::task::spawn_blocking(move || is_broken(log)).await;
    // A writer's opening is a line of its own: a log that is whole stays as it is.
    if !broken.context("the log").and_then(|broken| broken)? {
        screen::note(&format!("{name}: nothing to mend"));
        return Ok(ExitCode::SUCCESS);
    }
    let opened = tokio::task::spawn_blocking(move || Log::open(path, LogSettings::standard())).await;
    let (log, opened) = opened.context("the log").and_then(|opened| opened.map_err(anyhow::Error::from))?;
    mended(&log, &opened);
    Ok(ExitCode::SUCCESS)
}

/// Whether something is torn, without an end, or damaged in a way that a writer refuses.
fn is_broken(log: Box<dyn BufRead + Send>) -> anyhow::Result<bool> {
    for passage in Transcript::new(log) {
        match passage.context("the log cannot be read")? {
            Passage::Flawed { .. } => return Ok(true),
            Passage::Call(call) if call.is_open() => return Ok(true),
            _ => {}
        }
    }
    Ok(false)
}

/// The same file by another name, or by its own.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

/// Writes the page beside its place and then puts it there: a browser never sees half of it. Returns how many lines are
/// flawed.
fn write_page(log: Box<dyn BufRead + Send>, name: &str, html: &Path) -> anyhow::Result<u64> {
    let directory = html.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    directory.metadata().with_context(|| format!("{}: cannot be written", html.display()))?;
    let unfinished = tempfile::NamedTempFile::new_in(directory).with_context(|| html.display().to_string())?;
    let mut page = Page::begin(BufWriter::new(unfinished), name)?;
    let (mut flaws, mut transcript) = (0, Transcript::new(std::io::empty()));
    for entry in Replay::new(log) {
        let entry = entry.context("the log cannot be read")?;
        for flaw in &entry.flaws {
            page.note(entry.line, &flaw.to_string())?;
        }
        if let Some(record) = &entry.record {
            page.record(record)?;
        }
        // Which lines do not fit together, the page finds out by itself.
        for passage in transcript.told_by(entry) {
            if let Passage::Flawed { line, flaw } = passage {
                flawed(line, &flaw);
                flaws += 1;
            }
        }
    }
    let mut written = page.end()?;
    written.flush()?;
    let file = written.into_inner().map_err(|error| error.into_error())?;
    file.persist(html).with_context(|| html.display().to_string())?;
    Ok(flaws)
}

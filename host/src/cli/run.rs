//! `fumehood run`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::ValueEnum;
use fumehood::{
    Backtrace, Call, CancellationToken, Diagnostic, Host, LimitName, Outcome, Progress, Registry, Session,
    SessionRules, Success, Toolset,
};

use super::ask::AtTheTerminal;
use super::batch;
use super::cards;
use super::exit::{self, Exit};
use super::host::{EngineArgs, GrantArgs, LockArgs, compile, read_capped, read_text};
use super::pack::PackingArgs;
use super::screen::{self, Screen};
use super::session::{SessionArgs, SpillArgs};
use super::watch;

/// Call a tool once and show what came out.
///
/// The tool gets what the flags or the policy file grant, and nothing else. Ctrl-C cancels the call; a second one
/// ends the process at once.
#[derive(Clone, clap::Args)]
#[command(after_help = "Examples:
  fumehood run word-count.wasm --args '{\"text\":\"to be or not to be\"}'
  fumehood run files.wasm --tool grep --mount . --args '{\"pattern\":\"fn \"}'
  fumehood run files.wasm --tool write --mount ./notes:rw --args-file call.json --show card
  echo '{\"path\":\"README.md\"}' | fumehood run files.wasm --tool read --mount . --args -
  fumehood run files.wasm --batch calls.jsonl --mount . --log session.jsonl
  fumehood run target/wasm32-wasip2/debug/dice.wasm --cargo Cargo.toml --args-file call.json --watch
  fumehood run shell.wasm --policy policy.toml --ask run --review redact-secrets.wasm --args-file call.json

Exit status:
  0 a value   1 the tool failed   2 wrong usage   3 refused by policy   4 aborted: a limit, a trap, a cancellation
  70 the host failed   130 interrupted by Ctrl-C")]
pub(super) struct Args {
    /// The tool component
    #[arg(value_name = "TOOL.wasm")]
    component: PathBuf,
    #[command(flatten)]
    packing: PackingArgs,
    /// Which of its tools to call; may be left out where there is only one
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// The arguments, one JSON text; `-` reads standard input. Nothing means {}
    #[arg(long, value_name = "JSON", conflicts_with = "args_file", allow_hyphen_values = true)]
    args: Option<String>,
    /// Read the arguments from a file; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    args_file: Option<PathBuf>,
    /// Make the calls in this file, one JSON object `{"tool": …, "args": …}` on each line; `-` reads standard input
    ///
    /// Calls in a row run side by side where their tools' manifests say that they may; the results come in the file's order.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "args", "args_file"])]
    batch: Option<PathBuf>,
    /// Load another component too, whose tools this one may call where it is granted to. Repeatable
    ///
    /// Each runs with its own grants: give them in a policy file, in a section of its own.
    #[arg(long, value_name = "TOOL.wasm")]
    with: Vec<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Show::Content)]
    show: Show,
    /// Fold nothing of a card, however long it is. Into a pipe, nothing is folded anyway
    #[arg(long)]
    full: bool,
    /// Call again whenever the component changes, or another file that the call is made of, until Ctrl-C
    #[arg(long, conflicts_with = "log")]
    watch: bool,
    /// Also print, on standard error, what the guest wrote and what the call used of each limit
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    grants: GrantArgs,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    spill: SpillArgs,
    #[command(flatten)]
    lock: LockArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Show {
    /// What a model reads
    Content,
    /// The value, as JSON
    Value,
    /// The card a person sees
    Card,
    /// The card a person sees while the call runs; nothing but `present` does
    PendingCard,
    /// The whole outcome, as JSON
    Json,
}

impl Args {
    /// Whether the arguments, or the calls, come from standard input.
    pub(super) fn reads_stdin(&self) -> bool {
        [&self.args_file, &self.batch].into_iter().flatten().any(|path| path.as_os_str() == "-")
            || self.args.as_deref() == Some("-")
    }

    /// The files that a call is made of.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let given = [&self.args_file, &self.batch].into_iter().flatten().map(PathBuf::as_path);
        std::iter::once(self.component.as_path())
            .chain(self.packing.files())
            .chain(given)
            .chain(self.with.iter().map(PathBuf::as_path))
            .chain(self.grants.file())
            .chain(self.session.reviewers())
            .chain(self.lock.file())
            .map(PathBuf::from)
    }
}

pub(super) async fn run(args: Args) -> Result<ExitCode, Exit> {
    let interrupt = CancellationToken::new();
    watch_ctrl_c(interrupt.clone());
    if args.show == Show::PendingCard && args.batch.is_some() {
        return Err(Exit::usage("--show pending-card shows one call's card: leave --batch out"));
    }
    let host = args.engine.clone().host_for_authors(args.watch)?;
    if args.watch {
        return watch::run(args, host, interrupt).await;
    }
    let prepared = prepare(args.clone(), host, &interrupt).await?;
    call(&args, prepared, &interrupt).await
}

/// Make the calls, and show what comes of them.
pub(super) async fn call(args: &Args, prepared: Prepared, interrupt: &CancellationToken) -> Result<ExitCode, Exit> {
    let Prepared { tools, toolset, calls, session } = prepared;
    let (show, verbose, screen) = (args.show, args.verbose, Screen::of_stdout(args.full));
    let calls: Vec<_> = calls.into_iter().map(|call| watched(call, interrupt, verbose)).collect();
    if let (Show::PendingCard, [call]) = (show, calls.as_slice()) {
        return pending_card(&toolset, call, interrupt, &screen).await;
    }
    let names: Vec<_> = calls.iter().map(|call| call.tool().to_owned()).collect();
    let outcomes = session.batch(&tools, calls).await;
    let mut worst = None;
    for (index, (name, outcome)) in names.iter().zip(&outcomes).enumerate() {
        if names.len() > 1 && show != Show::Json {
            screen::print(&format!("# {} {name}", index + 1)).map_err(anyhow::Error::from)?;
        }
        if let Err(exit) = shown(outcome, &toolset, show, verbose, &screen) {
            if names.len() == 1 && !interrupt.is_cancelled() {
                return Err(exit);
            }
            exit.print();
            worst = exit::worse(worst, exit);
        }
    }
    match worst {
        Some(_) if interrupt.is_cancelled() => Err(Exit::interrupted()),
        Some(exit) => Ok(exit.code()),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn watched(call: Call, interrupt: &CancellationToken, verbose: bool) -> Call {
    let call = call.cancelled_by(interrupt.clone());
    if verbose {
        call.on_progress(Arc::new(|progress: Progress| screen::note(&progress_line(&progress))))
    } else {
        call
    }
}

fn shown(outcome: &Outcome, toolset: &Toolset, show: Show, verbose: bool, screen: &Screen) -> Result<(), Exit> {
    // Where policy and manifest differ may be why it failed; on success only who asks wants to know.
    if verbose || matches!(outcome, Outcome::Failure(_)) {
        toolset.approved().findings().iter().for_each(|finding| screen::error(&finding.to_string()));
    }
    if verbose {
        report(outcome);
    }
    if show == Show::Json {
        print_json(outcome)?;
    }
    match outcome {
        Outcome::Success(success) => Ok(print(success, show, screen)?),
        Outcome::Failure(failure) => {
            let exit = Exit::from(failure);
            Err(if verbose { exit } else { exit.with(brief(&failure.diagnostic)) })
        }
    }
}

/// The first Ctrl-C cancels, the second does not wait for it.
fn watch_ctrl_c(interrupt: CancellationToken) {
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            if interrupt.is_cancelled() {
                std::process::exit(130);
            }
            interrupt.cancel();
        }
    });
}

/// What is there before the first call.
pub(super) struct Prepared {
    tools: Registry,
    /// The component that is called.
    pub(super) toolset: Toolset,
    calls: Vec<Call>,
    session: Session,
}

/// Everything before the first call: policy, arguments, the components, their code, the session. The log comes last: a slip of
/// the hand leaves no line in it.
///
/// Nothing has run yet when `interrupt` comes. Dropping the rest ends the compiler's process.
pub(super) async fn prepare(args: Args, host: Host, interrupt: &CancellationToken) -> Result<Prepared, Exit> {
    tokio::select! {
        biased;
        () = interrupt.cancelled() => Err(Exit::interrupted()),
        prepared = ready(args, host) => prepared,
    }
}

async fn ready(args: Args, host: Host) -> Result<Prepared, Exit> {
    let from_stdin = args.reads_stdin();
    let policy = args.grants.policy()?;
    let host = args.spill.guarded(args.session.guarded(args.lock.lock(host)?));
    let mut inspected = vec![args.packing.inspect(&args.component, &host).await?];
    for path in &args.with {
        inspected.push(fumehood::inspect(path.clone()).await.map_err(|error| Exit::of(path, error))?);
    }
    let mut approved = Vec::new();
    for inspected in inspected {
        approved.push(policy.approve(inspected).map_err(fumehood::LoadError::from)?);
    }
    let most = approved[0].limits().value(LimitName::ValueBytes);
    let (batch, text) = match args.batch {
        Some(file) => (Some(batch::calls(&arguments(None, Some(file), batch::MAX_BYTES).await?)?), String::new()),
        None => (None, arguments(args.args, args.args_file, most).await?),
    };
    let mut toolsets = Vec::new();
    for approved in approved {
        toolsets.push(compile(&host, approved).await?);
    }
    let toolset = toolsets[0].clone();
    let calls = match batch {
        Some(calls) => calls,
        None => vec![Call::from_text(tool_name(&toolset, args.tool)?, text)],
    };
    let tools = Registry::new(toolsets).map_err(|error| Exit::usage(error.to_string()))?;
    let mut rules = args.spill.rules(SessionRules::none())?;
    if let Some(here) = AtTheTerminal::here().filter(|_| !from_stdin) {
        rules = rules.approver(here);
    }
    let session = args.session.session(&host, &policy, rules).await?;
    Ok(Prepared { tools, toolset, calls, session })
}

/// The arguments' text. Standard input is read on a thread of its own, so that Ctrl-C still works while it waits.
async fn arguments(given: Option<String>, file: Option<PathBuf>, most: u64) -> anyhow::Result<String> {
    let from_stdin = given.as_deref() == Some("-") || file.as_deref().is_some_and(|path| path.as_os_str() == "-");
    match (given, file) {
        _ if from_stdin => tokio::task::spawn_blocking(move || read_capped(std::io::stdin().lock(), most))
            .await
            .context("standard input")?
            .context("standard input"),
        (Some(text), _) => Ok(text),
        (None, Some(path)) => read_text(&path, most),
        (None, None) => Ok(String::new()),
    }
}

fn tool_name(toolset: &Toolset, asked: Option<String>) -> Result<String, Exit> {
    match (asked, toolset.tools()) {
        (Some(name), _) => Ok(name),
        (None, [only]) => Ok(only.name.clone()),
        (None, tools) => {
            let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
            Err(Exit::usage(format!("say which tool to call: --tool {}", names.join(" or --tool "))))
        }
    }
}

fn print(success: &Success, what: Show, screen: &Screen) -> anyhow::Result<()> {
    match what {
        Show::Content => {
            // What the model reads is shown as it reads it: all of it.
            let screen = screen.unfolded();
            let blocks: Vec<_> = success.content.iter().map(|block| cards::block(block, &screen)).collect();
            screen::show(&blocks.join("\n"))?;
        }
        Show::Value => screen::print(&serde_json::to_string_pretty(success.value.value())?)?,
        Show::Card => screen::show(&cards::draw(&success.card, success.card_cut, screen))?,
        // Printed elsewhere: a failure has the one, and only a call that has not run the other.
        Show::Json | Show::PendingCard => {}
    }
    Ok(())
}

async fn pending_card(
    toolset: &Toolset,
    call: &Call,
    interrupt: &CancellationToken,
    screen: &Screen,
) -> Result<ExitCode, Exit> {
    match toolset.pending_card(call).await {
        Ok(card) => {
            screen::show(&cards::draw(&card, None, screen)).map_err(anyhow::Error::from)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(_) if interrupt.is_cancelled() => Err(Exit::interrupted()),
        Err(failure) => Err((&*failure).into()),
    }
}

fn print_json(outcome: &Outcome) -> anyhow::Result<()> {
    screen::print(&serde_json::to_string_pretty(outcome)?).context("cannot write the outcome")
}

fn progress_line(progress: &Progress) -> String {
    let total = progress.total.map(|total| format!(" of {total}")).unwrap_or_default();
    let message = progress.message.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    format!("progress {}{total}{message}", progress.done)
}

/// What the operator asked to see besides the outcome.
fn report(outcome: &Outcome) {
    left(outcome.diagnostic(), "");
    screen::note(&format!("{:<20} {:>15} {:>15}  set by", "limit", "used", "of"));
    for used in outcome.usage().iter() {
        screen::note(&format!("{:<20} {:>15} {:>15}  {}", used.limit.key(), used.used, used.max, used.origin));
    }
}

/// What helps most of what a call left behind, where not all of it was asked for.
fn brief(diagnostic: &Diagnostic) -> Vec<String> {
    let cause = diagnostic.cause.clone();
    let frame = diagnostic.backtrace.as_ref().and_then(Backtrace::culprit).map(|frame| format!("in {frame}"));
    let hint = diagnostic.hint.as_ref().map(|hint| format!("hint: {hint}"));
    [cause, frame, hint].into_iter().flatten().collect()
}

/// What a call left behind, and before it what each call that it made did. `who` says whose it is.
fn left(diagnostic: &Diagnostic, who: &str) {
    let Diagnostic { logs, backtrace, cause, hint, decisions, denials_dropped, reviews, nested } = diagnostic;
    for (tool, diagnostic) in nested {
        left(diagnostic, &format!("{who}{tool}: "));
    }
    for decision in decisions {
        screen::note(&format!("{who}{decision}"));
    }
    if *denials_dropped > 0 {
        screen::note(&format!("{who}denied {denials_dropped} times more"));
    }
    for review in reviews {
        screen::note(&format!("{who}{review}"));
    }
    for (export, log) in logs {
        for (channel, text) in [("stdout", &log.stdout), ("stderr", &log.stderr)] {
            if !text.is_empty() {
                screen::note(&format!("{who}{export} wrote to {channel}:\n{text}"));
            }
        }
        if log.dropped > 0 {
            screen::note(&format!("{who}{export} wrote {} bytes more, which were dropped", log.dropped));
        }
    }
    if let Some(cause) = cause {
        screen::note(&format!("{who}{cause}"));
    }
    if let Some(backtrace) = backtrace {
        screen::note(&format!("{who}{backtrace}"));
    }
    if let Some(hint) = hint {
        screen::note(&format!("{who}hint: {hint}"));
    }
}

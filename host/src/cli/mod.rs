//! The command line. It uses the library's public API and nothing else of it.

mod approve;
mod ask;
mod batch;
mod cards;
mod check;
mod exit;
mod host;
mod inspect;
mod log;
#[cfg(feature = "mcp")]
mod mounts;
mod new;
mod pack;
mod policy;
mod replay;
mod report;
mod run;
mod screen;
#[cfg(feature = "mcp")]
mod serve;
mod session;
mod spilled;
#[cfg(feature = "mcp")]
mod token;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use exit::Exit;

/// Run third-party agent tools in WebAssembly sandboxes.
///
/// A tool is a WebAssembly component. `execute` runs with what you grant and returns one JSON value; the host
/// checks the value, and only then lets the tool render it for a model and present it to a person, without any
/// access to the outside.
#[derive(Parser)]
#[command(name = "fumehood", version, after_help = exit::HELP, arg_required_else_help = true)]
struct Cli {
    /// Write what is decided about authority, and each call, to standard error
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    log_format: Option<log::Format>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    New(new::Args),
    Run(run::Args),
    #[cfg(feature = "mcp")]
    Serve(serve::Args),
    Replay(replay::Args),
    Spilled(spilled::Args),
    Inspect(inspect::Args),
    Policy(policy::Args),
    Approve(approve::Args),
    Revoke(approve::RevokeArgs),
    Pack(pack::Args),
    Check(check::Args),
}

pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Some(format) = cli.log_format {
        log::start(format);
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Exit::fault(format!("cannot start: {error}")).report(),
    };
    let result = runtime.block_on(async {
        match cli.command {
            Command::New(args) => new::run(args),
            Command::Run(args) => run::run(args).await,
            #[cfg(feature = "mcp")]
            Command::Serve(args) => serve::run(args).await,
            Command::Replay(args) => replay::run(args).await,
            Command::Spilled(args) => spilled::run(args),
            Command::Inspect(args) => inspect::run(args).await,
            Command::Policy(args) => policy::run(args).await,
            Command::Approve(args) => approve::run(args).await,
            Command::Revoke(args) => approve::revoke(args),
            Command::Pack(args) => pack::run(args).await,
            Command::Check(args) => check::run(args).await,
        }
    });
    // A guest's last file operation may still hang in a thread; the process does not wait for it.
    runtime.shutdown_background();
    match result {
        Ok(code) => code,
        Err(exit) => exit.report(),
    }
}

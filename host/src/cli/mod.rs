//! The command line. It uses the library's public API and nothing else of it.

mod cards;
mod exit;
mod host;
mod inspect;
mod pack;
mod run;
mod screen;

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
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    Inspect(inspect::Args),
    Pack(pack::Args),
}

pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Exit::fault(format!("cannot start: {error}")).report(),
    };
    let result = runtime.block_on(async {
        match cli.command {
            Command::Run(args) => run::run(args).await,
            Command::Inspect(args) => inspect::run(args).await,
            Command::Pack(args) => pack::run(args),
        }
    });
    // A guest's last file operation may still hang in a thread; the process does not wait for it.
    runtime.shutdown_background();
    match result {
        Ok(code) => code,
        Err(exit) => exit.report(),
    }
}

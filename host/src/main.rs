//! The `fumehood` command: parse, run, exit.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    fumehood::worker_main().unwrap_or_else(cli::main)
}

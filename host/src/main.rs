//! The `fumehood` command: parse, run, exit.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == fumehood::COMPILE_WORKER) {
        return fumehood::compile_worker_main();
    }
    cli::main()
}

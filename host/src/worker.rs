//! The other programs that this program is: the host starts itself once more for what it must be able to end.

use std::process::ExitCode;

use crate::engine::{COMPILE, WORKER, compile};
use crate::sandbox::{PLACES, SUPERVISE, places, supervise};

/// Be a worker, if this process was started as one. Call it first in `main`, and end with what it returns:
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     if let Some(end) = fumehood::worker_main() {
///         return end;
///     }
///     std::process::ExitCode::SUCCESS // the program itself
/// }
/// ```
///
/// A program that does can be named in [`Compiler::ChildProcess`](crate::Compiler::ChildProcess): it compiles components,
/// supervises the programs that tools are granted, and reads debug information. `None` unless the first argument is `fumehood-worker`.
pub fn worker_main() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != WORKER {
        return None;
    }
    let job = arguments.next().unwrap_or_default();
    if job == COMPILE {
        return Some(compile());
    }
    if job == SUPERVISE {
        return Some(supervise());
    }
    if job == PLACES {
        return Some(places());
    }
    // A host of another version, or no host: it learns from the status.
    Some(ExitCode::FAILURE)
}

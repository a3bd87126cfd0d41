//! What a vendor or an operator could do about a call that was ended. A model reads none of it.

use crate::backtrace::Backtrace;
use crate::policy::LimitName;
use crate::sandbox::{Exceeded, Export, Stop};

/// One line, if there is anything to do. `wrote`: whether it wrote to its standard error.
pub(super) fn of(export: Export, stop: &Stop, wrote: bool, trace: Option<&Backtrace>) -> Option<String> {
    Some(match stop {
        Stop::Limit(exceeded) => reached(export, exceeded),
        Stop::Denied(_) if matches!(export, Export::Render | Export::Present) => {
            "a projector sees the arguments and the value, and nothing else: let execute look it up, and put it into the value"
                .to_owned()
        }
        // The message has the line that grants it, or says that none would.
        Stop::Denied(_) | Stop::Interrupted(_) | Stop::Host(_) => return None,
        Stop::Stack => "a recursion that does not end, or goes deeper than 2 MiB of call stack: bound its depth, or keep a \
                        stack of your own on the heap"
            .to_owned(),
        Stop::Exit(_) => format!("{export} has to return, also when it fails: give an error back instead"),
        Stop::Malformed(_) => "its bindings are of another version of the interface, or its memory is damaged: generate them \
                               anew"
            .to_owned(),
        Stop::Trap(trap) => return trapped(trap, wrote, trace),
    })
}

fn trapped(trap: &str, wrote: bool, trace: Option<&Backtrace>) -> Option<String> {
    let text = match trap {
        trap if trap.contains("unreachable") && wrote => {
            return Some("a panic, an assertion or an exception: what it wrote says why".to_owned());
        }
        trap if trap.contains("unreachable") => {
            "a panic, an assertion or an exception that wrote nothing: without WASI there is no standard error to write to"
        }
        trap if trap.contains("out of bounds") => {
            "it reached outside of its memory or of a table: a mistake in unsafe code or in C, or a pointer that is none"
        }
        trap if trap.contains("divide by zero") || trap.contains("overflow") => {
            "check the numbers before dividing or converting"
        }
        _ => return built_without(trace),
    };
    Some(match built_without(trace) {
        Some(build) => format!("{text}; {build}"),
        None => text.to_owned(),
    })
}

/// Where no frame has a place and none was refused: there is no debug information.
fn built_without(trace: Option<&Backtrace>) -> Option<String> {
    let trace = trace.filter(|trace| trace.note.is_none() && trace.culprit().is_none())?;
    trace.frames.first()?;
    Some("a build with debug information says the line (for Rust a plain `cargo build`)".to_owned())
}

fn reached(export: Export, Exceeded { limit, .. }: &Exceeded) -> String {
    let raise = format!("--limit {}=N raises it where the operator agrees", limit.key());
    match limit {
        LimitName::ProjectorFuel => format!(
            "{export} works too hard for one value: let execute prepare what is to be shown, or bound the value in its schema; \
             `fumehood check` shows how near to the limit it runs; {raise}"
        ),
        LimitName::Memory => format!("work in parts, or keep less at once; {raise}"),
        LimitName::ValueBytes | LimitName::ContentBytes | LimitName::ContentBlocks => {
            format!("return less at a time, and say in the value how to ask for the rest; {raise}")
        }
        LimitName::WallClock => format!(
            "the time covers what execute waits for; `timeLimitMs` in the manifest lowers it and never raises it; {raise}"
        ),
        _ => raise,
    }
}

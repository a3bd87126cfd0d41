//! Lines for the operator: on standard error, which the host captures and bounds.
//!
//! A target without WASI (`wasm32-unknown-unknown`) has no standard error: there they go nowhere, and cost nothing.

use std::fmt::{self, Write as _};
use std::io::Write as _;

/// Writes one line, whole.
pub fn write(level: &str, module: &str, fields: &[(&str, &dyn fmt::Debug)], message: fmt::Arguments<'_>) {
    let line = line(level, module, fields, message);
    // Nobody can be told that nobody can be told.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

fn line(level: &str, module: &str, fields: &[(&str, &dyn fmt::Debug)], message: fmt::Arguments<'_>) -> String {
    let mut line = format!("{level:5} {module}: {message}");
    for (name, value) in fields {
        let _ = write!(line, " {name}={value:?}");
    }
    // One call, one line: what is logged may come from outside.
    let mut line = line.replace('\n', "\\n");
    line.push('\n');
    line
}

/// Log a line. The first argument is the level's name.
#[doc(hidden)]
#[macro_export]
macro_rules! __log {
    ($level:literal, $($name:ident = $value:expr,)* $format:literal $($args:tt)*) => {
        $crate::__private::write(
            $level,
            ::std::module_path!(),
            &[$((::std::stringify!($name), &$value)),*],
            ::std::format_args!($format $($args)*),
        )
    };
}

/// Log what went wrong: `error!("no {name}")`, or with fields first, `error!(path = path, "unreadable")`.
#[macro_export]
macro_rules! error { ($($line:tt)+) => { $crate::__log!("ERROR", $($line)+) }; }

/// Log what may be wrong, as [`error!`] does.
#[macro_export]
macro_rules! warn { ($($line:tt)+) => { $crate::__log!("WARN", $($line)+) }; }

/// Log what happened, as [`error!`] does.
#[macro_export]
macro_rules! info { ($($line:tt)+) => { $crate::__log!("INFO", $($line)+) }; }

/// Log what helps to find a fault, as [`error!`] does.
#[macro_export]
macro_rules! debug { ($($line:tt)+) => { $crate::__log!("DEBUG", $($line)+) }; }

/// Log every step, as [`error!`] does.
#[macro_export]
macro_rules! trace { ($($line:tt)+) => { $crate::__log!("TRACE", $($line)+) }; }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line() {
        let fields: [(&str, &dyn fmt::Debug); 2] = [("files", &3), ("path", &"a\nb")];
        let line = line("INFO", "tool", &fields, format_args!("found\nERROR tool: forged"));
        assert_eq!(line, "INFO  tool: found\\nERROR tool: forged files=3 path=\"a\\nb\"\n");
    }

    #[test]
    fn the_macros_take_fields_and_a_format() {
        let name = "x";
        crate::error!("plain");
        crate::warn!("{} of {name}", 1,);
        crate::info!(count = 1 + 1, "with a field");
        crate::debug!(count = name.len(), name = name, "with {} fields", 2);
        crate::trace!("{name}");
    }
}

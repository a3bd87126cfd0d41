//! From arguments to what the host is asked, and from its answer to the value.

use fumehood_tool::host::{self, Completed, Request};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// The name of a granted program, never a path.
    #[schemars(length(min = 1, max = 40))]
    pub program: String,
    /// The arguments, without the program's name.
    #[serde(default)]
    #[schemars(length(max = 256))]
    pub args: Vec<String>,
    /// A granted directory or one below it, from the root of the granted directories: `.` or `src`. Absent: the root of the
    /// machine, where a path in the arguments has to be given whole.
    pub working_directory: Option<String>,
    /// What the program reads from its standard input. Absent: nothing.
    pub stdin: Option<String>,
    /// Kill the program, and all that it started, after so many milliseconds. The operator's limit for the whole call may
    /// come first.
    #[serde(default = "time_limit_ms")]
    #[schemars(range(min = 1, max = 600_000))]
    pub time_limit_ms: u64,
}

/// Less than a call has by default, so that a program that hangs gives a value with what it printed, and no failure.
fn time_limit_ms() -> u64 {
    20_000
}

/// The canonical value. Its status is the system's word, never read from what a program prints.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Value {
    #[serde(flatten)]
    pub exit: Exit,
    /// The time limit passed, and the host killed it.
    pub timed_out: bool,
    /// Standard output from its beginning, at most 512 KiB. Bytes that are not UTF-8 read as U+FFFD.
    pub stdout: String,
    /// Standard error, under the same rules.
    pub stderr: String,
    /// There was more on standard output, and it was dropped.
    pub stdout_truncated: bool,
    /// There was more on standard error, and it was dropped.
    pub stderr_truncated: bool,
}

/// One key or the other.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Exit {
    /// Present where the program ended by itself.
    ExitCode(i32),
    /// The signal that killed it: `SIGKILL`. Present in place of `exitCode`.
    Signal(String),
}

/// What is kept of each stream. A byte takes up to six in JSON (`\u0000`): both streams, at their worst, are 6 MiB, and a
/// value may have 8.
const OUTPUT_BYTES: u64 = 512 << 10;

pub fn request(args: Args) -> Request {
    Request {
        program: args.program,
        args: args.args,
        working_directory: args.working_directory.as_deref().map(absolute),
        stdin: args.stdin.map(String::into_bytes),
        output_bytes: Some(OUTPUT_BYTES),
        time_limit_ms: Some(args.time_limit_ms),
    }
}

/// `.`, `src`, `./src/` and `/src` are paths from the root of the granted directories. `..` is left for the host to refuse.
fn absolute(path: &str) -> String {
    let names: Vec<_> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    format!("/{}", names.join("/"))
}

impl From<Completed> for Value {
    fn from(completed: Completed) -> Self {
        Self {
            exit: match completed.exit {
                host::Exit::Code(code) => Exit::ExitCode(code),
                host::Exit::Signal(number) => Exit::Signal(signal(number)),
            },
            timed_out: completed.timed_out,
            stdout: text(completed.stdout, completed.stdout_truncated),
            stderr: text(completed.stderr, completed.stderr_truncated),
            stdout_truncated: completed.stdout_truncated,
            stderr_truncated: completed.stderr_truncated,
        }
    }
}

/// Bytes that are not UTF-8 read as U+FFFD. A character that the cut went through was none of those, and is left out.
fn text(mut bytes: Vec<u8>, truncated: bool) -> String {
    if truncated {
        let begins = |tail: &[u8]| {
            std::str::from_utf8(tail).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        };
        let whole = (bytes.len().saturating_sub(3)..bytes.len()).rev().find(|at| begins(&bytes[*at..]));
        bytes.truncate(whole.unwrap_or(bytes.len()));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// signal(7) of Linux, as on x86 and ARM. Real-time signals have numbers only.
fn signal(number: i32) -> String {
    #[rustfmt::skip]
    const NAMES: [&str; 31] = [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
        "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO",
        "PWR", "SYS",
    ];
    let name = usize::try_from(number).ok().and_then(|number| NAMES.get(number.checked_sub(1)?));
    name.map_or_else(|| format!("SIG{number}"), |name| format!("SIG{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(json: &str) -> Args {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn what_is_left_out_has_a_value_where_it_needs_one() {
        let least = request(args(r#"{"program":"ls"}"#));
        assert_eq!((least.args.len(), least.working_directory, least.stdin), (0, None, None));
        assert_eq!((least.output_bytes, least.time_limit_ms), (Some(OUTPUT_BYTES), Some(20_000)));
    }

    #[test]
    fn a_directory_is_named_from_the_root() {
        let check = |path: &str, expect: &str| assert_eq!(absolute(path), expect, "{path}");
        check("", "/");
        check(".", "/");
        check("/", "/");
        check("src", "/src");
        check("./src//deep/", "/src/deep");
        check("/src", "/src");
        check("../src", "/../src");
    }

    #[test]
    fn a_cut_leaves_no_half_of_a_character() {
        let check = |bytes: &[u8], truncated: bool, expect: &str| {
            assert_eq!(text(bytes.to_vec(), truncated), expect, "{bytes:?} {truncated}");
        };
        check("aé".as_bytes(), true, "aé");
        check(b"a\xc3", true, "a");
        check(b"a\xc3", false, "a\u{fffd}");
        check(b"a\xe2\x82", true, "a");
        check(b"a\xf0\x9f\x98", true, "a");
        check(b"\xf0\x9f\x98\x80", true, "😀");
        // No character begins like this: the program wrote it.
        check(b"a\x82\x82", true, "a\u{fffd}\u{fffd}");
        check(b"a\xff", true, "a\u{fffd}");
        check(b"\xff\xe2\x82", true, "\u{fffd}");
        check(b"", true, "");
    }

    #[test]
    fn signals_have_their_names() {
        let check = |number, expect: &str| assert_eq!(signal(number), expect);
        check(1, "SIGHUP");
        check(9, "SIGKILL");
        check(15, "SIGTERM");
        check(31, "SIGSYS");
        check(34, "SIG34");
        check(0, "SIG0");
        check(-1, "SIG-1");
    }

    #[test]
    fn the_worst_output_fits_into_a_value() {
        let worst = || vec![0; OUTPUT_BYTES as usize];
        let value = Value::from(Completed {
            exit: host::Exit::Signal(9),
            timed_out: true,
            stdout: worst(),
            stderr: worst(),
            stdout_truncated: true,
            stderr_truncated: true,
        });
        let json = serde_json::to_string(&value).unwrap();
        assert!(json.len() < 8 << 20, "{}", json.len());
        assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value);
    }
}

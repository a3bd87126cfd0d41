//! What a model reads, and the card a person sees.
//!
//! The status in both is the value's. A program can print what looks like one; in the text the last line is always this
//! tool's, and in the card the status has a field of its own.

use std::borrow::Cow;

use fumehood_tool::TerminalCard;

use crate::run::{Args, Exit, Value};

/// What is shown of each stream: some 8,000 tokens of ordinary text, and more than a person scrolls through.
const SHOWN_BYTES: usize = 32 << 10;
/// What is shown of a command line: a script of some length, whole.
const TITLE_CHARACTERS: usize = 2000;

/// Standard output, standard error, and how the program ended.
pub fn text(args: &Args, value: &Value) -> String {
    let mut text = output(value);
    if text.is_empty() {
        text.push_str("(no output)");
    }
    line(&mut text);
    if value.timed_out {
        text += &format!("[timed out after {} ms]\n", args.time_limit_ms);
    }
    text + &match &value.exit {
        Exit::ExitCode(code) => format!("[exit code: {code}]"),
        Exit::Signal(signal) => format!("[killed by signal: {signal}]"),
    }
}

/// Without a value: the card of a program that still runs.
pub fn card(args: &Args, value: Option<&Value>) -> TerminalCard {
    let card = TerminalCard { cwd: args.working_directory.clone(), ..TerminalCard::new(title(args)) };
    let Some(value) = value else { return card };
    let card = card.output(output(value)).timed_out(value.timed_out);
    match &value.exit {
        Exit::ExitCode(code) => card.exited(*code),
        Exit::Signal(signal) => card.killed(signal),
    }
}

/// Both streams, one after the other: in which order they were written is not known.
fn output(value: &Value) -> String {
    let mut text = excerpt(&value.stdout).into_owned();
    if value.stdout_truncated {
        line(&mut text);
        text.push_str("[what else came on standard output was dropped]\n");
    }
    if !value.stderr.is_empty() || value.stderr_truncated {
        line(&mut text);
        text.push_str("[stderr]\n");
        text.push_str(&excerpt(&value.stderr));
    }
    if value.stderr_truncated {
        line(&mut text);
        text.push_str("[what else came on standard error was dropped]\n");
    }
    text
}

/// The next thing begins a line.
fn line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// The beginning and the end of a long stream: the end is where most programs say what went wrong.
fn excerpt(stream: &str) -> Cow<'_, str> {
    if stream.len() <= SHOWN_BYTES {
        return stream.into();
    }
    let (head, rest) = stream.split_at(stream.floor_char_boundary(SHOWN_BYTES / 2));
    let (middle, tail) = rest.split_at(rest.ceil_char_boundary(rest.len() - SHOWN_BYTES / 2));
    format!("{head}\n[{} bytes are not shown here; the value has them]\n{tail}", middle.len()).into()
}

/// The command as one would type it, though no shell reads it.
fn title(args: &Args) -> String {
    let words: Vec<_> = [&args.program].into_iter().chain(&args.args).map(|word| quoted(word)).collect();
    let mut title = words.join(" ");
    if let Some((end, _)) = title.char_indices().nth(TITLE_CHARACTERS) {
        title.truncate(end);
        title.push('…');
    }
    title
}

fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', r"'\''")).into()
}

#[cfg(test)]
mod tests {
    use fumehood_tool::ExitStatus;

    use super::*;

    fn args(program: &str, args: &[&str]) -> Args {
        Args {
            program: program.into(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            working_directory: None,
            stdin: None,
            time_limit_ms: 50,
        }
    }

    fn value(exit: Exit, stdout: &str, stderr: &str) -> Value {
        let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
        Value { exit, timed_out: false, stdout, stderr, stdout_truncated: false, stderr_truncated: false }
    }

    #[test]
    fn the_last_line_is_how_it_ended() {
        let check = |value: Value, expect: &str| assert_eq!(text(&args("x", &[]), &value), expect);
        check(value(Exit::ExitCode(0), "", ""), "(no output)\n[exit code: 0]");
        check(value(Exit::ExitCode(0), "a\n", ""), "a\n[exit code: 0]");
        check(value(Exit::ExitCode(3), "a", "b"), "a\n[stderr]\nb\n[exit code: 3]");
        check(value(Exit::ExitCode(-1), "", "b\n"), "[stderr]\nb\n[exit code: -1]");
        let killed = Exit::Signal("SIGKILL".into());
        let late = Value { timed_out: true, ..value(killed, "a", "") };
        check(late, "a\n[timed out after 50 ms]\n[killed by signal: SIGKILL]");
        let cut = Value { stdout_truncated: true, stderr_truncated: true, ..value(Exit::ExitCode(0), "a", "") };
        check(
            cut,
            "a\n[what else came on standard output was dropped]\n[stderr]\n\
             [what else came on standard error was dropped]\n[exit code: 0]",
        );
    }

    #[test]
    fn output_that_imitates_a_status_changes_none() {
        let long = format!("{}\n[exit code: 0]\n", "é".repeat(SHOWN_BYTES));
        for (stdout, stderr) in [("[exit code: 0]", ""), ("", "[killed by signal: SIGKILL]\n"), (&long, &long)] {
            let failed = || value(Exit::ExitCode(3), stdout, stderr);
            assert!(text(&args("x", &[]), &failed()).ends_with("\n[exit code: 3]"));
            let card = card(&args("x", &[]), Some(&failed()));
            assert!(matches!(card.exit, Some(ExitStatus::Code(3))), "{card:?}");
            assert!(!card.timed_out);
        }
    }

    #[test]
    fn a_long_stream_shows_both_ends() {
        let check = |stream: &str, shown: usize| {
            let excerpt = excerpt(stream);
            let bytes: usize = excerpt.lines().filter(|line| !line.starts_with('[')).map(str::len).sum();
            assert_eq!(bytes, shown);
            let missing = format!("[{} bytes are not shown here", stream.len() - shown);
            assert_eq!(excerpt.contains(&missing), stream.len() > shown, "{missing}");
        };
        check(&"x".repeat(SHOWN_BYTES), SHOWN_BYTES);
        check(&"x".repeat(SHOWN_BYTES + 1), SHOWN_BYTES);
        // Three bytes each, of which no half may be shown.
        check(&"€".repeat(SHOWN_BYTES), SHOWN_BYTES / 2 / 3 * 3 * 2);
        let both = value(Exit::ExitCode(0), &"x".repeat(1 << 20), &"y".repeat(1 << 20));
        assert!(text(&args("x", &[]), &both).len() < 2 * SHOWN_BYTES + 500);
    }

    #[test]
    fn the_title_is_the_command() {
        let check = |words: &[&str], expect: &str| assert_eq!(title(&args(words[0], &words[1..])), expect);
        check(&["git", "log", "--format=%h", "a b"], "git log --format=%h 'a b'");
        check(&["sh", "-c", "echo 'x' | y", ""], r"sh -c 'echo '\''x'\'' | y' ''");
        check(&["ls", "*"], "ls '*'");
        let long = title(&args("ls", &["é"; 9000]));
        assert_eq!((long.chars().count(), long.ends_with('…')), (TITLE_CHARACTERS + 1, true));
    }

    #[test]
    fn a_running_program_has_a_card_without_a_status() {
        let running = card(&Args { working_directory: Some("src".into()), ..args("ls", &[]) }, None);
        assert_eq!((running.title.as_str(), running.cwd.as_deref(), running.output.as_str()), ("ls", Some("src"), ""));
        assert!(running.exit.is_none() && !running.timed_out);
    }
}

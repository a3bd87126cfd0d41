//! A command that was run.

use std::borrow::Cow;

use fumehood::ExitStatus;

use super::canvas::{Canvas, Fit, Ink, Line};
use super::text;

/// What became of a command.
pub(super) struct Run<'c> {
    pub(super) output: &'c str,
    pub(super) exit: Option<&'c ExitStatus>,
    pub(super) timed_out: bool,
}

/// Columns between tab stops, as terminals have them: what programs align with.
const TAB: usize = 8;

/// Longer ones colour nothing: a colour of 24 bits before and behind takes 34 bytes.
const MOST_PARAMETERS: usize = 64;

pub(super) fn draw(
    description: Option<&str>,
    cwd: Option<&str>,
    run: &Run<'_>,
    canvas: &mut Canvas<'_>,
) -> Line<'static> {
    text::note(description.unwrap_or_default(), Ink::Faint, "", canvas);
    if let Some(cwd) = cwd {
        canvas.short_line(&Line::new("in ", Ink::Faint).then(cwd, Ink::Path));
    }
    canvas.gap();
    let output = uncoloured(run.output);
    let lines = text::lines(&output);
    canvas.lines(lines.len(), |at| Line::new(lines[at], Ink::Plain).fit(Fit::Columns(TAB)));
    canvas.gap();
    let foot = status(run);
    let stripped = matches!(output, Cow::Owned(_));
    if stripped { foot.then(" · its colours are not shown", Ink::Faint) } else { foot }
}

/// The ink of a card of a command that ended so.
pub(super) fn tone(exit: Option<&ExitStatus>, timed_out: bool) -> Ink {
    match exit {
        _ if timed_out => Ink::Bad,
        Some(ExitStatus::Code(0)) => Ink::Good,
        Some(_) => Ink::Bad,
        None => Ink::Faint,
    }
}

fn status(run: &Run<'_>) -> Line<'static> {
    let ended = match run.exit {
        Some(ExitStatus::Code(code)) => format!("exit {code}"),
        // It follows this program's own words, in its own row.
        Some(ExitStatus::Signal(signal)) => format!("ended by {signal}"),
        None if run.timed_out => return Line::new("timed out", Ink::Bad),
        None => return Line::new("running", Ink::Faint),
    };
    let line = Line::new(ended, tone(run.exit, run.timed_out));
    if run.timed_out { line.then(" · timed out", Ink::Bad) } else { line }
}

/// Output without its colours: `ESC [ … m` is taken out, because written out it would bury what a build or a test printed.
/// What it may have hidden is seen. Everything else that a terminal would act on is left, to be written out.
fn uncoloured(output: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed("");
    let mut rest = output;
    let mut from = 0;
    while let Some(at) = rest[from..].find("\x1b[").map(|at| from + at) {
        let parameters = rest[at + 2..].bytes().take(MOST_PARAMETERS);
        let length = parameters.take_while(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')).count();
        let end = at + 2 + length;
        if rest.as_bytes().get(end) == Some(&b'm') {
            text.to_mut().push_str(&rest[..at]);
            (rest, from) = (&rest[end + 1..], 0);
        } else {
            from = at + 2;
        }
    }
    if rest.len() == output.len() {
        return Cow::Borrowed(output);
    }
    text.to_mut().push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_out_and_nothing_else() {
        let check = |output: &str, expect: &str| assert_eq!(uncoloured(output), expect);
        check("plain", "plain");
        check("\x1b[1;31mred\x1b[0m\x1b[m", "red");
        check("\x1b[38:2::1:2:3mrgb", "rgb");
        check("hidden \x1b[8mpassword\x1b[0m", "hidden password");
        check("\x1b[2J\x1b[31mx\x1b[H", "\x1b[2Jx\x1b[H");
        check("\x1b[31", "\x1b[31");
        check("\x1b\x1b[1m[31m", "\x1b[31m");
        check("\x1b[?1m\u{9b}31m", "\x1b[?1m\u{9b}31m");
        let long = format!("\x1b[{}m", "1;".repeat(40));
        check(&long, &long);
        assert!(matches!(uncoloured("\x1b[2J"), Cow::Borrowed(_)));
        assert!(matches!(uncoloured("\x1b[m"), Cow::Owned(_)));
    }
}

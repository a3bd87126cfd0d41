//! What there is to draw on. Made in one place; a test makes its own.

use std::io::IsTerminal as _;
use std::time::Duration;

/// Where a terminal does not say how wide it is: the width that programs have assumed since terminals had no other.
const COLUMNS: usize = 80;

/// The widest character has two columns: nothing can be drawn in fewer.
const FEWEST_COLUMNS: usize = 2;

/// Rows that are shown of one long text. With title and status, a card then fits a window of 50 rows.
const FOLD: usize = 40;

/// How long a person waits for the colours of code. A screen of it takes a tenth, also where its grammar is compiled first;
/// some lines were written to take minutes.
const PATIENCE: Duration = Duration::from_millis(500);

/// What there is to draw on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Screen {
    /// Columns of a terminal. `None`: a pipe or a file. Its lines stay whole, because what reads them searches by line.
    pub(in crate::cli) width: Option<usize>,
    /// A rule at the left, which says what a tool wrote and what this program did.
    pub(in crate::cli) frame: bool,
    /// The 16 colours of the terminal's own palette, which its user has made readable. Other colours would be a guess at
    /// the background.
    pub(in crate::cli) colour: bool,
    /// Addresses that can be clicked (OSC 8).
    pub(in crate::cli) links: bool,
    /// Rows that are shown of one long text. `None`: all.
    pub(in crate::cli) fold: Option<usize>,
    /// How long highlighting the code of one card may take. What is not highlighted by then is plain.
    pub(in crate::cli) patience: Duration,
}

impl Screen {
    /// Standard output. `full`: nothing is folded.
    #[expect(clippy::disallowed_methods, reason = "the environment says what the terminal can do")]
    pub(in crate::cli) fn of_stdout(full: bool) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let columns = || console::Term::stdout().size_checked().map_or(0, |(_, columns)| usize::from(columns));
        Self::of(terminal.then(columns), full, |name| std::env::var(name).ok())
    }

    /// A pipe: whole lines, all of them, no colour, no frame.
    pub(in crate::cli) const fn plain() -> Self {
        Self { width: None, frame: false, colour: false, links: false, fold: None, patience: PATIENCE }
    }

    /// The same screen, on which nothing is folded.
    pub(in crate::cli) const fn unfolded(self) -> Self {
        Self { fold: None, ..self }
    }

    /// `columns`: of a terminal, 0 where it does not say; `None` where there is no terminal.
    fn of(columns: Option<usize>, full: bool, variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_none_or(|term| term == "dumb");
        // <https://bixense.com/clicolors> and <https://no-color.org>: NO_COLOR has the last word.
        let forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let wanted = set("CLICOLOR").is_none_or(|value| value != "0");
        let colour = set("NO_COLOR").is_none() && (forced || (columns.is_some() && wanted && !dumb));
        let Some(columns) = columns else {
            return Self { colour, ..Self::plain() };
        };
        let told = set("COLUMNS").and_then(|columns| columns.parse::<u16>().ok()).map_or(0, usize::from);
        let width = [told, columns].into_iter().find(|columns| *columns > 0).unwrap_or(COLUMNS);
        Self {
            width: Some(width.max(FEWEST_COLUMNS)),
            frame: !dumb,
            colour,
            // The console of Linux prints what it does not know.
            links: colour && !dumb && set("TERM").is_none_or(|term| term != "linux"),
            fold: (!full).then_some(FOLD),
            patience: PATIENCE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(columns: Option<usize>, variables: &[(&str, &str)]) -> Screen {
        let variable =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Screen::of(columns, false, variable)
    }

    #[test]
    fn colour_is_for_terminals_that_have_it() {
        let check = |columns: Option<usize>, variables: &[(&str, &str)], colour: bool| {
            assert_eq!(of(columns, variables).colour, colour, "{columns:?} {variables:?}");
        };
        check(Some(80), &[("TERM", "xterm")], true);
        check(Some(80), &[("TERM", "xterm"), ("NO_COLOR", "")], true);
        check(Some(80), &[("TERM", "xterm"), ("NO_COLOR", "1")], false);
        check(Some(80), &[("TERM", "xterm"), ("CLICOLOR", "0")], false);
        check(Some(80), &[("TERM", "dumb")], false);
        check(Some(80), &[], false);
        check(None, &[("TERM", "xterm")], false);
        check(None, &[("CLICOLOR_FORCE", "1")], true);
        check(None, &[("CLICOLOR_FORCE", "0")], false);
        check(None, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false);
        check(Some(80), &[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")], true);
    }

    #[test]
    fn links_and_frames_are_for_terminals_that_draw_them() {
        let check = |columns: Option<usize>, variables: &[(&str, &str)], links: bool, frame: bool| {
            let screen = of(columns, variables);
            assert_eq!((screen.links, screen.frame), (links, frame), "{columns:?} {variables:?}");
        };
        check(Some(80), &[("TERM", "xterm")], true, true);
        check(Some(80), &[("TERM", "xterm"), ("NO_COLOR", "1")], false, true);
        check(Some(80), &[("TERM", "linux")], false, true);
        check(Some(80), &[("TERM", "dumb")], false, false);
        check(None, &[("CLICOLOR_FORCE", "1")], false, false);
    }

    #[test]
    fn the_width_is_what_is_told_or_measured() {
        let check = |columns: Option<usize>, variables: &[(&str, &str)], width: Option<usize>| {
            assert_eq!(of(columns, variables).width, width, "{columns:?} {variables:?}");
        };
        check(Some(120), &[], Some(120));
        check(Some(120), &[("COLUMNS", "40")], Some(40));
        check(Some(120), &[("COLUMNS", "0")], Some(120));
        check(Some(120), &[("COLUMNS", "-3")], Some(120));
        check(Some(0), &[], Some(80));
        check(Some(1), &[], Some(2));
        check(None, &[("COLUMNS", "40")], None);
    }

    #[test]
    fn long_texts_are_folded_on_a_terminal_unless_all_is_asked_for() {
        assert_eq!(Screen::of(Some(80), false, |_| None).fold, Some(FOLD));
        assert_eq!(Screen::of(Some(80), true, |_| None).fold, None);
        assert_eq!(of(None, &[]).fold, None);
        assert_eq!(of(None, &[]), Screen::plain());
    }
}

//! Files that changed.

mod rows;
mod words;

use std::time::{Duration, Instant};

use fumehood::FileDiff;

use super::canvas::{Canvas, Ink, Line, Noun, number};
use super::code::Parts;
use rows::{Change, Row, Rows};

/// The best diff of two long texts that have nothing in common takes quadratic time; past this, a rougher one. All files of
/// a card share it.
const DIFF_TIME: Duration = Duration::from_millis(500);

pub(super) fn draw(diffs: &[FileDiff], canvas: &mut Canvas<'_>) -> Line<'static> {
    let deadline = Instant::now() + DIFF_TIME;
    let (mut added, mut removed) = (0, 0);
    let noun = Noun("file", "files");
    canvas.items(diffs.len(), noun, |canvas, at| {
        if at > 0 && canvas.is_terminal() {
            canvas.gap();
        }
        let diff = &diffs[at];
        let rows = Rows::of(diff.old.as_deref(), &diff.new, deadline);
        (added, removed) = (added + rows.added, removed + rows.removed);
        if canvas.is_terminal() { for_a_person(diff, &rows, canvas) } else { for_a_program(diff, &rows, canvas) }
    });
    if !canvas.is_terminal() {
        // What reads a diff reads to its end.
        return Line::empty();
    }
    Line::new(noun.count(diffs.len()), Ink::Faint).then(" · ", Ink::Faint).then_counts(added, removed)
}

impl Line<'_> {
    fn then_counts(self, added: usize, removed: usize) -> Self {
        let line = self.then(&format!("+{}", number(added as u64)), Ink::Added);
        line.then(" ", Ink::Plain).then(&format!("-{}", number(removed as u64)), Ink::Removed)
    }
}

/// With the line numbers of both sides, and changed words in changed lines.
fn for_a_person(diff: &FileDiff, rows: &Rows<'_>, canvas: &mut Canvas<'_>) {
    let head = Line::new(&diff.path, Ink::Path).then("  ", Ink::Plain);
    let head = head.then_counts(rows.added, rows.removed);
    canvas.short_line(&if diff.old.is_some() { head } else { head.then("  new, or not known before", Ink::Faint) });

    // The text after is highlighted, where it stands unchanged. In changed lines red and green have the word.
    let new = rows.new_lines.iter().map(|line| bare(line));
    let parts: Vec<Parts> = canvas.highlight(&diff.path, new);
    let digits = rows.old_lines.len().max(rows.new_lines.len()).to_string().len();
    let blank = String::new();
    let numbered = |old: Option<usize>, new: Option<usize>, sign: &str, ink: Ink| {
        let spelled = |at: Option<usize>| at.map_or_else(|| blank.clone(), |at| (at + 1).to_string());
        let numbers = format!("{:>digits$} {:>digits$} ", spelled(old), spelled(new));
        Line::empty().gutter(numbers, Ink::Faint).gutter(format!("{sign} "), ink)
    };
    canvas.lines(rows.rows.len(), |at| match rows.rows[at] {
        Row::Hunk(ref hunk) => Line::new(hunk.to_string(), Ink::Faint),
        Row::NoLineFeed => {
            Line::new("no line feed at the end", Ink::Faint).like(&numbered(None, None, "\\", Ink::Faint))
        }
        Row::Line(Change::Same { old, new }) => {
            let text = bare(rows.new_lines[new]);
            let parts = parts.get(new).map_or(&[][..], Vec::as_slice);
            Line::parts(text, parts).like(&numbered(Some(old), Some(new), " ", Ink::Plain))
        }
        Row::Line(Change::Removed { old, by }) => {
            let text = unended(rows.old_lines[old]);
            let words = by.map_or_else(Vec::new, |new| words::changed(text, unended(rows.new_lines[new])));
            let parts = inks(text, &words, Ink::Removed, Ink::RemovedWord);
            Line::parts(text, &parts).like(&numbered(Some(old), None, "-", Ink::Removed))
        }
        Row::Line(Change::Added { new, of }) => {
            let text = unended(rows.new_lines[new]);
            let sign = numbered(None, Some(new), "+", Ink::Added);
            if diff.old.is_none() {
                // All of it is new: its code says more than the colour would.
                return Line::parts(text, parts.get(new).map_or(&[][..], Vec::as_slice)).like(&sign);
            }
            let words = of.map_or_else(Vec::new, |old| words::changed(text, unended(rows.old_lines[old])));
            let parts = inks(text, &words, Ink::Added, Ink::AddedWord);
            Line::parts(text, &parts).like(&sign)
        }
    });
}

/// In the form of `diff -u`.
fn for_a_program(diff: &FileDiff, rows: &Rows<'_>, canvas: &mut Canvas<'_>) {
    let before = if diff.old.is_some() { diff.path.as_str() } else { "/dev/null" };
    canvas.line(&Line::new(format!("--- {before}"), Ink::Faint));
    canvas.line(&Line::new(format!("+++ {}", diff.path), Ink::Faint));
    canvas.lines(rows.rows.len(), |at| match rows.rows[at] {
        Row::Hunk(ref hunk) => Line::new(hunk.to_string(), Ink::Faint),
        Row::NoLineFeed => Line::new("\\ No newline at end of file", Ink::Faint),
        Row::Line(Change::Same { old, .. }) => Line::new(" ", Ink::Plain).then(bare(rows.old_lines[old]), Ink::Plain),
        Row::Line(Change::Removed { old, .. }) => {
            Line::new("-", Ink::Removed).then(unended(rows.old_lines[old]), Ink::Removed)
        }
        Row::Line(Change::Added { new, .. }) => {
            Line::new("+", Ink::Added).then(unended(rows.new_lines[new]), Ink::Added)
        }
    });
}

/// A line without its ending.
fn bare(line: &str) -> &str {
    let line = unended(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// A line without its line feed. A carriage return stays: it may be what changed.
fn unended(line: &str) -> &str {
    line.strip_suffix('\n').unwrap_or(line)
}

fn inks(text: &str, words: &[std::ops::Range<usize>], ink: Ink, word: Ink) -> Parts {
    let mut parts = Parts::new();
    for range in words {
        parts.extend([(range.start, ink), (range.end, word)]);
    }
    parts.push((text.len(), ink));
    parts
}

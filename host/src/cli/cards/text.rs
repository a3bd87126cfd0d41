//! Texts of several lines, with the code in them that is fenced.

use super::canvas::{Canvas, Fit, Ink, Line};
use super::code::Parts;

/// Lines without their endings. What follows the last ending is a line only when it holds something.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

/// A text of one ink, after a gutter of blanks.
pub(super) fn note(text: &str, ink: Ink, set_in: &str, canvas: &mut Canvas<'_>) {
    let lines = lines(text);
    canvas.lines(lines.len(), |at| Line::new(lines[at], ink).gutter(set_in, Ink::Plain));
}

/// What people write: wrapped after words; code between fences (CommonMark 0.31, section 4.5) is highlighted.
pub(super) fn prose(text: &str, canvas: &mut Canvas<'_>) {
    let lines = lines(text);
    let fenced = Fenced::find(&lines, canvas);
    canvas.lines(lines.len(), |at| match fenced.inside(at) {
        Some(parts) => Line::parts(lines[at], parts).fit(Fit::Columns(4)),
        None => Line::new(lines[at], Ink::Plain),
    });
}

/// What a program reads: cut at the edge, and highlighted where the name of a language or a file says how.
pub(super) fn source(text: &str, name: Option<&str>, canvas: &mut Canvas<'_>) {
    let lines = lines(text);
    let parts = name.map_or_else(Vec::new, |name| canvas.highlight(name, lines.iter().copied()));
    canvas
        .lines(lines.len(), |at| Line::parts(lines[at], parts.get(at).map_or(&[], Vec::as_slice)).fit(Fit::Columns(4)));
}

/// Blocks of fenced code: the first line of each, and its parts.
struct Fenced<'l> {
    blocks: Vec<Block<'l>>,
}

struct Block<'l> {
    from: usize,
    lines: &'l [&'l str],
    parts: Vec<Parts>,
}

/// Blocks that are looked for. One text rarely has as many, and each begins anew.
const MOST_BLOCKS: usize = 32;

impl<'l> Fenced<'l> {
    fn find(lines: &'l [&'l str], canvas: &mut Canvas<'_>) -> Self {
        let mut blocks = Vec::new();
        let mut at = 0;
        while at < lines.len() && blocks.len() < MOST_BLOCKS {
            let Some((fence, name)) = opening(lines[at]) else {
                at += 1;
                continue;
            };
            let from = at + 1;
            let length = lines[from..].iter().position(|line| closes(line, fence)).unwrap_or(lines.len() - from);
            let inside = &lines[from..from + length];
            blocks.push(Block { from, lines: inside, parts: canvas.highlight(name, inside.iter().copied()) });
            at = from + length + 1;
        }
        Self { blocks }
    }

    /// The parts of a line of code. `None`: it is none.
    fn inside(&self, at: usize) -> Option<&[(usize, Ink)]> {
        let block = self.blocks.iter().find(|block| (block.from..block.from + block.lines.len()).contains(&at))?;
        Some(block.parts.get(at - block.from).map_or(&[], Vec::as_slice))
    }
}

/// Three or more of one sign, and what is written after them.
fn opening(line: &str) -> Option<(&str, &str)> {
    let inside = line.trim_start_matches(' ');
    let sign = inside.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = inside.len() - inside.trim_start_matches(sign).len();
    let name = inside[length..].split_whitespace().next().unwrap_or_default();
    (length >= 3 && line.len() - inside.len() <= 3 && !name.contains('`')).then_some((&inside[..length], name))
}

fn closes(line: &str, fence: &str) -> bool {
    let inside = line.trim();
    inside.starts_with(fence) && inside.chars().all(|c| fence.starts_with(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::screen::Screen;

    #[test]
    fn lines_lose_their_endings_and_nothing_else() {
        assert_eq!(lines(""), Vec::<&str>::new());
        assert_eq!(lines("a"), ["a"]);
        assert_eq!(lines("a\r\nb\n"), ["a", "b"]);
        assert_eq!(lines("a\r\r\n\n\n"), ["a\r", "", ""]);
    }

    #[test]
    fn fences_open_and_close() {
        let check = |text: &str, expect: &[usize]| {
            let lines = lines(text);
            let fenced = Fenced::find(&lines, &mut Canvas::bare(&Screen::plain()));
            let inside: Vec<_> = (0..lines.len()).filter(|at| fenced.inside(*at).is_some()).collect();
            assert_eq!(inside, expect, "{text:?}");
        };
        check("a\n```rust\nb\n```\nc", &[2]);
        check("~~~\na\n```\nb\n~~~~\nc", &[1, 2, 3]);
        check("```\nnever closed", &[1]);
        check("``\na\n``", &[]);
        check("    ```\na", &[]);
        check("``` a`b\nc", &[]);
    }
}

//! A window of a file.

use fumehood::NumberedLine;

use super::canvas::{Canvas, Fit, Ink, Line, Noun, number};

/// Which file.
pub(super) struct File<'c> {
    pub(super) title: &'c str,
    pub(super) path: &'c str,
    pub(super) language: Option<&'c str>,
}

pub(super) fn draw(
    file: &File<'_>,
    offset: u64,
    lines: &[NumberedLine],
    total: u64,
    canvas: &mut Canvas<'_>,
) -> Line<'static> {
    // Most titles name the file.
    if !file.title.contains(file.path) {
        canvas.short_line(&Line::new(file.path, Ink::Path));
        canvas.gap();
    }
    let texts = || lines.iter().map(|line| line.text.as_str());
    let mut parts = file.language.map_or_else(Vec::new, |language| canvas.highlight(language, texts()));
    if parts.is_empty() {
        parts = canvas.highlight(file.path, texts());
    }
    let width = lines.last().map_or(1, |line| line.number.to_string().len()).max(GUTTER);
    canvas.lines(lines.len(), |at| {
        let NumberedLine { number, text } = &lines[at];
        let text = text.strip_suffix('\r').unwrap_or(text);
        let parts = parts.get(at).map_or(&[][..], Vec::as_slice);
        Line::parts(text, parts).fit(Fit::Columns(4)).gutter(format!("{number:>width$}  "), Ink::Faint)
    });
    let all = Noun::LINES.count(usize::try_from(total).unwrap_or(usize::MAX));
    let foot = format!("{} of {all}, from line {}", number(lines.len() as u64), number(offset));
    Line::new(foot, Ink::Faint)
}

/// Columns of a line number, at least: the numbers of most files, so that one window stands as the next.
const GUTTER: usize = 4;

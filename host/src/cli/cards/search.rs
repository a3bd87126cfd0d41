//! What a search found.

use fumehood::SearchResults;

use super::canvas::{Canvas, Fit, Ink, Line, Noun, number};

pub(super) fn draw(results: &SearchResults, canvas: &mut Canvas<'_>) -> Line<'static> {
    match results {
        SearchResults::Matches { files, truncated, total } => {
            // Each row is a file, or a match in it.
            let rows: Vec<(usize, Option<usize>)> = (files.iter().enumerate())
                .flat_map(|(file, found)| {
                    std::iter::once((file, None)).chain((0..found.matches.len()).map(move |at| (file, Some(at))))
                })
                .collect();
            let numbers = files.iter().flat_map(|file| &file.matches).map(|found| found.line_number);
            let width = numbers.max().unwrap_or(0).to_string().len().max(GUTTER);
            let head = |file: usize| Line::new(&files[file].path, Ink::Path).fit(Fit::Columns(4));
            let line = |at: usize| match rows[at] {
                (file, None) => head(file),
                (file, Some(found)) => {
                    let found = &files[file].matches[found];
                    let text = found.line.strip_suffix('\r').unwrap_or(&found.line);
                    let number = format!("{:>width$}  ", found.line_number);
                    Line::new(text, Ink::Plain).fit(Fit::Columns(4)).gutter(number, Ink::Faint)
                }
            };
            canvas.lines_after(rows.len(), line, |at| rows[at].1.map(|_| head(rows[at].0)));
            foot(rows.len() - files.len(), *total, *truncated, Noun("match", "matches"))
        }
        SearchResults::Paths { paths, truncated, total } => {
            canvas.lines(paths.len(), |at| Line::new(&paths[at], Ink::Plain).fit(Fit::Columns(4)));
            foot(paths.len(), *total, *truncated, Noun("path", "paths"))
        }
    }
}

/// Columns of a line number, at least.
const GUTTER: usize = 6;

fn foot(listed: usize, total: u64, truncated: bool, noun: Noun) -> Line<'static> {
    match (truncated, total) {
        (true, _) => {
            let all = noun.count(usize::try_from(total).unwrap_or(usize::MAX));
            Line::new(format!("{} of {all}", number(listed as u64)), Ink::Warning)
        }
        (false, 0) => Line::new("nothing found", Ink::Faint),
        (false, total) => Line::new(format!("{} in all", number(total)), Ink::Faint),
    }
}

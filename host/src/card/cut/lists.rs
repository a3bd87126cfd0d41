//! Cards that are lists: what does not fit goes from the end.

use super::super::{
    Card, FileMatches, LineMatch, NumberedLine, SearchResults, ToolKind, WebResults, WebSource, budget::json_len,
};
use super::{LABEL, fitting, instead, shorten_label, shortened};
use crate::content::ContentBlock;

/// A line of which less would be shown is left out: the count of what is missing takes as much.
const LEAST_LINE: u64 = 64;

/// The first lines of a file. A first line that does not fit is shown in part, with a count in it.
pub(super) fn read(mut card: Card, budget: u64) -> Card {
    let Card::Read { lines, .. } = &mut card else { return card };
    let mut all = std::mem::take(lines);
    let mut room = budget.saturating_sub(json_len(&card));
    let first = all.first_mut().map(|line| NumberedLine { number: line.number, text: std::mem::take(&mut line.text) });
    let Some(first) = first else { return card };
    let kept = if json_len(&first) < room {
        all[0] = first;
        fitting(all, &mut room)
    } else {
        let number = NumberedLine { number: first.number, text: String::new() };
        let left = room.saturating_sub(json_len(&number));
        if left < LEAST_LINE {
            Vec::new()
        } else {
            vec![NumberedLine { text: shortened(&first.text, left, " "), ..number }]
        }
    };
    if let Card::Read { lines, .. } = &mut card {
        *lines = kept;
    }
    card
}

/// The first entries of a search.
pub(super) fn search(title: String, results: SearchResults, budget: u64) -> Card {
    let card = |results| Card::Search { title: title.clone(), results };
    match results {
        SearchResults::Matches { files, truncated, total } => {
            let empty = card(SearchResults::Matches { files: Vec::new(), truncated, total });
            let files = first_matches(files, budget.saturating_sub(json_len(&empty)));
            let shown: u64 = files.iter().map(|file| file.matches.len() as u64).sum();
            card(SearchResults::Matches { files, truncated: shown < total, total })
        }
        SearchResults::Paths { paths, truncated, total } => {
            let empty = card(SearchResults::Paths { paths: Vec::new(), truncated, total });
            let paths = fitting(paths, &mut budget.saturating_sub(json_len(&empty)));
            let shown = paths.len() as u64;
            card(SearchResults::Paths { paths, truncated: shown < total, total })
        }
    }
}

/// The first matches. Where not even one line fits, the first of them is shown in part, with a count in it.
fn first_matches(files: Vec<FileMatches>, mut room: u64) -> Vec<FileMatches> {
    let mut kept = Vec::new();
    for FileMatches { path, matches } in files {
        let mut file = FileMatches { path, matches: Vec::new() };
        let Some(left) = room.checked_sub(json_len(&file) + 1) else { break };
        room = left;
        let found = matches.len();
        let first = if kept.is_empty() { matches.first().cloned() } else { None };
        file.matches = fitting(matches, &mut room);
        let all = file.matches.len() == found;
        if file.matches.is_empty() && !all {
            file.matches.extend(first.and_then(|first| part(first, room)));
            if file.matches.is_empty() {
                break;
            }
        }
        kept.push(file);
        if !all {
            break;
        }
    }
    kept
}

/// A matching line that does not fit, in part.
fn part(found: LineMatch, room: u64) -> Option<LineMatch> {
    let LineMatch { line_number, line } = found;
    let left = room.saturating_sub(json_len(&LineMatch { line_number, line: String::new() }));
    (left >= LEAST_LINE).then(|| LineMatch { line_number, line: shortened(&line, left, " ") })
}

/// The first sources, with the snippets of the first of them. A page whose address alone is too long has no card of its own:
/// half an address leads elsewhere.
pub(super) fn web(title: String, results: WebResults, budget: u64) -> Card {
    match results {
        WebResults::Search { mut sources, answer, truncated } => {
            // An answer is the summary of them all: it may take a quarter.
            let answer = answer.map(|answer| shortened(&answer, budget / 4, "\n"));
            let card = |sources, truncated| Card::Web {
                title: title.clone(),
                results: WebResults::Search { sources, answer: answer.clone(), truncated },
            };
            let mut room = budget.saturating_sub(json_len(&card(Vec::new(), truncated)));
            let snippets: Vec<_> = sources.iter_mut().map(|source| source.snippet.take()).collect();
            let all = sources.len();
            let mut kept = fitting(sources, &mut room);
            for (source, snippet) in kept.iter_mut().zip(snippets) {
                let bare = json_len(source);
                let whole = WebSource { snippet, ..source.clone() };
                let Some(left) = room.checked_sub(json_len(&whole) - bare) else { break };
                room = left;
                *source = whole;
            }
            let truncated = truncated || kept.len() < all;
            card(kept, truncated)
        }
        WebResults::Fetch { mut url, status, truncated } => {
            let bytes = url.len();
            shorten_label(&mut url, budget / LABEL);
            let part = if truncated { ", of which a part is left out" } else { "" };
            let note = format!("[The address has {bytes} bytes and is too long to show. It begins: {url}]");
            let body = [note, format!("HTTP status {status}{part}")].map(ContentBlock::text).to_vec();
            instead(title, ToolKind::Fetch, body, Vec::new(), budget)
        }
    }
}

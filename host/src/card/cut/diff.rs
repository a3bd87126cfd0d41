//! Changes of files. Half a change must not look like a whole one.

use super::super::{Card, FileDiff, ToolKind, budget::json_len};
use super::{fitting, instead};
use crate::content::ContentBlock;

/// Lines that stay around a change: as many as `diff -u` shows.
const CONTEXT: usize = 3;

/// The changes of the first files, each whole but for lines that are the same before and after. Where not even one fits, a
/// card that says so and names the files.
pub(super) fn cut(title: String, diffs: Vec<FileDiff>, budget: u64) -> Card {
    let mut diffs: Vec<_> = diffs.into_iter().map(narrowed).collect();
    let mut room = budget.saturating_sub(json_len(&Card::Diff { title: title.clone(), diffs: Vec::new() }));
    if diffs.first().is_some_and(|first| json_len(first) < room) {
        return Card::Diff { title, diffs: fitting(diffs, &mut room) };
    }
    let paths = diffs.iter().map(|diff| diff.path.clone()).collect();
    let more = diffs.len().saturating_sub(1);
    let mut body = Vec::new();
    if !diffs.is_empty() {
        let FileDiff { path, old, new } = diffs.swap_remove(0);
        body = match old {
            Some(_) => {
                vec![format!("[The change of {path} is too long to show. It is left out, and not a part of it.]")]
            }
            None => vec![
                format!(
                    "[{path} is new, or what it held is unknown. It is too long to show whole: {} bytes. This is how it \
                     begins and ends.]",
                    new.len()
                ),
                new,
            ],
        };
    }
    if more > 0 {
        body.push(format!("[The changes of {more} more files are left out.]"));
    }
    instead(title, ToolKind::Edit, body.into_iter().map(ContentBlock::text).collect(), paths, budget)
}

/// The change without the lines far from it. In the place of those at the beginning, and of those at the end, stands one line
/// with their count, the same before and after: it is shown as a line that did not change.
fn narrowed(diff: FileDiff) -> FileDiff {
    let FileDiff { path, old: Some(old), new } = diff else { return diff };
    let before: Vec<&str> = old.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let start = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let end = before[start..].iter().rev().zip(after[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (start, start_note) = left_out(&before[..start.saturating_sub(CONTEXT)]);
    let (end, end_note) = left_out(&before[before.len() - end.saturating_sub(CONTEXT)..]);
    let narrow = |lines: &[&str]| [&start_note, &*lines[start..lines.len() - end].concat(), &end_note].concat();
    FileDiff { path, old: Some(narrow(&before)), new: narrow(&after) }
}

/// How many of these lines to leave out, all or none, and what to write in their place.
fn left_out(lines: &[&str]) -> (usize, String) {
    let bytes: usize = lines.iter().map(|line| line.len()).sum();
    let note = format!("[... {} lines that did not change, {bytes} bytes, are left out here ...]\n", lines.len());
    if note.len() < bytes { (lines.len(), note) } else { (0, String::new()) }
}

//! Which words of a changed line changed.

use std::ops::Range;

use similar::{Algorithm, DiffTag};

/// Words of a line that are compared. Comparing takes time that grows with their product, and a longer line is data.
const MOST_WORDS: usize = 200;

/// Of the words, so many per cent must have stayed: the marks of a line that was written anew would say nothing.
const ALIKE: f32 = 0.4;

/// The parts of a line that are not in the other, in order. None: all of it, or nothing worth a mark.
pub(super) fn changed(line: &str, other: &str) -> Vec<Range<usize>> {
    let (ours, theirs) = (words(line), words(other));
    if ours.len() > MOST_WORDS || theirs.len() > MOST_WORDS {
        return Vec::new();
    }
    let ops = similar::capture_diff_slices(Algorithm::Myers, &ours, &theirs);
    if similar::get_diff_ratio(&ops, ours.len(), theirs.len()) < ALIKE {
        return Vec::new();
    }
    let at = |index: usize| ours[..index].iter().map(|word| word.len()).sum::<usize>();
    let changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal && !op.old_range().is_empty());
    changed.map(|op| at(op.old_range().start)..at(op.old_range().end)).collect()
}

/// Names, numbers and runs of space whole; any other character alone.
fn words(line: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut words = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let same = |c: char| class(c) != 0 && class(c) == class(first);
        let length = rest.find(|c: char| !same(c)).unwrap_or(rest.len()).max(first.len_utf8());
        words.push(&rest[..length]);
        rest = &rest[length..];
        // One more than are compared is enough to know.
        if words.len() > MOST_WORDS {
            break;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_that_changed() {
        let check = |line: &str, other: &str, expect: &[&str]| {
            let found: Vec<_> = changed(line, other).into_iter().map(|range| &line[range]).collect();
            assert_eq!(found, expect, "{line:?} {other:?}");
        };
        check("let a = 1;", "let a = 2;", &["1"]);
        check("let ä = foo(漢);", "let b = foo(字);", &["ä", "漢"]);
        check("a, b", "a, b, c", &[]);
        check("a, b, c", "a, b", &[", c"]);
        check("same", "same", &[]);
        check("nothing in common", "x", &[]);
        check("", "", &[]);
        let long = "a b ".repeat(MOST_WORDS);
        check(&long, &format!("{long}c"), &[]);
    }
}

//! What several of the tools have in common: cards of what is looked at, and pages of what was found.

use std::ops::Range;

use fumehood_tool::{Card, GenericCard, ToolKind};

use crate::root::normal;
use crate::text::quantity;

/// Where a search begins that does not say.
pub fn root() -> String {
    ".".into()
}

/// The card of a call that only looks at something.
pub fn looking(title: String, kind: ToolKind) -> GenericCard {
    GenericCard::new(title).kind(kind)
}

/// The same, at a path below the root.
pub fn looking_at(title: String, kind: ToolKind, path: &str) -> Card {
    let card = looking(title, kind);
    match normal(path) {
        Ok(path) if !path.is_empty() => card.location(path, None).into(),
        _ => card.into(),
    }
}

/// How many bytes of text a search card lists: more than a person scrolls through.
pub const CARD_BYTES: usize = 64 << 10;

/// Which of `listed` results a page shows.
pub fn page(listed: usize, skip: u64, size: usize) -> Range<usize> {
    let from = usize::try_from(skip).unwrap_or(usize::MAX).min(listed);
    from..listed.min(from.saturating_add(size))
}

/// Says what a page leaves out and how to get it.
pub fn footer(shown: &Range<usize>, listed: usize, total: u64, noun: &str) -> String {
    let nouns = quantity(2, noun)[2..].to_owned();
    let (first, last) = (shown.start + 1, shown.end);
    if shown.is_empty() {
        return format!("\n(skip leaves nothing of {})", quantity(total, noun));
    }
    let rest = match last {
        _ if last as u64 == total => String::new(),
        _ if last < listed => format!("; go on with skip {last}"),
        _ => "; the rest was not kept: narrow the search".into(),
    };
    format!("\n\n({nouns} {first} to {last} of {total}{rest})")
}

//! What a model reads in place of a text that is too long.

use std::borrow::Cow;

use super::error::SpillError;
use super::locator::Locator;
use super::store::SpillStore;
use crate::content::{Annotations, ContentBlock};
use crate::excerpt::{self, Excerpt};
use crate::session::Spilled;

/// The most bytes of text that one result brings to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpillBudget(u64);

impl SpillBudget {
    /// The notice takes up to 557 bytes: at least four hundred are left for the text.
    pub const LEAST: u64 = 1024;

    /// 50,000 bytes: some 12,000 tokens of English, a sixteenth of a window of 200,000 tokens. A source file of a thousand
    /// lines passes whole.
    pub const STANDARD: Self = Self(50_000);

    /// So many bytes of UTF-8, the notice included.
    ///
    /// # Errors
    /// Fewer than [`SpillBudget::LEAST`].
    pub const fn new(bytes: u64) -> Result<Self, SpillError> {
        if bytes < Self::LEAST { Err(SpillError::Budget(bytes)) } else { Ok(Self(bytes)) }
    }

    /// The bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

/// Bound the text of a result. `None`: it is within the budget, and stays as it is.
///
/// What comes back has at most as many bytes of text as the budget allows, the notice included; a second time it stays as it
/// is. The one text block keeps the hints that all of them had alike, and none where they differ.
///
/// # Errors
/// The text could not be kept. Then the content stays as it is: a call does not fail for want of a place for its text. The
/// error is for the operator.
pub fn spilled(
    content: &[ContentBlock],
    budget: SpillBudget,
    store: &SpillStore,
) -> Result<Option<(Vec<ContentBlock>, Spilled)>, SpillError> {
    let shown: usize = texts(content).map(|(text, _)| text.len()).sum();
    if shown as u64 <= budget.bytes() {
        return Ok(None);
    }
    let whole = joined(content);
    let locator = store.keep(&whole)?;
    let preview = Preview { text: &whole, locator, hint: store.hint() };
    let Some((text, omitted)) = preview.within(budget.bytes()) else {
        return Err(SpillError::Budget(budget.bytes()));
    };
    let first = texts(content).next().and_then(|(_, hints)| hints.clone());
    let annotations = first.filter(|first| texts(content).all(|(_, hints)| hints.as_ref() == Some(first)));
    let mut block = Some(ContentBlock::Text { text, annotations });
    let replaced = content.iter().filter_map(|one| match one {
        ContentBlock::Text { .. } => block.take(),
        other => Some(other.clone()),
    });
    let spilled = Spilled { locator: locator.to_string(), bytes: whole.len() as u64, omitted };
    Ok(Some((replaced.collect(), spilled)))
}

fn texts(content: &[ContentBlock]) -> impl Iterator<Item = (&str, &Option<Annotations>)> {
    content.iter().filter_map(|block| match block {
        ContentBlock::Text { text, annotations } => Some((text.as_str(), annotations)),
        _ => None,
    })
}

/// The whole text: what is kept.
fn joined(content: &[ContentBlock]) -> Cow<'_, str> {
    let mut texts = texts(content).map(|(text, _)| text);
    let first = texts.next().unwrap_or_default();
    texts.fold(Cow::Borrowed(first), |whole, next| Cow::Owned(whole.into_owned() + "\n" + next))
}

/// A text of which the model reads both ends.
struct Preview<'a> {
    text: &'a str,
    locator: Locator,
    hint: &'a str,
}

impl Preview<'_> {
    /// The text in so many bytes, and how many of its bytes are left out. `None`: not even the notice fits.
    fn within(&self, budget: u64) -> Option<(String, u64)> {
        let whole = self.text.len() as u64;
        // No number that follows is longer than that of all bytes.
        let (gap, notice) = words(whole, whole, self.locator, self.hint);
        let room = budget.checked_sub((gap.len() + notice.len()) as u64)?;
        let Excerpt { head, tail, omitted } = Excerpt::of(self.text, room, |one| one.len_utf8() as u64);
        let (gap, notice) = words(omitted as u64, whole, self.locator, self.hint);
        Some(([head, &gap, tail, &notice].concat(), omitted as u64))
    }
}

/// What stands between head and tail, and what stands after the tail.
fn words(omitted: u64, whole: u64, locator: Locator, hint: &str) -> (String, String) {
    let gap = format!("\n{}\n", excerpt::gap(omitted));
    let notice = format!(
        "\n[These are the beginning and the end of a text of {whole} bytes, which is too long to show; {omitted} bytes \
         between them are left out. The whole text is kept as {locator} and nothing of it is lost. {hint}]"
    );
    (gap, notice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_notice_leaves_room_in_the_least_budget() {
        let (gap, notice) = words(u64::MAX, u64::MAX, Locator::of(""), &"x".repeat(SpillStore::MAX_HINT));
        assert_eq!(gap.len() + notice.len(), 557);
        assert_eq!(SpillBudget::new(SpillBudget::LEAST).map(SpillBudget::bytes).unwrap(), 1024);
        let error = SpillBudget::new(SpillBudget::LEAST - 1).unwrap_err();
        assert_eq!(error.to_string(), "a budget of 1023 bytes is too small; write 1024 or more");
    }

    #[test]
    fn without_room_for_the_notice_there_is_no_preview() {
        let text = "x".repeat(2000);
        let preview = Preview { text: &text, locator: Locator::of(&text), hint: "Ask." };
        let (gap, notice) = words(2000, 2000, preview.locator, "Ask.");
        let notice = (gap.len() + notice.len()) as u64;
        assert_eq!(preview.within(notice - 1), None);
        let (shown, omitted) = preview.within(notice).unwrap();
        assert_eq!((shown.len() as u64, omitted), (notice, 2000));
    }
}

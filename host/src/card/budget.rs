//! How large a card may be.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::{Card, cut};

/// The most bytes of JSON that a card may have, in a log and on a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CardBudget(u64);

/// A budget in which not every card fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a card budget of {0} bytes is too small; write {least} or more", least = CardBudget::LEAST)]
pub struct CardBudgetError(u64);

impl CardBudget {
    /// 4 KiB: every short field of a card (a sixteenth each, a title, a path, a directory) and a screen of text.
    pub const LEAST: u64 = 4 << 10;

    /// 256 KiB: 3,000 lines of 80 characters, which is more than anybody reads in one card. A log of 10,000 calls, and the page
    /// that is made of it, stays below 3 GB whatever the tools show.
    pub const STANDARD: Self = Self(256 << 10);

    /// So many bytes of JSON.
    ///
    /// # Errors
    /// Fewer than [`CardBudget::LEAST`].
    pub const fn new(bytes: u64) -> Result<Self, CardBudgetError> {
        if bytes < Self::LEAST { Err(CardBudgetError(bytes)) } else { Ok(Self(bytes)) }
    }

    /// The bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

/// A card is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Cut {
    /// Bytes of its JSON before.
    pub bytes: u64,
    /// The most it may have.
    pub budget: u64,
}

impl Cut {
    /// It had so many bytes, and may have so many.
    pub const fn new(bytes: u64, budget: u64) -> Self {
        Self { bytes, budget }
    }
}

impl Card {
    /// The card in so many bytes of JSON. One that fits comes back as it is. Of one that does not, the same kind of card comes
    /// back with less in it, and every rule of a card holds for it as before:
    ///
    /// - titles, descriptions and other short fields are cut to a sixteenth of the budget each, and end in `…`;
    /// - terminal: the output's beginning and end, with the count of bytes between them;
    /// - read: the first lines; `total_lines` stays;
    /// - search: the first matches or paths; `total` stays and `truncated` says that there are more;
    /// - web: snippets go first, from the end, then sources; an address is never cut;
    /// - diff: lines that are the same before and after go first, then whole files from the end. No part of a change is ever
    ///   shown as if it were all of it: a change of one file that does not fit becomes a generic card that says so;
    /// - generic: pictures and resources become a line of text, from the end; then texts keep their beginning and their end;
    ///   the input goes only where it would leave the rest less than a quarter of the budget.
    ///
    /// The same card and the same budget give the same bytes, and cutting again changes nothing.
    #[must_use]
    pub fn within(self, budget: CardBudget) -> (Self, Option<Cut>) {
        let bytes = json_len(&self);
        if bytes <= budget.bytes() {
            return (self, None);
        }
        (cut::cut(self, bytes, budget.bytes()), Some(Cut::new(bytes, budget.bytes())))
    }
}

/// The bytes of this in JSON. Nothing is written for it.
pub(super) fn json_len(value: &impl Serialize) -> u64 {
    let mut counter = Counter(0);
    // Neither the counter nor a card can fail. If one did, it would have no length that fits.
    serde_json::to_writer(&mut counter, value).map_or(u64::MAX, |()| counter.0)
}

struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

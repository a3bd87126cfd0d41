//! Where a text goes that is too long for a model, and what the model reads in its place.
//!
//! The text blocks of a content count, together, against a budget. Over it, the whole text (the blocks, joined by one
//! line feed) is kept in a private store, and one block takes the place of the first: how the text begins, how many
//! bytes are left out, how it ends, and a locator. The canonical value and the card know nothing of it.
//!
//! Pictures, sounds and links stay as they are. So do embedded resources, those of text as well: address, type and bytes
//! belong together, and half a resource under the address of the whole would be a lie. They are data for the client, and
//! the limit `content-bytes` bounds them.

mod cut;
mod error;
mod locator;
mod store;
#[cfg(test)]
mod tests;

pub use cut::{SpillBudget, spilled};
pub use error::SpillError;
pub use locator::{Locator, LocatorError};
pub use store::{SpillLimits, SpillStore};

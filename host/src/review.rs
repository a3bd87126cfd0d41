//! Who may amend or stop what a call came to, after the tool and before the model.

use std::fmt;
use std::pin::Pin;

use crate::card::Card;
use crate::content::ContentBlock;
use crate::outcome::Failure;
use crate::schema::{Args, CanonicalValue, Valid};

/// Looks at each result before anybody else reads it.
///
/// Reviewers stand in an order, the outermost first. Each sees what those before it left; the first that blocks ends the
/// review. One that fails, panics or takes too long blocks: nothing passes unseen.
pub trait Reviewer: Send + Sync + 'static {
    /// What people and logs call it.
    fn name(&self) -> &str;

    /// Say what becomes of a result. Dropping the future is how a review that takes too long, or whose call was cancelled,
    /// ends.
    fn review<'a>(
        &'a self,
        draft: Draft<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Verdict, ReviewError>> + Send + 'a>>;
}

/// What a call has come to, before anybody reads it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Draft<'a> {
    /// The tool that was called.
    pub tool: &'a str,
    /// What it was called with.
    pub args: &'a Valid<Args>,
    /// Whether another tool made the call: then a program reads the value, and nobody the content.
    pub nested: bool,
    /// What it came to.
    pub result: DraftResult<'a>,
}

/// What a call has come to.
#[derive(Clone, Copy)]
pub enum DraftResult<'a> {
    /// A value.
    Success {
        /// The value.
        value: &'a CanonicalValue,
        /// What the model would read.
        content: &'a [ContentBlock],
        /// What a person would see. A nested call has none.
        card: Option<&'a Card>,
    },
    /// None: a failure of a call whose tool had begun to run, with what the tool may have said in it.
    Failure(&'a Failure),
}

impl fmt::Debug for Draft<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Drafts hold what a reviewer may want nobody to read.
        f.debug_struct("Draft").field("tool", &self.tool).field("nested", &self.nested).finish_non_exhaustive()
    }
}

/// What becomes of a result. Another value and other content at once cannot be said: the content is made from the value.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It passes.
    Accept(Amendment),
    /// It does not: value and card are dropped, and the call is a failure.
    Block {
        /// For the model. Empty: the host's own words.
        feedback: String,
    },
}

/// What changes of a result that passes.
#[derive(Clone, Debug, PartialEq)]
pub enum Amendment {
    /// Nothing.
    None,
    /// The model reads this. Value and card stay as they are: **this hides nothing** from the person, from programs, or from
    /// a log that records values.
    Content(Vec<ContentBlock>),
    /// The value is this JSON text. It goes through both gates and both projectors, as the tool's own did: content, card and
    /// what programs get are made from it. A failure has no value to replace: the review then fails.
    Value(String),
}

/// A review that came to no verdict. The result is blocked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReviewError(
    /// Why, for the operator.
    pub String,
);

//! A component of which only the projectors run.

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::run::{Run, Staged, unwinding};
use super::{Arguments, Ready, Toolset};
use crate::card::Card;
use crate::content::ContentBlock;
use crate::outcome::{Failure, Success};
use crate::policy::Usage;

/// A component whose projectors can be run on values that its tools came to before, by a replay for one. Nothing of it can
/// reach outside. Cheap to clone.
#[derive(Clone)]
pub struct Projector(Toolset);

/// What the projectors make of a value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Projection {
    /// What a model reads.
    pub content: Vec<ContentBlock>,
    /// What a person sees.
    pub card: Card,
    /// What the projectors used of each limit.
    pub usage: Usage,
}

impl Projector {
    pub(crate) fn new(toolset: Toolset) -> Self {
        Self(toolset)
    }

    /// Make content and card of a value once more. `args` and `value` are JSON texts.
    ///
    /// # Errors
    /// The failure that a call with this value would be: a text that does not pass its gates, or a projector's.
    pub async fn project(&self, tool: &str, args: &str, value: &str) -> Result<Projection, Box<Failure>> {
        let mut run = Run::new(self.0.approved().limits());
        let projected = unwinding(run.project(&self.0.0, tool, args, value)).await;
        run.ended_early(projected)
    }
}

impl Run {
    async fn project(&mut self, ready: &Ready, tool: &str, args: &str, value: &str) -> Staged<Projection> {
        let cancel = CancellationToken::new();
        let tool = self.find(ready.program.approved().inspected().manifest(), tool)?;
        let deadline = Instant::now() + self.wall_clock();
        let args = self.arguments(&tool, Arguments::Text(args.to_owned()), deadline, &cancel).await?;
        let _ticking = ready.engine.ticking();
        let _slot = self.slot(ready, &cancel, deadline, 0).await?;
        let made = self.shown(ready, &tool, &args, value.to_owned(), deadline, (0, &cancel)).await?;
        let Success { content, card, usage, .. } = self.success(made)?;
        Ok(Projection { content, card, usage })
    }
}

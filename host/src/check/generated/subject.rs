//! One tool, ready to be called with what is drawn.

use super::tally::Tally;
use super::{DRAWABLE, IDS, rule};
use crate::check::draw::{Draws, Purpose, TooWide};
use crate::check::{Loaded, Settings};
use crate::{Concurrency, Finding, Projector, ToolManifest, Toolset};

/// Keeps apart what is drawn for one index.
const ARGUMENTS: u64 = 0;
const VALUE: u64 = 1;

/// One tool, with what is drawn for it.
pub(super) struct Subject {
    pub(super) tool: String,
    pub(super) toolset: Toolset,
    pub(super) first: Projector,
    /// On the engine that compiles to other code.
    pub(super) other: Projector,
    pub(super) arguments: Draws,
    /// `None`: the output schema is too wide.
    pub(super) values: Option<Draws>,
    /// Whether calls of it may overlap.
    pub(super) overlap: bool,
    pub(super) draws: u64,
    pub(super) seed: u64,
}

impl Subject {
    /// `None`: there is nothing to call it with, and the tally says why.
    pub(super) fn of(tool: &ToolManifest, loaded: &Loaded, settings: &Settings, tally: &mut Tally) -> Option<Self> {
        // Another check says why a schema is refused.
        let (Ok(input), Ok(output)) = (tool.input(), tool.output()) else { return None };
        let mut drawn = |schema, purpose, which: &str| {
            tally.schemas += 1;
            match Draws::new(schema, purpose) {
                Ok(draws) => Some(draws),
                Err(wide) => {
                    tally.found(DRAWABLE, too_wide(&tool.name, which, &wide));
                    None
                }
            }
        };
        let arguments = drawn(input, Purpose::Arguments, "input");
        let values = drawn(output, Purpose::Value, "output");
        Some(Self {
            tool: tool.name.clone(),
            toolset: loaded.toolset.clone(),
            first: loaded.toolset.projector(),
            other: loaded.other.projector(),
            arguments: arguments?,
            values,
            overlap: tool.concurrency == Concurrency::Parallel,
            draws: settings.calls.into(),
            seed: settings.seed,
        })
    }

    /// The arguments of an index.
    pub(super) fn arguments(&self, index: u64) -> Option<crate::check::draw::Tree> {
        self.arguments.tree(self.seed, index, ARGUMENTS).ok()
    }

    /// The value of an index.
    pub(super) fn value(&self, index: u64) -> Option<crate::check::draw::Tree> {
        self.values.as_ref()?.tree(self.seed, index, VALUE).ok()
    }

    /// How to see a check fail again.
    pub(super) fn again(&self, id: &str) -> String {
        debug_assert!(IDS.contains(&id));
        format!("`fumehood check FILE --seed {} --calls {} --only {id}` makes this call again", self.seed, self.draws)
    }
}

fn too_wide(tool: &str, which: &str, wide: &TooWide) -> Finding {
    Finding::warning(
        rule(DRAWABLE),
        format!("{tool}, {which} schema"),
        format!("{wide}; nothing that needs such values was checked"),
        "describe what is allowed (`type`, `enum`, `properties`) rather than what is not",
    )
}

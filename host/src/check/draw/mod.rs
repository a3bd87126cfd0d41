//! Values drawn from a schema: arguments to call a tool with, and values to project.
//!
//! A draw is made along the schema: references followed, a branch taken of each choice, edges preferred. What cannot be
//! drawn along it (`not`, `if`, overlapping branches) is drawn past it. Either way the validator has the last word, and a
//! schema of which too few draws pass it is said to be too wide; it is never skipped in silence.
//!
//! A seed and an index give the same draw on every machine, with the same version of this host.

mod array;
mod format;
mod hand;
mod number;
mod object;
mod parts;
mod pattern;
mod plan;
mod seed;
mod shape;
mod shrink;
#[cfg(test)]
mod tests;
mod text;
mod wrong;

use std::collections::BTreeMap;

use hand::{Hand, How, Stuck};
use plan::Plan;
use proptest::strategy::{NewTree, Strategy};
use proptest::test_runner::TestRunner;
use seed::Choices;
use serde_json::Value;
pub(super) use shrink::Tree;
pub(super) use wrong::wrong;

use crate::{Json, JsonLimits, Schema};

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Arguments: whatever the schema takes, as a model might write it. `1.0` is an integer.
    Arguments,
    /// What a program would write of the schema: its integers are of 64 bits and have no fraction.
    Value,
}

/// A schema of which no, or hardly any, matching values can be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too wide to draw from: {why}{}", if .pointer.is_empty() { String::new() } else { format!(", at {}", .pointer) })]
pub(super) struct TooWide {
    /// JSON pointer into the schema: what most draws failed at.
    pub(super) pointer: String,
    /// What they lacked.
    pub(super) why: String,
}

/// Draws from one schema.
#[derive(Clone)]
pub(super) struct Draws(std::sync::Arc<Plan>);

/// Drawn before a schema is called too wide, and how many of them must pass: one in ten.
const TRIAL: u64 = 300;
const ENOUGH: u64 = TRIAL / 10;

/// The trial is no part of any run: it draws from a lane of its own.
const TRIAL_LANE: u64 = u64::MAX;

/// A megabyte, no deeper and of no more values than a call's own limits allow.
pub(super) const LIMITS: JsonLimits = JsonLimits { bytes: 1 << 20, depth: 64, nodes: 100_000 };

impl Draws {
    /// Prepare to draw.
    ///
    /// # Errors
    /// Fewer than one in ten draws match.
    pub(super) fn new(schema: &Schema, purpose: Purpose) -> Result<Self, TooWide> {
        let draws = Self(std::sync::Arc::new(Plan::new(schema, purpose)));
        let (mut passed, mut reasons) = (0, BTreeMap::new());
        for index in 0..TRIAL {
            match draws.once(Choices::new(0, index, TRIAL_LANE, 0), How::Any) {
                Ok(_) => passed += 1,
                Err(stuck) => *reasons.entry((stuck.pointer, stuck.why)).or_insert(0_u64) += 1,
            }
            if passed >= ENOUGH {
                return Ok(draws);
            }
        }
        let worst = reasons.into_iter().max_by_key(|(_, count)| *count).map(|(reason, _)| reason);
        let (pointer, why) = worst.unwrap_or_default();
        Err(TooWide { pointer, why: format!("{passed} of {TRIAL} draws match; most often {why}") })
    }

    /// The draw of an index: the least for 0, one with every optional part for 1, by chance from there on.
    ///
    /// - `lane`: keeps apart several draws of one index.
    ///
    /// # Errors
    /// None of some hundred draws matches.
    pub(super) fn tree(&self, seed: u64, index: u64, lane: u64) -> Result<Tree, TooWide> {
        let how = match index {
            0 => How::Least,
            1 => How::Fullest,
            _ => How::Any,
        };
        let mut last = None;
        for attempt in 0..TRIAL {
            // What the schema's least part cannot be may be found by chance.
            let how = if attempt < TRIAL / 4 { how } else { How::Any };
            match self.once(Choices::new(seed, index, lane, attempt), how) {
                Ok(value) => return Ok(Tree::new(self.clone(), value)),
                Err(stuck) => last = Some(stuck),
            }
        }
        let Stuck { pointer, why } = last.unwrap_or_else(|| Stuck { pointer: String::new(), why: String::new() });
        Err(TooWide { pointer, why: format!("none of {TRIAL} draws match; the last: {why}") })
    }

    /// Whether a value matches the schema.
    pub(super) fn matches(&self, value: &Value) -> bool {
        Json::from_value(value.clone(), &LIMITS).is_ok_and(|json| self.0.schema().matches(&json).is_ok())
    }

    fn least(&self) -> Option<Value> {
        self.once(Choices::new(0, 0, TRIAL_LANE, 1), How::Least).ok()
    }

    fn root(&self) -> &Value {
        self.0.root()
    }

    fn schema(&self) -> &Schema {
        self.0.schema()
    }

    fn once(&self, choices: Choices, how: How) -> Result<Value, Stuck> {
        let value = Hand::new(&self.0, choices, how).value(&[self.root()])?;
        let json = Json::from_value(value, &LIMITS).map_err(|error| Stuck {
            pointer: error.pointer().to_owned(),
            why: format!("a draw is no value that a host takes: {error}"),
        })?;
        match self.schema().matches(&json) {
            Ok(()) => Ok(json.value().clone()),
            Err(violations) => Err(violations.list().first().map_or_else(
                || Stuck { pointer: String::new(), why: "a draw does not match".to_owned() },
                |first| Stuck { pointer: first.rule.clone(), why: format!("a draw {}", first.message) },
            )),
        }
    }
}

/// For those who compose strategies. A run of checks draws by seed and index.
impl Strategy for Draws {
    type Tree = Tree;
    type Value = Value;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        use proptest::prelude::RngExt as _;
        let (seed, index) = (runner.rng().random(), 2 + u64::from(runner.rng().random::<u32>()));
        self.tree(seed, index, 0).map_err(|error| error.to_string().into())
    }
}

impl std::fmt::Debug for Draws {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Draws").field(self.schema()).finish()
    }
}

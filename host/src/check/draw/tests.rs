//! What is drawn matches, reaches the edges, shrinks to the least and comes again from its seed.

mod edges;
mod keywords;
mod shrinking;
mod spoiling;
mod wide;

use proptest::strategy::ValueTree as _;
use serde_json::Value;

use super::seed::Choices;
use super::{Draws, How, Purpose};
use crate::{Schema, Use};

fn schema(schema: &Value) -> Schema {
    Schema::admit(schema, Use::Output).unwrap_or_else(|reasons| panic!("{schema}: {reasons:?}"))
}

fn draws(json: &Value, purpose: Purpose) -> Draws {
    Draws::new(&schema(json), purpose).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// The draws of the first so many indices.
fn values(json: &Value, purpose: Purpose, count: u64) -> Vec<Value> {
    let draws = draws(json, purpose);
    let draw = |index| draws.tree(7, index, 0).unwrap_or_else(|error| panic!("{json}: {error}")).current();
    (0..count).map(draw).collect()
}

/// How many of a hundred draws match at the first try.
fn percent(json: &Value) -> usize {
    let draws = draws(json, Purpose::Arguments);
    (0..100).filter(|index| draws.once(Choices::new(7, *index, 1, 0), How::Any).is_ok()).count()
}

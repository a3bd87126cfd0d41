//! The gate against the attacks that validators are known to fall to, and against a slow twin.

mod admission;
mod attacks;
mod cost;
mod kit;
mod twin;
mod values;
mod work;

use serde_json::Value;

use super::{Canonical, Schema, Use, Violations};
use crate::json::{Json, JsonLimits};

const LIMITS: JsonLimits = JsonLimits { bytes: 64 << 20, depth: 127, nodes: 2_000_000 };

fn admitted(schema: &Value) -> Schema {
    match Schema::admit(schema, Use::Output) {
        Ok(schema) => schema,
        Err(reasons) => panic!("{schema}: {reasons:?}"),
    }
}

fn checked(schema: &Schema, value: Value) -> Result<(), Violations> {
    schema.check::<Canonical>(Json::from_value(value, &LIMITS).unwrap()).map(drop)
}

/// The rules and pointers of the refusals, sorted.
fn refusals(schema: &Value, purpose: Use) -> Vec<(&'static str, String)> {
    let mut list: Vec<_> = Schema::admit(schema, purpose)
        .err()
        .unwrap_or_default()
        .into_iter()
        .map(|finding| (finding.rule, finding.at))
        .collect();
    list.sort();
    list
}

/// Where threads are small, recursion shows.
fn on_a_small_stack<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap()
}

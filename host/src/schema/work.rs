//! What a visit can cost beyond itself: patterns, scans of `enum`, and comparisons of `uniqueItems`.

use std::collections::HashMap;

use serde_json::Value;

use super::lint::written_len;

/// Steps of a pattern's automaton charged as one visit. A step takes up to 6 ns when no cached state helps (measured with
/// `a[ab]{500}c`), so steps cost up to four times what a visit may: patterns at the limit take four seconds at worst.
/// Fewer would refuse a megabyte of words under `^[a-z0-9-]{1,64}$`, which takes a state per byte, not hundreds.
const STEPS_PER_VISIT: u64 = 32;

/// Comparisons that take the time of one visit: each is 3 to 6 ns.
const COMPARED_PER_VISIT: u64 = 8;

/// Text bytes that count as one node: what copying or comparing them costs.
pub(super) const BYTES_PER_NODE: u64 = 64;

/// Bytes of one state of a pattern's automaton while it is built, at least (`regex-automata` 0.4).
pub(super) const STATE_BYTES: u64 = 32;

/// The states of each pattern, which is how many steps a byte of text takes when no cache helps.
pub(super) type States<'a> = HashMap<&'a str, u64>;

/// What the subschemas on one part of a value do there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effort {
    /// Automaton steps for each byte of text.
    pub(super) steps: u64,
    /// Comparisons for each node.
    pub(super) compared: u64,
    /// Checks of `uniqueItems`.
    pub(super) unique: u64,
}

impl Effort {
    /// What one subschema does.
    pub(super) fn of(schema: &Value, states: &States<'_>) -> Self {
        let Value::Object(members) = schema else { return Self::default() };
        let pattern = members.get("pattern").and_then(Value::as_str);
        let named = members.get("patternProperties").and_then(Value::as_object);
        // A name is matched once for `patternProperties` and once more for what applies to the others.
        let patterns = pattern.into_iter().chain(named.into_iter().flatten().flat_map(|(name, _)| [name.as_str(); 2]));
        let mut effort =
            Self { unique: u64::from(members.get("uniqueItems") == Some(&Value::Bool(true))), ..Self::default() };
        for pattern in patterns {
            effort.steps += states.get(pattern).copied().unwrap_or_default();
            // `jsonschema` turns plain alternatives into a list that it scans.
            effort.compared += pattern.bytes().filter(|&byte| byte == b'|').count() as u64;
        }
        effort.compared +=
            ["const", "enum"].into_iter().filter_map(|keyword| members.get(keyword)).map(scan).sum::<u64>();
        // For each object, every name is looked up.
        for keyword in ["dependentRequired", "dependencies"] {
            effort.compared += members.get(keyword).and_then(Value::as_object).map_or(0, |names| names.len() as u64);
        }
        effort
    }

    pub(super) fn zip(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            steps: with(self.steps, other.steps),
            compared: with(self.compared, other.compared),
            unique: with(self.unique, other.unique),
        }
    }

    /// The units, each the time of a visit, for a value of `size` nodes and `bytes` of text.
    pub(super) fn units(self, value: &Value, size: u64, bytes: u64) -> u64 {
        let steps = self.steps.saturating_mul(bytes) / STEPS_PER_VISIT;
        let compared = self.compared.saturating_mul(size) / COMPARED_PER_VISIT;
        let unique = if self.unique == 0 { 0 } else { self.unique.saturating_mul(telling_apart(value)) };
        steps.saturating_add(compared).saturating_add(unique)
    }
}

/// Comparisons of one value with an `enum` or `const`. Strings are hashed, unless they are ten at most.
fn scan(options: &Value) -> u64 {
    let strings = options.as_array().is_some_and(|list| list.iter().all(|item| item.is_string() || item.is_null()));
    if strings { 0 } else { nodes(options) + written_len(options) / BYTES_PER_NODE }
}

fn nodes(value: &Value) -> u64 {
    1 + match value {
        Value::Array(items) => items.iter().map(nodes).sum(),
        Value::Object(members) => members.values().map(nodes).sum(),
        _ => 0,
    }
}

/// The units of finding equal items in every array of a value.
///
/// The items are hashed, and those of one hash are compared. Hashes of strings and of numbers that `f64` holds
/// exactly differ; integers past 2^53 that round alike have one hash, and so have arrays whose elements are the same
/// but for brackets. Those may all have to be compared with each other.
pub(super) fn telling_apart(value: &Value) -> u64 {
    sized(value).1
}

/// The size of a value and the units of all arrays in it.
fn sized(value: &Value) -> (u64, u64) {
    let mut size = 1;
    let mut units = 0_u64;
    match value {
        Value::Array(items) => {
            let (mut alike, mut in_alike) = (0_u64, 0_u64);
            for item in items {
                let (of_item, within) = sized(item);
                size += of_item;
                units = units.saturating_add(within);
                if !hashes_apart(item) {
                    alike += 1;
                    in_alike += of_item;
                }
            }
            // Half of all pairs, each no longer than its first.
            let pairs = alike.saturating_mul(in_alike) / 2 / COMPARED_PER_VISIT;
            units = units.saturating_add(size).saturating_add(pairs);
        }
        Value::Object(members) => {
            for (name, member) in members {
                let (of_member, within) = sized(member);
                size += of_member + name.len() as u64 / BYTES_PER_NODE;
                units = units.saturating_add(within);
            }
        }
        Value::String(text) => size += text.len() as u64 / BYTES_PER_NODE,
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    (size, units)
}

fn hashes_apart(item: &Value) -> bool {
    const EXACT: u64 = 1 << 53;
    match item {
        Value::Array(_) | Value::Object(_) => false,
        Value::Number(number) => {
            let integer = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
            integer.is_none_or(|integer| integer <= EXACT)
        }
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

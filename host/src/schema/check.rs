//! Checks a value against an admitted schema: the cheap yes or no first, the reasons when they are affordable.

use jsonschema::Validator;
use serde_json::Value;

use super::Admitted;
use super::violation::Violations;
use super::work::BYTES_PER_NODE;
use crate::json::Json;

/// Visits of a whole check, and what takes as long as a visit, at 10 to 50 ns each: a second, or four when all of it
/// goes to patterns. A megabyte stays below it with a schema that a person would write.
pub(super) const MAX_VISITS: u64 = 20_000_000;

/// What explaining may cost: each unit is an error of some hundred bytes or a share of the copies it holds, times
/// the levels that repeat it. A million is tens of megabytes and tenths of a second at worst; a value of two thousand
/// nodes under a schema of usual shape stays below.
const MAX_EXPLAINED: u64 = 1_000_000;

/// Stack for one level of schema or value. On 2 MiB an optimised `jsonschema` compiles 500 levels of schema and checks
/// 1,000 of a value, so a level is at most 4 KiB; four times that leaves room for an unoptimised build.
const LEVEL_STACK: usize = 16 << 10;

/// Stack to stand on before any level.
const BASE_STACK: usize = 64 << 10;

/// Runs `work` with stack for `levels`, on a new one where the current is too short.
pub(super) fn with_stack<R>(levels: usize, work: impl FnOnce() -> R) -> R {
    let need = BASE_STACK + levels * LEVEL_STACK;
    stacker::maybe_grow(need, need, work)
}

/// A compiled schema, dropped with as much stack as it was built with: its nodes own each other.
pub(super) struct Compiled {
    validator: Option<Validator>,
    subschemas: usize,
}

impl Compiled {
    pub(super) fn new(validator: Validator, subschemas: usize) -> Self {
        Self { validator: Some(validator), subschemas }
    }

    fn is_valid(&self, value: &Value) -> bool {
        self.validator.as_ref().is_some_and(|validator| validator.is_valid(value))
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        let validator = self.validator.take();
        with_stack(self.subschemas, || drop(validator));
    }
}

pub(super) fn check(schema: &Admitted, json: &Json) -> Result<(), Violations> {
    let usage = json.usage();
    let bound = schema.cost.at(usage.depth);
    let bytes = usage.bytes.max(json.text().len() as u64);
    let size = usage.nodes.saturating_add(bytes / BYTES_PER_NODE);
    let visits = bound.visits.saturating_mul(size);
    if visits > MAX_VISITS || visits.saturating_add(bound.effort.units(json.value(), size, bytes)) > MAX_VISITS {
        return Err(Violations::too_large_to_check(usage.nodes));
    }
    // A value at depth d and the in-place run there: the recursion is never deeper than their product.
    let levels = u64::from(usage.depth + 1) * u64::from(schema.cost.chain + 1);
    let explained = bound.weight.saturating_mul(size).saturating_mul(levels) <= MAX_EXPLAINED;
    with_stack(usize::try_from(levels).unwrap_or(usize::MAX), || {
        if schema.validator.is_valid(json.value()) {
            return Ok(());
        }
        let validator = schema.validator.validator.as_ref().filter(|_| explained);
        Err(match validator {
            Some(validator) => Violations::explain(validator.iter_errors(json.value())),
            None => Violations::unexplained(&schema.json, json.value(), usage.nodes),
        })
    })
}

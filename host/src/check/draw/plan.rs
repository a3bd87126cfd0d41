//! What is worked out once for a schema, before anything is drawn from it.

use std::collections::HashMap;

use serde_json::Value;

use super::Purpose;
use super::parts::Parts;
use super::pattern::Pattern;
use crate::Schema;

/// A schema, ready to be drawn from.
pub(super) struct Plan {
    schema: Schema,
    pub(super) parts: Parts,
    patterns: HashMap<String, Pattern>,
    pub(super) purpose: Purpose,
}

impl Plan {
    pub(super) fn new(schema: &Schema, purpose: Purpose) -> Self {
        let schema = schema.clone();
        let parts = Parts::read(schema.json());
        let mut patterns = HashMap::new();
        let mut rest = vec![schema.json()];
        // What only looks like a pattern, in an `enum` or an example, costs some microseconds more.
        while let Some(value) = rest.pop() {
            let named = value.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
            let own = value.get("pattern").and_then(Value::as_str);
            for pattern in named.map(|(pattern, _)| pattern.as_str()).chain(own) {
                patterns.entry(pattern.to_owned()).or_insert_with(|| Pattern::new(pattern));
            }
            match value {
                Value::Array(items) => rest.extend(items),
                Value::Object(members) => rest.extend(members.values()),
                _ => {}
            }
        }
        Self { schema, parts, patterns, purpose }
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    pub(super) fn root(&self) -> &Value {
        self.schema.json()
    }

    pub(super) fn pattern(&self, pattern: &str) -> Option<&Pattern> {
        self.patterns.get(pattern)
    }
}

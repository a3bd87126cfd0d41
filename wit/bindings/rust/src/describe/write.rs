//! JSON in the order in which people read it.

use serde_json::{Map, Value};

/// An object that keeps the order in which it is made.
#[derive(Default)]
pub(super) struct Object(String);

impl Object {
    pub(super) fn text(&mut self, key: &str, text: &str) {
        self.raw(key, &quoted(text));
    }

    pub(super) fn raw(&mut self, key: &str, json: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&quoted(key));
        self.0.push(':');
        self.0.push_str(json);
    }

    pub(super) fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}

fn quoted(text: &str) -> String {
    // Texts and trees of them can be written; the empty text would be found by whoever reads the whole.
    serde_json::to_string(text).unwrap_or_default()
}

fn plain(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The keywords that stand first, in this order. `$defs` stand last.
const FIRST: [&str; 15] = [
    "$ref",
    "type",
    "description",
    "enum",
    "const",
    "properties",
    "required",
    "items",
    "additionalProperties",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];
const LAST: &str = "$defs";

/// A schema. Properties stand as the type declares them where that is known: those that are required first, in their
/// order, then the others by name.
pub(super) fn schema(schema: &Value) -> String {
    let Value::Object(members) = schema else { return plain(schema) };
    let mut object = Object::default();
    let others = members.keys().map(String::as_str).filter(|keyword| *keyword != LAST && !FIRST.contains(keyword));
    for keyword in FIRST.into_iter().chain(others).chain([LAST]) {
        let Some(value) = members.get(keyword) else { continue };
        match (keyword, value) {
            ("properties", Value::Object(properties)) => object.raw(keyword, &ordered(properties, members)),
            ("$defs" | "patternProperties", Value::Object(subschemas)) => {
                let mut inner = Object::default();
                subschemas.iter().for_each(|(name, subschema)| inner.raw(name, &self::schema(subschema)));
                object.raw(keyword, &inner.finish());
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(branches)) => {
                object.raw(keyword, &list(branches.iter().map(self::schema)));
            }
            ("items" | "additionalProperties" | "not", _) => object.raw(keyword, &self::schema(value)),
            _ => object.raw(keyword, &plain(value)),
        }
    }
    object.finish()
}

/// A list of what is JSON already.
pub(super) fn list(items: impl Iterator<Item = String>) -> String {
    let mut list = String::from("[");
    for item in items {
        if list.len() > 1 {
            list.push(',');
        }
        list.push_str(&item);
    }
    list.push(']');
    list
}

fn ordered(properties: &Map<String, Value>, around: &Map<String, Value>) -> String {
    let required: Vec<&str> =
        around.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut object = Object::default();
    for (name, subschema) in required.iter().filter_map(|name| properties.get_key_value(*name)) {
        object.raw(name, &schema(subschema));
    }
    for (name, subschema) in properties.iter().filter(|(name, _)| !required.contains(&name.as_str())) {
        object.raw(name, &schema(subschema));
    }
    object.finish()
}

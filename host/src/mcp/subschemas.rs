//! A JSON Schema, schema by schema.

use serde_json::{Map, Value};

/// Visits a schema and all in it. The JSON gate has bounded the depth.
pub(super) fn each_subschema(schema: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    visit(schema);
    for (keyword, held) in schema {
        match (keyword.as_str(), held) {
            // Data, which may look like a schema.
            ("const" | "enum" | "default" | "examples" | "dependentRequired", _) => {}
            // Names, which may look like keywords.
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies",
                Value::Object(named),
            ) => named.values_mut().for_each(|held| each_in(held, visit)),
            (_, held) => each_in(held, visit),
        }
    }
}

fn each_in(held: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    match held {
        Value::Array(list) => list.iter_mut().for_each(|held| each_in(held, visit)),
        Value::Object(schema) => each_subschema(schema, visit),
        _ => {}
    }
}

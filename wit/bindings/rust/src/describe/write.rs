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
    Value::from(text).to_string()
}

/// What a keyword's place in a subschema is. What is not named stands between.
fn place(keyword: &str) -> (u8, &str) {
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
    let place = FIRST.iter().position(|first| *first == keyword);
    (place.map_or(if keyword == "$defs" { 99 } else { 50 }, |place| place as u8), keyword)
}

/// A schema. Properties stand as the type declares them where that is known: those that are required first, in their
/// order, then the others by name.
pub(super) fn schema(schema: &Value) -> String {
    let Value::Object(members) = schema else { return schema.to_string() };
    let mut keywords: Vec<&str> = members.keys().map(String::as_str).collect();
    keywords.sort_by_key(|keyword| place(keyword));
    let mut object = Object::default();
    for keyword in keywords {
        let value = &members[keyword];
        match (keyword, value) {
            ("properties", Value::Object(properties)) => object.raw(keyword, &ordered(properties, members)),
            ("$defs" | "patternProperties", Value::Object(subschemas)) => {
                let mut inner = Object::default();
                subschemas.iter().for_each(|(name, subschema)| inner.raw(name, &self::schema(subschema)));
                object.raw(keyword, &inner.finish());
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(branches)) => {
                let branches: Vec<_> = branches.iter().map(self::schema).collect();
                object.raw(keyword, &format!("[{}]", branches.join(",")));
            }
            ("items" | "additionalProperties" | "not", _) => object.raw(keyword, &self::schema(value)),
            _ => object.raw(keyword, &value.to_string()),
        }
    }
    object.finish()
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

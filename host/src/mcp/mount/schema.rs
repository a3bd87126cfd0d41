//! The schema of a mounted tool's value: what the server advertises, inside what every such value is.

use serde_json::{Map, Value, json};

use super::super::subschemas::each_subschema;

/// Where the server's own schema stands.
const AT: &str = "/properties/structuredContent";

/// The schema of values whose `structuredContent` nobody checks. `why` is for whoever reads the listing.
pub(super) fn unchecked(why: &str) -> Value {
    value(json!({ "description": format!("Not checked: {why}.") }), None, false)
}

/// The schema of values whose `structuredContent` has to be there and to match this one.
pub(super) fn checked(own: &Value) -> Value {
    let mut own = own.clone();
    let mut dialect = None;
    if let Some(members) = own.as_object_mut() {
        dialect = members.shift_remove("$schema");
        // A base of its own would change what its references mean, and they are local or refused.
        members.shift_remove("$id");
        move_references(members);
    }
    value(own, dialect, true)
}

fn value(structured: Value, dialect: Option<Value>, required: bool) -> Value {
    let blocks = json!({
        "type": "array",
        "items": { "type": "object", "properties": { "type": { "type": "string" } }, "required": ["type"] },
    });
    let required = if required { json!(["content", "structuredContent"]) } else { json!(["content"]) };
    let mut schema = Map::new();
    schema.extend(dialect.map(|dialect| ("$schema".to_owned(), dialect)));
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), json!({ "content": blocks, "structuredContent": structured }));
    schema.insert("required".to_owned(), required);
    schema.insert("additionalProperties".to_owned(), false.into());
    schema.into()
}

/// What `#` means one step down.
fn move_references(schema: &mut Map<String, Value>) {
    each_subschema(schema, &mut |members| {
        for keyword in ["$ref", "$dynamicRef"] {
            let Some(Value::String(reference)) = members.get_mut(keyword) else { continue };
            if let Some(rest) = reference.strip_prefix('#').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                *reference = format!("#{AT}{rest}");
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Schema, Use};

    #[test]
    fn references_mean_what_they_meant() {
        let own = json!({
            "$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://example.com/x",
            "type": "object",
            "properties": { "a": { "$ref": "#/definitions/A" }, "default": { "$ref": "#" }, "c": { "const": { "$ref": "#/x" } } },
            "definitions": { "A": { "type": "integer" } },
        });
        let schema = checked(&own);
        let inner = &schema["properties"]["structuredContent"];
        assert_eq!(schema["$schema"], own["$schema"]);
        assert_eq!(inner["properties"]["a"]["$ref"], "#/properties/structuredContent/definitions/A");
        assert_eq!(inner["properties"]["default"]["$ref"], "#/properties/structuredContent");
        assert_eq!(inner["properties"]["c"]["const"]["$ref"], "#/x");
        assert!(inner.get("$id").is_none() && inner.get("$schema").is_none());
        Schema::admit(&schema, Use::Output).unwrap();
    }

    #[test]
    fn what_cannot_be_admitted_is_not_made_admissible() {
        for own in [json!({ "$ref": "https://example.com" }), json!({ "$ref": "#/nowhere" }), json!({ "type": "x" })] {
            assert!(Schema::admit(&checked(&own), Use::Output).is_err(), "{own}");
        }
        Schema::admit(&unchecked("nobody knows"), Use::Output).unwrap();
    }
}

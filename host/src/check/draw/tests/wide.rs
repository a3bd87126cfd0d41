use serde_json::{Value, json};

use super::super::{Draws, Purpose};
use super::schema;

#[test]
fn a_schema_that_cannot_be_drawn_from_is_said_to_be_too_wide() {
    let check = |json: Value, pointer: &str, why: &str| {
        let error = Draws::new(&schema(&json), Purpose::Value).unwrap_err();
        assert_eq!(error.pointer, pointer, "{json}: {error}");
        assert!(error.why.contains(why), "{json}: {error}");
    };
    check(json!({"not": {}}), "/not", "0 of 300");
    check(json!({"type": "object", "properties": {"a": false}, "required": ["a"]}), "", "\"a\" is not allowed");
    check(
        json!({"type": "array", "items": {"type": "string", "pattern": "^a$", "minLength": 9}, "minItems": 1}),
        "/items",
        "\"^a$\"",
    );
    check(
        json!({"type": "object", "properties": {"a": {"allOf": [{"type": "string"}, {"type": "null"}]}}, "required": ["a"]}),
        "/properties/a",
        "no type is left",
    );
    check(
        json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}),
        "/properties/next",
        "nested without end",
    );
    check(json!({"type": "integer", "minimum": 2, "maximum": 1}), "", "within the bounds");
    check(json!({"type": "string", "minLength": 100_000}), "", "100000 characters");
    check(json!({"type": "array", "minItems": 100_000}), "", "100000 elements");
    // Only by chance: one in a million.
    check(json!({"type": "string", "not": {"not": {"enum": ["83b2c1"]}}}), "/not", "0 of 300");
}

#[test]
fn what_is_rare_is_drawn_past() {
    let rare = json!({"type": "array", "items": {"enum": [1, 2, 3]}, "minItems": 1, "not": {"contains": {"const": 3}}});
    assert!(Draws::new(&schema(&rare), Purpose::Value).is_ok());
}

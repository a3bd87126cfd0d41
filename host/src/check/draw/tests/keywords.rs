use serde_json::json;

use super::super::Purpose;
use proptest::strategy::ValueTree as _;

use super::{draws, percent, schema, values};
use crate::{Json, Schema, Use};

/// What draws are made along has to match nearly always, what they are made past often enough.
#[test]
fn draws_are_made_along_the_schema() {
    let along = [
        json!({}),
        json!({"type": "null"}),
        json!({"type": ["string", "null"]}),
        json!({"enum": ["a", 1, null, {"b": []}]}),
        json!({"const": [1, 2]}),
        json!({"type": "integer", "enum": ["a", 1, 2.0, 2.5]}),
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["b", "c"]}),
        json!({"type": "object", "additionalProperties": false, "properties": {"a": {"type": "boolean"}}}),
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        json!({"type": "object", "patternProperties": {"^x-": {"type": "null"}}, "additionalProperties": false, "minProperties": 2}),
        json!({"type": "object", "propertyNames": {"pattern": "^[a-z]{2,8}$"}, "minProperties": 3}),
        json!({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "minProperties": 2, "maxProperties": 2}),
        json!({"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}}),
        json!({"type": "object", "properties": {"a": {}}, "dependentSchemas": {"a": {"required": ["b"]}}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {}},
            "dependencies": {"a": ["b"], "b": {"required": ["c"]}}}),
        json!({"allOf": [{"properties": {"a": {"minimum": 3}}}, {"properties": {"a": {"type": "integer", "maximum": 5}},
            "required": ["a"]}], "type": "object"}),
        json!({"type": "object", "allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}),
        json!({"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 5}),
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}], "items": false}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "array",
            "items": [{"type": "string"}, {"type": "null"}], "additionalItems": {"type": "integer"}, "minItems": 4}),
        json!({"type": "array", "items": {"type": "boolean"}, "uniqueItems": true}),
        json!({"type": "array", "items": {"type": "integer"}, "contains": {"minimum": 100}, "minContains": 2}),
        json!({"type": "string", "minLength": 3, "maxLength": 5}),
        json!({"type": "string", "minLength": 3000}),
        json!({"type": "string", "maxLength": 0}),
        json!({"type": "string", "format": "date-time"}),
        json!({"type": "string", "format": "uuid"}),
        json!({"type": "string", "pattern": "^[A-Z][a-z]+(-\\d{2})?$"}),
        json!({"type": "string", "pattern": "b+"}),
        json!({"type": "string", "pattern": "^(a|b)$|^cd*$"}),
        json!({"type": "string", "pattern": "^\\w[\\w.\\/[-]*\\s\\S$"}),
        json!({"type": "string", "pattern": "^[a-z]+$", "minLength": 100}),
        json!({"type": "string", "pattern": "^[a-z]*$", "maxLength": 2}),
        json!({"type": "integer", "minimum": -3, "exclusiveMaximum": 4}),
        json!({"type": "integer", "minimum": 1.5, "maximum": 1e3, "multipleOf": 7}),
        json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
        json!({"type": "number", "multipleOf": 0.25}),
        json!({"type": "number", "minimum": 3.5, "maximum": 3.5}),
        json!({"type": "integer", "minimum": 9223372036854775807_u64}),
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        json!({"oneOf": [{"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]}, {"type": "null"}]}),
        json!({"type": "object", "properties": {"next": {"$ref": "#"}, "all": {"type": "array", "items": {"$ref": "#"}}}}),
        json!({"$defs": {"tree": {"oneOf": [{"$ref": "#/$defs/pair"}, {"type": "integer"}]},
            "pair": {"type": "array", "items": {"$ref": "#/$defs/tree"}, "minItems": 2, "maxItems": 2}}, "$ref": "#/$defs/tree"}),
        json!({"$defs": {"a": {"$anchor": "here", "type": "boolean"}}, "type": "array", "items": {"$ref": "#here"}}),
    ];
    let past = [
        json!({"type": "string", "not": {"pattern": "a"}}),
        json!({"if": {"type": "string"}, "then": {"minLength": 3}, "else": {"type": "integer"}}),
        json!({"oneOf": [{"type": "integer", "minimum": 0}, {"type": "integer", "maximum": 100}]}),
        json!({"type": "array", "contains": {"const": 1}, "maxContains": 1, "items": {"enum": [1, 2]}}),
    ];
    let few: Vec<_> = along.iter().map(|json| (json, percent(json))).filter(|(_, percent)| *percent < 90).collect();
    assert!(few.is_empty(), "{few:?}");
    let few: Vec<_> = past.iter().map(|json| (json, percent(json))).filter(|(_, percent)| *percent < 15).collect();
    assert!(few.is_empty(), "{few:?}");
}

#[test]
fn a_seed_and_an_index_give_the_same_draw() {
    let json =
        json!({"type": "array", "items": {"type": "object", "properties": {"a": {"pattern": "^[a-f]+$"}, "b": {}}}});
    let texts = || values(&json, Purpose::Value, 60).iter().map(ToString::to_string).collect::<Vec<_>>();
    let once = texts();
    assert_eq!(once, texts());
    let different: std::collections::BTreeSet<_> = once.iter().collect();
    assert!(different.len() > 40, "{}", different.len());
    let draws = draws(&json, Purpose::Value);
    let text = |seed, lane| draws.tree(seed, 5, lane).unwrap().current().to_string();
    assert_ne!(text(1, 0), text(2, 0));
    assert_ne!(text(1, 0), text(1, 1));
}

/// Every schema of the repository that is admitted, those of the crate for tools and of others alike.
#[test]
fn every_schema_at_hand_is_drawn_from_or_said_to_be_too_wide() {
    const TYPES: &str = include_str!("../../../../../wit/bindings/rust/tests/types.json");
    const SARIF: &str = include_str!("../../../../../tests/schemas/sarif-schema-2.1.0.json");
    let cases: Vec<serde_json::Value> = serde_json::from_str(TYPES).unwrap();
    let mut wrong = Vec::new();
    let mut drawn = 0;
    for (case, key, purpose) in
        cases.iter().flat_map(|case| [(case, "input", Purpose::Arguments), (case, "output", Purpose::Value)])
    {
        let Ok(schema) = Schema::admit(&case[key], Use::Output) else { continue };
        match super::super::Draws::new(&schema, purpose) {
            Ok(draws) => drawn += (0..20).filter(|index| draws.tree(1, *index, 0).is_ok()).count(),
            Err(error) => wrong.push(format!("{} {key}: {error}", case["type"])),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(drawn > 1_500, "{drawn}");
    if let Ok(sarif) = Schema::admit(&serde_json::from_str(SARIF).unwrap(), Use::Output) {
        let draws = super::super::Draws::new(&sarif, Purpose::Value).unwrap();
        assert!((0..20).all(|index| draws.tree(1, index, 0).is_ok()));
    }
}

/// A value is what a program writes: what the JSON gate takes, too.
#[test]
fn every_draw_passes_the_json_gate_as_text() {
    for purpose in [Purpose::Arguments, Purpose::Value] {
        for value in values(&json!({}), purpose, 300) {
            let json = Json::parse(value.to_string(), &super::super::LIMITS)
                .unwrap_or_else(|error| panic!("{value}: {error}"));
            assert_eq!(json.value(), &value);
        }
    }
    assert!(schema(&json!({})).matches(&Json::parse("1", &super::super::LIMITS).unwrap()).is_ok());
}

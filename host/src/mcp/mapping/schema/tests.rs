use serde_json::{Map, Value, json};

use super::*;
use crate::{Schema, Use};

fn admitted(schema: &Value, purpose: Use) {
    if let Err(findings) = Schema::admit(schema, purpose) {
        panic!("{schema} is not admitted: {findings:?}");
    }
}

/// The input schema `schema` is advertised as `expect`.
fn input(schema: Value, expect: Value) {
    admitted(&schema, Use::Input);
    assert_eq!(Value::Object(portable_input(&schema)), expect, "{schema}");
}

/// One property of an input schema.
fn property(schema: Value, expect: Value) {
    let around = |property: Value| json!({ "type": "object", "properties": { "p": property } });
    input(around(schema), around(expect));
}

/// The same in a draft-07 schema.
fn older(schema: Value, expect: Value) {
    let mut declared = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object" });
    declared["properties"] = json!({ "p": schema });
    input(declared, json!({ "type": "object", "properties": { "p": expect } }));
}

fn output(schema: Value, expect: Value, wrapped: Option<Value>) {
    admitted(&schema, Use::Output);
    let written = portable_output(&schema);
    assert_eq!(Value::Object(written.schema), expect, "{schema}");
    assert_eq!(written.wrapped.map(Value::Object), wrapped, "{schema}");
}

#[test]
fn an_input_is_a_plain_object() {
    input(json!({ "type": "object" }), json!({ "type": "object", "properties": {} }));
    input(
        json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:x", "$comment": "no", "type": "object",
            "title": "T", "description": "D", "properties": { "a": { "type": "integer", "minimum": 1 } }, "required": ["a"],
            "additionalProperties": false, "minProperties": 1 }),
        json!({ "type": "object", "title": "T", "description": "D", "properties": { "a": { "type": "integer", "minimum": 1 } },
            "required": ["a"], "additionalProperties": false, "minProperties": 1 }),
    );
}

#[test]
fn headers_are_asked_for_as_the_protocol_does_or_not_at_all() {
    let kept = |schema: Value| property(schema.clone(), schema);
    kept(json!({ "type": "string", "x-mcp-header": "H" }));
    kept(json!({ "type": "object", "properties": { "a": { "type": "integer", "x-mcp-header": "H" } } }));
    property(json!({ "type": "number", "x-mcp-header": "H" }), json!({ "type": "number" }));
    property(json!({ "type": "string", "x-mcp-header": "no name" }), json!({ "type": "string" }));
    property(json!({ "items": { "type": "string", "x-mcp-header": "H" } }), json!({ "items": { "type": "string" } }));
}

#[test]
fn unions_leave_an_inputs_root_and_their_properties_stay() {
    let with = |more: Value| {
        let mut schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let a = json!({ "type": "string" });
    input(
        with(json!({ "allOf": [{ "properties": { "b": { "type": "null" } }, "required": ["b", "c"] }] })),
        json!({ "type": "object", "properties": { "a": a, "b": { "type": "null" } }, "required": ["b"] }),
    );
    for union in ["anyOf", "oneOf"] {
        let branches = json!([
            { "properties": { "kind": { "const": "x" }, "x": { "type": "integer" } }, "required": ["kind"] },
            { "properties": { "kind": { "const": "y" }, "a": {} } },
        ]);
        input(
            with(json!({ union: branches, "required": ["a"], "unevaluatedProperties": false })),
            json!({ "type": "object", "required": ["a"], "properties": {
                "a": a, "kind": { "anyOf": [{ "const": "x" }, { "const": "y" }] }, "x": { "type": "integer" } } }),
        );
    }
    // Under a closed root a branch cannot add a property.
    input(
        with(json!({ "additionalProperties": false, "anyOf": [{ "properties": { "b": {} } }] })),
        with(json!({ "additionalProperties": false })),
    );
    input(with(json!({ "not": { "required": ["a"] } })), with(json!({})));
    input(with(json!({ "enum": [{}] })), with(json!({})));
    input(with(json!({ "const": {} })), with(json!({})));
    input(
        json!({ "type": "object", "$ref": "#/$defs/A",
            "$defs": { "A": { "properties": { "b": { "type": "null" } }, "required": ["b"] } } }),
        json!({ "type": "object", "properties": { "b": { "type": "null" } }, "required": ["b"] }),
    );
    // Below the root they stay.
    let union = json!({ "anyOf": [{ "type": "null" }, { "type": "string" }] });
    property(union.clone(), union);
}

#[test]
fn small_acyclic_references_of_an_input_are_written_out() {
    let with = |reference: Value, definitions: Value| {
        json!({ "type": "object", "properties": { "p": reference }, "$defs": definitions["$defs"],
            "definitions": definitions["definitions"] })
    };
    let check = |reference: Value, definitions: Value, expect: Value| {
        let mut schema = with(reference, definitions);
        schema.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        input(schema, json!({ "type": "object", "properties": { "p": expect } }));
    };
    let a = json!({ "$defs": { "A": { "type": "string", "description": "A" } } });
    check(json!({ "$ref": "#/$defs/A" }), a.clone(), json!({ "type": "string", "description": "A" }));
    // What is said at the reference is kept, and what is demanded there too.
    check(
        json!({ "$ref": "#/$defs/A", "description": "mine" }),
        a.clone(),
        json!({ "type": "string", "description": "mine" }),
    );
    check(
        json!({ "$ref": "#/$defs/A", "minLength": 2 }),
        a,
        json!({ "minLength": 2, "allOf": [{ "type": "string", "description": "A" }] }),
    );
    check(
        json!({ "$ref": "#/definitions/A" }),
        json!({ "definitions": { "A": { "type": "null" } } }),
        json!({ "type": "null" }),
    );
    check(
        json!({ "$ref": "#/$defs/a%20b" }),
        json!({ "$defs": { "a b": { "type": "null" } } }),
        json!({ "type": "null" }),
    );
    check(
        json!({ "$ref": "#n" }),
        json!({ "$defs": { "A": { "$anchor": "n", "type": "null" } } }),
        json!({ "type": "null" }),
    );
    check(
        json!({ "$dynamicRef": "#n" }),
        json!({ "$defs": { "A": { "$dynamicAnchor": "n", "type": "null" } } }),
        json!({ "type": "null" }),
    );
    check(
        json!({ "$ref": "#/$defs/A" }),
        json!({ "$defs": { "A": { "items": { "$ref": "#/$defs/B" } }, "B": false } }),
        json!({ "items": { "not": {} } }),
    );
}

#[test]
fn recursive_and_large_references_stay() {
    input(
        json!({ "type": "object", "properties": { "t": { "$ref": "#/definitions/T" }, "s": { "$ref": "#/definitions/S" } },
            "definitions": { "T": { "properties": { "next": { "$ref": "#/definitions/T" } } }, "S": { "type": "null" },
                "unused": {} } }),
        json!({ "type": "object", "properties": { "t": { "$ref": "#/$defs/T" }, "s": { "type": "null" } },
            "$defs": { "T": { "properties": { "next": { "$ref": "#/$defs/T" } } } } }),
    );
    input(
        json!({ "type": "object", "properties": { "self": { "$ref": "#" }, "p": { "$ref": "#/properties/self" } } }),
        json!({ "type": "object", "properties": { "self": { "$ref": "#" }, "p": { "$ref": "#/$defs/self" } },
            "$defs": { "self": { "$ref": "#" } } }),
    );
    // Two definitions of one name, from both spellings.
    input(
        json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/T" }, "b": { "$ref": "#/definitions/T" } },
            "$defs": { "T": { "items": { "$ref": "#/$defs/T" } } },
            "definitions": { "T": { "items": { "$ref": "#/definitions/T" } } } }),
        json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/T" }, "b": { "$ref": "#/$defs/T_2" } },
            "$defs": { "T": { "items": { "$ref": "#/$defs/T" } }, "T_2": { "items": { "$ref": "#/$defs/T_2" } } } }),
    );
    // Under the bound, and over it.
    let check = |bytes: usize, stays: bool| {
        let long = "x".repeat(bytes);
        let schema = json!({ "type": "object", "properties": { "p": { "$ref": "#/$defs/L" } },
            "$defs": { "L": { "description": long } } });
        admitted(&schema, Use::Input);
        assert_eq!(portable_input(&schema).contains_key("$defs"), stays, "{bytes}");
    };
    check(INLINE - 100, false);
    check(INLINE + 100, true);
}

#[test]
fn deep_references_stay() {
    let depth = 60;
    let mut definitions = Map::new();
    for level in 0..depth {
        let next = if level + 1 == depth { json!({}) } else { json!({ "$ref": format!("#/$defs/d{}", level + 1) }) };
        definitions.insert(format!("d{level}"), json!({ "type": "array", "items": next }));
    }
    let schema = json!({ "type": "object", "properties": { "p": { "$ref": "#/$defs/d0" } }, "$defs": definitions });
    admitted(&schema, Use::Input);
    let written = portable_input(&schema);
    // Written out as far as is sensible, then begun anew.
    assert!(nesting(&written) <= NESTING);
    let definitions = written["$defs"].as_object().unwrap();
    assert_eq!(definitions.len(), 1);
    assert!(
        Value::Object(written.clone()).to_string().contains(&format!("#/$defs/{}", definitions.keys().next().unwrap()))
    );
}

#[test]
fn keywords_that_clients_read_apart_are_rewritten() {
    let same = |schema: Value| property(schema.clone(), schema);
    // Booleans under `properties`, and elsewhere.
    property(
        json!({ "properties": { "a": true, "b": false } }),
        json!({ "properties": { "a": {}, "b": { "not": {} } } }),
    );
    same(json!({ "additionalProperties": false }));
    // Formats.
    same(json!({ "format": "date-time" }));
    same(json!({ "format": "uuid" }));
    for format in ["uint64", "regex", "iri", "idn-email", "made-up"] {
        property(json!({ "type": "string", "format": format }), json!({ "type": "string" }));
    }
    // Numbers.
    property(json!({ "minItems": 1.0, "maxLength": 2.0 }), json!({ "minItems": 1, "maxLength": 2 }));
    same(json!({ "multipleOf": 5, "minimum": 0.5, "maximum": 9007199254740991u64 }));
    property(json!({ "multipleOf": 0.01, "maximum": 9007199254740992u64, "minimum": i64::MIN }), json!({}));
    // Patterns.
    same(json!({ "pattern": "^[a-z]{1,3}$" }));
    property(json!({ "pattern": "^\\p{L}+$" }), json!({}));
    same(json!({ "patternProperties": { "^a": { "type": "null" } }, "additionalProperties": false }));
    property(
        json!({ "patternProperties": { "^a": {}, "(?i)b": {} }, "additionalProperties": false }),
        json!({ "additionalProperties": {}, "patternProperties": { "^a": {} } }),
    );
    property(
        json!({ "additionalProperties": false, "patternProperties": { "(?i)b": {} } }),
        json!({ "additionalProperties": {} }),
    );
    // Tuples.
    same(json!({ "prefixItems": [{}, true], "maxItems": 1 }));
    property(json!({ "prefixItems": [{}, {}], "items": false }), json!({ "prefixItems": [{}, {}], "maxItems": 2 }));
    property(
        json!({ "prefixItems": [{}, {}], "items": false, "maxItems": 1 }),
        json!({ "maxItems": 1, "prefixItems": [{}, {}] }),
    );
    property(json!({ "prefixItems": [{}], "items": { "type": "null" } }), json!({ "prefixItems": [{}], "items": {} }));
    same(json!({ "items": { "type": "null" } }));
    // Counting elements.
    same(json!({ "contains": {}, "minContains": 2, "maxContains": 3 }));
    property(json!({ "contains": { "type": "null" }, "minContains": 0, "maxContains": 3 }), json!({ "items": {} }));
    // Keywords that are none, or of the other dialect.
    property(
        json!({ "nullable": true, "id": "x", "dependencies": { "a": ["b"] }, "x-made-up": "H" }),
        json!({ "x-made-up": "H" }),
    );
    same(
        json!({ "title": "t", "description": "d", "default": { "$ref": "#/nowhere" }, "examples": [1], "deprecated": true }),
    );
    same(json!({ "const": { "$ref": "x", "format": "made-up" } }));
    // What `ajv` does not compile.
    property(json!({ "enum": [] }), json!({ "allOf": [{ "not": {} }] }));
    property(json!({ "type": ["string"] }), json!({ "type": "string" }));
    same(json!({ "type": ["string", "null"] }));
    same(json!({ "dependentRequired": { "a": ["b"] }, "unevaluatedProperties": false }));
}

#[test]
fn draft_07_becomes_2020_12() {
    older(
        json!({ "items": [{ "type": "null" }], "additionalItems": false }),
        json!({ "prefixItems": [{ "type": "null" }], "maxItems": 1 }),
    );
    older(json!({ "items": [{}], "additionalItems": { "type": "null" } }), json!({ "prefixItems": [{}], "items": {} }));
    older(json!({ "items": { "type": "null" }, "additionalItems": false }), json!({ "items": { "type": "null" } }));
    older(
        json!({ "dependencies": { "a": ["b"], "c": { "required": ["d"] } } }),
        json!({ "dependentRequired": { "a": ["b"] }, "dependentSchemas": { "c": { "required": ["d"] } } }),
    );
    older(
        json!({ "contains": {}, "minContains": 2, "prefixItems": [false], "unevaluatedProperties": false, "dependentRequired": {} }),
        json!({ "contains": {} }),
    );
    // The host does not check them under draft-07.
    older(json!({ "format": "uuid" }), json!({}));
    older(json!({ "format": "date-time" }), json!({ "format": "date-time" }));
    input(
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": { "p": { "$ref": "#/definitions/P", "minLength": 9, "description": "d" } },
            "definitions": { "P": { "type": "string" } } }),
        json!({ "type": "object", "properties": { "p": { "type": "string", "description": "d" } } }),
    );
}

#[test]
fn nothing_is_concluded_from_a_part_that_was_loosened() {
    let same = |schema: Value| property(schema.clone(), schema);
    let (exact, loose) = (json!({ "pattern": "^a" }), json!({ "pattern": "^\\p{L}", "minLength": 1 }));
    let left = json!({ "minLength": 1 });
    same(json!({ "not": exact }));
    property(json!({ "not": loose }), json!({}));
    same(json!({ "oneOf": [exact, {}] }));
    property(json!({ "oneOf": [loose, {}] }), json!({ "anyOf": [left, {}] }));
    property(json!({ "anyOf": [{}], "oneOf": [loose] }), json!({ "anyOf": [{}], "allOf": [{ "anyOf": [left] }] }));
    same(json!({ "if": exact, "then": { "minLength": 3 }, "else": false }));
    property(
        json!({ "if": loose, "then": { "minLength": 3 }, "else": { "maxLength": 2 } }),
        json!({ "allOf": [{ "anyOf": [{ "allOf": [left, { "minLength": 3 }] }, { "maxLength": 2 }] }] }),
    );
    property(json!({ "then": false }), json!({}));
    same(json!({ "contains": exact, "maxContains": 3 }));
    property(json!({ "contains": loose, "maxContains": 3 }), json!({ "contains": left }));
    // Through a reference.
    input(
        json!({ "type": "object", "properties": { "p": { "not": { "items": { "$ref": "#/$defs/L" } } } }, "$defs": { "L": loose } }),
        json!({ "type": "object", "properties": { "p": {} } }),
    );
}

#[test]
fn outputs_keep_references_and_object_roots() {
    let root = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/A" } }, "$defs": { "A": { "type": "null" } } });
    output(root.clone(), root, None);
    // What only objects match, says so.
    let branch = json!({ "type": "object", "properties": {} });
    output(json!({ "oneOf": [branch, branch] }), json!({ "oneOf": [branch, branch], "type": "object" }), None);
    output(json!({ "type": ["object"] }), json!({ "type": "object" }), None);
    output(json!({ "enum": [{}] }), json!({ "enum": [{}], "type": "object" }), None);
    // A root reference is followed, also to what refers to itself.
    output(
        json!({ "$ref": "#/$defs/P", "$defs": { "P": { "type": "object", "properties": { "next": { "$ref": "#/$defs/P" } } } } }),
        json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/P" } },
            "$defs": { "P": { "type": "object", "properties": { "next": { "$ref": "#/$defs/P" } } } } }),
        None,
    );
}

#[test]
fn other_roots_are_wrapped_with_their_references() {
    let wrap = |inner: Value| json!({ "type": "object", "properties": { "result": inner }, "required": ["result"], "additionalProperties": false });
    for schema in [
        json!({ "type": "array", "items": { "type": "integer" } }),
        json!({ "type": "null" }),
        json!({}),
        json!({ "type": ["object", "null"] }),
        json!({ "anyOf": [{ "type": "object" }, { "type": "null" }] }),
        json!({ "enum": [{}, 1] }),
    ] {
        output(schema.clone(), schema.clone(), Some(wrap(schema)));
    }
    let tree =
        |root: &str| json!({ "type": "array", "items": { "anyOf": [{ "$ref": root }, { "$ref": "#/$defs/L" }] } });
    let definitions =
        |root: &str| json!({ "L": { "const": { "$ref": "#" }, "properties": { "x": { "$ref": root } } } });
    let with = |mut schema: Value, definitions: Value| {
        schema["$defs"] = definitions;
        schema
    };
    output(
        with(tree("#"), definitions("#")),
        with(tree("#"), definitions("#")),
        Some(with(wrap(tree("#/properties/result")), definitions("#/properties/result"))),
    );
}

/// Each value that the declared schema takes, the advertised ones take, under the dialects of all clients.
#[test]
fn what_is_advertised_is_never_stricter() {
    let loose = json!({ "pattern": "^\\p{Lu}" });
    let schemas = [
        json!({ "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false }),
        json!({ "prefixItems": [{ "type": "string" }], "items": { "type": "null" }, "unevaluatedItems": false }),
        json!({ "oneOf": [loose, { "minLength": 2 }] }),
        json!({ "not": loose }),
        json!({ "if": loose, "then": { "maxLength": 1 }, "else": { "type": ["array", "object", "string"] } }),
        json!({ "patternProperties": { "^\\p{Lu}": { "type": "integer" } }, "unevaluatedProperties": false }),
        json!({ "contains": { "type": "null" }, "minContains": 0, "maxContains": 1, "unevaluatedItems": false }),
        json!({ "multipleOf": 0.01 }),
        json!({ "exclusiveMaximum": u64::MAX }),
        json!({ "enum": [[], "a", { "A": 1 }] }),
        json!({ "type": "array", "items": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/$defs/S" }] }, "$defs": { "S": { "type": "string" } } }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "items": [{ "type": "string" }], "additionalItems": { "type": "null" } }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/A", "type": "null",
            "definitions": { "A": { "dependencies": { "A": ["b"] } } } }),
    ];
    let values = [
        json!([]),
        json!(["a"]),
        json!(["a", 1]),
        json!(["a", null]),
        json!(["a", 1, 2]),
        json!([null]),
        json!([null, null]),
        json!([["a"], []]),
        json!("a"),
        json!("A"),
        json!("ab"),
        json!("AB"),
        json!({}),
        json!({ "A": 1 }),
        json!({ "A": 1, "b": 2 }),
        json!(19.99),
        json!(u64::MAX - 1),
        json!(null),
        json!(7),
    ];
    let limits = crate::JsonLimits { bytes: 1_000, depth: 9, nodes: 99 };
    let mut accepted = 0;
    for schema in schemas {
        let declared = Schema::admit(&schema, Use::Output).unwrap();
        let PortableOutput { schema: written, wrapped } = portable_output(&schema);
        let written = Value::Object(written);
        for sent in std::iter::once(&written).chain(wrapped.clone().map(Value::Object).as_ref()) {
            // Python clients check this too.
            assert!(jsonschema::draft202012::meta::validator().is_valid(sent), "{sent}");
        }
        for value in &values {
            let json = crate::Json::from_value(value.clone(), &limits).unwrap();
            if declared.check::<crate::Canonical>(json).is_err() {
                continue;
            }
            accepted += 1;
            for draft in [jsonschema::Draft::Draft202012, jsonschema::Draft::Draft7] {
                let takes = |schema: &Value, value: &Value| {
                    let options = jsonschema::options().with_draft(draft).should_validate_formats(true).offline();
                    options.build(schema).unwrap().is_valid(value)
                };
                assert!(takes(&written, value), "{draft:?} {schema} became {written}: {value}");
                if let Some(wrapped) = &wrapped {
                    let wrapped = Value::Object(wrapped.clone());
                    assert!(
                        takes(&wrapped, &json!({ "result": value })),
                        "{draft:?} {schema} became {wrapped}: {value}"
                    );
                }
            }
        }
    }
    assert!(accepted > 60, "{accepted}");
}

#[test]
fn writing_is_deterministic() {
    let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/A" }, "b": { "$ref": "#/$defs/B" } },
        "$defs": { "A": { "items": { "$ref": "#/$defs/A" } }, "B": { "items": { "$ref": "#/$defs/B" } } } });
    let first = Value::Object(portable_input(&schema)).to_string();
    for _ in 0..10 {
        assert_eq!(Value::Object(portable_input(&schema)).to_string(), first);
    }
}

//! Each attack is refused at admission, or checked within the bound that admission computed.
//!
//! Without the bound, each of these takes seconds to ages, gigabytes, or the process.

use serde_json::{Map, Value, json};

use super::super::{MAX_EXPANDED, Schema, Use};
use super::{admitted, checked, on_a_small_stack, refusals};

fn chain(levels: usize, level: impl Fn(Value) -> Value) -> Value {
    let mut defs = Map::new();
    for index in 0..levels {
        defs.insert(index.to_string(), level(json!({"$ref": format!("#/$defs/{}", index + 1)})));
    }
    defs.insert(levels.to_string(), json!({"type": "null"}));
    json!({"$ref": "#/$defs/0", "$defs": defs})
}

fn nested(levels: usize, level: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(json!(0), |inner, _| level(inner))
}

fn refused_as(schema: Value, rule: &str) {
    let got = refusals(&schema, Use::Output);
    assert!(got.iter().any(|(got, _)| *got == rule), "{rule}: {got:?}");
}

#[test]
fn doubling_branches() {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for levels in [13, 20, 30] {
            refused_as(chain(levels, |next| json!({keyword: [next, next]})), "schema/expands");
        }
        // What is just small enough is checked and explained.
        let schema = admitted(&chain(9, |next| json!({keyword: [next, next]})));
        assert!(schema.0.cost.at(0).visits <= MAX_EXPANDED);
        assert!(checked(&schema, json!(1)).is_err());
    }
    refused_as(chain(20, |next| json!({"if": next, "then": next, "else": next})), "schema/expands");
    refused_as(chain(20, |next| json!({"dependentSchemas": {"a": next, "b": next}})), "schema/expands");
    refused_as(chain(15, |next| json!({"not": {"not": next}, "allOf": [next]})), "schema/expands");
}

#[test]
fn doubling_through_parts() {
    let part = |next: Value| json!({"properties": {"a": next}});
    refused_as(chain(30, |next| json!({"anyOf": [part(next.clone()), part(next)]})), "schema/branching-recursion");
    refused_as(chain(30, |next| json!({"items": next, "contains": next})), "schema/branching-recursion");
}

#[test]
fn doubling_recursion() {
    let part = json!({"properties": {"a": {"$ref": "#"}}});
    for keyword in ["oneOf", "anyOf", "allOf"] {
        refused_as(json!({keyword: [part, part]}), "schema/branching-recursion");
    }
    refused_as(json!({"unevaluatedProperties": {"$ref": "#"}}), "schema/branching-recursion");
    refused_as(json!({"unevaluatedItems": {"$ref": "#"}, "anyOf": [{}]}), "schema/branching-recursion");
    let object = json!({"type": "object", "properties": {"a": {"$dynamicRef": "#node"}}});
    refused_as(json!({"$dynamicAnchor": "node", "oneOf": [object, object]}), "schema/branching-recursion");
}

#[test]
fn nested_unevaluated() {
    let schema =
        (0..14).fold(json!({"type": "null"}), |inner, _| json!({"allOf": [inner], "unevaluatedProperties": false}));
    refused_as(schema, "schema/expands");
    let schema = (0..9)
        .fold(json!({}), |inner, _| json!({"allOf": [{"properties": {"a": inner}}], "unevaluatedProperties": false}));
    refused_as(schema, "schema/expands");
}

#[test]
fn loops_in_place() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"not": {"$ref": "#"}}),
        json!({"$dynamicAnchor": "a", "$dynamicRef": "#a"}),
        json!({"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}),
    ] {
        refused_as(schema, "schema/in-place-cycle");
    }
}

#[test]
fn recursion_of_one_branch_is_explained_at_every_depth() {
    let schema = admitted(&json!({
        "oneOf": [
            {"type": "integer", "minimum": 1},
            {"type": "object", "properties": {"and": {"items": {"$ref": "#"}}}, "required": ["and"]},
            {"type": "object", "properties": {"not": {"$ref": "#"}}, "required": ["not"]},
        ],
    }));
    for levels in [1, 8, 30, 60, 120] {
        let value = nested(levels, |inner| json!({"not": inner}));
        let violations = checked(&schema, value).unwrap_err();
        assert!(!violations.list().is_empty());
        let value = nested(levels, |inner| json!({"not": inner})).to_string().replace('0', "1");
        assert_eq!(checked(&schema, serde_json::from_str(&value).unwrap()), Ok(()));
    }
}

#[test]
fn deep_schemas_on_a_small_stack() {
    on_a_small_stack(|| {
        for levels in [63, 1_000, 100_000] {
            let mut schema = json!({});
            for _ in 0..levels {
                schema = Value::Object(Map::from_iter([("not".to_owned(), schema)]));
            }
            let got = refusals(&schema, Use::Output);
            assert_eq!(got.is_empty(), levels == 63, "{levels}: {got:?}");
            // Dropping it is the caller's: leave one level at a time.
            while let Some(inner) = schema.as_object_mut().and_then(|members| members.remove("not")) {
                schema = inner;
            }
        }
    });
}

#[test]
fn long_chains_on_a_small_stack() {
    on_a_small_stack(|| {
        // A chain of references in place is short or refused; through parts it is as long as the schema.
        refused_as(chain(64, |next| json!({"allOf": [next]})), "schema/too-deep");
        let longest = admitted(&chain(31, |next| json!({"allOf": [next]})));
        assert!(checked(&longest, json!(1)).is_err());
        let parts = admitted(&chain(660, |next| json!({"properties": {"a": next}})));
        for levels in [1, 60, 127] {
            assert_eq!(checked(&parts, nested(levels, |inner| json!({"a": inner}))), Ok(()));
        }
    });
}

#[test]
fn deep_values_on_a_small_stack() {
    on_a_small_stack(|| {
        let wrap = (0..12).fold(json!({"items": {"$ref": "#"}}), |inner, _| json!({"allOf": [inner]}));
        let schema = admitted(&json!({"allOf": [wrap], "type": "array"}));
        let value = nested(127, |inner| json!([inner]));
        let violations = checked(&schema, value).unwrap_err();
        assert!(!violations.list().is_empty());
        let schema = admitted(&json!({"items": {"$ref": "#"}, "anyOf": [{"type": "array"}, {"minimum": 1}]}));
        assert!(checked(&schema, nested(127, |inner| json!([inner]))).is_err());
    });
}

#[test]
fn heavy_values() {
    let schema = admitted(&json!({"items": {"type": "null"}}));
    assert_eq!(checked(&schema, json!(vec![1; 300_000])).unwrap_err().list().len(), 1);
    let schema = admitted(&json!({"uniqueItems": true}));
    assert_eq!(checked(&schema, (0..100_000).collect()), Ok(()));
    let schema = admitted(&json!({"pattern": "(a+)+$"}));
    assert!(checked(&schema, json!("a".repeat(100_000) + "b")).is_err());
    // Ten thousand visits for each of a hundred thousand elements is more than a check may cost.
    let many = json!({"items": {"anyOf": vec![json!({"type": "null"}); 1_900]}});
    let violations = checked(&admitted(&many), json!(vec![1; 200_000])).unwrap_err();
    assert!(violations.list()[0].message.contains("too many to check"), "{violations}");
}

#[test]
fn heavy_errors_are_not_made() {
    // Each failing element would hold a copy of the excluded schema, and each branch one of the element.
    let long = "x".repeat(100_000);
    let schema = admitted(&json!({"items": {"not": {"maxLength": 9, "title": long}}}));
    let violations = checked(&schema, json!(vec!["y"; 1_000])).unwrap_err();
    assert_eq!(violations.list()[0].rule, "", "explained: {violations}");
    let branches = vec![json!({"type": "null"}); 1_500];
    let schema = admitted(&json!({"anyOf": branches}));
    let violations = checked(&schema, json!(long)).unwrap_err();
    assert_eq!(violations.list()[0].rule, "", "explained: {violations}");
}

#[test]
fn wide_and_shared() {
    // A thousand properties, each described by the same thousand: the arithmetic itself must stay small.
    let names = |target: Value| Value::Object((0..900).map(|index| (format!("p{index}"), target.clone())).collect());
    let schema = json!({
        "properties": names(json!({"$ref": "#/$defs/wide"})),
        "$defs": {"wide": {"properties": names(json!(true)), "additionalProperties": false}},
    });
    refused_as(schema, "schema/expands");
    let schema = json!({"properties": names(json!({"type": "null"})), "additionalProperties": {"$ref": "#"}});
    assert!(Schema::admit(&schema, Use::Output).is_ok());
}

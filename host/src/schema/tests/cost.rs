//! The arithmetic of what a check can cost.

use serde_json::{Value, json};

use super::super::cost::cost;
use super::super::dialect::Dialect;
use super::super::graph::Graph;
use super::super::report::Report;
use super::super::work::States;

/// Visits of one part at depths 0, 1, 2 and 127, or the rule that refuses.
fn check(schema: Value, expect: Result<[u64; 4], &str>) {
    let mut report = Report::default();
    let graph = Graph::read(&schema, Dialect::Draft202012, &mut report);
    let got = cost(&graph, &States::new(), &mut report).map(|cost| [0, 1, 2, 127].map(|depth| cost.at(depth).visits));
    match report.finish() {
        Ok(_) => assert_eq!(got, Some(expect.unwrap()), "{schema}"),
        Err(reasons) => assert_eq!(Err(reasons[0].rule), expect, "{schema}"),
    }
}

#[test]
fn counts_visits() {
    check(json!({}), Ok([1, 1, 1, 1]));
    check(json!({"allOf": [{}, {"not": {}}]}), Ok([4, 4, 4, 4]));
    check(json!({"properties": {"a": {}, "b": {"anyOf": [{}, {}]}}}), Ok([1, 3, 3, 3]));
    check(json!({"allOf": [{"properties": {"a": {}}}, {"properties": {"a": {}, "b": {}}}]}), Ok([3, 3, 3, 3]));
    check(json!({"propertyNames": {"anyOf": [{}, {}]}}), Ok([4, 4, 4, 4]));
    check(json!({"prefixItems": [{}], "items": {}, "contains": {}}), Ok([1, 2, 2, 2]));
    check(json!({"unevaluatedProperties": {}, "allOf": [{}]}), Ok([4, 4, 4, 4]));
}

#[test]
fn recursion_through_different_parts_does_not_multiply() {
    let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
    check(tree, Ok([1, 2, 2, 2]));
    let filter = json!({"oneOf": [
        {"properties": {"and": {"items": {"$ref": "#"}}}},
        {"properties": {"or": {"items": {"$ref": "#"}}}},
        {"properties": {"not": {"$ref": "#"}}},
    ]});
    check(filter, Ok([4, 5, 5, 5]));
    check(json!({"properties": {"a": {"$ref": "#"}}, "additionalProperties": {"$ref": "#"}}), Ok([1, 2, 2, 2]));
    check(json!({"prefixItems": [{"$ref": "#"}], "items": {"$ref": "#"}}), Ok([1, 2, 2, 2]));
}

#[test]
fn recursion_through_the_same_part_multiplies() {
    let twice = json!({"properties": {"a": {"$ref": "#"}}});
    for keyword in ["oneOf", "anyOf", "allOf"] {
        check(json!({keyword: [twice, twice]}), Err("schema/branching-recursion"));
    }
    check(json!({"contains": {"$ref": "#"}, "items": {"$ref": "#"}}), Err("schema/branching-recursion"));
    check(json!({"unevaluatedProperties": {"$ref": "#"}}), Err("schema/branching-recursion"));
    check(json!({"patternProperties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}}), Err("schema/branching-recursion"));
    check(
        json!({"unevaluatedProperties": false, "allOf": [{"properties": {"a": {"$ref": "#"}}}]}),
        Err("schema/branching-recursion"),
    );
}

#[test]
fn sharing_without_recursion_multiplies_too() {
    let mut levels = serde_json::Map::new();
    for level in 0..30 {
        let next = json!({"properties": {"a": {"$ref": format!("#/$defs/{}", level + 1)}}});
        levels.insert(level.to_string(), json!({"allOf": [next, next]}));
    }
    levels.insert("30".into(), json!({}));
    check(json!({"$ref": "#/$defs/0", "$defs": levels}), Err("schema/branching-recursion"));
}

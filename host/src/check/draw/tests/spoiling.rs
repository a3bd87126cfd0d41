use std::collections::BTreeSet;

use serde_json::json;

use super::super::{LIMITS, Purpose, wrong};
use super::{draws, schema};
use crate::Json;

#[test]
fn each_rule_of_a_schema_is_broken_and_nothing_else() {
    let json = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
            "count": {"type": "integer", "minimum": 3, "maximum": 7, "multipleOf": 2},
            "kind": {"enum": ["one", "two"]},
            "list": {"type": "array", "minItems": 1, "maxItems": 3, "uniqueItems": true, "items": {"type": "boolean"}},
            "when": {"type": "string", "format": "date"},
            "inner": {"type": "object", "properties": {"x": {"type": "null"}}, "required": ["x"]},
        },
    });
    let draws = draws(&json, Purpose::Arguments);
    let wrong = wrong(&draws, 5);
    let schema = schema(&json);
    for case in &wrong {
        match Json::parse(case.text.clone(), &LIMITS) {
            Ok(value) => assert!(schema.matches(&value).is_err(), "{case:?}"),
            Err(error) => assert_eq!(error.rule(), case.rule, "{case:?}"),
        }
    }
    let rules: BTreeSet<_> = wrong.iter().map(|case| case.rule.as_str()).collect();
    let expect = [
        "/type",
        "/required",
        "/additionalProperties",
        "/properties/name/type",
        "/properties/name/minLength",
        "/properties/name/maxLength",
        "/properties/name/pattern",
        "/properties/count/type",
        "/properties/count/minimum",
        "/properties/count/maximum",
        "/properties/count/multipleOf",
        "/properties/kind/enum",
        "/properties/list/type",
        "/properties/list/minItems",
        "/properties/list/maxItems",
        "/properties/list/uniqueItems",
        "/properties/list/items/type",
        "/properties/when/format",
        "/properties/inner/required",
        "/properties/inner/properties/x/type",
        "json/duplicate-key",
        "json/not-finite",
        "json/integer-out-of-range",
        "json/too-deep",
        "json/syntax",
        "json/byte-order-mark",
    ];
    let missed: Vec<_> = expect.into_iter().filter(|rule| !rules.contains(rule)).collect();
    assert!(missed.is_empty(), "never broken: {missed:?}\nbroken: {rules:?}");
    for how in ["null", "a property left out", "an unknown property", "a number next to a bound", "a key twice"] {
        assert!(wrong.iter().any(|case| case.how == how), "{how}");
    }
    assert_eq!(wrong.len(), wrong.iter().map(|case| &case.text).collect::<BTreeSet<_>>().len(), "one text twice");
}

#[test]
fn a_schema_that_takes_every_object_leaves_what_is_no_json() {
    let wrong = wrong(&draws(&json!({"type": "object"}), Purpose::Arguments), 5);
    let (gate, schema): (Vec<_>, Vec<_>) = wrong.iter().partition(|case| case.rule.starts_with("json/"));
    assert!(gate.len() >= 20, "{gate:?}");
    assert!(!schema.is_empty() && schema.iter().all(|case| case.rule == "/type"), "{schema:?}");
}

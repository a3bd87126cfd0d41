//! What is said about values.

use serde_json::{Value, json};

use super::super::Violations;
use super::{admitted, checked};

/// The pointers and rules of the violations.
fn check(schema: &Value, value: Value, expect: &[(&str, &str)]) {
    let result = checked(&admitted(schema), value.clone());
    let list = result.as_ref().err().map(Violations::list).unwrap_or_default();
    let got: Vec<_> = list.iter().map(|v| (v.pointer.as_str(), v.rule.as_str())).collect();
    assert_eq!(got, expect, "{schema} {value}: {result:?}");
    assert_eq!(result.is_ok(), expect.is_empty());
}

#[test]
fn lists_pointer_and_rule() {
    let schema = json!({
        "type": "object",
        "properties": {"port": {"type": "integer", "maximum": 65535}, "tags": {"items": {"$ref": "#/$defs/tag"}}},
        "required": ["port"],
        "additionalProperties": false,
        "$defs": {"tag": {"type": "string", "maxLength": 3}},
    });
    check(&schema, json!({"port": 80, "tags": ["a"]}), &[]);
    check(&schema, json!({"port": 80.0}), &[]);
    check(&schema, json!([]), &[("", "/type")]);
    check(
        &schema,
        json!({"tags": ["abcd", 1], "more": 1}),
        &[
            ("/tags/0", "/$defs/tag/maxLength"),
            ("/tags/1", "/$defs/tag/type"),
            ("", "/additionalProperties"),
            ("", "/required"),
        ],
    );
}

#[test]
fn numbers_are_exact() {
    check(&json!({"multipleOf": 0.01}), json!(19.99), &[]);
    check(&json!({"maximum": 9_007_199_254_740_992_u64}), json!(9_007_199_254_740_993_u64), &[("", "/maximum")]);
    check(&json!({"const": 1}), json!(1.0), &[]);
    check(&json!({"const": u64::MAX}), json!(u64::MAX - 1), &[("", "/const")]);
}

#[test]
fn formats_are_asserted_in_both_dialects() {
    for dialect in ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"] {
        let schema = json!({"$schema": dialect, "items": {"format": "date-time"}});
        check(&schema, json!(["2026-01-31T00:00:00Z"]), &[]);
        check(&schema, json!(["2026-02-31T00:00:00Z"]), &[("/0", "/items/format")]);
        let schema = json!({"$schema": dialect, "format": "regex"});
        check(&schema, json!("(\\w{400}){400}("), &[]);
        check(&json!({"$schema": dialect, "format": "uint8"}), json!("x"), &[]);
    }
}

#[test]
fn draft_7_means_draft_7() {
    let tuple = json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "null"}], "additionalItems": false});
    check(&tuple, json!([null]), &[]);
    check(&tuple, json!([1, 2]), &[("/0", "/items/0/type"), ("", "/additionalItems")]);
}

#[test]
fn never_quotes_the_value() {
    let key = format!("se\u{1b}[31mcret-{}", "k".repeat(900));
    let secret = "hunter2-hunter2";
    let values =
        [json!(secret), json!([secret]), json!({"a": secret}), json!({&key: secret}), json!([[secret], {"a": secret}])];
    let schemas = [
        json!({"type": "null"}),
        json!({"const": 1}),
        json!({"enum": [1, 2]}),
        json!({"items": {"maxLength": 1}, "maxLength": 1}),
        json!({"items": {"pattern": "^x"}, "pattern": "^x", "format": "date"}),
        json!({"additionalProperties": false}),
        json!({"additionalProperties": {"type": "null"}, "items": false}),
        json!({"unevaluatedProperties": false, "unevaluatedItems": false}),
        json!({"propertyNames": {"maxLength": 0}}),
        json!({"propertyNames": {"const": "b"}}),
        json!({"anyOf": [{"type": "null"}, {"items": {"const": 1}, "properties": {"a": false}}]}),
        json!({"oneOf": [{"additionalProperties": false, "items": {"type": "null"}}, false]}),
        json!({"oneOf": [{}, {}]}),
        json!({"not": {}}),
        json!({"contains": {"type": "null"}}),
        json!({"if": true, "then": {"minProperties": 9, "minItems": 9, "format": "ipv4"}}),
        json!({"dependentRequired": {"a": ["b"]}, "uniqueItems": true, "maxItems": 0}),
    ];
    let mut told = 0;
    for schema in schemas {
        let admitted = admitted(&schema);
        for value in &values {
            if let Err(violations) = checked(&admitted, value.clone()) {
                told += violations.list().len();
                let text = format!("{violations} {violations:?}");
                assert!(!text.contains("hunter2") && !text.contains('\u{1b}'), "{schema}: {text}");
                for violation in violations.list() {
                    assert!(violation.message.len() < 320 && violation.pointer.len() < 600, "{violation}");
                }
            }
        }
    }
    assert!(told > 40, "{told}");
}

#[test]
fn nearest_branch_is_named() {
    let schema = json!({"oneOf": [
        {"properties": {"kind": {"const": "a"}}, "required": ["kind", "x", "y"]},
        {"properties": {"kind": {"const": "b"}, "n": {"type": "integer"}}, "required": ["kind"]},
    ]});
    let violations = checked(&admitted(&schema), json!({"kind": "b", "n": "one"})).unwrap_err();
    let message = &violations.list()[0].message;
    assert!(message.contains("of branch 1, at `/n`"), "{message}");
}

#[test]
fn violations_are_capped() {
    let schema = admitted(&json!({"items": {"type": "null"}}));
    let twenty = checked(&schema, json!(vec![1; 20])).unwrap_err();
    assert_eq!((twenty.list().len(), twenty.truncated()), (20, false));
    let more = checked(&schema, json!(vec![1; 21])).unwrap_err();
    assert_eq!((more.list().len(), more.truncated()), (20, true));
}

#[test]
fn large_values_are_not_explained() {
    let schema = admitted(
        &json!({"type": "object", "required": ["a", "b"], "additionalProperties": {"items": {"type": "null"}}}),
    );
    let large = json!({"a": vec![1; 200_000]});
    let violations = checked(&schema, large).unwrap_err();
    let got: Vec<_> = violations.list().iter().map(|v| (v.pointer.as_str(), v.rule.as_str())).collect();
    assert_eq!(got, [("", ""), ("", "/required")]);
    assert!(violations.list()[0].message.contains("200002 values"), "{violations}");
    assert!(violations.truncated());
    let violations = checked(&schema, json!(vec![1; 200_000])).unwrap_err();
    assert_eq!(violations.list()[1].rule, "/type");
}

#[test]
fn integers_are_whole_numbers_however_they_are_written() {
    let schema = json!({"type": "integer"});
    for whole in [json!(1), json!(1.0), json!(-3e2), json!(-0.0), json!(u64::MAX), json!(i64::MIN)] {
        check(&schema, whole, &[]);
    }
    for other in [json!(1.5), json!(1e-7), json!("1"), json!(true), json!(null)] {
        check(&schema, other, &[("", "/type")]);
    }
}

#[test]
fn what_says_nothing_allows_everything_and_false_names_what_it_refuses() {
    let notes = json!({"title": "Anything", "description": "At all.", "default": 1, "examples": [2]});
    for value in [json!(null), json!([1, {"a": []}]), json!({"b": 1.5}), json!("c")] {
        check(&notes, value, &[]);
    }
    let open = json!({"properties": {"a": {"type": "null"}}});
    check(&open, json!({"a": null, "b": 1, "c": 2}), &[]);
    let closed = json!({"properties": {"a": {"type": "null"}}, "additionalProperties": false});
    check(&closed, json!({"a": null}), &[]);
    let refused = checked(&admitted(&closed), json!({"a": null, "b": 1, "c": 2})).unwrap_err();
    let message = "properties that the schema does not name: \"b\", \"c\"";
    assert_eq!(refused.list()[0].message, message);
}

#[test]
fn names_that_other_languages_know_are_data() {
    let names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    for name in names {
        let schema =
            json!({"properties": {name: {"type": "integer"}}, "required": [name], "additionalProperties": false});
        check(&schema, json!({name: 1}), &[]);
        check(&schema, json!({name: "x"}), &[(&format!("/{name}"), &format!("/properties/{name}/type"))]);
        check(&schema, json!({}), &[("", "/required")]);
    }
    let open = json!({"properties": {"a": {}}, "additionalProperties": false});
    for name in names {
        check(&open, json!({name: 1}), &[("", "/additionalProperties")]);
    }
}

#[test]
fn without_a_required_name_no_value_is_valid() {
    for present in 1..32_u32 {
        // Each set of five names, declared and required.
        let name = |bit: u32| format!("n{bit}");
        let declared: Vec<u32> = (0..5).filter(|bit| present & (1 << bit) != 0).collect();
        let types = ["null", "boolean", "number", "string", "array"];
        let values = [json!(null), json!(true), json!(0.5), json!("x"), json!([])];
        let properties: serde_json::Map<_, _> =
            declared.iter().map(|bit| (name(*bit), json!({"type": types[*bit as usize]}))).collect();
        let required: Vec<_> = declared.iter().map(|bit| name(*bit)).collect();
        let schema = admitted(&json!({"type": "object", "properties": properties, "required": required}));
        let value: serde_json::Map<_, _> =
            declared.iter().map(|bit| (name(*bit), values[*bit as usize].clone())).collect();
        assert!(checked(&schema, Value::Object(value.clone())).is_ok());
        for bit in &declared {
            let mut less = value.clone();
            less.remove(&name(*bit));
            let refused = checked(&schema, Value::Object(less)).unwrap_err();
            assert_eq!((refused.list().len(), refused.list()[0].rule.as_str()), (1, "/required"));
            assert!(refused.list()[0].message.contains(&name(*bit)), "{refused}");
        }
    }
}

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

//! What is refused and what is remarked on.

use serde_json::{Value, json};

use super::super::{MAX_BYTES, Schema, Use};
use super::refusals;

fn check(schema: Value, expect: &[(&str, &str)]) {
    let got = refusals(&schema, Use::Output);
    let got: Vec<(&str, &str)> = got.iter().map(|(rule, at)| (*rule, at.as_str())).collect();
    assert_eq!(got, expect, "{schema}");
}

#[test]
fn admits_both_dialects() {
    for dialect in [
        "https://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-07/schema",
    ] {
        check(json!({"$schema": dialect, "type": "object"}), &[]);
    }
    for other in [json!("http://json-schema.org/draft-04/schema#"), json!("https://example.com/meta"), json!(7)] {
        let got = refusals(&json!({"$schema": other}), Use::Output);
        assert_eq!(got[0], ("schema/unknown-dialect", "/$schema".into()), "{other}");
    }
}

#[test]
fn refuses_what_is_no_schema() {
    for schema in [json!(true), json!(null), json!([]), json!("object")] {
        check(schema, &[("schema/not-an-object", "")]);
    }
    check(json!({"type": "text"}), &[("schema/invalid", "/type")]);
    check(json!({"properties": {"a": {"minimum": "1"}}}), &[("schema/invalid", "/properties/a/minimum")]);
    check(json!({"properties": {"a": 1}}), &[("schema/invalid", "/properties/a")]);
    check(json!({"required": "a"}), &[("schema/invalid", "/required")]);
}

#[test]
fn lists_every_reason() {
    check(
        json!({
            "type": 1,
            "properties": {"a": {"$ref": "#/$defs/none"}, "b": {"pattern": "(?=x)"}, "c": {"minLength": -1}},
            "allOf": [{"$ref": "#"}],
        }),
        &[
            ("schema/bad-reference", "/properties/a/$ref"),
            ("schema/in-place-cycle", "/allOf/0"),
            ("schema/invalid", "/properties/c/minLength"),
            ("schema/invalid", "/type"),
            ("schema/pattern", "/properties/b/pattern"),
        ],
    );
}

#[test]
fn references_are_local_and_resolve() {
    let defs =
        json!({"a b": {}, "c/d~e": {"items": {}}, "é": {}, "n": {"$anchor": "here"}, "d": {"$dynamicAnchor": "there"}});
    for reference in
        ["#/$defs/a%20b", "#/$defs/c~1d~0e", "#/$defs/c~1d~0e/items", "#/$defs/%C3%A9", "#here", "#there", "#/items"]
    {
        check(json!({"$defs": defs, "items": {}, "contains": {"$ref": reference}}), &[]);
    }
    check(json!({"$defs": defs, "contains": {"$dynamicRef": "#there"}}), &[]);
    check(json!({"definitions": {"a": {}}, "contains": {"$ref": "#/definitions/a"}}), &[]);
    for reference in [
        "",
        "other.json",
        "https://example.com/s",
        "file:///etc/passwd",
        "//example.com",
        "#/$defs/none",
        "#/$defs",
        "#nowhere",
        "#/enum/0",
        "#/items/0",
        "#/%ff",
        "#/%4",
        "#/$defs/a b",
        "#/$defs/é",
        "#/allOf/00",
        "#/allOf/+0",
        "https://json-schema.org/draft/2020-12/schema",
    ] {
        let schema = json!({"$defs": defs, "enum": [{}], "allOf": [{}], "contains": {"$ref": reference}});
        check(schema, &[("schema/bad-reference", "/contains/$ref")]);
    }
    // What is no percent-encoding stands for nothing, not for itself.
    let named = json!({"$defs": {"%zz": {}}, "contains": {"$ref": "#/$defs/%zz"}});
    check(named, &[("schema/bad-reference", "/contains/$ref")]);
    check(json!({"$id": "https://json-schema.org/draft/2020-12/schema", "items": {"$ref": "#"}}), &[]);
    check(json!({"items": {"$id": "x", "$ref": "#"}}), &[("schema/embedded-resource", "/items/$id")]);
    let twice = json!({"items": {"$anchor": "a"}, "contains": {"$anchor": "a"}});
    check(twice, &[("schema/duplicate-anchor", "/contains/$anchor")]);
    // A property called `$ref` or `$id` is no reference.
    check(json!({"properties": {"$ref": {"type": "string"}, "$id": {}}, "const": {"$ref": "http://x"}}), &[]);
}

#[test]
fn sizes_are_exact() {
    // The root and `default` nest two.
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    check(json!({"default": nested(63)}), &[]);
    check(json!({"default": nested(64)}), &[("schema/too-deep", "")]);
    let overhead = json!({"title": ""}).to_string().len();
    check(json!({"title": "x".repeat(MAX_BYTES - overhead)}), &[]);
    check(json!({"title": "x".repeat(MAX_BYTES - overhead + 1)}), &[("schema/too-large", "")]);
    let wide = |count: usize| json!({"prefixItems": vec![json!({}); count]});
    check(wide(1_999), &[]);
    check(wide(2_000), &[("schema/too-many-subschemas", "")]);
    let patterns = |count: usize| {
        let items: Vec<Value> = (0..count).map(|index| json!({"pattern": format!("^{index}$")})).collect();
        json!({"prefixItems": items})
    };
    check(patterns(64), &[]);
    check(patterns(65), &[("schema/too-many-patterns", "")]);
}

#[test]
fn patterns_run_in_linear_time() {
    for pattern in ["(a+)+$", "^[a-z]{1,64}$", "^.{1,32}$", "^[a-z]{1,512}$", "^[^/]+$", "\\d+(\\.\\d+)?", "^\\p{Lu}"] {
        check(json!({"pattern": pattern}), &[]);
        check(json!({"patternProperties": {pattern: {}}}), &[]);
    }
    for pattern in ["(a|a)*\\1", "(?=a)", "(?<!a)b", "(\\w{400}){400}", "^.{1,500}$", "(.{100}){100}", "(", "a{2,1}"] {
        let got = refusals(&json!({"items": {"pattern": pattern}}), Use::Output);
        assert!(got.contains(&("schema/pattern", "/items/pattern".into())), "{pattern} {got:?}");
        let got = refusals(&json!({"patternProperties": {pattern: {}}}), Use::Output);
        assert!(got.contains(&("schema/pattern", "/patternProperties".into())), "{pattern} {got:?}");
    }
}

#[test]
fn inputs_are_objects_with_plain_names() {
    let input = |schema: Value| refusals(&schema, Use::Input);
    assert_eq!(input(json!({"type": "object", "properties": {"a.b-c_D9": {}}})), []);
    for schema in
        [json!({}), json!({"type": "array"}), json!({"type": ["object"]}), json!({"type": ["object", "null"]})]
    {
        assert_eq!(input(schema.clone()), [("schema/input-not-object", "/type".into())], "{schema}");
        check(schema, &[]);
    }
    for name in ["", "a b", "é", "$x", &"a".repeat(65)] {
        let schema = json!({"type": "object", "properties": {"a": {"items": {"properties": {name: {}}}}}});
        let got = input(schema.clone());
        assert_eq!(got.len(), 1, "{name}");
        assert_eq!(got[0].0, "schema/property-name");
        check(schema, &[]);
    }
}

/// The remarks on an admitted schema.
fn remarks(schema: Value, purpose: Use, expect: &[(&str, &str)]) {
    let admitted = Schema::admit(&schema, purpose).unwrap();
    let mut got: Vec<_> = admitted.findings().iter().map(|finding| (finding.rule, finding.at.as_str())).collect();
    got.sort();
    assert_eq!(got, expect, "{schema}");
}

#[test]
fn remarks_on_what_clients_reject() {
    let plain =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "x-mine": {"y": 1}});
    remarks(plain.clone(), Use::Output, &[]);
    remarks(plain, Use::Input, &[]);
    remarks(json!({}), Use::Output, &[("schema/accepts-anything", ""), ("schema/root-not-object", "")]);
    let object = |more: Value| {
        let mut schema = json!({"type": "object"});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let output = |more: Value, expect: &[(&str, &str)]| remarks(object(more), Use::Output, expect);
    output(json!({"properties": {"a": true}}), &[("schema/boolean-property", "/properties/a")]);
    output(json!({"properties": {"a": {"title": "A"}}}), &[("schema/accepts-anything", "/properties/a")]);
    output(json!({"nullable": true}), &[("schema/unknown-keyword", "/nullable")]);
    output(json!({"dependencies": {}}), &[("schema/unknown-keyword", "/dependencies")]);
    output(json!({"items": {"multipleOf": 0.01}}), &[("schema/fractional-multiple", "/items/multipleOf")]);
    output(json!({"items": {"minItems": 1.0}}), &[("schema/float-count", "/items/minItems")]);
    output(json!({"items": {"minimum": 1.5, "multipleOf": 2}}), &[]);
    output(json!({"items": {"maximum": 9_007_199_254_740_993_u64}}), &[("schema/inexact-integer", "/items/maximum")]);
    output(json!({"items": {"format": "uint8"}}), &[("schema/format-not-checked", "/items/format")]);
    output(json!({"items": {"format": "regex"}}), &[("schema/format-not-checked", "/items/format")]);
    output(json!({"items": {"pattern": "\\p{L}"}}), &[("schema/pattern-classes", "/items/pattern")]);
    output(json!({"prefixItems": [{"type": "null"}]}), &[("schema/prefix-items", "/prefixItems")]);
    remarks(object(json!({"oneOf": [{}]})), Use::Input, &[("schema/input-root-union", "/oneOf")]);
    remarks(object(json!({"oneOf": [{}]})), Use::Output, &[]);
    output(
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "#", "minimum": 1}}),
        &[("schema/ignored-beside-ref", "/items/$ref")],
    );
}

#[test]
fn findings_are_bounded() {
    let mut schema = serde_json::Map::new();
    for index in 0..5_000 {
        schema.insert(format!("{}{index}", "k".repeat(20)), json!(1));
    }
    let admitted = Schema::admit(&Value::Object(schema), Use::Output).unwrap();
    assert_eq!(admitted.findings().len(), 101);
    assert_eq!(admitted.findings()[100].rule, "schema/more-findings");
    let schema = json!({"required": vec![json!(1); 9_000]});
    let reasons = Schema::admit(&schema, Use::Output).unwrap_err();
    assert!(!reasons.is_empty() && reasons.len() <= 21, "{}", reasons.len());
}

//! What patterns, `enum` and `uniqueItems` are charged for.

use serde_json::{Value, json};

use super::super::check::MAX_VISITS;
use super::super::work::telling_apart;
use super::super::{Schema, Use};
use super::{admitted, checked, refusals};

/// The units of one check beyond the visits.
fn units(schema: &Value, value: &Value) -> u64 {
    let json = super::Json::from_value(value.clone(), &super::LIMITS).unwrap();
    let (usage, bytes) = (json.usage(), json.text().len() as u64);
    admitted(schema).0.cost.at(usage.depth).effort.units(value, usage.nodes + bytes / 64, bytes)
}

fn within(schema: Value, value: Value) {
    let units = units(&schema, &value);
    assert!(units < MAX_VISITS, "{units}");
    assert_eq!(checked(&admitted(&schema), value), Ok(()));
}

fn over(schema: Value, value: Value) {
    let violations = checked(&admitted(&schema), value).unwrap_err();
    assert!(violations.list()[0].message.contains("too many to check"), "{violations}");
}

#[test]
fn patterns_are_charged_by_states_and_bytes() {
    let megabyte = || json!(vec!["some-words-0123"; 60_000]);
    let simple = ["^[a-z0-9-]+$", "^[a-z]", "\\d+", "^[^/]*$"].map(|pattern| json!({"pattern": pattern}));
    within(json!({"items": {"allOf": simple}}), megabyte());
    within(json!({"items": {"pattern": "^[a-z0-9-]{1,64}$"}}), megabyte());
    let names: serde_json::Map<_, _> = (0..20_000).map(|index| (format!("name-{index}"), json!(1))).collect();
    within(json!({"patternProperties": {"^[a-z]+-[0-9]+$": {}}, "additionalProperties": false}), names.into());
    // Some 500 states that no cache of states helps with.
    let slow = "a[ab]{500}c";
    within(json!({"pattern": slow}), json!("ab".repeat(1_000) + "a" + &"b".repeat(500) + "c"));
    over(json!({"pattern": slow}), json!("ab".repeat(4 << 20)));
    over(json!({"propertyNames": {"pattern": slow}}), json!({"ab".repeat(4 << 20): 1}));
    over(json!({"patternProperties": {slow: {}}}), json!({"ab".repeat(4 << 20): 1}));
    let got = refusals(&json!({"pattern": "a[ab]{10000}c"}), Use::Output);
    assert_eq!(got, [("schema/pattern", "/pattern".into())]);
    let reasons = Schema::admit(&json!({"pattern": "^.{1,500}$"}), Use::Output).unwrap_err();
    assert!(format!("{reasons:?}").contains("maxLength"), "{reasons:?}");
}

#[test]
fn alternatives_are_charged_as_scanned() {
    let list = |count: usize| format!("^({})$", (0..count).map(|n| format!("k{n}")).collect::<Vec<_>>().join("|"));
    within(json!({"items": {"pattern": list(50)}}), json!(vec!["k49"; 100_000]));
    let values = json!(vec!["none"; 100_000]);
    assert!(units(&json!({"items": {"pattern": list(10_000)}}), &values) > 9_999 * 100_000 / 8);
    over(json!({"items": {"pattern": list(10_000)}}), values);
}

#[test]
fn enums_that_are_scanned_are_charged_by_members() {
    let strings: Vec<String> = (0..20).map(|n| format!("kind-{n}")).collect();
    assert_eq!(units(&json!({"items": {"enum": strings}}), &json!(vec!["kind-3"; 100_000])), 0);
    within(json!({"items": {"enum": [1, 2, 3, null, "auto"]}}), json!(vec![2; 500_000]));
    let floats: Vec<f64> = (0..30_000).map(|n| f64::from(n) + 0.5).collect();
    let values = json!(vec![1.25; 100_000]);
    assert!(units(&json!({"items": {"enum": floats}}), &values) > 30_000 * 100_000 / 8);
    over(json!({"items": {"enum": floats}}), values.clone());
    // Integers are scanned as well when the value is none.
    over(json!({"items": {"enum": (0..30_000).collect::<Vec<_>>()}}), values);
    let dependent: serde_json::Map<_, _> = (0..10_000).map(|n| (n.to_string(), json!([]))).collect();
    over(json!({"items": {"dependentRequired": dependent}}), json!(vec![json!({}); 100_000]));
}

#[test]
fn unique_items_are_charged_by_what_may_hash_alike() {
    let unique = || json!({"uniqueItems": true});
    within(unique(), (0..100_000).collect());
    within(unique(), (0..100_000).map(|n| format!("name {n}")).collect());
    within(unique(), (0..1_000).map(|n| json!({"id": n, "name": "x"})).collect());
    // Nine bits of these are lost in `f64`.
    let alike = |count: u64| -> Value { (0..count).map(|n| u64::MAX - n).collect() };
    assert_eq!(telling_apart(&alike(1_000)), 1_001 + 1_000 * 1_000 / 2 / 8);
    assert_eq!(telling_apart(&(0..1_000).collect()), 1_001);
    over(unique(), alike(50_000));
    over(json!({"properties": {"a": unique()}}), json!({"a": alike(50_000)}));
    over(unique(), (0..50_000).map(|n| json!([n])).collect());
    // Nothing asks whether they differ.
    within(json!({"uniqueItems": false}), alike(50_000));
}

use serde_json::{Value, json};

use super::super::Purpose;
use super::values;

/// What some draw of a schema has to be, with a name for each.
type Wanted = (&'static str, fn(&Value) -> bool);

fn check(schema: Value, purpose: Purpose, wanted: &[Wanted], never: &[Wanted]) {
    let drawn = values(&schema, purpose, 600);
    let missed: Vec<_> = wanted.iter().filter(|(_, is)| !drawn.iter().any(is)).map(|(name, _)| name).collect();
    assert!(missed.is_empty(), "{schema}: never drawn: {missed:?}");
    let drawn: Vec<_> = never.iter().filter(|(_, is)| drawn.iter().any(is)).map(|(name, _)| name).collect();
    assert!(drawn.is_empty(), "{schema}: drawn: {drawn:?}");
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn numbers_reach_the_edges_of_the_machine_and_of_the_schema() {
    let integers: &[Wanted] = &[
        ("0", |n| n == &json!(0)),
        ("1", |n| n == &json!(1)),
        ("-1", |n| n == &json!(-1)),
        ("the least of 64 bits", |n| n == &json!(i64::MIN)),
        ("the largest of 63 bits", |n| n == &json!(i64::MAX)),
        ("past 2^53", |n| n == &json!((1_i64 << 53) + 1)),
    ];
    let without_sign: &[Wanted] = &[("the largest of 64 bits", |n| n == &json!(u64::MAX))];
    let float: &[Wanted] = &[("an integer with a fraction", |n| n.is_f64())];
    check(json!({"type": "integer"}), Purpose::Arguments, &[integers, without_sign, float].concat(), &[]);
    check(json!({"type": "integer"}), Purpose::Value, integers, &[without_sign, float].concat());
    check(json!({"type": "integer", "minimum": 0}), Purpose::Value, without_sign, float);
    check(
        json!({"type": "integer", "minimum": 5, "exclusiveMaximum": 20}),
        Purpose::Value,
        &[("5", |n| n == &json!(5)), ("19", |n| n == &json!(19))],
        &[("20", |n| n == &json!(20))],
    );
    check(
        json!({"type": "number"}),
        Purpose::Value,
        &[
            ("-0.0", |n| n.as_f64().is_some_and(|n| n == 0.0 && n.is_sign_negative())),
            ("subnormal", |n| n.as_f64() == Some(5e-324)),
            ("the largest", |n| n.as_f64() == Some(f64::MAX)),
            ("0.1 + 0.2", |n| n.as_f64() == Some(0.1 + 0.2)),
            ("an integer", |n| n.is_i64()),
        ],
        &[],
    );
    check(
        json!({"type": "number", "minimum": 0.5, "maximum": 2}),
        Purpose::Value,
        &[("0.5", |n| n.as_f64() == Some(0.5)), ("2", |n| n.as_f64() == Some(2.0))],
        &[("less", |n| n.as_f64() < Some(0.5))],
    );
}

#[test]
fn strings_are_nasty() {
    check(
        json!({"type": "string"}),
        Purpose::Value,
        &[
            ("empty", |s| text(s).is_empty()),
            ("kilobytes", |s| text(s).len() >= 3_000),
            ("lines", |s| text(s).contains('\n')),
            ("NUL", |s| text(s).contains('\0')),
            ("a terminal's escape", |s| text(s).contains('\u{1b}')),
            ("right to left", |s| text(s).contains('\u{202e}')),
            ("combining", |s| text(s).contains('\u{301}')),
            ("past 16 bits", |s| text(s).chars().any(|c| c as u32 > 0xffff)),
            ("quotes", |s| text(s).contains('"')),
            ("markup", |s| text(s).contains("</script>")),
            ("markdown", |s| text(s).contains("```")),
            ("a long word", |s| text(s).split_whitespace().any(|word| word.len() >= 5_000)),
        ],
        &[],
    );
    check(
        json!({"type": "string", "minLength": 2, "maxLength": 6}),
        Purpose::Value,
        &[("2", |s| text(s).chars().count() == 2), ("6", |s| text(s).chars().count() == 6)],
        &[("7", |s| text(s).chars().count() == 7)],
    );
    check(
        json!({"type": "string", "contentEncoding": "base64"}),
        Purpose::Value,
        &[("padding", |s| text(s).ends_with('=')), ("none", |s| text(s).is_empty())],
        &[("no base64", |s| !text(s).len().is_multiple_of(4))],
    );
    check(json!({"type": "string", "pattern": "b"}), Purpose::Value, &[("more than it", |s| text(s).len() > 3)], &[]);
}

#[test]
fn lists_and_objects_are_empty_full_and_in_between() {
    check(
        json!({"type": "array", "items": {"type": "boolean"}, "maxItems": 9}),
        Purpose::Value,
        &[
            ("empty", |v| v.as_array().is_some_and(Vec::is_empty)),
            ("one", |v| v.as_array().is_some_and(|v| v.len() == 1)),
            ("full", |v| v.as_array().is_some_and(|v| v.len() == 9)),
        ],
        &[],
    );
    let closed = json!({"type": "object", "properties": {"a": {}, "b": {"type": "null"}}, "required": ["a"],
        "additionalProperties": false});
    check(
        closed,
        Purpose::Value,
        &[
            ("a", |v| v.as_object().is_some_and(|v| v.len() == 1)),
            ("both", |v| v.as_object().is_some_and(|v| v.len() == 2)),
        ],
        &[("more", |v| v.as_object().is_some_and(|v| v.len() > 2))],
    );
    let open = json!({"type": "object", "properties": {"a": {}}});
    check(
        open,
        Purpose::Arguments,
        &[("unknown", |v| v.as_object().is_some_and(|v| v.keys().any(|key| key != "a")))],
        &[],
    );
    let recursive = json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": false});
    let deep: fn(&Value) -> bool = |v| v.pointer("/next/next/next").is_some();
    check(
        recursive,
        Purpose::Value,
        &[("three deep", deep)],
        &[("eight deep", |v| v.pointer(&"/next".repeat(8)).is_some())],
    );
}

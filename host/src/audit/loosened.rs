//! What became of a schema: members that came and went, and whether more is accepted than before.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::json::bounded_pointer;

/// One difference between two schemas.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// A JSON pointer into the schema.
    pub(super) at: String,
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
    /// It accepts what it did not accept before, as far as one keyword tells.
    pub(super) looser: bool,
    /// It is about a property that came or went.
    pub(super) property: bool,
}

/// As many differences of one schema as a person reads.
const MAX_STEPS: usize = 50;
/// Bytes of a keyword's value that are shown.
const SHOWN: usize = 120;

/// Keywords whose values are schemas by name.
const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose value is a schema.
const ONE: [&str; 8] = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
/// Keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords that only describe. Their texts are compared as texts.
const PROSE: [&str; 5] = ["title", "description", "examples", "$comment", "default"];

/// Compares two admissible schemas. Their depth is bounded, so recursion is safe.
pub(super) fn compare(old: &Value, new: &Value) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut path = Vec::new();
    schemas(old, new, &mut path, &mut steps);
    steps
}

fn schemas<'v>(old: &'v Value, new: &'v Value, path: &mut Vec<&'v str>, steps: &mut Vec<Step>) {
    if old == new || steps.len() >= MAX_STEPS {
        return;
    }
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        // `true` and `{}` accept everything, `false` nothing.
        push(path, Some(old), Some(new), *old == Value::Bool(false) || *new == Value::Bool(true), steps);
        return;
    };
    for (key, old) in before {
        path.push(key);
        keyword(key, Some(old), after.get(key), path, steps);
        path.pop();
    }
    for (key, new) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
        path.push(key);
        keyword(key, None, Some(new), path, steps);
        path.pop();
    }
}

fn keyword<'v>(
    key: &'v str,
    old: Option<&'v Value>,
    new: Option<&'v Value>,
    path: &mut Vec<&'v str>,
    steps: &mut Vec<Step>,
) {
    if old == new || PROSE.contains(&key) {
        return;
    }
    match (old, new) {
        (Some(Value::Object(before)), Some(Value::Object(after))) if NAMED.contains(&key) => {
            named(before, after, path, steps);
        }
        (Some(old), Some(new)) if ONE.contains(&key) => schemas(old, new, path, steps),
        (Some(Value::Array(before)), Some(Value::Array(after)))
            if LIST.contains(&key) && before.len() == after.len() =>
        {
            for (old, new) in before.iter().zip(after) {
                schemas(old, new, path, steps);
            }
        }
        _ => push(path, old, new, looser(key, old, new), steps),
    }
}

fn named<'v>(
    before: &'v Map<String, Value>,
    after: &'v Map<String, Value>,
    path: &mut Vec<&'v str>,
    steps: &mut Vec<Step>,
) {
    for (name, old) in before {
        path.push(name);
        match after.get(name) {
            Some(new) => schemas(old, new, path, steps),
            None => property(path, Some(old), None, steps),
        }
        path.pop();
    }
    for (name, new) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
        path.push(name);
        property(path, None, Some(new), steps);
        path.pop();
    }
}

/// Whether a keyword lets more through than it did.
fn looser(key: &str, old: Option<&Value>, new: Option<&Value>) -> bool {
    // By their text: lists may be long, and this is not quadratic.
    let list = |value: Option<&Value>| -> BTreeSet<String> {
        match value {
            Some(Value::Array(items)) => items.iter().map(Value::to_string).collect(),
            Some(one) => BTreeSet::from([one.to_string()]),
            None => BTreeSet::new(),
        }
    };
    let subset = |small: Option<&Value>, large: Option<&Value>| list(small).is_subset(&list(large));
    match key {
        // A list of what may be: looser unless nothing came in.
        "enum" | "type" | "anyOf" | "oneOf" => new.is_none() || (old.is_some() && !subset(new, old)),
        // A list of what must be: looser where something went out.
        "required" | "allOf" => !subset(old, new),
        _ if key.starts_with("max") => number(new) > number(old).min(f64::MAX) || (old.is_some() && new.is_none()),
        _ if key.starts_with("min") => old.is_some() && (new.is_none() || number(new) < number(old)),
        // What is gone constrained something; what changed may have.
        _ => old.is_some(),
    }
}

/// Infinity where there is none.
fn number(value: Option<&Value>) -> f64 {
    value.and_then(Value::as_f64).unwrap_or(f64::INFINITY)
}

/// One that is new is spoken of now, and one that is gone is no longer checked, whether it was let through or not.
fn property(path: &[&str], old: Option<&Value>, new: Option<&Value>, steps: &mut Vec<Step>) {
    push(path, old, new, true, steps);
    if let Some(step) = steps.last_mut() {
        step.property = true;
    }
}

fn push(path: &[&str], old: Option<&Value>, new: Option<&Value>, looser: bool, steps: &mut Vec<Step>) {
    if steps.len() < MAX_STEPS {
        let at = bounded_pointer(path.iter().copied());
        steps.push(Step { at, old: old.map(shown), new: new.map(shown), looser, property: false });
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    let cut = text.floor_char_boundary(SHOWN);
    if cut == text.len() { text } else { format!("{}…", &text[..cut]) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(old: Value, new: Value, expect: &[(&str, bool)]) {
        let steps = compare(&old, &new);
        let found: Vec<_> = steps.iter().map(|step| (step.at.as_str(), step.looser)).collect();
        assert_eq!(found, expect, "{steps:?}");
    }

    #[test]
    fn what_lets_more_through_and_what_less() {
        check(json!({"type": "object"}), json!({"type": "object"}), &[]);
        check(json!({"maxLength": 5}), json!({"maxLength": 6}), &[("/maxLength", true)]);
        check(json!({"maxLength": 6}), json!({"maxLength": 5}), &[("/maxLength", false)]);
        check(json!({"maxLength": 6}), json!({}), &[("/maxLength", true)]);
        check(json!({}), json!({"maxLength": 6}), &[("/maxLength", false)]);
        check(json!({"minimum": 2}), json!({"minimum": 1}), &[("/minimum", true)]);
        check(json!({"minimum": 1}), json!({"minimum": 2}), &[("/minimum", false)]);
        check(json!({}), json!({"minimum": 2}), &[("/minimum", false)]);
        check(json!({"enum": [1]}), json!({"enum": [1, 2]}), &[("/enum", true)]);
        check(json!({"enum": [1, 2]}), json!({"enum": [1]}), &[("/enum", false)]);
        check(json!({"type": "string"}), json!({"type": ["string", "null"]}), &[("/type", true)]);
        check(json!({"type": ["string", "null"]}), json!({"type": "string"}), &[("/type", false)]);
        check(json!({"required": ["a", "b"]}), json!({"required": ["a"]}), &[("/required", true)]);
        check(json!({"required": ["a"]}), json!({"required": ["a", "b"]}), &[("/required", false)]);
        check(json!({"pattern": "a"}), json!({}), &[("/pattern", true)]);
        check(json!({}), json!({"pattern": "a"}), &[("/pattern", false)]);
        check(json!({"additionalProperties": false}), json!({}), &[("/additionalProperties", true)]);
        check(
            json!({"additionalProperties": false}),
            json!({"additionalProperties": true}),
            &[("/additionalProperties", true)],
        );
        check(
            json!({"additionalProperties": true}),
            json!({"additionalProperties": false}),
            &[("/additionalProperties", false)],
        );
        check(json!({"not": {"const": 1}}), json!({"not": {"const": 2}}), &[("/not/const", true)]);
    }

    #[test]
    fn properties_that_come_and_go() {
        let old = json!({"properties": {"a": {"type": "string"}, "b": {"items": {"maxLength": 1}}}});
        let new = json!({"properties": {"b": {"items": {"maxLength": 2}}, "c": {}}});
        let expect = [("/properties/a", true), ("/properties/b/items/maxLength", true), ("/properties/c", true)];
        check(old, new, &expect);
    }

    #[test]
    fn words_are_no_difference_here_and_much_is_cut() {
        check(json!({"title": "a", "default": 1}), json!({"title": "b"}), &[]);
        let many = |value: &str| {
            let members = (0..200).map(|n| (format!("p{n}"), json!({"const": value.repeat(100)})));
            json!({"properties": Value::Object(members.collect())})
        };
        let steps = compare(&many("a"), &many("b"));
        assert_eq!(steps.len(), MAX_STEPS);
        assert!(steps.iter().all(|step| step.new.as_ref().is_some_and(|new| new.len() < 130)));
    }
}

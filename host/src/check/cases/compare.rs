//! Where what came of a call is not what was expected, in a form that a person reads.

use serde::Serialize;
use serde_json::Value;
use similar::TextDiff;

use crate::check::pointer::step;

/// The lines that differ, with three around them.
pub(super) fn lines(expected: &str, found: &str) -> String {
    /// More is not read in a terminal; the file of cases has the whole.
    const MAX_LINES: usize = 60;
    let diff = TextDiff::from_lines(expected, found);
    let text = diff.unified_diff().context_radius(3).missing_newline_hint(false).to_string();
    let count = text.lines().count();
    let mut shown: Vec<_> = text.lines().take(MAX_LINES).collect();
    let more = format!("… {} lines more", count.saturating_sub(MAX_LINES));
    if count > MAX_LINES {
        shown.push(&more);
    }
    shown.join("\n")
}

/// `None` where both are the same to the order of keys. Otherwise where they first differ, a JSON pointer, and the lines.
pub(super) fn json(expected: &impl Serialize, found: &impl Serialize) -> Option<(String, String)> {
    let (expected, found) = (value(expected), value(found));
    let (expected_text, found_text) = (pretty(&expected), pretty(&found));
    if expected_text == found_text {
        return None;
    }
    let mut at = String::new();
    first(&expected, &found, &mut at);
    Some((at, lines(&(expected_text + "\n"), &(found_text + "\n"))))
}

pub(super) fn value(value: &impl Serialize) -> Value {
    // Nothing here has keys that are not strings, the one thing that cannot be written.
    serde_json::to_value(value).unwrap_or_default()
}

pub(super) fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

/// Extends `at` to the first place where the two differ.
fn first(expected: &Value, found: &Value, at: &mut String) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            let differs = expected.iter().find(|(key, value)| found.get(*key) != Some(value));
            // Where each key's value is the same, one is missing there or the order differs.
            let added = || found.iter().find(|(key, _)| !expected.contains_key(*key));
            let Some((key, value)) = differs.or_else(added) else { return };
            at.push('/');
            at.push_str(&step(key));
            first(value, found.get(key).unwrap_or(&Value::Null), at);
        }
        (Value::Array(expected), Value::Array(found)) => {
            let same = expected.iter().zip(found).take_while(|(expected, found)| expected == found).count();
            at.push('/');
            at.push_str(&same.to_string());
            if let (Some(expected), Some(found)) = (expected.get(same), found.get(same)) {
                first(expected, found, at);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_has_a_pointer() {
        let check = |expected: Value, found: Value, at: &str| {
            assert_eq!(json(&expected, &found).map(|(at, _)| at).as_deref(), Some(at), "{expected} {found}");
        };
        check(json!({ "a": [1, { "b/c": 2 }] }), json!({ "a": [1, { "b/c": 3 }] }), "/a/1/b~1c");
        check(json!({ "a": 1 }), json!({ "a": 1, "b": 2 }), "/b");
        check(json!({ "a": 1, "b": 2 }), json!({ "a": 1 }), "/b");
        check(json!([1]), json!([1, 2]), "/1");
        check(json!({ "a": 1, "b": 2 }), json!({ "b": 2, "a": 1 }), "");
        check(json!(1), json!("1"), "");
        assert_eq!(json(&json!({ "a": [1] }), &json!({ "a": [1] })), None);
    }

    #[test]
    fn the_lines_show_what_was_expected_and_what_is_there() {
        let (_, diff) = json(&json!({ "words": 3, "lines": 1 }), &json!({ "words": 4, "lines": 1 })).unwrap();
        assert!(diff.contains("-  \"words\": 3") && diff.contains("+  \"words\": 4"), "{diff}");
        let long: Vec<_> = (0..100).collect();
        assert!(json(&long, &Vec::<u32>::new()).unwrap().1.ends_with("lines more"));
    }
}

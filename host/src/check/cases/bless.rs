//! Writing again what cases expect.

use std::io::{self, Write as _};
use std::path::Path;

use serde_json::{Map, Value, json};
use tempfile::NamedTempFile;

use super::compare::{json as difference, value};
use crate::Outcome;

/// Puts what came of a call into its case: what was expected before, or all of it where nothing was. Says what changed.
///
/// - `server`: the URL that the case calls `{server}`.
pub(super) fn step(case: &mut Value, index: usize, outcome: &Outcome, server: &str) -> Vec<String> {
    let Some(step) = case["calls"].get_mut(index).and_then(Value::as_object_mut) else { return Vec::new() };
    let before = step.get("expect").and_then(Value::as_object).cloned();
    let found = match outcome {
        Outcome::Success(success) => {
            json!({ "value": success.value.value(), "content": success.content, "card": success.card })
        }
        Outcome::Failure(failure) => json!({ "failure": value(failure) }),
    };
    let found: Value = serde_json::from_str(&found.to_string().replace(server, "{server}")).unwrap_or(found);
    let after = expected(before.as_ref(), &found);
    let changed = match &before {
        None => vec!["new".to_owned()],
        Some(before) => {
            difference(before, &after).map(|(at, lines)| format!("changed at {at}\n{lines}")).into_iter().collect()
        }
    };
    step.insert("expect".to_owned(), Value::Object(after));
    changed
}

/// The fields that were there, as they are now. What ends otherwise than before is expected anew.
fn expected(before: Option<&Map<String, Value>>, found: &Value) -> Map<String, Value> {
    let failure = &found["failure"];
    if failure.is_null() {
        let keep = |key: &str| before.is_none_or(|before| before.contains_key("failure") || before.contains_key(key));
        return ["value", "content", "card"]
            .into_iter()
            .filter(|key| keep(key))
            .map(|key| (key.to_owned(), found[key].clone()))
            .collect();
    }
    let before = before.and_then(|before| before.get("failure")).and_then(Value::as_object);
    let keys =
        before.map_or_else(|| vec!["kind", "code", "message"], |before| before.keys().map(String::as_str).collect());
    let failure: Map<_, _> = keys.into_iter().map(|key| (key.to_owned(), failure[key].clone())).collect();
    Map::from_iter([("failure".to_owned(), Value::Object(failure))])
}

/// Replaces a file in one step: it is never half there.
pub(super) fn write(folder: &Path, name: &str, cases: &[Value], list: bool) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(folder)?;
    let text = match (list, cases) {
        (false, [case]) => serde_json::to_string_pretty(case)?,
        _ => serde_json::to_string_pretty(cases)?,
    };
    writeln!(file, "{text}")?;
    // The file is the vendor's own: others may read what they could read before.
    if let Ok(before) = std::fs::metadata(folder.join(name)) {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.persist(folder.join(name)).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: Option<Value>, found: Value, after: Value) {
        let before = before.map(|before| before.as_object().unwrap().clone());
        assert_eq!(Value::Object(expected(before.as_ref(), &found)), after);
    }

    #[test]
    fn only_what_was_expected_is_expected_again() {
        let found = json!({ "value": 1, "content": [], "card": {} });
        check(None, found.clone(), found.clone());
        check(Some(json!({ "card": 0 })), found.clone(), json!({ "card": {} }));
        check(Some(json!({})), found.clone(), json!({}));
        check(Some(json!({ "failure": { "code": "A" } })), found.clone(), found);
        let failed = json!({ "failure": { "kind": "failed", "code": "B", "message": "c", "usage": [] } });
        check(Some(json!({ "failure": { "code": "A" } })), failed.clone(), json!({ "failure": { "code": "B" } }));
        let three = json!({ "failure": { "kind": "failed", "code": "B", "message": "c" } });
        check(Some(json!({ "value": 1 })), failed.clone(), three.clone());
        check(None, failed, three);
    }

    #[test]
    fn a_file_keeps_its_order_and_ends_with_a_newline() {
        let folder = tempfile::tempdir().unwrap();
        let open = cap_std::fs::Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).unwrap();
        let check = |cases: &[Value], list: bool, text: &str| {
            write(folder.path(), "a.json", cases, list).unwrap();
            assert_eq!(open.read_to_string("a.json").unwrap(), text);
        };
        check(&[json!({ "b": 1, "a": [] })], false, "{\n  \"b\": 1,\n  \"a\": []\n}\n");
        check(&[json!(1)], true, "[\n  1\n]\n");
    }
}

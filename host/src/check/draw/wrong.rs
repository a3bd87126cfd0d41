//! Arguments that no tool may see: each breaks one rule of its input schema, or of JSON as hosts read it.
//!
//! A valid draw is spoiled in one place, and the validator says which rule that breaks; what breaks none is dropped. So
//! the list has each rule of the schema that can be broken in this way, and nothing that is only thought to be wrong.

use std::collections::BTreeSet;

use proptest::strategy::ValueTree as _;
use serde_json::{Map, Value, json};

use super::{Draws, LIMITS};
use crate::check::pointer::step;
use crate::{Json, JsonLimits};

/// Arguments that a host refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check) struct Wrong {
    /// What was done to them: `null`, `a key twice`.
    pub(in crate::check) how: &'static str,
    /// The rule that this breaks: a JSON pointer into the input schema, or a rule of the JSON gate such as
    /// `json/duplicate-key`.
    pub(in crate::check) rule: String,
    /// The text of the arguments.
    pub(in crate::check) text: String,
}

/// Draws that are spoiled: the least, the fullest, and some by chance for what neither holds.
const DRAWS: u64 = 6;

/// Places spoiled in one draw.
const PLACES: usize = 80;

/// The list ends here: a schema of a hundred rules has three for each.
const MOST: usize = 300;

/// The longest string and list made to be too long.
const LONGEST: usize = 16 << 10;
const MANY: usize = 2_000;

/// Wrong arguments, each kind of wrong once for each rule.
pub(in crate::check) fn wrong(draws: &Draws, seed: u64) -> Vec<Wrong> {
    let mut found = Vec::new();
    let (mut seen, mut texts) = (BTreeSet::new(), BTreeSet::new());
    let bounds = bounds(draws.root());
    for index in 0..DRAWS {
        let Ok(tree) = draws.tree(seed, index, 0) else { continue };
        let base = tree.current();
        if index == 0 {
            found.extend(no_json(&base));
        }
        for pointer in pointers(&base).into_iter().take(PLACES) {
            let Some(value) = base.pointer(&pointer) else { continue };
            for (how, spoiled) in spoiled(value, &bounds) {
                let mut whole = base.clone();
                let Some(place) = whole.pointer_mut(&pointer) else { continue };
                *place = spoiled;
                let Ok(json) = Json::from_value(whole, &LIMITS) else { continue };
                let Err(violations) = draws.schema().matches(&json) else { continue };
                let rule = violations.list().first().map(|first| first.rule.clone()).unwrap_or_default();
                let new = !texts.contains(json.text()) && seen.insert((how, rule.clone()));
                if new && found.len() < MOST {
                    texts.insert(json.text().to_owned());
                    found.push(Wrong { how, rule, text: json.text().to_owned() });
                }
            }
        }
    }
    found
}

/// What can be done to a value.
fn spoiled(value: &Value, bounds: &[i128]) -> Vec<(&'static str, Value)> {
    let others = [
        ("null", Value::Null),
        ("a boolean", json!(true)),
        ("a number", json!(0)),
        ("a negative number", json!(-1)),
        ("a fraction", json!(0.5)),
        ("a huge number", json!(1e300)),
        ("an integer of 64 bits", json!(u64::MAX)),
        ("an empty string", json!("")),
        ("a string", json!("\u{1b}x")),
        ("a number as a string", json!("1")),
        ("an empty list", json!([])),
        ("a list", json!([null])),
        ("an empty object", json!({})),
    ];
    let mut all: Vec<_> = others.into_iter().filter(|(_, other)| other != value).collect();
    match value {
        Value::Number(_) => all.extend(bounds.iter().flat_map(|bound| {
            let near = [bound - 1, *bound, bound + 1].into_iter().filter_map(|n| i64::try_from(n).ok());
            near.map(|near| ("a number next to a bound", json!(near)))
        })),
        Value::String(text) => {
            all.push(("another case", json!(text.to_uppercase())));
            all.push(("a character more", json!(format!("{text}\n"))));
            all.extend(lengths(bounds, LONGEST).map(|length| {
                (
                    "a length next to a bound",
                    json!(text.chars().chain(std::iter::repeat('a')).take(length).collect::<String>()),
                )
            }));
        }
        Value::Array(items) => {
            let filler = items.last().cloned().unwrap_or_default();
            all.push(("an element twice", json!([items.as_slice(), items.as_slice()].concat())));
            all.push(("an element of null", json!([items.as_slice(), &[Value::Null]].concat())));
            all.extend(lengths(bounds, MANY).map(|length| {
                let items: Vec<_> = items.iter().chain(std::iter::repeat(&filler)).take(length).collect();
                ("a count next to a bound", json!(items))
            }));
        }
        Value::Object(members) => {
            let with = |name: &str| {
                let mut members = members.clone();
                members.insert(name.to_owned(), Value::Null);
                Value::Object(members)
            };
            all.push(("an unknown property", with("unknown-to-every-schema")));
            all.push(("a property without a name", with("")));
            for name in members.keys() {
                let others = members.iter().filter(|(other, _)| *other != name);
                let less: Map<String, Value> = others.map(|(name, value)| (name.clone(), value.clone())).collect();
                all.push(("a property left out", Value::Object(less)));
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
    all
}

fn lengths(bounds: &[i128], most: usize) -> impl Iterator<Item = usize> {
    let near = bounds.iter().flat_map(|bound| [bound - 1, bound + 1]);
    near.filter_map(|near| usize::try_from(near).ok()).filter(move |near| *near <= most)
}

/// Every whole number that bounds something in a schema.
fn bounds(schema: &Value) -> Vec<i128> {
    let mut found = BTreeSet::new();
    let mut rest = vec![schema];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => {
                rest.extend(members.values());
                let bounding = |keyword: &str| {
                    let lower = keyword.to_ascii_lowercase();
                    lower.contains("min") || lower.contains("max") || lower == "multipleof"
                };
                let bounds = members.iter().filter(|(keyword, _)| bounding(keyword));
                found.extend(bounds.filter_map(|(_, bound)| bound.as_i64()).map(i128::from));
            }
            _ => {}
        }
    }
    found.into_iter().take(PLACES).collect()
}

/// JSON pointers to every place, the root first.
fn pointers(value: &Value) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = std::collections::VecDeque::from([(String::new(), value)]);
    while let Some((pointer, value)) = rest.pop_front() {
        match value {
            Value::Array(items) => {
                rest.extend(items.iter().enumerate().map(|(index, item)| (format!("{pointer}/{index}"), item)));
            }
            Value::Object(members) => {
                rest.extend(members.iter().map(|(name, value)| (format!("{pointer}/{}", step(name)), value)))
            }
            _ => {}
        }
        all.push(pointer);
    }
    all
}

/// What is wrong as text, whatever the schema says: the JSON gate refuses it.
fn no_json(base: &Value) -> Vec<Wrong> {
    let text = base.to_string();
    let (name, value) = match base.as_object().and_then(|members| members.iter().next()) {
        Some((name, value)) => (json!(name).to_string(), value.to_string()),
        None => ("\"a\"".to_owned(), "1".to_owned()),
    };
    let deep = usize::try_from(JsonLimits::MAX_DEPTH).unwrap_or(usize::MAX) + 1;
    let member = |value: &str| format!("{{{name}:{value}}}");
    let all = [
        ("a key twice", format!("{{{name}:{value},{name}:{value}}}")),
        ("a number past every float", member("1e999")),
        ("an integer past 64 bits", member("18446744073709551616")),
        ("an integer below 64 bits", member("-9223372036854775809")),
        ("nesting without end", member(&format!("{}{}", "[".repeat(deep), "]".repeat(deep)))),
        ("half a surrogate pair", member("\"\\ud800\"")),
        ("a control character in a string", member("\"a\u{1}b\"")),
        ("a line break in a string", member("\"a\nb\"")),
        ("an unknown escape", member("\"\\x41\"")),
        ("NaN", member("NaN")),
        ("a number that begins with a dot", member(".5")),
        ("a number that begins with a zero", member("01")),
        ("single quotes", "{'a':1}".to_owned()),
        ("a name without quotes", "{a:1}".to_owned()),
        ("a comma too many", format!("{{{name}:{value},}}")),
        ("a comment", format!("{text} // done")),
        ("two values", format!("{text} {text}")),
        ("the end missing", text.strip_suffix('}').unwrap_or("{").to_owned()),
        ("a byte order mark", format!("\u{feff}{text}")),
        ("no JSON at all", "please do it".to_owned()),
    ];
    let refused = |(how, text): (&'static str, String)| {
        let error = Json::parse(text.clone(), &LIMITS).err()?;
        Some(Wrong { how, rule: error.rule().to_owned(), text })
    };
    all.into_iter().filter_map(refused).collect()
}

//! Everything that applies to one value, as one list: references followed, `allOf` opened, a branch taken of each choice.

use serde_json::{Map, Value};

use super::hand::{Hand, Stuck};
use super::parts::types;

/// What applies to one value.
#[derive(Default)]
pub(super) struct Shape<'a> {
    /// Each of these has to hold.
    pub(super) all: Vec<&'a Map<String, Value>>,
    /// Properties that a choice needs.
    pub(super) present: Vec<&'a str>,
    /// Properties that a choice has ruled out.
    pub(super) absent: Vec<&'a str>,
    /// The subschema that it began with, for messages.
    pub(super) at: Option<&'a Value>,
}

/// Subschemas that one value may have to match at once. Admission bounds what all of a schema expands to at 10,000; a
/// value that needs a tenth of that is none that a person described.
const MAX_AT_ONCE: usize = 1_000;

impl<'a> Shape<'a> {
    /// Take a branch wherever there is a choice.
    pub(super) fn chosen(schemas: &[&'a Value], hand: &mut Hand<'a>) -> Result<Self, Stuck> {
        let mut shape = Self { at: schemas.first().copied(), ..Self::default() };
        let mut rest: Vec<&'a Value> = schemas.to_vec();
        while let Some(schema) = rest.pop() {
            let members = match schema {
                Value::Object(members) => members,
                Value::Bool(false) => return Err(hand.stuck(Some(schema), "nothing is allowed there")),
                _ => continue,
            };
            if shape.all.len() > MAX_AT_ONCE {
                return Err(hand.stuck(Some(schema), "too many subschemas apply to one value"));
            }
            for keyword in ["$ref", "$dynamicRef"] {
                let reference = members.get(keyword).and_then(Value::as_str);
                rest.extend(reference.and_then(|to| hand.plan.parts.target(hand.plan.root(), to)));
            }
            if hand.plan.parts.ignores_beside_ref() && members.contains_key("$ref") {
                continue;
            }
            shape.all.push(members);
            let list = |keyword: &str| members.get(keyword).and_then(Value::as_array).into_iter().flatten();
            rest.extend(list("allOf"));
            for keyword in ["anyOf", "oneOf"] {
                let branches: Vec<&'a Value> = list(keyword).collect();
                rest.extend(hand.branch(&branches));
            }
            if let Some(condition) = members.get("if") {
                match hand.choices.once_in(2) {
                    true => rest.extend([Some(condition), members.get("then")].into_iter().flatten()),
                    false => rest.extend(members.get("else")),
                }
            }
            for keyword in ["dependentSchemas", "dependencies"] {
                for (name, needs) in members.get(keyword).and_then(Value::as_object).into_iter().flatten() {
                    if needs.is_array() {
                        continue;
                    }
                    if shape.requires(name) || (!hand.short() && hand.choices.once_in(2)) {
                        shape.present.push(name);
                        rest.push(needs);
                    } else {
                        shape.absent.push(name);
                    }
                }
            }
        }
        Ok(shape)
    }

    fn requires(&self, name: &str) -> bool {
        self.each("required").flat_map(|names| names.as_array().into_iter().flatten()).any(|known| known == name)
    }

    /// The values of a keyword, of every subschema that has it.
    pub(super) fn each(&self, keyword: &str) -> impl Iterator<Item = &'a Value> {
        self.all.iter().filter_map(move |members| members.get(keyword))
    }

    pub(super) fn has(&self, keywords: &[&str]) -> bool {
        self.all.iter().any(|members| keywords.iter().any(|keyword| members.contains_key(*keyword)))
    }

    /// The largest of a keyword that bounds from below.
    pub(super) fn at_least(&self, keyword: &str) -> usize {
        self.each(keyword).filter_map(count).max().unwrap_or(0)
    }

    /// The smallest of a keyword that bounds from above.
    pub(super) fn at_most(&self, keyword: &str) -> Option<usize> {
        self.each(keyword).filter_map(count).min()
    }

    /// The values that `const` and `enum` leave; `None` where neither is there.
    pub(super) fn listed(&self) -> Option<Vec<&'a Value>> {
        let mut lists = Vec::new();
        lists.extend(self.each("const").map(|value| vec![value]));
        lists.extend(self.each("enum").map(|values| values.as_array().into_iter().flatten().collect()));
        let first = lists.pop()?;
        let types = self.types();
        let fits = |value: &&Value| {
            let kept = lists.iter().all(|list| list.iter().any(|other| same(other, value)));
            kept && types.iter().any(|name| is(value, name))
        };
        Some(first.into_iter().filter(fits).collect())
    }

    /// The types that every subschema allows.
    pub(super) fn types(&self) -> Vec<&'static str> {
        const ALL: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
        let allows = |members: &Map<String, Value>, name: &str| {
            let allowed = types(members);
            allowed.contains(&name) || (name == "integer" && allowed.contains(&"number"))
        };
        let left: Vec<_> =
            ALL.into_iter().filter(|name| self.all.iter().all(|members| allows(members, name))).collect();
        // Every integer is a number.
        if left.contains(&"number") { left.into_iter().filter(|name| *name != "integer").collect() } else { left }
    }
}

fn count(value: &Value) -> Option<usize> {
    let whole = value.as_u64().or_else(|| value.as_f64().map(|float| float as u64))?;
    usize::try_from(whole).ok()
}

/// JSON Schema's equality: numbers by value.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let held = |(name, value): (&String, &Value)| other.get(name).is_some_and(|other| same(value, other));
            one.len() == other.len() && one.iter().all(held)
        }
        _ => one == other,
    }
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => value.is_number(),
    }
}

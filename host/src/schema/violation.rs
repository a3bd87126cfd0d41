//! What is wrong with a value, told without the value.

use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde::Serialize;
use serde_json::Value;

use crate::json::bounded_pointer;

/// Bytes of a message. A schema's own constants may be as long as the schema.
const MESSAGE: usize = 300;

/// Names listed in a message before the rest is counted.
const NAMES: usize = 5;

/// One disagreement between a value and its schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// JSON pointer into the value, empty for the root; bounded as in [`JsonError`](crate::JsonError).
    pub pointer: String,
    /// JSON pointer to the keyword in the schema, such as `/properties/port/maximum`; bounded likewise. Empty where
    /// the rule is the host's own.
    pub rule: String,
    /// What the schema wants there. It repeats nothing of the value but property names, escaped and bounded.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at `{}`: {}", self.pointer, self.message)?;
        if self.rule.is_empty() { Ok(()) } else { write!(f, " (schema `{}`)", self.rule) }
    }
}

/// Everything that is wrong with a value, up to [`Violations::MAX`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violations {
    list: Vec<Violation>,
    truncated: bool,
}

impl Violations {
    /// Violations listed. More is for a machine, and a model repairs the first few.
    pub const MAX: usize = 20;

    /// At least one; the same ones in the same order each time.
    pub fn list(&self) -> &[Violation] {
        &self.list
    }

    /// Whether there are more than are listed.
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    pub(super) fn explain<'i>(errors: impl Iterator<Item = ValidationError<'i>>) -> Self {
        let mut errors = errors.peekable();
        let list = errors.by_ref().take(Self::MAX).map(|error| violation(&error)).collect();
        Self { list, truncated: errors.peek().is_some() }
    }

    /// A value that is invalid and too large to say why in full: what the root alone shows.
    pub(super) fn unexplained(schema: &Value, value: &Value, nodes: u64) -> Self {
        let host = |message: String| Violation { pointer: String::new(), rule: String::new(), message };
        let mut list = vec![host(format!(
            "does not match the schema; {nodes} values are too many to explain why, try a smaller part"
        ))];
        let mut truncated = true;
        if let (Some(required), Some(members)) = (schema.get("required").and_then(Value::as_array), value.as_object()) {
            let mut missing = required.iter().filter_map(Value::as_str).filter(|name| !members.contains_key(*name));
            list.extend(missing.by_ref().take(Self::MAX - 2).map(|name| Violation {
                rule: "/required".into(),
                ..host(format!("\"{}\" is a required property", bounded_name(name)))
            }));
        }
        if let Some(expected) = schema.get("type").and_then(Value::as_str)
            && !has_type(value, expected)
        {
            truncated = false;
            list.push(Violation { rule: "/type".into(), ..host(format!("value is not of type \"{expected}\"")) });
        }
        Self { list, truncated }
    }

    pub(super) fn too_large_to_check(nodes: u64) -> Self {
        let message = format!("{nodes} values are too many to check against this schema; write fewer, or shorter text");
        Self { list: vec![Violation { pointer: String::new(), rule: String::new(), message }], truncated: false }
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.list.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{violation}")?;
        }
        if self.truncated { f.write_str("; and more") } else { Ok(()) }
    }
}

fn violation(error: &ValidationError<'_>) -> Violation {
    Violation {
        pointer: rebound(error.instance_path().as_str()),
        rule: rebound(error.schema_path().as_str()),
        message: told(error),
    }
}

/// A pointer that came escaped, bounded.
pub(super) fn rebound(pointer: &str) -> String {
    let segments: Vec<String> =
        pointer.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~")).collect();
    bounded_pointer(segments.iter().map(String::as_str))
}

pub(super) fn told(error: &ValidationError<'_>) -> String {
    let mut message = match error.kind() {
        Kind::AdditionalProperties { unexpected } => names("properties that the schema does not name", unexpected),
        Kind::UnevaluatedProperties { unexpected } => names("properties that no part of the schema allows", unexpected),
        Kind::UnevaluatedItems { unexpected } => {
            format!("{} elements that no part of the schema allows", unexpected.len())
        }
        Kind::PropertyNames { error } => format!("a property name is refused: {}", told(error)),
        Kind::FalseSchema => "nothing is allowed here".to_owned(),
        Kind::AnyOf { context } => branches("matches no branch of `anyOf`", context),
        Kind::OneOfNotValid { context } => branches("matches no branch of `oneOf`", context),
        Kind::OneOfMultipleValid { .. } => "matches more than one branch of `oneOf`".to_owned(),
        Kind::Not { .. } => "matches a schema that `not` excludes".to_owned(),
        _ => error.masked().to_string(),
    };
    if message.len() > MESSAGE {
        message.truncate(message.floor_char_boundary(MESSAGE));
        message.push('…');
    }
    message
}

fn names(what: &str, names: &[String]) -> String {
    let listed: Vec<String> = names.iter().take(NAMES).map(|name| format!("\"{}\"", bounded_name(name))).collect();
    let more = names.len().saturating_sub(NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{what}: {}{more}", listed.join(", "))
}

/// Names the branch with the fewest errors: most often the one that was meant.
fn branches(what: &str, context: &[Vec<ValidationError<'_>>]) -> String {
    let nearest = context.iter().enumerate().min_by_key(|(_, errors)| errors.len());
    match nearest.and_then(|(index, errors)| Some((index, errors.first()?))) {
        Some((index, error)) => {
            format!("{what}; of branch {index}, at `{}`: {}", rebound(error.instance_path().as_str()), told(error))
        }
        None => what.to_owned(),
    }
}

/// A property name, as one pointer segment is bounded.
fn bounded_name(name: &str) -> String {
    bounded_pointer([name]).split_off(1)
}

fn has_type(value: &Value, name: &str) -> bool {
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

//! One pass over the text that builds the value and checks everything but integers on the way.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::map::{Entry, Map};
use serde_json::{Number, Value};

use super::{JsonError, JsonLimits, bounded_pointer, integers};

/// 2^63: every integer that `serde_json` rounds is at least this far from zero.
const ROUNDED: f64 = 9_223_372_036_854_775_808.0;

/// The value of `text`, its depth and its nodes.
pub(super) fn parse(text: &str, limits: &JsonLimits) -> Result<(Value, u32, u64), JsonError> {
    if text.starts_with('\u{feff}') {
        return Err(JsonError::ByteOrderMark);
    }
    if text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
        return Err(JsonError::Empty);
    }
    let walk = Walk::new(limits);
    let mut source = serde_json::Deserializer::from_str(text);
    let value = Node { walk: &walk, depth: 0 }
        .deserialize(&mut source)
        .and_then(|value| source.end().map(|()| value))
        .map_err(|error| walk.explain(&error))?;
    if walk.rounded.get()
        && let Some(path) = integers::first_out_of_range(text)
    {
        return Err(JsonError::IntegerOutOfRange { pointer: bounded_pointer(path.iter().map(String::as_str)) });
    }
    Ok((value, walk.deepest.get(), walk.nodes.get()))
}

/// What the whole pass shares. Cells, because each level of the recursion holds it.
struct Walk {
    max_depth: u32,
    max_nodes: u64,
    deepest: Cell<u32>,
    nodes: Cell<u64>,
    /// Whether a float was seen that may have been an integer.
    rounded: Cell<bool>,
    failure: Cell<Option<Failure>>,
    /// Keys and indices from the failure up to the root: filled while the error travels up, so that a text
    /// without an error pays nothing for it.
    path: RefCell<Vec<String>>,
}

#[derive(Clone, Copy)]
enum Failure {
    Depth,
    Nodes,
    Duplicate,
    NotFinite,
}

impl Walk {
    fn new(limits: &JsonLimits) -> Self {
        Self {
            max_depth: limits.max_depth(),
            max_nodes: limits.nodes,
            deepest: Cell::new(0),
            nodes: Cell::new(0),
            rounded: Cell::new(false),
            failure: Cell::new(None),
            path: RefCell::new(Vec::new()),
        }
    }

    /// Counts one value.
    fn enter(&self) -> Result<(), Failure> {
        if self.nodes.get() >= self.max_nodes {
            return Err(Failure::Nodes);
        }
        self.nodes.set(self.nodes.get() + 1);
        Ok(())
    }

    /// Notes an array or object that has `depth` others around it.
    fn nest(&self, depth: u32) -> Result<(), Failure> {
        if depth >= self.max_depth {
            return Err(Failure::Depth);
        }
        self.deepest.set(self.deepest.get().max(depth + 1));
        Ok(())
    }

    fn fail<E: serde::de::Error>(&self, failure: Failure) -> E {
        self.failure.set(Some(failure));
        E::custom("refused")
    }

    /// On the way up: the value under `segment` failed. An error between two values is no value's.
    fn left(&self, nodes_before: u64, segment: impl FnOnce() -> String) {
        let counted = self.nodes.get() != nodes_before || matches!(self.failure.get(), Some(Failure::Nodes));
        if counted {
            self.path.borrow_mut().push(segment());
        }
    }

    fn pointer(&self) -> String {
        bounded_pointer(self.path.borrow().iter().rev().map(String::as_str))
    }

    fn refusal(&self, failure: Failure) -> JsonError {
        let pointer = self.pointer();
        match failure {
            Failure::Depth => {
                JsonError::TooDeep { pointer, limit: self.max_depth, at_least: self.max_depth.saturating_add(1) }
            }
            Failure::Nodes => {
                JsonError::TooManyNodes { pointer, limit: self.max_nodes, at_least: self.max_nodes.saturating_add(1) }
            }
            Failure::Duplicate => JsonError::DuplicateKey { pointer },
            Failure::NotFinite => JsonError::NotFinite { pointer },
        }
    }

    /// `serde_json` keeps its reasons in text only; the two that have a rule of their own are told by it.
    fn explain(&self, error: &serde_json::Error) -> JsonError {
        if let Some(failure) = self.failure.get() {
            return self.refusal(failure);
        }
        let (line, column) = (error.line() as u64, error.column() as u64);
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        match reason {
            "number out of range" => self.refusal(Failure::NotFinite),
            "recursion limit exceeded" => self.refusal(Failure::Depth),
            reason => JsonError::Syntax { pointer: self.pointer(), line, column, reason: reason.to_owned() },
        }
    }
}

/// One value to read, with `depth` arrays and objects around it.
#[derive(Clone, Copy)]
struct Node<'a> {
    walk: &'a Walk,
    depth: u32,
}

impl Node<'_> {
    fn child(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        self.walk.enter().map_err(|failure| self.walk.fail(failure))?;
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        if value.abs() >= ROUNDED {
            self.walk.rounded.set(true);
        }
        Number::from_f64(value).map(Value::Number).ok_or_else(|| self.walk.fail(Failure::NotFinite))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Value, A::Error> {
        let walk = self.walk;
        walk.nest(self.depth).map_err(|failure| walk.fail(failure))?;
        let mut items = Vec::new();
        loop {
            let before = walk.nodes.get();
            match source.next_element_seed(self.child()) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => return Ok(Value::Array(items)),
                Err(error) => {
                    walk.left(before, || items.len().to_string());
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Value, A::Error> {
        let walk = self.walk;
        walk.nest(self.depth).map_err(|failure| walk.fail(failure))?;
        let mut members = Map::new();
        while let Some(key) = source.next_key::<String>()? {
            match members.entry(key) {
                Entry::Vacant(slot) => {
                    let before = walk.nodes.get();
                    match source.next_value_seed(self.child()) {
                        Ok(value) => {
                            slot.insert(value);
                        }
                        Err(error) => {
                            walk.left(before, || slot.key().clone());
                            return Err(error);
                        }
                    }
                }
                Entry::Occupied(slot) => {
                    walk.path.borrow_mut().push(slot.key().clone());
                    return Err(walk.fail(Failure::Duplicate));
                }
            }
        }
        Ok(Value::Object(members))
    }
}

/// `value` again with its depth and nodes, if they are within the limits.
pub(super) fn measure(value: Value, limits: &JsonLimits) -> Result<(Value, u32, u64), JsonError> {
    let walk = Walk::new(limits);
    match measure_node(&value, &walk, 0) {
        Ok(()) => Ok((value, walk.deepest.get(), walk.nodes.get())),
        Err(failure) => {
            dismantle(value);
            Err(walk.refusal(failure))
        }
    }
}

/// Recursion goes no deeper than [`JsonLimits::MAX_DEPTH`].
fn measure_node(value: &Value, walk: &Walk, depth: u32) -> Result<(), Failure> {
    walk.enter()?;
    match value {
        Value::Array(items) => {
            walk.nest(depth)?;
            items.iter().enumerate().try_for_each(|(index, item)| {
                measure_node(item, walk, depth + 1).inspect_err(|_| walk.path.borrow_mut().push(index.to_string()))
            })
        }
        Value::Object(members) => {
            walk.nest(depth)?;
            members.iter().try_for_each(|(key, member)| {
                measure_node(member, walk, depth + 1).inspect_err(|_| walk.path.borrow_mut().push(key.clone()))
            })
        }
        _ => Ok(()),
    }
}

/// Drops a value level by level: one nested a million deep would overflow the stack otherwise.
fn dismantle(value: Value) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => rest.extend(members.into_iter().map(|(_, member)| member)),
            _ => {}
        }
    }
}

// `serde_json` enforces 127 levels of its own accord; a bound beyond that would be a promise it does not keep.
const _: () = assert!(JsonLimits::MAX_DEPTH == 127);

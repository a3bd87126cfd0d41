//! The hand that draws one value, and what it may still spend on it.

use serde_json::Value;

use super::plan::Plan;
use super::seed::Choices;
use super::shape::Shape;
use super::{Purpose, number, object, text};

/// One value in the making.
pub(super) struct Hand<'a> {
    pub(super) plan: &'a Plan,
    pub(super) choices: Choices,
    pub(super) how: How,
    depth: u32,
    values_left: usize,
    pub(super) text_left: usize,
    steps_left: usize,
}

/// How much a draw tries to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// As little as the schema allows: what shrinking falls back to.
    Least,
    /// Every optional property.
    Fullest,
    /// Whatever the seed says.
    Any,
}

/// A place where no value could be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stuck {
    pub(super) pointer: String,
    pub(super) why: String,
}

/// Nesting at which a draw begins to keep short. A reader of a counter-example follows four levels.
const SHORT_AT: u32 = 4;

/// Nesting at which it gives up: the JSON gate stops at 64, and the value may be held by another.
const MAX_DEPTH: u32 = 60;

/// Values of one draw before it keeps short. A hundred times as many take a projector tens of milliseconds.
const VALUES: usize = 300;

/// Characters of one draw before it keeps short: some kilobytes, several times the longest of the nasty texts.
pub(super) const TEXT: usize = 24 << 10;

/// Subschemas looked at in one draw, those of abandoned tries included.
const STEPS: usize = 5_000;

/// Tries at one value, with other branches each time.
const TRIES: usize = 4;

impl<'a> Hand<'a> {
    pub(super) fn new(plan: &'a Plan, choices: Choices, how: How) -> Self {
        Self { plan, choices, how, depth: 0, values_left: VALUES, text_left: TEXT, steps_left: STEPS }
    }

    /// Whether to add nothing that the schema does not demand.
    pub(super) fn short(&self) -> bool {
        self.how == How::Least || self.depth > SHORT_AT || self.values_left == 0
    }

    /// For arguments anything goes that the schema takes; a value is what a program would write.
    pub(super) fn purpose(&self) -> Purpose {
        self.plan.purpose
    }

    pub(super) fn stuck(&self, at: Option<&Value>, why: impl Into<String>) -> Stuck {
        let pointer = at.map(|schema| self.plan.parts.pointer(schema).to_owned()).unwrap_or_default();
        Stuck { pointer, why: why.into() }
    }

    /// One of several branches: where the draw keeps short, one that needs the least nesting.
    pub(super) fn branch(&mut self, branches: &[&'a Value]) -> Option<&'a Value> {
        let parts = &self.plan.parts;
        let ending: Vec<&'a Value> = branches.iter().copied().filter(|branch| parts.ends(branch)).collect();
        let branches = if ending.is_empty() { branches } else { &ending };
        if self.short() {
            return branches.iter().copied().min_by_key(|branch| parts.least(branch));
        }
        self.choices.one_of(branches).copied()
    }

    /// A value that matches all of these, as far as they can be drawn by. The validator has the last word.
    pub(super) fn value(&mut self, schemas: &[&'a Value]) -> Result<Value, Stuck> {
        let endless = schemas.iter().copied().find(|schema| schema.is_object() && !self.plan.parts.ends(schema));
        if let Some(endless) = endless.filter(|_| self.depth > SHORT_AT) {
            return Err(self.stuck(Some(endless), "no value is possible there but one nested without end"));
        }
        let mut last = None;
        // Further in, each try is made as often as those around it.
        let tries = if self.depth > SHORT_AT || endless.is_some() { 1 } else { TRIES };
        for _ in 0..tries {
            match self.steps_left.checked_sub(1) {
                Some(left) => self.steps_left = left,
                None => return Err(self.stuck(schemas.first().copied(), "the schema leads on without end")),
            }
            match self.once(schemas) {
                Ok(value) => return Ok(value),
                Err(stuck) => last = last.or(Some(stuck)),
            }
        }
        Err(last.unwrap_or_else(|| self.stuck(schemas.first().copied(), "no value was found")))
    }

    fn once(&mut self, schemas: &[&'a Value]) -> Result<Value, Stuck> {
        let shape = Shape::chosen(schemas, self)?;
        self.values_left = self.values_left.saturating_sub(1);
        if let Some(listed) = shape.listed() {
            let first = if self.how == How::Least { listed.first() } else { self.choices.one_of(&listed) };
            let none = || self.stuck(shape.at, "no listed value fits the rest of the schema");
            return first.map(|value| (*value).clone()).ok_or_else(none);
        }
        let mut types = self.usual(&shape);
        if self.short() {
            // The list of types begins with the simplest.
        } else {
            self.choices.shuffle(&mut types);
        }
        let mut last = None;
        for name in types {
            match self.of_type(name, &shape) {
                Ok(value) => return Ok(value),
                Err(stuck) => last = last.or(Some(stuck)),
            }
        }
        Err(last.unwrap_or_else(|| self.stuck(shape.at, "no type is left that every part of the schema allows")))
    }

    /// The types to draw from. A schema that speaks of properties and names no type means an object most of the time.
    fn usual(&mut self, shape: &Shape<'a>) -> Vec<&'static str> {
        let types = shape.types();
        let meant = [
            ("object", &["properties", "required", "additionalProperties", "patternProperties", "propertyNames"][..]),
            ("array", &["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"][..]),
            ("string", &["pattern", "minLength", "maxLength", "format"][..]),
            ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"][..]),
        ];
        let meant = meant.into_iter().find(|(name, keywords)| types.contains(name) && shape.has(keywords));
        match meant {
            Some((name, _)) if !shape.has(&["type"]) && !self.choices.once_in(4) => vec![name],
            _ => types,
        }
    }

    fn of_type(&mut self, name: &str, shape: &Shape<'a>) -> Result<Value, Stuck> {
        match name {
            "null" => Ok(Value::Null),
            "boolean" => Ok(Value::Bool(self.how != How::Least && self.choices.once_in(2))),
            "integer" => number::integer(shape, self),
            "number" => number::number(shape, self),
            "string" => text::text(shape, self).map(Value::String),
            "array" => self.deeper(shape, super::array::array),
            _ => self.deeper(shape, object::object),
        }
    }

    fn deeper(
        &mut self,
        shape: &Shape<'a>,
        draw: impl FnOnce(&Shape<'a>, &mut Self) -> Result<Value, Stuck>,
    ) -> Result<Value, Stuck> {
        if self.depth >= MAX_DEPTH {
            return Err(self.stuck(shape.at, format!("a value there is nested over {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let drawn = draw(shape, self);
        self.depth -= 1;
        drawn
    }
}

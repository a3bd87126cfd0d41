//! From a draw that fails to the least one that still does.
//!
//! What is tried next is made from the value itself and shown to the validator, so that every step matches the schema,
//! whatever the schema says.

use std::collections::{HashMap, VecDeque};

use proptest::strategy::ValueTree;
use serde_json::{Number, Value};

use super::Draws;

/// A drawn value that can be made simpler step by step, as proptest's value trees are.
pub(in crate::check) struct Tree {
    draws: Draws,
    /// `None`: it was never asked to become simpler.
    hints: Option<Hints>,
    /// The simplest that is known to fail; at first what was drawn.
    base: Value,
    size: Size,
    /// Under trial.
    trial: Option<Value>,
    /// Places of the base, the outermost first, and which of them is next.
    places: Vec<Vec<Step>>,
    next: usize,
    /// To stand at the place before.
    waiting: VecDeque<Value>,
    /// Whether this round over the places has made anything simpler.
    simpler: bool,
    left: u32,
}

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

/// Candidates shown to the validator for one draw: some tenths of a second for a draw of the largest size.
const CANDIDATES: u32 = 20_000;

/// Parts taken out of one string, list or object in one round.
const REMOVALS: usize = 96;

/// Values that the schema lists, tried in place of others.
const LISTED: usize = 64;

/// Different steps tried between numbers.
const STEPS: usize = 8;

/// Parts of a value tried in its place: what a recursive schema allows.
const HOISTED: usize = 8;

impl Tree {
    pub(super) fn new(draws: Draws, value: Value) -> Self {
        Self {
            draws,
            hints: None,
            size: Size::of(&value),
            base: value,
            trial: None,
            places: Vec::new(),
            next: 0,
            waiting: VecDeque::new(),
            simpler: false,
            left: CANDIDATES,
        }
    }

    /// Most draws fail nothing, and are never shrunk.
    fn begin(&mut self) {
        self.hints = Some(Hints::of(self.draws.root()));
        self.places = places(&self.base);
        self.waiting.extend(self.draws.least());
    }

    /// The simplest value that is known to fail, whatever is under trial.
    pub(in crate::check) fn failing(self) -> Value {
        self.base
    }

    /// The next simpler value that matches the schema.
    fn advance(&mut self) -> bool {
        self.trial = None;
        loop {
            while let Some(value) = self.waiting.pop_front() {
                let Some(left) = self.left.checked_sub(1) else { return false };
                self.left = left;
                let whole = match self.next.checked_sub(1) {
                    Some(at) => replaced(&self.base, self.places.get(at).map_or(&[], Vec::as_slice), value),
                    None => Some(value),
                };
                let Some(whole) = whole else { continue };
                if Size::of(&whole) < self.size && self.draws.matches(&whole) {
                    self.trial = Some(whole);
                    return true;
                }
            }
            if let Some(place) = self.places.get(self.next) {
                if let (Some(value), Some(hints)) = (at(&self.base, place), &self.hints) {
                    self.waiting.extend(simpler(value, hints));
                }
                self.next += 1;
            } else if self.simpler {
                (self.next, self.simpler) = (0, false);
            } else {
                return false;
            }
        }
    }
}

impl ValueTree for Tree {
    type Value = Value;

    fn current(&self) -> Value {
        self.trial.as_ref().unwrap_or(&self.base).clone()
    }

    fn simplify(&mut self) -> bool {
        if self.hints.is_none() {
            self.begin();
        }
        if let Some(base) = self.trial.take() {
            self.size = Size::of(&base);
            self.base = base;
            self.places = places(&self.base);
            self.simpler = true;
            // The place that was made simpler may be made so again.
            self.next = self.next.saturating_sub(1);
            self.waiting.clear();
        }
        self.advance()
    }

    fn complicate(&mut self) -> bool {
        self.advance()
    }
}

/// What a schema says of the values that it takes.
#[derive(Default)]
struct Hints {
    /// Every value that it lists, the shortest first.
    listed: Vec<Value>,
    /// What numbers have to be multiples of, and 1.
    steps: Vec<i64>,
}

impl Hints {
    fn of(schema: &Value) -> Self {
        let mut listed: HashMap<String, Value> = HashMap::new();
        let mut steps = vec![1];
        let mut rest = vec![schema];
        while let Some(part) = rest.pop() {
            let constant = part.get("const").into_iter();
            let values = part.get("enum").and_then(Value::as_array).into_iter().flatten();
            listed.extend(constant.chain(values).take(LISTED).map(|value| (value.to_string(), value.clone())));
            steps
                .extend(part.get("multipleOf").and_then(Value::as_i64).filter(|step| *step > 1 && steps.len() < STEPS));
            rest.extend(parts(part));
        }
        let mut listed: Vec<_> = listed.into_iter().collect();
        listed.sort_by(|(one, _), (other, _)| (one.len(), one).cmp(&(other.len(), other)));
        Self { listed: listed.into_iter().take(LISTED).map(|(_, value)| value).collect(), steps }
    }
}

/// What is simpler has a shorter text; of one length, the one with more of the letter `a`; then the one that sorts first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Size {
    length: usize,
    others: usize,
    text: String,
}

impl Size {
    fn of(value: &Value) -> Self {
        let text = value.to_string();
        Self { length: text.len(), others: text.bytes().filter(|byte| *byte != b'a').count(), text }
    }
}

/// What may stand in a value's place and be simpler.
fn simpler(value: &Value, hints: &Hints) -> Vec<Value> {
    let mut all = match value {
        Value::Null => Vec::new(),
        Value::Bool(_) => vec![Value::Bool(false)],
        Value::Number(number) => numbers(number, &hints.steps),
        Value::String(text) => texts(text),
        Value::Array(items) => {
            let removed = removals(items.len())
                .into_iter()
                .map(|(from, to)| Value::Array(items[..from].iter().chain(&items[to..]).cloned().collect()));
            removed.collect()
        }
        Value::Object(members) => {
            let names: Vec<&String> = members.keys().collect();
            let removed = removals(names.len()).into_iter().map(|(from, to)| {
                let kept = names[..from].iter().chain(&names[to..]);
                Value::Object(kept.map(|name| ((*name).clone(), members[name.as_str()].clone())).collect())
            });
            removed.collect()
        }
    };
    all.extend(parts(value).into_iter().filter(|part| part.is_array() || part.is_object()).take(HOISTED).cloned());
    all.extend_from_slice(&hints.listed);
    all
}

fn numbers(number: &Number, steps: &[i64]) -> Vec<Value> {
    let mut all = vec![Value::from(0), Value::from(1)];
    if let Some(whole) = number.as_i64() {
        for step in steps {
            let near = |number: i64| Value::from(number / step * step);
            all.extend([whole / 1_000, whole / 10, whole / 2, whole - whole.signum()].map(near));
        }
        all.extend(whole.checked_neg().map(Value::from));
    } else if let Some(whole) = number.as_u64() {
        all.extend([whole / 1_000, whole / 10, whole / 2, whole - 1].map(Value::from));
    } else if let Some(float) = number.as_f64() {
        // Halves of a float end at the least of all floats; a handful leads to where its whole part takes over.
        let halves = [float.trunc(), float / 2.0, (float * 10.0).trunc() / 10.0, -float];
        all.extend(halves.into_iter().filter_map(Number::from_f64).map(Value::Number));
        if float.fract() == 0.0 && float.abs() < 1e15 {
            all.push(Value::from(float as i64));
        }
    }
    all
}

fn texts(text: &str) -> Vec<Value> {
    let chars: Vec<char> = text.chars().collect();
    let removed =
        removals(chars.len()).into_iter().map(|(from, to)| chars[..from].iter().chain(&chars[to..]).collect());
    let mut all: Vec<String> = removed.collect();
    for (index, _) in chars.iter().enumerate().filter(|(_, c)| **c != 'a').take(REMOVALS) {
        let with = |(at, c): (usize, &char)| if at == index { 'a' } else { *c };
        all.push(chars.iter().enumerate().map(with).collect());
    }
    all.into_iter().map(Value::String).collect()
}

/// Ranges to take out of something so long: all of it, halves, quarters, and so on to single parts.
fn removals(length: usize) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut size = length;
    while size > 0 && all.len() < REMOVALS {
        all.extend((0..length).step_by(size).map(|from| (from, (from + size).min(length))));
        size /= 2;
    }
    all.truncate(REMOVALS);
    all
}

fn parts(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    }
}

/// Every place of a value, the outermost first.
fn places(value: &Value) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    let mut rest: VecDeque<(Vec<Step>, &Value)> = VecDeque::from([(Vec::new(), value)]);
    while let Some((path, value)) = rest.pop_front() {
        let under = |step: Step| [path.as_slice(), &[step]].concat();
        match value {
            Value::Array(items) => {
                rest.extend(items.iter().enumerate().map(|(index, item)| (under(Step::Index(index)), item)));
            }
            Value::Object(members) => {
                rest.extend(members.iter().map(|(key, value)| (under(Step::Key(key.clone())), value)));
            }
            _ => {}
        }
        all.push(path);
    }
    all
}

fn at<'a>(value: &'a Value, path: &[Step]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    })
}

fn replaced(value: &Value, path: &[Step], with: Value) -> Option<Value> {
    let mut whole = value.clone();
    let mut place = &mut whole;
    for step in path {
        place = match step {
            Step::Key(key) => place.get_mut(key)?,
            Step::Index(index) => place.get_mut(index)?,
        };
    }
    *place = with;
    Some(whole)
}

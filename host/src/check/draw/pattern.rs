//! Strings that match a pattern.
//!
//! Patterns of JSON Schema are those of JavaScript and match anywhere in a string; proptest makes the whole of a string
//! from an expression of Rust's. So a pattern is written over: anchors are taken out and remembered, classes mean what
//! they mean in JavaScript, and what is unbounded gets a bound.

use proptest::prelude::Strategy as _;
use proptest::strategy::ValueTree as _;
use proptest::string::{RegexGeneratorStrategy, string_regex};
use serde_json::{Value, json};

use super::hand::{Hand, How};
use super::text::around;
use crate::{Json, JsonLimits, Schema, Use};

/// One pattern: how to make strings of it and how to tell them.
pub(super) struct Pattern {
    source: String,
    /// With `*` and `+` meaning few, and more.
    makers: Vec<RegexGeneratorStrategy<String>>,
    open_before: bool,
    open_after: bool,
    schema: Option<Schema>,
}

/// What `*` and `+` are bounded to.
const REPEATS: [(usize, usize); 2] = [(0, 4), (0, 32)];

/// Tries at a string that is of the right length.
const TRIES: usize = 24;

/// Steps towards the least string of a pattern.
const SIMPLER: usize = 500;

/// More than the draws of this module are.
const LIMITS: JsonLimits = JsonLimits { bytes: 4 << 20, depth: 1, nodes: 1 };

impl Pattern {
    pub(super) fn new(source: &str) -> Self {
        let makers = REPEATS.iter().filter_map(|repeats| maker(source, *repeats)).collect();
        let (_, open_before, open_after) = written_over(source, REPEATS[0]);
        let schema = Schema::admit(&json!({"type": "string", "pattern": source}), Use::Output).ok();
        Self { source: source.to_owned(), makers, open_before, open_after, schema }
    }

    /// Asks the validator that the schema is checked by.
    pub(super) fn matches(&self, text: &str) -> bool {
        let Ok(json) = Json::from_value(Value::String(text.to_owned()), &LIMITS) else { return false };
        self.schema.as_ref().is_some_and(|schema| schema.matches(&json).is_ok())
    }

    /// A string that matches, of so many characters. `None`: none was found.
    pub(super) fn draw(&self, hand: &mut Hand<'_>, least: usize, most: usize) -> Option<String> {
        let fits = |text: &str| (least..=most).contains(&text.chars().count()) && self.matches(text);
        // What repeats has to repeat often enough.
        let long = if least > 4 { maker(&self.source, (least, least + 32)) } else { None };
        let exact = if least > 4 { maker(&self.source, (least, least)) } else { None };
        let makers: Vec<_> = self.makers.iter().chain(&long).chain(&exact).collect();
        for _ in 0..TRIES {
            let maker = hand.choices.one_of(&makers)?;
            let mut tree = maker.new_tree(hand.choices.runner()).ok()?;
            if hand.how == How::Least {
                if let Some(found) = least_of(&mut tree, &fits) {
                    return Some(found);
                }
                continue;
            }
            let before = if self.open_before { around(hand) } else { "" };
            let after = if self.open_after { around(hand) } else { "" };
            let text = format!("{before}{}{after}", tree.current());
            if fits(&text) {
                return Some(text);
            }
        }
        None
    }
}

/// Shrink a string as long as it fits.
fn least_of(
    tree: &mut impl proptest::strategy::ValueTree<Value = String>,
    fits: &impl Fn(&str) -> bool,
) -> Option<String> {
    let mut found = Some(tree.current()).filter(|text| fits(text))?;
    let mut more = tree.simplify();
    for _ in 0..SIMPLER {
        if !more {
            break;
        }
        let text = tree.current();
        more = if fits(&text) {
            found = text;
            tree.simplify()
        } else {
            tree.complicate()
        };
    }
    Some(found)
}

fn maker(source: &str, repeats: (usize, usize)) -> Option<RegexGeneratorStrategy<String>> {
    string_regex(&written_over(source, repeats).0).ok()
}

/// The pattern in Rust's syntax, and whether anything may stand before and after it.
fn written_over(source: &str, (least, most): (usize, usize)) -> (String, bool, bool) {
    let (mut open_before, mut open_after) = (true, true);
    let mut out = String::new();
    let mut in_class = false;
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match (c, in_class) {
            ('\\', _) => escape(chars.next(), in_class, &mut out),
            (']', true) => {
                in_class = false;
                out.push(c);
            }
            // Rust nests classes and combines them.
            ('[' | '&' | '~', true) => out.extend(['\\', c]),
            (_, true) => out.push(c),
            ('[', false) => {
                in_class = true;
                out.push(c);
            }
            ('^', false) => open_before = false,
            ('$', false) => open_after = false,
            ('*', false) => out.push_str(&format!("{{{least},{}}}", most.max(least))),
            ('+', false) => out.push_str(&format!("{{{},{}}}", least.max(1), most.max(least).max(1))),
            (_, false) => out.push(c),
        }
    }
    (out, open_before, open_after)
}

/// An escape of JavaScript's: its classes are of ASCII, and a boundary makes no character.
fn escape(escaped: Option<char>, in_class: bool, out: &mut String) {
    let class = match escaped {
        Some('d' | 'D') => "0-9",
        Some('w' | 'W') => "A-Za-z0-9_",
        Some('s' | 'S') => " \\t\\n\\r\\x0b\\x0c",
        Some('b') if in_class => return out.push_str("\\x08"),
        Some('b' | 'B') | None => return,
        Some('/') => return out.push('/'),
        Some(other) => return out.extend(['\\', other]),
    };
    let negated = escaped.is_some_and(|letter| letter.is_ascii_uppercase());
    match (negated, in_class) {
        (false, true) => out.push_str(class),
        (false, false) => out.extend(["[", class, "]"]),
        (true, _) => out.extend(["[^", class, "]"]),
    }
}

//! A schema as a graph: subschemas, and what each applies to the same value or to the parts of it.

use std::borrow::Cow;
use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::dialect::Dialect;
use super::keywords::{Holds, Step, holds};
use super::report::Report;
use super::{MAX_EXPANDED, MAX_SUBSCHEMAS};
use crate::json::bounded_pointer;

/// The subschemas of one schema, the root first.
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Subschema<'a>>,
    /// By address, which is unique as long as the schema is borrowed.
    numbers: HashMap<*const Value, usize>,
}

pub(super) struct Subschema<'a> {
    pub(super) value: &'a Value,
    parent: Option<(usize, &'a str, Option<Segment<'a>>)>,
    /// What it applies to the same value, once for each place that does.
    pub(super) in_place: Vec<usize>,
    /// What it applies to parts of the value.
    pub(super) parts: Vec<(Part<'a>, usize)>,
    /// `unevaluatedProperties` and `unevaluatedItems` here: 0, 1 or 2.
    pub(super) unevaluated: u32,
}

#[derive(Clone, Copy)]
enum Segment<'a> {
    Key(&'a str),
    Index(usize),
}

/// The part of a value that a subschema is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part<'a> {
    Property(&'a str),
    AnyProperty,
    OtherProperty,
    Element(usize),
    AnyElement,
    OtherElement,
    Keys,
}

impl<'a> Graph<'a> {
    /// Walks `schema`, no deeper than its JSON nests, and resolves its references.
    pub(super) fn read(schema: &'a Value, dialect: Dialect, report: &mut Report) -> Self {
        let mut graph = Self { nodes: Vec::new(), numbers: HashMap::new() };
        let mut walk = Walk { copies: 0, full: false };
        graph.add(schema, None, 1, 0, &mut walk);
        if walk.full {
            report.refuse(
                "schema/too-many-subschemas",
                String::new(),
                format!("more than {MAX_SUBSCHEMAS} subschemas"),
                "split the tool, or describe its data less closely",
            );
        } else if walk.copies > MAX_EXPANDED {
            report.refuse(
                "schema/expands",
                String::new(),
                format!("compiles to over {MAX_EXPANDED} subschemas: `unevaluated…` keywords nest"),
                "use `additionalProperties`, or an `unevaluated…` keyword at one level only",
            );
        }
        graph.resolve(schema, dialect, report);
        graph
    }

    /// The JSON pointer of a subschema, bounded for messages.
    pub(super) fn pointer(&self, node: usize) -> String {
        self.pointer_under(node, None)
    }

    /// The JSON pointer of a keyword of a subschema.
    pub(super) fn pointer_under(&self, node: usize, keyword: Option<&str>) -> String {
        let mut path: Vec<String> = keyword.iter().map(|&keyword| keyword.to_owned()).collect();
        let mut at = node;
        while let Some((parent, keyword, segment)) = self.nodes[at].parent {
            match segment {
                Some(Segment::Key(key)) => path.push(key.to_owned()),
                Some(Segment::Index(index)) => path.push(index.to_string()),
                None => {}
            }
            path.push(keyword.to_owned());
            at = parent;
        }
        bounded_pointer(path.iter().rev().map(String::as_str))
    }

    /// The keyword that holds a subschema.
    pub(super) fn holder(&self, node: usize) -> Option<&'a str> {
        self.nodes[node].parent.map(|(_, keyword, _)| keyword)
    }

    fn add(
        &mut self,
        value: &'a Value,
        parent: Option<(usize, &'a str, Option<Segment<'a>>)>,
        copies: u64,
        unevaluated: u32,
        walk: &mut Walk,
    ) -> Option<usize> {
        if self.nodes.len() >= MAX_SUBSCHEMAS {
            walk.full = true;
            return None;
        }
        // Not a schema; the meta-schema says so.
        if !value.is_object() && !value.is_boolean() {
            return None;
        }
        walk.copies = walk.copies.saturating_add(copies);
        let number = self.nodes.len();
        self.numbers.insert(std::ptr::from_ref(value), number);
        let own = value.as_object().map_or(0, |members| {
            u32::from(members.contains_key("unevaluatedProperties"))
                + u32::from(members.contains_key("unevaluatedItems"))
        });
        self.nodes.push(Subschema { value, parent, in_place: Vec::new(), parts: Vec::new(), unevaluated: own });
        for (keyword, held) in value.as_object().into_iter().flatten() {
            for (segment, step, child) in held_by(keyword, held) {
                let (copies, unevaluated) = match step {
                    Step::InPlace => (copies.saturating_mul(remarked(unevaluated + own)), unevaluated + own),
                    _ => (copies, 0),
                };
                let Some(child) = self.add(child, Some((number, keyword, segment)), copies, unevaluated, walk) else {
                    continue;
                };
                let part = match (step, segment) {
                    (Step::InPlace, _) => {
                        self.nodes[number].in_place.push(child);
                        continue;
                    }
                    (Step::Nothing, _) => continue,
                    (Step::Property, Some(Segment::Key(key))) => Part::Property(key),
                    (Step::Element, Some(Segment::Index(index))) => Part::Element(index),
                    (Step::Property | Step::AnyProperty, _) => Part::AnyProperty,
                    (Step::Element | Step::AnyElement, _) => Part::AnyElement,
                    (Step::OtherProperty, _) => Part::OtherProperty,
                    (Step::OtherElement, _) => Part::OtherElement,
                    (Step::Keys, _) => Part::Keys,
                };
                self.nodes[number].parts.push((part, child));
                // Explaining visits an unevaluated part twice: once to ask, once to tell.
                if keyword.starts_with("unevaluated") {
                    self.nodes[number].parts.push((part, child));
                }
            }
        }
        Some(number)
    }

    fn resolve(&mut self, root: &'a Value, dialect: Dialect, report: &mut Report) {
        let anchors = self.anchors(dialect, report);
        for number in 0..self.nodes.len() {
            let Some(members) = self.nodes[number].value.as_object() else { continue };
            if number > 0 {
                self.refuse_embedded(number, members, report);
            }
            for keyword in ["$ref", "$dynamicRef"] {
                let Some(reference) = members.get(keyword).and_then(Value::as_str) else { continue };
                match self.target(root, reference, &anchors) {
                    Ok(target) => self.nodes[number].in_place.push(target),
                    Err(problem) => report.refuse(
                        "schema/bad-reference",
                        self.pointer_under(number, Some(keyword)),
                        problem,
                        "point at a subschema of the same schema, such as `#/$defs/name`",
                    ),
                }
            }
        }
    }

    /// A second base URI or dialect inside a schema changes what `#` means below it.
    fn refuse_embedded(&self, number: usize, members: &Map<String, Value>, report: &mut Report) {
        for keyword in ["$id", "$schema"] {
            if members.contains_key(keyword) {
                report.refuse(
                    "schema/embedded-resource",
                    self.pointer_under(number, Some(keyword)),
                    format!("`{keyword}` below the root"),
                    "leave it out and refer to subschemas as `#/$defs/name`",
                );
            }
        }
    }

    fn anchors(&self, dialect: Dialect, report: &mut Report) -> HashMap<&'a str, usize> {
        let mut anchors = HashMap::new();
        if dialect == Dialect::Draft7 {
            return anchors;
        }
        for (number, node) in self.nodes.iter().enumerate() {
            for keyword in ["$anchor", "$dynamicAnchor"] {
                let Some(name) = node.value.get(keyword).and_then(Value::as_str) else { continue };
                if anchors.insert(name, number).is_some_and(|earlier| earlier != number) {
                    report.refuse(
                        "schema/duplicate-anchor",
                        self.pointer_under(number, Some(keyword)),
                        "another subschema has this anchor",
                        "give each anchor its own name",
                    );
                }
            }
        }
        anchors
    }

    fn target(&self, root: &'a Value, reference: &str, anchors: &HashMap<&str, usize>) -> Result<usize, &'static str> {
        let fragment = reference.strip_prefix('#').ok_or("the reference is not local; nothing is ever fetched")?;
        let fragment = percent_decoded(fragment).ok_or("the reference is not percent-encoded (RFC 3986)")?;
        let target = if fragment.is_empty() || fragment.starts_with('/') {
            root.pointer(&fragment).and_then(|value| self.numbers.get(&std::ptr::from_ref(value)))
        } else {
            anchors.get(fragment.as_str())
        };
        target.copied().ok_or("the reference points at no subschema")
    }
}

struct Walk {
    /// Subschemas once each is counted as often as `jsonschema` compiles it.
    copies: u64,
    full: bool,
}

/// How often an in-place branch is gone through when `unevaluated` keywords apply above it: once to check it, and
/// for each keyword once to ask whether it holds and once to collect what it evaluated.
pub(super) fn remarked(unevaluated: u32) -> u64 {
    1 + 2 * u64::from(unevaluated)
}

fn held_by<'a>(keyword: &str, held: &'a Value) -> Vec<(Option<Segment<'a>>, Step, &'a Value)> {
    let list = |step| -> Vec<_> {
        let items = held.as_array().into_iter().flatten().enumerate();
        items.map(|(index, item)| (Some(Segment::Index(index)), step, item)).collect()
    };
    match holds(keyword) {
        None => Vec::new(),
        Some(Holds::Either(step, _)) if held.is_array() => list(step),
        Some(Holds::One(step) | Holds::Either(_, step)) => vec![(None, step, held)],
        Some(Holds::List(step)) => list(step),
        Some(Holds::Map(step)) => {
            let members = held.as_object().into_iter().flatten();
            members.map(|(key, member)| (Some(Segment::Key(key.as_str())), step, member)).collect()
        }
    }
}

/// The text of a URI fragment; `None` if it is not one. [`percent_encoding`] takes for itself what is no encoding.
fn percent_decoded(text: &str) -> Option<String> {
    if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?%".contains(&byte)) {
        return None;
    }
    let is_encoded = |rest: &str| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    if !text.split('%').skip(1).all(is_encoded) {
        return None;
    }
    percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned)
}

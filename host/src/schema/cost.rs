//! What checking a value against a schema can cost, known before any value is seen.
//!
//! `jsonschema` visits a subschema once for every way that leads to it, and it has no budget. Ways multiply twice:
//!
//! - *in place*: `anyOf: [A, A]` where `A` is `anyOf: [B, B]`… doubles at each level of a schema of linear size;
//! - *in depth*: `anyOf` of two branches that both apply `S` to the property `a` visits that property twice, and if
//!   `S` is the schema itself, its property `a` four times, and so on: twice as often at each level of the value.
//!   Two branches that recurse through different properties do not multiply, since each part is visited once.
//!
//! So admission writes out every in-place branch (at most [`MAX_EXPANDED`] in all; a cycle of in-place steps
//! alone is refused), groups what remains by the part of the value it applies to, and computes for each depth `d`
//!
//! `visits(S, d) = max(expanded size of S, max over parts p of Σ visits(T, d - 1) for each T applied to p)`
//!
//! the most visits that any one part of a value nested `d` deep gets. A schema whose bound at
//! [`JsonLimits::MAX_DEPTH`] is over [`MAX_EXPANDED`] is refused: that is recursion which multiplies, and other
//! validators (ajv, Python's) suffer from it as much. The bound times the size of a value then bounds the check,
//! together with what [`super::work`] adds for visits that do more than look.

use std::collections::HashMap;

use super::MAX_EXPANDED;
use super::graph::{Graph, Part, remarked};
use super::report::Report;
use super::work::{Effort, States};
use crate::json::JsonLimits;

/// Pairs of a part and what is applied to it, over all entries: what this arithmetic itself may cost. Ten for each
/// subschema of a schema as large as it may be expanded.
const MAX_PARTS: usize = 100_000;

const DEPTHS: usize = JsonLimits::MAX_DEPTH as usize + 1;

/// Sums stop here: far over any budget, and far from overflowing `u64` when a group adds ten thousand of them.
const CAP: u64 = 1 << 40;

/// Longest run of in-place steps: each is a few stack frames. As deep as the schema may nest.
const MAX_CHAIN: u32 = super::MAX_NESTING;

/// How a schema's cost grows with the depth of a value.
pub(super) struct Cost {
    depths: Vec<Bound>,
    /// Subschemas on the longest in-place run.
    pub(super) chain: u32,
    /// Subschemas in all.
    pub(super) subschemas: usize,
}

/// The most that one part of a value can cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bound {
    /// Subschemas visited.
    pub(super) visits: u64,
    /// The same, each counted as heavy as the errors it can make.
    pub(super) weight: u64,
    /// What those visits do beyond visiting.
    pub(super) effort: Effort,
}

impl Bound {
    fn max(self, other: Self) -> Self {
        Self {
            visits: self.visits.max(other.visits),
            weight: self.weight.max(other.weight),
            effort: self.effort.zip(other.effort, u64::max),
        }
    }

    fn plus(self, other: Self, times: u64) -> Self {
        let sum = |a: u64, b: u64| a.saturating_add(b.saturating_mul(times)).min(CAP);
        Self {
            visits: sum(self.visits, other.visits),
            weight: sum(self.weight, other.weight),
            effort: self.effort.zip(other.effort, sum),
        }
    }
}

impl Cost {
    /// The bound for a value nested `depth` deep.
    pub(super) fn at(&self, depth: u32) -> Bound {
        self.depths.get(depth as usize).or(self.depths.last()).copied().unwrap_or_default()
    }
}

/// The cost of a schema, or `None` with the reasons in `report`.
pub(super) fn cost(graph: &Graph<'_>, states: &States<'_>, report: &mut Report) -> Option<Cost> {
    let chain = chain(graph, report)?;
    let entries = expand(graph, states, report)?;
    let depths = depths(&entries);
    let worst = depths.last().copied().unwrap_or_default();
    if worst.visits > MAX_EXPANDED {
        let culprit = entries.iter().max_by_key(|entry| entry.shared()).map_or(0, |entry| entry.node);
        report.refuse(
            "schema/branching-recursion",
            graph.pointer(culprit),
            format!("several in-place branches describe the same part of a value, level after level: it can be visited over {MAX_EXPANDED} times"),
            "let one branch alone describe a property or element that recurses: move it out of the `anyOf`, `oneOf` or `allOf`",
        );
        return None;
    }
    Some(Cost { depths, chain, subschemas: graph.nodes.len() })
}

/// The longest in-place run; refuses cycles and runs that are too long.
fn chain(graph: &Graph<'_>, report: &mut Report) -> Option<u32> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Never,
        Open,
        Done(u32),
    }
    let mut seen = vec![Seen::Never; graph.nodes.len()];
    let mut longest = 0;
    let mut sound = true;
    for start in 0..graph.nodes.len() {
        // An explicit stack: a run may have as many steps as there are subschemas.
        let mut stack = vec![(start, 0)];
        while let Some((node, next)) = stack.pop() {
            if next == 0 {
                if seen[node] != Seen::Never {
                    continue;
                }
                seen[node] = Seen::Open;
            }
            if let Some(&child) = graph.nodes[node].in_place.get(next) {
                stack.push((node, next + 1));
                match seen[child] {
                    Seen::Never => stack.push((child, 0)),
                    Seen::Done(_) => {}
                    Seen::Open => {
                        sound = false;
                        report.refuse(
                            "schema/in-place-cycle",
                            graph.pointer(node),
                            format!("leads back to `{}` without going into the value", graph.pointer(child)),
                            "refer to it under `properties` or `items`, or not at all",
                        );
                    }
                }
                continue;
            }
            let below = graph.nodes[node].in_place.iter().map(|&child| match seen[child] {
                Seen::Done(steps) => steps,
                Seen::Never | Seen::Open => 0,
            });
            let steps = below.max().unwrap_or(0) + 1;
            seen[node] = Seen::Done(steps);
            longest = longest.max(steps);
        }
    }
    if longest > MAX_CHAIN {
        sound = false;
        report.refuse(
            "schema/too-deep",
            String::new(),
            format!("{longest} in-place steps (`$ref`, `allOf` and the like) in a row; {MAX_CHAIN} are allowed"),
            "refer to the last subschema directly",
        );
    }
    sound.then_some(longest)
}

/// A subschema that starts on a value of its own: the root, or what is applied to a part of another value.
struct Entry {
    node: usize,
    /// With every in-place branch written out.
    own: Bound,
    /// What is applied to the property names, which have no parts.
    keys: Vec<(usize, u64)>,
    /// For each kind of part: targets (as entries) and how often each is applied.
    groups: Vec<Group>,
}

#[derive(Default)]
struct Group {
    applied: Vec<(usize, u64)>,
    /// Counted in `applied`, but `properties` beside it takes the part away.
    spared: Vec<(usize, u64)>,
}

impl Entry {
    /// Most subschemas on one part.
    fn shared(&self) -> u64 {
        let sum = |list: &[(usize, u64)]| list.iter().fold(0_u64, |sum, (_, times)| sum.saturating_add(*times));
        self.groups.iter().map(|group| sum(&group.applied).saturating_sub(sum(&group.spared))).max().unwrap_or(0)
    }
}

/// Writes out the in-place branches of every entry that the root reaches, or refuses.
fn expand(graph: &Graph<'_>, states: &States<'_>, report: &mut Report) -> Option<Vec<Entry>> {
    let mut numbers: HashMap<usize, usize> = HashMap::from([(0, 0)]);
    let mut waiting = vec![0];
    let mut entries: Vec<Entry> = Vec::new();
    let mut written = 0;
    let once = |value| Bound { visits: 1, weight: super::lint::weight(value), effort: Effort::of(value, states) };
    let alone: Vec<Bound> = graph.nodes.iter().map(|node| once(node.value)).collect();
    let mut held = 0;
    while let Some(&node) = waiting.get(entries.len()) {
        let mut own = Bound::default();
        let mut reached: HashMap<usize, u64> = HashMap::new();
        let mut stack = vec![(node, 1, 0)];
        while let Some((at, times, unevaluated)) = stack.pop() {
            written += 1;
            if written > MAX_EXPANDED {
                refuse_expanded(graph, node, report);
                return None;
            }
            own = own.plus(alone[at], times);
            let sum = reached.entry(at).or_default();
            *sum = times.saturating_add(*sum).min(CAP);
            let unevaluated = unevaluated + graph.nodes[at].unevaluated;
            let below = remarked(unevaluated).saturating_mul(times).min(CAP);
            stack.extend(graph.nodes[at].in_place.iter().map(|&child| (child, below, unevaluated)));
        }
        let mut parts = Parts::default();
        for (&at, &times) in &reached {
            for &(part, target) in &graph.nodes[at].parts {
                let target = *numbers.entry(target).or_insert_with(|| {
                    waiting.push(target);
                    waiting.len() - 1
                });
                parts.add(graph, at, part, target, times);
            }
        }
        held += parts.size();
        if held > MAX_PARTS {
            refuse_expanded(graph, node, report);
            return None;
        }
        let (keys, groups) = parts.group();
        entries.push(Entry { node, own, keys, groups });
    }
    Some(entries)
}

fn refuse_expanded(graph: &Graph<'_>, node: usize, report: &mut Report) {
    report.refuse(
        "schema/expands",
        graph.pointer(node),
        format!(
            "over {MAX_EXPANDED} subschemas once each `$ref`, `allOf`, `anyOf`, `oneOf`, `if` and `not` is written out \
             where it is reached"
        ),
        "use fewer branches that lead to the same subschema",
    );
}

/// What one entry applies to parts, as it is found.
#[derive(Default)]
struct Parts<'a> {
    named: HashMap<Part<'a>, Group>,
    properties: Vec<(usize, u64)>,
    elements: Vec<(usize, u64)>,
    keys: Vec<(usize, u64)>,
}

impl<'a> Parts<'a> {
    fn add(&mut self, graph: &Graph<'a>, at: usize, part: Part<'a>, target: usize, times: u64) {
        let applied = (target, times);
        match part {
            Part::Property(_) | Part::Element(_) => self.named.entry(part).or_default().applied.push(applied),
            Part::AnyProperty => self.properties.push(applied),
            Part::AnyElement => self.elements.push(applied),
            Part::Keys => self.keys.push(applied),
            Part::OtherProperty | Part::OtherElement => {
                let property = part == Part::OtherProperty;
                if property { &mut self.properties } else { &mut self.elements }.push(applied);
                for &(beside, _) in &graph.nodes[at].parts {
                    let spared =
                        if property { matches!(beside, Part::Property(_)) } else { matches!(beside, Part::Element(_)) };
                    if spared {
                        self.named.entry(beside).or_default().spared.push(applied);
                    }
                }
            }
        }
    }

    /// Pairs that grouping will make.
    fn size(&self) -> usize {
        let named: usize = self
            .named
            .iter()
            .map(|(part, group)| {
                let rest = if matches!(part, Part::Property(_)) { &self.properties } else { &self.elements };
                group.applied.len() + group.spared.len() + rest.len()
            })
            .sum();
        named + self.properties.len() + self.elements.len() + self.keys.len()
    }

    fn group(self) -> (Vec<(usize, u64)>, Vec<Group>) {
        let mut groups: Vec<Group> = Vec::new();
        for (part, mut group) in self.named {
            // A group that nothing else can join stays small; the rest is added to each.
            let rest = if matches!(part, Part::Property(_)) { &self.properties } else { &self.elements };
            group.applied.extend(merged(rest));
            groups.push(Group { applied: merged(&group.applied), spared: merged(&group.spared) });
        }
        for rest in [&self.properties, &self.elements] {
            groups.push(Group { applied: merged(rest), spared: Vec::new() });
        }
        (merged(&self.keys), groups)
    }
}

/// One line per target.
fn merged(list: &[(usize, u64)]) -> Vec<(usize, u64)> {
    let mut list = list.to_vec();
    list.sort_unstable();
    list.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 = earlier.1.saturating_add(later.1);
        }
        same
    });
    list
}

/// The bounds of the root for every depth.
fn depths(entries: &[Entry]) -> Vec<Bound> {
    let own = |entry: &Entry| entry.keys.iter().fold(entry.own, |sum, &(key, times)| sum.plus(entries[key].own, times));
    let mut bounds: Vec<Bound> = entries.iter().map(own).collect();
    let mut depths = vec![bounds.first().copied().unwrap_or_default()];
    while depths.len() < DEPTHS {
        let next: Vec<Bound> = entries
            .iter()
            .zip(&bounds)
            .map(|(entry, &bound)| entry.groups.iter().map(|group| sum(group, &bounds)).fold(bound, Bound::max))
            .collect();
        depths.push(next.first().copied().unwrap_or_default());
        let settled = next == bounds || next.first().is_some_and(|root| root.visits > MAX_EXPANDED);
        bounds = next;
        if settled {
            break;
        }
    }
    depths
}

fn sum(group: &Group, bounds: &[Bound]) -> Bound {
    let mut spared = group.spared.iter().copied().peekable();
    let mut sum = Bound::default();
    for &(target, times) in &group.applied {
        while spared.next_if(|&(other, _)| other < target).is_some() {}
        let taken = spared.next_if(|&(other, _)| other == target).map_or(0, |(_, taken)| taken);
        sum = sum.plus(bounds[target], times.saturating_sub(taken));
    }
    sum
}

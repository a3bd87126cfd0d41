//! Arrays: how many elements, and what applies to each.

use serde_json::Value;

use super::hand::{Hand, How, Stuck};
use super::shape::{Shape, same};

/// Elements that a draw adds of itself, most of the time and once in a while.
const FEW: usize = 4;
const MANY: usize = 40;

/// The longest list drawn because the schema names its length.
const LONGEST: usize = 2_000;

/// Tries at an element that no other equals.
const TRIES: usize = 12;

pub(super) fn array<'a>(shape: &Shape<'a>, hand: &mut Hand<'a>) -> Result<Value, Stuck> {
    let wanted = shape.each("contains").next().map(|contains| {
        let least = shape.each("minContains").filter_map(Value::as_u64).max().unwrap_or(1);
        (contains, usize::try_from(least).unwrap_or(usize::MAX))
    });
    let least = shape.at_least("minItems").max(wanted.map_or(0, |(_, least)| least));
    let most = shape.at_most("maxItems").unwrap_or(usize::MAX).min(longest(shape));
    if least > most || least > LONGEST {
        return Err(
            hand.stuck(shape.at, format!("it has to hold {least} elements, which is more than are allowed or drawn"))
        );
    }
    let length = length(least, most, hand);
    let from = length - wanted.map_or(0, |(_, least)| least.min(length));
    let unique = shape.each("uniqueItems").any(|unique| unique == &Value::Bool(true));
    let mut items: Vec<Value> = Vec::new();
    for index in 0..length {
        let mut schemas = at(shape, index);
        schemas.extend(wanted.filter(|_| index >= from).map(|(contains, _)| contains));
        let item = (0..TRIES).find_map(|_| match hand.value(&schemas) {
            Ok(item) if unique && items.iter().any(|other| same(other, &item)) => None,
            drawn => Some(drawn),
        });
        match item {
            Some(Ok(item)) => items.push(item),
            Some(Err(stuck)) if items.len() < least => return Err(stuck),
            None if items.len() < least => {
                return Err(hand.stuck(shape.at, "too few different elements could be drawn"));
            }
            _ => break,
        }
    }
    Ok(Value::Array(items))
}

fn length(least: usize, most: usize, hand: &mut Hand<'_>) -> usize {
    if hand.short() {
        return least;
    }
    let upto = |more: usize| least.saturating_add(more).min(most);
    match hand.choices.below(8) {
        0 => least,
        1 if most <= LONGEST && hand.how == How::Any => most.min(upto(MANY)),
        2 => least + hand.choices.below(upto(MANY) - least + 1),
        _ => least + hand.choices.below(upto(FEW) - least + 1),
    }
}

/// The schemas of an element.
fn at<'a>(shape: &Shape<'a>, index: usize) -> Vec<&'a Value> {
    let of = |members: &&'a serde_json::Map<String, Value>| {
        let (tuple, rest) = match (members.get("prefixItems"), members.get("items")) {
            (None, Some(Value::Array(tuple))) => (tuple.as_slice(), members.get("additionalItems")),
            (tuple, rest) => (tuple.and_then(Value::as_array).map_or(&[][..], Vec::as_slice), rest),
        };
        tuple.get(index).or(rest).or_else(|| members.get("unevaluatedItems"))
    };
    shape.all.iter().filter_map(of).collect()
}

/// Elements before one that nothing is allowed for.
fn longest(shape: &Shape<'_>) -> usize {
    let closed = |index: &usize| at(shape, *index).iter().any(|schema| **schema == Value::Bool(false));
    let tuples = shape.each("prefixItems").chain(shape.each("items")).filter_map(Value::as_array).map(Vec::len);
    let ends = tuples.chain([0]);
    ends.filter(closed).min().unwrap_or(usize::MAX)
}

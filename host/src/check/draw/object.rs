//! Objects: which properties, and what applies to each.

use serde_json::{Map, Value};

use super::hand::{Hand, How, Stuck};
use super::shape::Shape;
use super::text;

/// Properties that no schema names, added once in a while.
const EXTRA: usize = 3;

/// Entries of an object that names none: a map.
const ENTRIES: usize = 6;

/// The largest object drawn because the schema names its size.
const LARGEST: usize = 500;

pub(super) fn object<'a>(shape: &Shape<'a>, hand: &mut Hand<'a>) -> Result<Value, Stuck> {
    let least = shape.at_least("minProperties");
    let most = shape.at_most("maxProperties").unwrap_or(usize::MAX);
    if least > most || least > LARGEST {
        return Err(
            hand.stuck(shape.at, format!("it has to hold {least} properties, which is more than are allowed or drawn"))
        );
    }
    let known = known(shape);
    let mut names: Vec<String> = required(shape);
    if let Some(name) = names.iter().find(|name| shape.absent.contains(&name.as_str())) {
        return Err(hand.stuck(shape.at, format!("{name:?} is required and ruled out")));
    }
    if !hand.short() {
        // None, all, or some of the optional ones.
        let share = if hand.how == How::Fullest { 0 } else { hand.choices.below(6) };
        for name in &known {
            let take = match share {
                0 => true,
                1 => false,
                _ => hand.choices.once_in(2),
            };
            let mut with = names.clone();
            if take && !with.iter().any(|taken| taken == name) {
                with.push((*name).to_owned());
                depend(shape, &mut with);
                if with.len() <= most && !with.iter().any(|name| shape.absent.contains(&name.as_str())) {
                    names = with;
                }
            }
        }
    }
    let mut members = Map::new();
    order(&known, &mut names, hand);
    for name in names {
        let needed = required_by(shape, &name, &members);
        if shape.absent.contains(&name.as_str()) {
            continue;
        }
        match value(shape, &name, hand) {
            Ok(value) => drop(members.insert(name, value)),
            Err(stuck) if needed => return Err(stuck),
            Err(_) => {}
        }
    }
    more(shape, &known, (least, most), &mut members, hand)?;
    Ok(Value::Object(members))
}

fn value<'a>(shape: &Shape<'a>, name: &str, hand: &mut Hand<'a>) -> Result<Value, Stuck> {
    match applied(shape, name, hand) {
        Some(schemas) => hand.value(&schemas),
        None => Err(hand.stuck(shape.at, format!("the property {name:?} is not allowed"))),
    }
}

/// Properties beyond those that are named: to reach the least number, and for the sake of it.
fn more<'a>(
    shape: &Shape<'a>,
    known: &[&'a str],
    (least, most): (usize, usize),
    members: &mut Map<String, Value>,
    hand: &mut Hand<'a>,
) -> Result<(), Stuck> {
    let mut optional = known.to_vec();
    hand.choices.shuffle(&mut optional);
    for name in optional {
        if members.len() < least
            && !members.contains_key(name)
            && !shape.absent.contains(&name)
            && let Ok(value) = value(shape, name, hand)
        {
            members.insert(name.to_owned(), value);
        }
    }
    let wish = match (hand.short(), known.is_empty()) {
        (true, _) => 0,
        (false, true) => hand.choices.below(ENTRIES + 1),
        (false, false) if hand.choices.once_in(4) => 1 + hand.choices.below(EXTRA),
        (false, false) => 0,
    };
    let goal = least.max(members.len().saturating_add(wish).min(most));
    // Some names are taken, and some not allowed.
    let mut tries = goal.saturating_sub(members.len()) * 4;
    while members.len() < goal && tries > 0 {
        tries -= 1;
        let Some(name) = name(shape, hand)? else { break };
        if members.contains_key(&name) || shape.absent.contains(&name.as_str()) || known.contains(&name.as_str()) {
            continue;
        }
        if let Ok(value) = value(shape, &name, hand) {
            members.insert(name, value);
        }
    }
    if members.len() < least {
        return Err(hand.stuck(shape.at, format!("{least} different properties could not be drawn")));
    }
    Ok(())
}

/// A name that no schema lists. `None`: no such name is allowed.
fn name<'a>(shape: &Shape<'a>, hand: &mut Hand<'a>) -> Result<Option<String>, Stuck> {
    let closed = shape.each("additionalProperties").chain(shape.each("unevaluatedProperties"));
    let closed = closed.into_iter().any(|schema| schema == &Value::Bool(false));
    let patterns: Vec<&'a String> =
        shape.each("patternProperties").filter_map(Value::as_object).flat_map(Map::keys).collect();
    let by_pattern = !patterns.is_empty() && (closed || hand.choices.once_in(2));
    if by_pattern && let Some(pattern) = hand.choices.one_of(&patterns) {
        return Ok(hand.plan.pattern(pattern).and_then(|pattern| pattern.draw(hand, 0, usize::MAX)));
    }
    if closed {
        return Ok(None);
    }
    let rules: Vec<&'a Value> = shape.each("propertyNames").collect();
    if rules.is_empty() {
        return Ok(Some(text::name(hand)));
    }
    let text = Value::String(String::new());
    let drawn = hand.value(&rules).unwrap_or(text);
    Ok(drawn.as_str().map(str::to_owned))
}

/// Every property that is named, each once, in the order of the schema.
fn known<'a>(shape: &Shape<'a>) -> Vec<&'a str> {
    let mut names: Vec<&'a str> = Vec::new();
    for name in shape.each("properties").filter_map(Value::as_object).flat_map(Map::keys) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

fn required(shape: &Shape<'_>) -> Vec<String> {
    let named = shape.each("required").filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    let mut names: Vec<String> = Vec::new();
    for name in named.chain(shape.present.iter().copied()) {
        if !names.iter().any(|taken| taken == name) {
            names.push(name.to_owned());
        }
    }
    depend(shape, &mut names);
    names
}

/// Add what the presence of others demands.
fn depend(shape: &Shape<'_>, names: &mut Vec<String>) {
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        for needs in shape.each("dependentRequired").chain(shape.each("dependencies")) {
            for needed in needs.get(&name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
                if !names.iter().any(|taken| taken == needed) {
                    names.push(needed.to_owned());
                }
            }
        }
    }
}

fn required_by(shape: &Shape<'_>, name: &str, members: &Map<String, Value>) -> bool {
    let mut names = required(shape);
    names.extend(members.keys().cloned());
    depend(shape, &mut names);
    names.iter().any(|needed| needed == name)
}

/// As the schema lists them, now and then the other way round: no reader may count on an order.
fn order(known: &[&str], names: &mut [String], hand: &mut Hand<'_>) {
    let place = |name: &String| known.iter().position(|known| known == name).unwrap_or(known.len());
    names.sort_by_key(place);
    if hand.how == How::Any && hand.choices.once_in(6) {
        names.reverse();
    }
}

/// What applies to a property. `None`: nothing is allowed there.
fn applied<'a>(shape: &Shape<'a>, name: &str, hand: &Hand<'a>) -> Option<Vec<&'a Value>> {
    let mut all = Vec::new();
    for members in &shape.all {
        let before = all.len();
        all.extend(members.get("properties").and_then(|named| named.get(name)));
        for (pattern, schema) in members.get("patternProperties").and_then(Value::as_object).into_iter().flatten() {
            if hand.plan.pattern(pattern).is_some_and(|pattern| pattern.matches(name)) {
                all.push(schema);
            }
        }
        if all.len() == before {
            all.extend(members.get("additionalProperties"));
        }
    }
    if all.is_empty() {
        all.extend(shape.each("unevaluatedProperties"));
    }
    (!all.iter().any(|schema| **schema == Value::Bool(false))).then_some(all)
}

//! Schemas in the form that every known client reads.
//!
//! What is given here was admitted at load: one of two dialects, local references that resolve, bounded size. What is
//! written is 2020-12 without `$schema`, in the subset that readers of draft-07 understand alike, and is never
//! stricter than what the host checks.

mod pattern;
mod source;
#[cfg(test)]
mod tests;
mod write;

use serde_json::{Map, Value, json};

use super::super::mirror::{self, Mirrored};
use source::Source;

pub(super) use source::is_unsafe;

/// Bytes that may take the place of references in an input schema: some 8,000 tokens, more than the largest schema of a
/// public server seen. Some clients drop `$defs`, and a model then sees a reference to nothing.
const INLINE: usize = 32 << 10;

/// Arrays and objects of what is sent.
const NESTING: u32 = 64;

/// In-place steps looked through at a root.
const STEPS: u32 = 64;

/// An output schema as both eras get it.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::mcp) struct PortableOutput {
    /// For peers that take any root.
    pub(in crate::mcp) schema: Map<String, Value>,
    /// For peers that take objects only, where the root is none: an object with the value under `result`.
    pub(in crate::mcp) wrapped: Option<Map<String, Value>>,
}

/// An admitted input schema as it is advertised: a plain object, whose root holds no union.
pub(in crate::mcp) fn portable_input(schema: &Value) -> Map<String, Value> {
    let source = Source::read(schema);
    let inlined = write::document(&source, Some(INLINE), "#").filter(|written| nesting(written) <= NESTING);
    let mut written = inlined.or_else(|| write::document(&source, None, "#")).unwrap_or_default();
    flatten(&mut written);
    written.entry("properties").or_insert_with(|| json!({}));
    // A client leaves out a tool that asks for headers in a way that is none.
    if Mirrored::of(&written).is_err() {
        mirror::remove(&mut written);
    }
    written
}

/// An admitted output schema as it is advertised.
pub(in crate::mcp) fn portable_output(schema: &Value) -> PortableOutput {
    let source = Source::read(schema);
    let mut written = write::document(&source, None, "#").unwrap_or_default();
    if only_objects(&written, &definitions(&written), STEPS) {
        // What holds anyway, said where clients look for it.
        written.insert("type".to_owned(), "object".into());
        return PortableOutput { schema: written, wrapped: None };
    }
    let mut inner = write::document(&source, None, "#/properties/result").unwrap_or_default();
    let definitions = inner.shift_remove("$defs");
    let mut wrapped = Map::new();
    wrapped.insert("type".to_owned(), "object".into());
    wrapped.insert("properties".to_owned(), json!({ "result": inner }));
    wrapped.insert("required".to_owned(), json!(["result"]));
    wrapped.insert("additionalProperties".to_owned(), false.into());
    wrapped.extend(definitions.map(|definitions| ("$defs".to_owned(), definitions)));
    PortableOutput { schema: written, wrapped: Some(wrapped) }
}

fn definitions(schema: &Map<String, Value>) -> Map<String, Value> {
    schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default()
}

fn definition<'a>(definitions: &'a Map<String, Value>, reference: &Value) -> Option<&'a Map<String, Value>> {
    definitions.get(reference.as_str()?.strip_prefix("#/$defs/")?)?.as_object()
}

/// Whether a written schema takes objects only, as far as its root tells.
fn only_objects(schema: &Map<String, Value>, definitions: &Map<String, Value>, steps: u32) -> bool {
    let Some(steps) = steps.checked_sub(1) else { return false };
    if let Some(kind) = schema.get("type") {
        return kind == "object";
    }
    let branch = |branch: &Value| branch.as_object().is_some_and(|branch| only_objects(branch, definitions, steps));
    let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array).filter(|list| !list.is_empty());
    schema.get("const").is_some_and(Value::is_object)
        || list("enum").is_some_and(|values| values.iter().all(Value::is_object))
        || list("allOf").is_some_and(|branches| branches.iter().any(branch))
        || ["anyOf", "oneOf"].iter().any(|keyword| list(keyword).is_some_and(|branches| branches.iter().all(branch)))
        || schema
            .get("$ref")
            .and_then(|reference| definition(definitions, reference))
            .is_some_and(|target| only_objects(target, definitions, steps))
}

/// What the branches at a root say about properties.
#[derive(Default)]
struct Gathered {
    /// By name, the different schemas.
    properties: Map<String, Value>,
    required: Vec<Value>,
}

/// Takes unions off an input's root, which model APIs refuse there, and keeps what they say about properties: the model
/// has to know their names. The host checks the whole schema when the call comes, and says what does not match.
fn flatten(root: &mut Map<String, Value>) {
    let definitions = definitions(root);
    let mut gathered = Gathered::default();
    let mut removed = false;
    for keyword in ["allOf", "anyOf", "oneOf", "not", "enum", "const", "$ref"] {
        if let Some(held) = root.shift_remove(keyword) {
            removed = true;
            gather(keyword, &held, &definitions, true, STEPS, &mut gathered);
        }
    }
    root.insert("type".to_owned(), "object".into());
    if !removed {
        return;
    }
    // The branches may have evaluated what is not named now.
    root.shift_remove("unevaluatedProperties");
    let closed = root.get("additionalProperties") == Some(&Value::Bool(false));
    let properties = root.entry("properties").or_insert_with(|| json!({}));
    let Some(properties) = properties.as_object_mut() else { return };
    for (name, schemas) in gathered.properties {
        if !closed && !properties.contains_key(&name) {
            let one = schemas.as_array().filter(|schemas| schemas.len() == 1).map(|schemas| schemas[0].clone());
            properties.insert(name, one.unwrap_or_else(|| json!({ "anyOf": schemas })));
        }
    }
    let known: Vec<Value> = gathered.required.into_iter().filter(|name| named(properties, name)).collect();
    if known.is_empty() {
        return;
    }
    if let Some(required) = root.entry("required").or_insert_with(|| json!([])).as_array_mut() {
        for name in known {
            if !required.contains(&name) {
                required.push(name);
            }
        }
    }
}

fn named(properties: &Map<String, Value>, name: &Value) -> bool {
    name.as_str().is_some_and(|name| properties.contains_key(name))
}

/// `sure`: whether every value matches what `keyword` holds.
fn gather(keyword: &str, held: &Value, definitions: &Map<String, Value>, sure: bool, steps: u32, into: &mut Gathered) {
    let Some(steps) = steps.checked_sub(1) else { return };
    let (branches, sure): (Vec<&Map<String, Value>>, bool) = match keyword {
        "allOf" => (held.as_array().into_iter().flatten().filter_map(Value::as_object).collect(), sure),
        "anyOf" | "oneOf" => (held.as_array().into_iter().flatten().filter_map(Value::as_object).collect(), false),
        "$ref" => (definition(definitions, held).into_iter().collect(), sure),
        _ => return,
    };
    for branch in branches {
        for (name, schema) in branch.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let schemas = into.properties.entry(name.as_str()).or_insert_with(|| json!([]));
            if let Some(schemas) = schemas.as_array_mut().filter(|schemas| !schemas.contains(schema)) {
                schemas.push(schema.clone());
            }
        }
        if sure {
            into.required.extend(branch.get("required").and_then(Value::as_array).into_iter().flatten().cloned());
        }
        for (keyword, held) in branch {
            gather(keyword, held, definitions, sure, steps, into);
        }
    }
}

fn nesting(schema: &Map<String, Value>) -> u32 {
    let mut deepest = 1;
    let mut rest: Vec<(&Value, u32)> = schema.values().map(|value| (value, 1)).collect();
    while let Some((value, depth)) = rest.pop() {
        match value {
            Value::Array(items) => rest.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => rest.extend(members.values().map(|member| (member, depth + 1))),
            _ => continue,
        }
        deepest = deepest.max(depth + 1);
    }
    deepest
}

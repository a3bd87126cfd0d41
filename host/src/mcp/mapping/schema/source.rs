//! A declared schema, read: what its references point at, and which of it cannot be advertised as it stands.

use std::collections::{HashMap, HashSet};

use percent_encoding::percent_decode_str;
use serde_json::{Map, Number, Value};

use super::pattern::portable;

/// 2^53 - 1, JavaScript's `Number.MAX_SAFE_INTEGER`.
pub(in crate::mcp::mapping) const SAFE: u64 = (1 << 53) - 1;

/// Formats that the host checks, that the dialect defines and that `ajv-formats` (the TypeScript clients) knows; with
/// whether they came after draft-07.
const FORMATS: &[(&str, bool)] = &[
    ("date", false),
    ("date-time", false),
    ("duration", true),
    ("email", false),
    ("hostname", false),
    ("ipv4", false),
    ("ipv6", false),
    ("json-pointer", false),
    ("relative-json-pointer", false),
    ("time", false),
    ("uri", false),
    ("uri-reference", false),
    ("uri-template", false),
    ("uuid", true),
];

/// Formats that the host checks and `ajv-formats` warns of.
const UNREAD_FORMATS: &[&str] = &["idn-email", "idn-hostname", "iri", "iri-reference"];

pub(super) struct Source<'a> {
    pub(super) root: &'a Value,
    /// Whether it is read as draft-07.
    pub(super) draft7: bool,
    anchors: HashMap<&'a str, &'a Value>,
    /// Whether anything in it is loosened.
    loose: bool,
}

/// How a keyword holds its subschemas.
#[derive(Clone, Copy)]
pub(super) enum Holds {
    One,
    List,
    Map,
}

/// Keywords of the dialect that apply subschemas.
fn holds(keyword: &str, held: &Value, draft7: bool) -> Option<Holds> {
    Some(match keyword {
        "allOf" | "anyOf" | "oneOf" => Holds::List,
        "not" | "if" | "then" | "else" | "additionalProperties" | "propertyNames" | "contains" => Holds::One,
        "properties" | "patternProperties" => Holds::Map,
        "items" if draft7 && held.is_array() => Holds::List,
        "items" => Holds::One,
        "dependencies" if draft7 => Holds::Map,
        "additionalItems" if draft7 => Holds::One,
        "dependentSchemas" if !draft7 => Holds::Map,
        "prefixItems" if !draft7 => Holds::List,
        "unevaluatedProperties" | "unevaluatedItems" if !draft7 => Holds::One,
        _ => return None,
    })
}

fn held(held: &Value, how: Holds) -> Vec<&Value> {
    match how {
        Holds::One => vec![held],
        Holds::List => held.as_array().into_iter().flatten().collect(),
        Holds::Map => held.as_object().into_iter().flat_map(Map::values).collect(),
    }
}

impl<'a> Source<'a> {
    pub(super) fn read(root: &'a Value) -> Self {
        let dialect = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let draft7 = dialect.contains("draft-07");
        let mut source = Self { root, draft7, anchors: HashMap::new(), loose: false };
        let mut rest = vec![root];
        while let Some(schema) = rest.pop() {
            let Some(members) = schema.as_object() else { continue };
            source.loose |= source.is_loosened(members);
            for keyword in ["$anchor", "$dynamicAnchor"] {
                if let Some(name) = members.get(keyword).and_then(Value::as_str).filter(|_| !draft7) {
                    source.anchors.insert(name, schema);
                }
            }
            for (keyword, value) in members {
                match keyword.as_str() {
                    "$defs" | "definitions" => rest.extend(held(value, Holds::Map)),
                    _ => rest.extend(holds(keyword, value, draft7).into_iter().flat_map(|how| held(value, how))),
                }
            }
        }
        source
    }

    /// What a schema object refers to, and by which text.
    pub(super) fn references(&self, members: &'a Map<String, Value>) -> Vec<(&'a str, &'a Value)> {
        let keywords: &[&str] = if self.draft7 { &["$ref"] } else { &["$ref", "$dynamicRef"] };
        let texts = keywords.iter().filter_map(|keyword| members.get(*keyword)?.as_str());
        texts.filter_map(|text| Some((text, self.target(text)?))).collect()
    }

    /// A `$dynamicRef` of a schema without embedded ones can only mean what a `$ref` would.
    fn target(&self, reference: &str) -> Option<&'a Value> {
        let fragment = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return self.root.pointer(&fragment);
        }
        self.anchors.get(fragment.as_ref()).copied()
    }

    /// All that is applied when `schema` is, itself included.
    fn reached(&self, schema: &'a Value, mut stop: impl FnMut(&'a Value) -> bool) -> bool {
        let mut seen = HashSet::new();
        let mut rest = vec![schema];
        while let Some(schema) = rest.pop() {
            let Some(members) = schema.as_object() else { continue };
            for (keyword, value) in members {
                rest.extend(holds(keyword, value, self.draft7).into_iter().flat_map(|how| held(value, how)));
            }
            for (_, target) in self.references(members) {
                if stop(target) {
                    return true;
                }
                if seen.insert(std::ptr::from_ref(target)) {
                    rest.push(target);
                }
            }
        }
        false
    }

    /// Whether a subschema refers back to itself.
    pub(super) fn is_recursive(&self, schema: &'a Value) -> bool {
        self.reached(schema, |target| std::ptr::eq(target, schema))
    }

    /// Whether a subschema, or what it refers to, is advertised looser than it is. Then nothing may be concluded from a
    /// value that *does not* match it.
    pub(super) fn loosens(&self, schema: &'a Value) -> bool {
        if !self.loose {
            return false;
        }
        let mut found = self.loosened_within(schema);
        found |= self.reached(schema, |target| self.loosened_within(target));
        found
    }

    fn loosened_within(&self, schema: &Value) -> bool {
        let Some(members) = schema.as_object() else { return false };
        self.is_loosened(members)
            || members.iter().any(|(keyword, value)| {
                let parts = holds(keyword, value, self.draft7).into_iter().flat_map(|how| held(value, how));
                parts.into_iter().any(|part| self.loosened_within(part))
            })
    }

    /// Whether one schema object holds a keyword that is left out or weakened although the host checks it.
    fn is_loosened(&self, members: &Map<String, Value>) -> bool {
        members.iter().any(|(keyword, value)| match (keyword.as_str(), value) {
            ("pattern", Value::String(pattern)) => !portable(pattern),
            ("patternProperties", Value::Object(patterns)) => patterns.keys().any(|pattern| !portable(pattern)),
            ("format", Value::String(format)) => UNREAD_FORMATS.contains(&format.as_str()),
            (_, Value::Number(number)) => is_bound(keyword) && !is_portable_bound(keyword, number),
            ("prefixItems", _) => members.get("items").is_some_and(|items| *items != Value::Bool(false)),
            ("items", Value::Array(_)) => {
                members.get("additionalItems").is_some_and(|more| *more != Value::Bool(false))
            }
            ("contains", _) => !self.draft7 && wants_none(members) && members.contains_key("maxContains"),
            _ => false,
        })
    }

    pub(super) fn is_portable_format(&self, format: &str) -> bool {
        FORMATS.iter().any(|(known, newer)| *known == format && !(*newer && self.draft7))
    }
}

/// `minContains: 0`, which readers of draft-07 take for 1.
pub(super) fn wants_none(members: &Map<String, Value>) -> bool {
    members.get("minContains").and_then(Value::as_f64) == Some(0.0)
}

pub(super) fn is_bound(keyword: &str) -> bool {
    matches!(keyword, "maximum" | "minimum" | "exclusiveMaximum" | "exclusiveMinimum" | "multipleOf")
}

/// JavaScript rounds integers past [`SAFE`], and computes `19.99 / 0.01` as no whole number.
pub(super) fn is_portable_bound(keyword: &str, number: &Number) -> bool {
    let fractional = keyword == "multipleOf" && number.as_f64().is_some_and(|number| number.fract() != 0.0);
    !fractional && !is_unsafe(number)
}

/// Whether a number is an integer that a double may not hold exactly.
pub(in crate::mcp::mapping) fn is_unsafe(number: &Number) -> bool {
    number.as_u64().is_some_and(|n| n > SAFE) || number.as_i64().is_some_and(|n| n.unsigned_abs() > SAFE)
}

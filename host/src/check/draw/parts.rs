//! The subschemas of a schema: where each is, where its references lead, and how deep the least value of each has to be.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::check::pointer::step;

/// Subschemas that one other holds under a keyword.
enum Holds {
    One,
    List,
    Map,
}

/// Keywords that hold subschemas, in both dialects (JSON Schema 2020-12 core 10 and 11, draft-07 validation 6).
const HOLDERS: &[(&str, Holds)] = &[
    ("allOf", Holds::List),
    ("anyOf", Holds::List),
    ("oneOf", Holds::List),
    ("prefixItems", Holds::List),
    ("not", Holds::One),
    ("if", Holds::One),
    ("then", Holds::One),
    ("else", Holds::One),
    ("additionalProperties", Holds::One),
    ("unevaluatedProperties", Holds::One),
    ("propertyNames", Holds::One),
    ("additionalItems", Holds::One),
    ("contains", Holds::One),
    ("unevaluatedItems", Holds::One),
    ("properties", Holds::Map),
    ("patternProperties", Holds::Map),
    ("dependentSchemas", Holds::Map),
    ("dependencies", Holds::Map),
    ("$defs", Holds::Map),
    ("definitions", Holds::Map),
];

/// No value is that deep: the JSON gate stops at 64 levels.
const ENDLESS: u32 = 1_000;

/// What is known of each subschema, by its address: the schema neither moves nor changes while it is drawn from.
pub(super) struct Parts {
    places: HashMap<usize, Place>,
    /// Pointers by `$anchor` and `$dynamicAnchor`.
    anchors: HashMap<String, String>,
    draft_7: bool,
}

struct Place {
    pointer: String,
    /// Levels of nesting that a value needs at least.
    least: u32,
}

fn address(schema: &Value) -> usize {
    std::ptr::from_ref(schema).addr()
}

impl Parts {
    pub(super) fn read(root: &Value) -> Self {
        let uri = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let mut parts = Self { places: HashMap::new(), anchors: HashMap::new(), draft_7: uri.contains("draft-07") };
        let mut listed = Vec::new();
        let mut rest = vec![(root, String::new())];
        while let Some((schema, pointer)) = rest.pop() {
            for keyword in ["$anchor", "$dynamicAnchor"] {
                if let Some(name) = schema.get(keyword).and_then(Value::as_str) {
                    parts.anchors.insert(name.to_owned(), pointer.clone());
                }
            }
            rest.extend(held(schema, &pointer));
            parts.places.insert(address(schema), Place { pointer, least: ENDLESS });
            listed.push(schema);
        }
        parts.find_least(root, &listed);
        parts
    }

    /// The JSON pointer of a subschema.
    pub(super) fn pointer(&self, schema: &Value) -> &str {
        self.places.get(&address(schema)).map_or("", |place| &place.pointer)
    }

    /// Levels of nesting that a value of this subschema needs at least.
    pub(super) fn least(&self, schema: &Value) -> u32 {
        self.places.get(&address(schema)).map_or(0, |place| place.least)
    }

    /// Whether there may be a value at all of this subschema: one that does not have to hold another of its kind.
    pub(super) fn ends(&self, schema: &Value) -> bool {
        self.least(schema) < ENDLESS
    }

    /// Whether keywords beside `$ref` are ignored.
    pub(super) fn ignores_beside_ref(&self) -> bool {
        self.draft_7
    }

    /// Where a reference leads. Admission made sure that it leads somewhere.
    pub(super) fn target<'a>(&self, root: &'a Value, reference: &str) -> Option<&'a Value> {
        let fragment = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
        match self.anchors.get(fragment.as_ref()) {
            Some(pointer) => root.pointer(pointer),
            None => root.pointer(&fragment),
        }
    }

    /// A subschema's least depth is known once those of its parts are: rounds until nothing changes.
    fn find_least(&mut self, root: &Value, listed: &[&Value]) {
        loop {
            let mut changed = false;
            for schema in listed {
                let least = self.least_of(root, schema);
                if let Some(place) = self.places.get_mut(&address(schema))
                    && least < place.least
                {
                    place.least = least;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn least_of(&self, root: &Value, schema: &Value) -> u32 {
        let Value::Object(members) = schema else {
            return if schema == &Value::Bool(false) { ENDLESS } else { 0 };
        };
        let each = |keyword: &str| members.get(keyword).and_then(Value::as_array).into_iter().flatten();
        let least = |schema: &Value| self.least(schema);
        let mut needs =
            if members.contains_key("const") || members.contains_key("enum") { 0 } else { self.own(members) };
        needs = needs.max(each("allOf").map(least).max().unwrap_or(0));
        for keyword in ["anyOf", "oneOf"] {
            needs = needs.max(each(keyword).map(least).min().unwrap_or(0));
        }
        for keyword in ["$ref", "$dynamicRef"] {
            let reference = members.get(keyword).and_then(Value::as_str);
            needs = needs.max(reference.and_then(|to| self.target(root, to)).map_or(0, least));
        }
        needs.min(ENDLESS)
    }

    /// What the keywords of its own demand.
    fn own(&self, members: &Map<String, Value>) -> u32 {
        let mut least = ENDLESS;
        for name in types(members) {
            least = least.min(match name {
                "object" => self.least_object(members),
                "array" => self.least_array(members),
                _ => 0,
            });
        }
        least
    }

    fn least_object(&self, members: &Map<String, Value>) -> u32 {
        let required = members.get("required").and_then(Value::as_array).into_iter().flatten();
        let schemas = required.filter_map(|name| members.get("properties")?.get(name.as_str()?));
        1 + schemas.map(|schema| self.least(schema)).max().unwrap_or(0)
    }

    fn least_array(&self, members: &Map<String, Value>) -> u32 {
        let few = members.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        let held = match members.get("items") {
            Some(items) if few > 0 && !items.is_array() => self.least(items),
            _ => 0,
        };
        1 + held
    }
}

/// The types that a subschema's `type` allows; all of them where it has none.
pub(super) fn types(members: &Map<String, Value>) -> Vec<&str> {
    match members.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec!["null", "boolean", "number", "string", "array", "object"],
    }
}

/// What a subschema holds, each with its pointer.
fn held<'a>(schema: &'a Value, pointer: &str) -> Vec<(&'a Value, String)> {
    let mut all = Vec::new();
    let mut list = |held: &'a Value, keyword: &str| {
        for (index, schema) in held.as_array().into_iter().flatten().enumerate() {
            all.push((schema, format!("{pointer}/{keyword}/{index}")));
        }
    };
    let items = schema.get("items");
    if let Some(items) = items {
        list(items, "items");
    }
    for (keyword, _) in HOLDERS.iter().filter(|(_, holds)| matches!(holds, Holds::List)) {
        if let Some(held) = schema.get(keyword) {
            list(held, keyword);
        }
    }
    all.extend(items.filter(|items| !items.is_array()).map(|items| (items, format!("{pointer}/items"))));
    for (keyword, holds) in HOLDERS {
        let Some(held) = schema.get(keyword) else { continue };
        match holds {
            Holds::One => all.push((held, format!("{pointer}/{keyword}"))),
            Holds::Map => {
                for (name, schema) in held.as_object().into_iter().flatten() {
                    let name = step(name);
                    all.push((schema, format!("{pointer}/{keyword}/{name}")));
                }
            }
            Holds::List => {}
        }
    }
    all
}

//! Writes a schema anew, keyword by keyword, so that every known client reads it as the host does, or looser.
//!
//! Never stricter: a client that checks must accept each value the host accepts. So where a part is loosened, what
//! concludes something from a value that does *not* match the part (`not`, `oneOf`, `if`) is loosened with it.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value, json};

use super::source::{Source, is_bound, is_portable_bound, wants_none};

/// Keywords that constrain nothing and that clients show.
const ANNOTATIONS: &[&str] = &[
    "contentEncoding",
    "contentMediaType",
    "default",
    "deprecated",
    "description",
    "examples",
    "readOnly",
    "title",
    "writeOnly",
];

/// Arrays and objects of a schema with its references written out: half of what `serde_json` reads (128), which leaves
/// room for the message around it.
const MAX_DEPTH: u32 = 64;

pub(super) struct Writer<'s, 'a> {
    source: &'s Source<'a>,
    /// How references to the whole schema are written.
    root: &'static str,
    /// Bytes that may still be written in place of references; `None`: every reference stays.
    inline: Option<usize>,
    depth: u32,
    overflow: bool,
    recursive: HashMap<*const Value, bool>,
    names: HashMap<*const Value, String>,
    taken: HashSet<String>,
    waiting: VecDeque<(String, &'a Value)>,
}

enum Referred {
    InPlace(Value),
    Pointer(String),
    /// A root that refers to itself says nothing.
    Nothing,
}

/// Writes a whole schema. `inline`: how many bytes of it may take the place of references; `None` when that is not
/// enough. `root`: where the schema will stand in its document.
pub(super) fn document(source: &Source<'_>, inline: Option<usize>, root: &'static str) -> Option<Map<String, Value>> {
    let mut writer = Writer {
        source,
        root,
        inline,
        depth: 0,
        overflow: false,
        recursive: HashMap::new(),
        names: HashMap::new(),
        taken: HashSet::new(),
        waiting: VecDeque::new(),
    };
    let mut out = match source.root {
        Value::Object(members) => writer.object(members, true),
        _ => Map::new(),
    };
    let mut definitions = Map::new();
    while let Some((name, schema)) = writer.waiting.pop_front() {
        let written = braced(writer.schema(schema));
        definitions.insert(name, written);
    }
    if !definitions.is_empty() {
        out.insert("$defs".to_owned(), Value::Object(definitions));
    }
    (!writer.overflow).then_some(out)
}

/// A schema as an object: the TypeScript client before version 2 loses the whole list over a boolean under `properties`.
fn braced(schema: Value) -> Value {
    match schema {
        Value::Bool(true) => json!({}),
        Value::Bool(false) => json!({"not": {}}),
        other => other,
    }
}

impl<'a> Writer<'_, 'a> {
    fn schema(&mut self, schema: &'a Value) -> Value {
        let Value::Object(members) = schema else { return schema.clone() };
        self.depth += 1;
        let written = self.object(members, false);
        self.depth -= 1;
        Value::Object(written)
    }

    fn list(&mut self, schemas: &'a Value) -> Value {
        schemas.as_array().into_iter().flatten().map(|schema| self.schema(schema)).collect()
    }

    fn map(&mut self, schemas: &'a Value) -> Map<String, Value> {
        let members = schemas.as_object().into_iter().flatten();
        members.map(|(name, schema)| (name.clone(), braced(self.schema(schema)))).collect()
    }

    fn object(&mut self, members: &'a Map<String, Value>, is_root: bool) -> Map<String, Value> {
        let mut out = Map::new();
        // Draft-07 ignores what stands beside a reference.
        let alone = self.source.draft7 && members.contains_key("$ref");
        for (keyword, held) in members {
            if !alone || ANNOTATIONS.contains(&keyword.as_str()) {
                self.keyword(keyword, held, members, &mut out);
            }
        }
        if !alone {
            self.tuple(members, &mut out);
            self.contains(members, &mut out);
            self.conditional(members, &mut out);
        }
        for (text, target) in self.source.references(members) {
            match self.referred(text, target, is_root) {
                Referred::Nothing => {}
                Referred::Pointer(pointer) if !out.contains_key("$ref") => {
                    out.insert("$ref".to_owned(), pointer.into());
                }
                Referred::Pointer(pointer) => also(&mut out, json!({"$ref": pointer})),
                Referred::InPlace(schema) if out.keys().all(|keyword| ANNOTATIONS.contains(&keyword.as_str())) => {
                    // What is said at the reference is closer to the point than what is said at its target.
                    let Value::Object(mut schema) = braced(schema) else { continue };
                    schema.extend(std::mem::take(&mut out));
                    out = schema;
                }
                Referred::InPlace(schema) => also(&mut out, schema),
            }
        }
        out
    }

    /// Keywords that stand alone. Those of the other dialect, and unknown ones, have no effect here and would have one in
    /// some client (`nullable`, `id`, `dependencies`), so they are left out; `x-` keywords are for whoever reads them.
    fn keyword(
        &mut self,
        keyword: &str,
        held: &'a Value,
        members: &'a Map<String, Value>,
        out: &mut Map<String, Value>,
    ) {
        let newer = !self.source.draft7;
        let written = match keyword {
            "allOf" | "anyOf" => self.list(held),
            "oneOf" => {
                let loose = held.as_array().into_iter().flatten().any(|branch| self.source.loosens(branch));
                let branches = self.list(held);
                match loose {
                    true if members.contains_key("anyOf") => return also(out, json!({"anyOf": branches})),
                    true => return drop(out.insert("anyOf".to_owned(), branches)),
                    false => branches,
                }
            }
            "not" if self.source.loosens(held) => return,
            "not" | "additionalProperties" | "propertyNames" => self.schema(held),
            "unevaluatedProperties" | "unevaluatedItems" if newer => self.schema(held),
            "properties" => Value::Object(self.map(held)),
            "dependentSchemas" if newer => Value::Object(self.map(held)),
            "dependencies" if !newer => return self.dependencies(held, out),
            "patternProperties" => {
                let mut patterns = self.map(held);
                let all = patterns.len();
                patterns.retain(|pattern, _| super::pattern::portable(pattern));
                if patterns.len() < all {
                    // Also counts them as evaluated.
                    out.insert("additionalProperties".to_owned(), json!({}));
                }
                if patterns.is_empty() {
                    return;
                }
                Value::Object(patterns)
            }
            "pattern" if held.as_str().is_none_or(|pattern| !super::pattern::portable(pattern)) => return,
            "format" if held.as_str().is_none_or(|format| !self.source.is_portable_format(format)) => return,
            // `ajv` does not compile it.
            "enum" if held.as_array().is_some_and(Vec::is_empty) => return also(out, json!({"not": {}})),
            "type" => match held.as_array().map(Vec::as_slice) {
                Some([one]) => one.clone(),
                _ => held.clone(),
            },
            "maxItems" | "minItems" | "maxLength" | "minLength" | "maxProperties" | "minProperties" => whole(held),
            _ if is_bound(keyword) => match held {
                Value::Number(number) if !is_portable_bound(keyword, number) => return,
                _ => held.clone(),
            },
            "const" | "enum" | "required" | "uniqueItems" | "pattern" | "format" => held.clone(),
            "dependentRequired" if newer => held.clone(),
            _ if keyword.starts_with("x-") || ANNOTATIONS.contains(&keyword) => held.clone(),
            _ => return,
        };
        // `patternProperties` may have opened it.
        let opened = keyword == "additionalProperties" && out.contains_key(keyword);
        if !opened {
            out.insert(keyword.to_owned(), written);
        }
    }

    /// `items` and what describes elements by their index. Readers of draft-07 take `items` for all elements, those of
    /// 2020-12 for the rest: `{}` and `maxItems` mean the same to both.
    fn tuple(&mut self, members: &'a Map<String, Value>, out: &mut Map<String, Value>) {
        let (tuple, rest) = if self.source.draft7 {
            match members.get("items") {
                Some(items) if items.is_array() => (Some(items), members.get("additionalItems")),
                items => (None, items),
            }
        } else {
            (members.get("prefixItems"), members.get("items"))
        };
        let Some(tuple) = tuple else {
            if let Some(items) = rest {
                let items = self.schema(items);
                out.insert("items".to_owned(), items);
            }
            return;
        };
        let elements = self.list(tuple);
        let length = elements.as_array().map_or(0, Vec::len) as u64;
        out.insert("prefixItems".to_owned(), elements);
        match rest {
            None => {}
            Some(Value::Bool(false)) => {
                let most = out.get("maxItems").and_then(Value::as_u64).map_or(length, |most| most.min(length));
                out.insert("maxItems".to_owned(), most.into());
            }
            Some(_) => drop(out.insert("items".to_owned(), json!({}))),
        }
    }

    fn contains(&mut self, members: &'a Map<String, Value>, out: &mut Map<String, Value>) {
        let Some(held) = members.get("contains") else { return };
        if self.source.draft7 {
            let contains = self.schema(held);
            out.insert("contains".to_owned(), contains);
            return;
        }
        if wants_none(members) {
            // It still says which elements are evaluated: then all are.
            if !out.contains_key("items") {
                out.insert("items".to_owned(), json!({}));
            }
            return;
        }
        let contains = self.schema(held);
        out.insert("contains".to_owned(), contains);
        for keyword in ["minContains", "maxContains"] {
            let unsure = keyword == "maxContains" && self.source.loosens(held);
            if let Some(count) = members.get(keyword).filter(|_| !unsure) {
                out.insert(keyword.to_owned(), whole(count));
            }
        }
    }

    fn conditional(&mut self, members: &'a Map<String, Value>, out: &mut Map<String, Value>) {
        let Some(condition) = members.get("if") else { return };
        let loose = self.source.loosens(condition);
        let mut branch = |keyword: &str| members.get(keyword).map(|held| self.schema(held));
        let (then, otherwise) = (branch("then"), branch("else"));
        let condition = self.schema(condition);
        if loose {
            // A value takes one of the two ways; which, cannot be told.
            let mut way = vec![condition];
            way.extend(then);
            also(out, json!({"anyOf": [{"allOf": way}, otherwise.unwrap_or(Value::Bool(true))]}));
            return;
        }
        out.insert("if".to_owned(), condition);
        for (keyword, held) in [("then", then), ("else", otherwise)] {
            if let Some(held) = held {
                out.insert(keyword.to_owned(), held);
            }
        }
    }

    /// The keyword that 2020-12 split in two.
    fn dependencies(&mut self, held: &'a Value, out: &mut Map<String, Value>) {
        let (mut required, mut schemas) = (Map::new(), Map::new());
        for (name, dependency) in held.as_object().into_iter().flatten() {
            match dependency {
                Value::Array(_) => required.insert(name.clone(), dependency.clone()),
                schema => schemas.insert(name.clone(), braced(self.schema(schema))),
            };
        }
        for (keyword, held) in [("dependentRequired", required), ("dependentSchemas", schemas)] {
            if !held.is_empty() {
                out.insert(keyword.to_owned(), Value::Object(held));
            }
        }
    }

    /// The root's own reference is followed even where others stay: a root has to say what it is.
    fn referred(&mut self, text: &str, target: &'a Value, by_root: bool) -> Referred {
        if std::ptr::eq(target, self.source.root) {
            return if by_root { Referred::Nothing } else { Referred::Pointer(self.root.into()) };
        }
        let shallow = self.depth < MAX_DEPTH;
        if shallow && (by_root || self.fits(target)) {
            self.depth += 1;
            let written = match target {
                Value::Object(members) => Value::Object(self.object(members, by_root)),
                other => other.clone(),
            };
            self.depth -= 1;
            return Referred::InPlace(written);
        }
        let key = std::ptr::from_ref(target);
        if let Some(name) = self.names.get(&key) {
            return Referred::Pointer(format!("#/$defs/{name}"));
        }
        let name = self.name(text);
        self.names.insert(key, name.clone());
        self.waiting.push_back((name.clone(), target));
        Referred::Pointer(format!("#/$defs/{name}"))
    }

    /// Whether a reference to `target` may be written out.
    fn fits(&mut self, target: &'a Value) -> bool {
        let Some(left) = self.inline else { return false };
        let source = self.source;
        if *self.recursive.entry(std::ptr::from_ref(target)).or_insert_with(|| source.is_recursive(target)) {
            return false;
        }
        let size = target.to_string().len();
        self.overflow |= size > left;
        self.inline = Some(left.saturating_sub(size));
        !self.overflow
    }

    /// The last step of a reference, in characters that need no escape in a pointer or a URI, and not used before.
    fn name(&mut self, text: &str) -> String {
        let last = text.rsplit(['/', '#']).next().unwrap_or_default();
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '_' };
        let mut base: String = last.chars().take(64).map(plain).collect();
        if base.is_empty() {
            base.push_str("schema");
        }
        let mut name = base.clone();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }
}

/// Adds a schema that has to hold as well.
fn also(out: &mut Map<String, Value>, schema: Value) {
    match out.get_mut("allOf").and_then(Value::as_array_mut) {
        Some(all) => all.push(schema),
        None => drop(out.insert("allOf".to_owned(), Value::Array(vec![schema]))),
    }
}

/// A count without a fraction: strict model APIs refuse `1.0`.
fn whole(count: &Value) -> Value {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: whole, not negative, safe")]
    match count.as_f64() {
        Some(float) if !count.is_u64() && float.fract() == 0.0 && (0.0..9e15).contains(&float) => (float as u64).into(),
        _ => count.clone(),
    }
}

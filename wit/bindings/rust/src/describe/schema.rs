//! From what schemars says of a type to what hosts admit and strict clients take. The README holds the table.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Which of a tool's types a schema is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// What is read: a field with a default may be absent.
    Args,
    /// What is written: a field is absent where it is skipped.
    Value,
}

impl Side {
    pub(super) fn generator(self) -> SchemaGenerator {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            // Clients of draft-07 stumble over the dialect's name; absent means 2020-12.
            settings.meta_schema = None;
            // Some clients lose `$defs`: only what recurses is left there.
            settings.inline_subschemas = true;
        });
        let settings = if self == Self::Args { settings.for_deserialize() } else { settings.for_serialize() };
        settings.into_generator()
    }
}

/// The schema of a root, or what of it has none, each with a pointer.
pub(super) fn mapped(mut schema: Value, side: Side) -> Result<Value, Vec<String>> {
    if let Value::Object(root) = &mut schema {
        let name = root.remove("title");
        // What it is for is said by the tool's description, which stands right above it.
        root.remove("description");
        name_the_root(root, name.as_ref().and_then(Value::as_str).unwrap_or("Root"));
    }
    let mut mapping = Mapping { side, faults: Vec::new() };
    mapping.subschema(&mut schema, "");
    if side == Side::Args {
        mapping.root(&schema);
    }
    if mapping.faults.is_empty() { Ok(schema) } else { Err(mapping.faults) }
}

/// A type that holds itself refers to the root as `#`. Clients put the schema into others, where that is another one.
fn name_the_root(root: &mut Map<String, Value>, name: &str) {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let reference = Value::from(format!("#/$defs/{name}"));
    let mut body = Value::Object(root.clone());
    if !redirect(&mut body, &reference) {
        return;
    }
    let Value::Object(mut body) = body else { return };
    let mut definitions = match body.remove("$defs") {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    definitions.insert(name, Value::Object(body.clone()));
    body.insert("$defs".into(), Value::Object(definitions));
    *root = body;
}

fn redirect(value: &mut Value, to: &Value) -> bool {
    match value {
        Value::Object(members) => {
            let mut found = false;
            for (key, member) in members.iter_mut() {
                if key == "$ref" && member == "#" {
                    *member = to.clone();
                    found = true;
                } else {
                    found |= redirect(member, to);
                }
            }
            found
        }
        Value::Array(items) => items.iter_mut().fold(false, |found, item| redirect(item, to) | found),
        _ => false,
    }
}

struct Mapping {
    side: Side,
    faults: Vec<String>,
}

impl Mapping {
    fn fault(&mut self, at: &str, what: &str) {
        let type_name = if self.side == Side::Args { "Args" } else { "Value" };
        let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
        self.faults.push(format!("{type_name}{at}: {what}"));
    }

    /// What model APIs ask of the root of an input schema.
    fn root(&mut self, schema: &Value) {
        if schema.get("type") != Some(&Value::from("object")) {
            self.fault("", "the arguments are no struct; name each of them in one, or take NoArgs");
        }
        for union in ["oneOf", "anyOf", "allOf"] {
            if schema.get(union).is_some() {
                self.fault(
                    "",
                    "a union at the root (a flattened enum), which model APIs refuse; give it a field of its own",
                );
            }
        }
    }

    fn subschema(&mut self, schema: &mut Value, at: &str) {
        match schema {
            // Clients of the first MCP SDK drop a server whose schema is a boolean.
            Value::Bool(true) => *schema = empty(),
            Value::Bool(false) => *schema = object("not", empty()),
            Value::Object(members) => self.object(members, at),
            _ => {}
        }
    }

    fn object(&mut self, schema: &mut Map<String, Value>, at: &str) {
        self.number(schema, at);
        constants(schema);
        tuple(schema);
        hoist(schema);
        absent(schema);
        if let Some(Value::String(description)) = schema.get_mut("description") {
            *description = unwrapped(description);
        }
        for (keyword, value) in schema.iter_mut() {
            let at = format!("{at}/{keyword}");
            match (keyword.as_str(), value) {
                ("properties" | "patternProperties" | "$defs", Value::Object(subschemas)) => {
                    for (name, subschema) in subschemas {
                        self.subschema(subschema, &format!("{at}/{name}"));
                    }
                }
                ("anyOf" | "oneOf" | "allOf", Value::Array(branches)) => {
                    for (index, branch) in branches.iter_mut().enumerate() {
                        self.subschema(branch, &format!("{at}/{index}"));
                    }
                }
                ("items" | "contains" | "not" | "propertyNames", value) => self.subschema(value, &at),
                // As booleans these two say what they mean to every client.
                ("additionalProperties" | "unevaluatedProperties", value @ Value::Object(_)) => {
                    self.subschema(value, &at);
                }
                _ => {}
            }
        }
        close(schema);
    }

    /// Ranges in place of formats, which are no JSON Schema's and make clients warn.
    fn number(&mut self, schema: &mut Map<String, Value>, at: &str) {
        let Some(format) = schema.get("format").and_then(Value::as_str) else { return };
        let range = match format {
            "int8" | "uint8" | "int16" | "uint16" => None,
            "int32" => Some((i32::MIN.into(), i32::MAX.into())),
            "uint32" => Some((0.into(), u32::MAX.into())),
            // As wide as a pointer, which is 32 bits in a component.
            "int" => Some((i32::MIN.into(), i32::MAX.into())),
            "uint" => Some((0.into(), u32::MAX.into())),
            // The host's JSON gate ends where u64 does. The bounds themselves are over 2^53, which clients round.
            "int64" | "uint64" => None,
            "double" => None,
            // The shortest text of f32::MAX: what it reads and writes.
            "float" => Some((Value::from(-3.4028235e38), Value::from(3.4028235e38))),
            "int128" | "uint128" => {
                self.fault(at, "a 128-bit integer, on which readers of JSON do not agree; take a u64 or a text");
                return;
            }
            _ => return,
        };
        schema.remove("format");
        if let Some((minimum, maximum)) = range {
            for (bound, exclusive, value) in
                [("minimum", "exclusiveMinimum", minimum), ("maximum", "exclusiveMaximum", maximum)]
            {
                if !schema.contains_key(exclusive) {
                    schema.entry(bound).or_insert(value);
                }
            }
        }
    }
}

/// One `enum` for an enum without data, with what is said of each variant. schemars writes a union of constants.
fn constants(schema: &mut Map<String, Value>) {
    if let Some(constant @ Value::String(_)) = schema.get("const").cloned() {
        schema.remove("const");
        schema.insert("enum".into(), Value::Array(vec![constant]));
    }
    let Some(Value::Array(branches)) = schema.get("oneOf") else { return };
    let (mut names, mut lines) = (Vec::new(), String::new());
    for branch in branches {
        let constant = branch.get("const").map(std::slice::from_ref);
        let listed = branch.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        let Some(own) = constant.or(listed).filter(|own| own.iter().all(Value::is_string)) else { return };
        if let Some(description) = branch.get("description").and_then(Value::as_str) {
            for name in own.iter().filter_map(Value::as_str) {
                lines += &format!("\n\n`{name}`: {}", description.replace('\n', " "));
            }
        }
        names.extend_from_slice(own);
    }
    schema.remove("oneOf");
    schema.insert("type".into(), "string".into());
    schema.insert("enum".into(), names.into());
    if !lines.is_empty() {
        let said = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        schema.insert("description".into(), (said.to_owned() + &lines).trim_start().into());
    }
}

/// A list of so many elements, each of one of the types: clients of draft-07 misread a type for each place.
fn tuple(schema: &mut Map<String, Value>) {
    let Some(Value::Array(places)) = schema.remove("prefixItems") else { return };
    let mut different: Vec<Value> = Vec::new();
    for place in places {
        if !different.contains(&place) {
            different.push(place);
        }
    }
    let items = match different.pop() {
        Some(one) if different.is_empty() => one,
        last => object("anyOf", different.into_iter().chain(last).collect()),
    };
    schema.insert("items".into(), items);
}

/// Moves what a flattened enum has to the object that it is flattened into, so that this can be closed. The branches keep
/// what they require, and of a property that differs between them, how.
fn hoist(schema: &mut Map<String, Value>) {
    if !is_object(schema) {
        return;
    }
    let union = if schema.contains_key("oneOf") { "oneOf" } else { "anyOf" };
    let Some(Value::Array(mut branches)) = schema.get(union).cloned() else { return };
    // Where there is nothing beside it, each branch is closed by itself.
    let Some(Value::Object(mut properties)) = schema.get("properties").cloned() else { return };
    if branches.iter().any(|branch| branch.get("type") != Some(&Value::from("object"))) {
        return;
    }
    branches.iter_mut().for_each(describe_the_one);
    let all: Vec<(String, Value)> = branches
        .iter()
        .filter_map(|branch| branch.get("properties")?.as_object())
        .flat_map(|own| own.iter().map(|(name, subschema)| (name.clone(), subschema.clone())))
        .collect();
    for (name, subschema) in &all {
        let mut alike = all.iter().filter(|(other, _)| other == name).map(|(_, subschema)| subschema);
        let joint = if alike.clone().all(|other| other == subschema) {
            subschema.clone()
        } else if alike.clone().all(|other| other.get("const").is_some_and(Value::is_string)) {
            let constants = alike.by_ref().filter_map(|other| other.get("const").cloned()).collect();
            let Value::Object(mut joint) = object("enum", constants) else { continue };
            joint.insert("type".into(), "string".into());
            Value::Object(joint)
        } else {
            empty()
        };
        properties.entry(name.as_str()).or_insert(joint);
    }
    for branch in &mut branches {
        let Value::Object(branch) = branch else { continue };
        branch.remove("type");
        branch.remove("additionalProperties");
        if let Some(Value::Object(own)) = branch.get_mut("properties") {
            own.retain(|name, subschema| properties.get(name) != Some(subschema));
            if own.is_empty() {
                branch.remove("properties");
            }
        }
    }
    schema.insert("properties".into(), Value::Object(properties));
    schema.insert(union.into(), Value::Array(branches));
    schema.entry("additionalProperties").or_insert(Value::Bool(false));
}

/// What is said of a variant is said of the one property that it has, since the variant itself is nowhere to be seen.
fn describe_the_one(branch: &mut Value) {
    let Value::Object(branch) = branch else { return };
    let Some(said) = branch.get("description").cloned() else { return };
    let Some(Value::Object(properties)) = branch.get_mut("properties") else { return };
    let mut all = properties.values_mut();
    if let (Some(Value::Object(one)), None) = (all.next(), all.next()) {
        one.entry("description").or_insert(said);
        branch.remove("description");
    }
}

/// A property that may be absent says so by being absent, and is never null: `null` would be a second way to say it,
/// which many clients do not take.
fn absent(schema: &mut Map<String, Value>) {
    let required: Vec<String> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !required.contains(name)) {
        without_null(property);
    }
}

fn without_null(property: &mut Value) {
    let Value::Object(members) = property else { return };
    if members.get("default") == Some(&Value::Null) {
        members.remove("default");
    }
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            members.insert("type".into(), one);
        }
    }
    if let Some(Value::Array(listed)) = members.get_mut("enum") {
        listed.retain(|value| !value.is_null());
    }
    let Some(Value::Array(branches)) = members.get_mut("anyOf") else { return };
    branches.retain(|branch| branch.get("type") != Some(&Value::from("null")));
    if let [Value::Object(one)] = branches.as_mut_slice() {
        let one = std::mem::take(one);
        members.remove("anyOf");
        // What the field says of itself is nearer than what its type does.
        for (keyword, value) in one {
            members.entry(keyword).or_insert(value);
        }
    }
}

/// An object holds what its type names and nothing else, unless its type is a map, or something else speaks of the same
/// value.
fn close(schema: &mut Map<String, Value>) {
    let open = ["$ref", "allOf", "anyOf", "oneOf", "unevaluatedProperties", "patternProperties"];
    if is_object(schema) && !open.iter().any(|keyword| schema.contains_key(*keyword)) {
        schema.entry("additionalProperties").or_insert(Value::Bool(false));
    }
}

/// `{}`, which takes everything.
fn empty() -> Value {
    Value::Object(Map::new())
}

// Not by `json!`, which links a second writer of everything.
fn object(key: &str, value: Value) -> Value {
    let mut object = Map::new();
    object.insert(key.to_owned(), value);
    Value::Object(object)
}

fn is_object(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        _ => false,
    }
}

/// Lines of a doc comment as paragraphs: where they broke was a matter of the source's width.
fn unwrapped(text: &str) -> String {
    let mut unwrapped = String::new();
    for line in text.lines().map(str::trim) {
        match (line, unwrapped.chars().next_back()) {
            ("", None | Some('\n')) => {}
            ("", Some(_)) => unwrapped.push('\n'),
            (_, None | Some('\n')) => unwrapped.push_str(line),
            (_, Some(_)) => {
                unwrapped.push(' ');
                unwrapped.push_str(line);
            }
        }
    }
    unwrapped
}

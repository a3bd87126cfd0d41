//! The form of a manifest, walked by hand so that every fault is found at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;

use super::text::{self, Lines};
use super::walk::Field::{Optional, Required};
use super::walk::{Object, Walk, clip, join};
use super::{ComponentKind, Concurrency, Manifest, Schemas, ToolAnnotations, ToolManifest};
use crate::component::Digest;
use crate::finding::Finding;

/// More tools than any model is offered at once.
const MAX_TOOLS: usize = 256;
/// A model reads it at every request: four screens of text are enough.
pub(super) const MAX_DESCRIPTION: usize = 4096;
/// One line of a dialog.
pub(super) const MAX_LINE: usize = 256;
/// Longer is not a version a person can tell apart.
const MAX_VERSION: usize = 64;
/// Ten minutes: what takes longer belongs outside a call.
const MAX_TIME_LIMIT: u64 = 600_000;
/// Different regular expressions of all schemas. What compiles them takes up to 256 KiB each: 32 MiB.
const MAX_PATTERNS: usize = 128;
/// The same, once more for each schema that repeats one, since each schema compiles its own: 128 MiB at worst, and
/// one for each schema of as many tools as there may be.
const MAX_COMPILED: usize = 2 * MAX_TOOLS;

/// Reads the whole form.
pub(super) fn read(value: &Value, digest: Digest) -> Result<Manifest, Vec<Finding>> {
    let mut walk = Walk::default();
    let manifest = walk.manifest(value, digest);
    walk.finish(manifest)
}

impl Walk {
    fn manifest(&mut self, value: &Value, digest: Digest) -> Option<Manifest> {
        let object = self.object(value, "", &["kind", "name", "version", "description", "tools", "capabilities"])?;
        let kind = self.kind(object);
        let name = self.line(object, "", "name", Required, 64).filter(|name| {
            let fits = name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
            let fits = fits && !name.starts_with('-');
            if !fits {
                let message = format!("`{}` is no component name", clip(name, 64));
                self.refuse("manifest/name", "/name", message, "write [a-z0-9][a-z0-9-]{0,63}");
            }
            fits
        });
        let version = self.line(object, "", "version", Required, MAX_VERSION).filter(|version| {
            let parsed = semver::Version::parse(version);
            if let Err(error) = &parsed {
                let message = format!("`{}` is no semantic version: {error}", clip(version, 64));
                self.refuse("manifest/version", "/version", message, "write one such as 0.1.0");
            }
            parsed.is_ok()
        });
        let description = self.text(object, "", "description", Required, MAX_DESCRIPTION, Lines::Many);
        let tools = match kind {
            Some(ComponentKind::Reviewer) => self.no_tools(object),
            Some(ComponentKind::Tool) | None => self.tools(object),
        };
        let capabilities = self.capabilities(object, kind);
        Some(Manifest {
            kind: kind?,
            name: name?,
            version: version?,
            description: description?,
            tools: tools?,
            capabilities: capabilities?,
            digest,
        })
    }

    fn kind(&mut self, object: &Object) -> Option<ComponentKind> {
        match object.get("kind").map(Value::as_str) {
            None | Some(Some("tool")) => Some(ComponentKind::Tool),
            Some(Some("reviewer")) => Some(ComponentKind::Reviewer),
            Some(_) => {
                let remedy = "write \"tool\", which is also what stands where nothing is written, or \"reviewer\"";
                self.refuse("manifest/kind", "/kind", "this is no kind of component", remedy);
                None
            }
        }
    }

    /// Nobody calls a reviewer.
    fn no_tools(&mut self, object: &Object) -> Option<Vec<ToolManifest>> {
        if object.contains_key("tools") {
            let remedy = "leave `tools` out, or make two components of it: a reviewer and a tool";
            self.refuse("manifest/tools-of-a-reviewer", "/tools", "a reviewer has no tools", remedy);
            return None;
        }
        Some(Vec::new())
    }

    fn tools(&mut self, object: &Object) -> Option<Vec<ToolManifest>> {
        if !object.contains_key("tools") {
            let remedy = "add \"tools\", or write \"kind\": \"reviewer\" where the component is one";
            self.refuse("manifest/missing-field", "/tools", "`tools` is missing", remedy);
            return None;
        }
        let list = self.list(object, "tools")?;
        if list.is_empty() {
            self.refuse("manifest/no-tools", "/tools", "there is no tool", "declare at least one");
        }
        if list.len() > MAX_TOOLS {
            let message = format!("there are {} tools, over the limit of {MAX_TOOLS}", list.len());
            self.refuse("manifest/too-many-tools", "/tools", message, "split the component");
            return None;
        }
        self.few_patterns(list);
        let mut names = BTreeMap::new();
        let mut tools = Vec::new();
        for (index, value) in list.iter().enumerate() {
            let at = format!("/tools/{index}");
            let Some(tool) = self.tool(value, &at) else { continue };
            // Names that differ by case or by `-` and `_` look alike to people and collapse in some clients.
            if let Some(first) = names.insert(super::name_key(&tool.name), index) {
                let message = format!("`{}` has the name of tool {first}, save for case, `-` and `_`", tool.name);
                self.refuse("manifest/duplicate-tool", &format!("{at}/name"), message, "give it a name of its own");
            }
            tools.push(tool);
        }
        Some(tools)
    }

    /// Counted before any schema is looked at, since what they take to compile adds up over the component.
    fn few_patterns(&mut self, tools: &[Value]) {
        let schemas = tools.iter().flat_map(|tool| ["inputSchema", "outputSchema"].map(|key| tool.get(key)));
        let schemas = schemas.flatten().map(patterns);
        let (mut different, mut compiled) = (BTreeSet::new(), 0);
        for patterns in schemas {
            compiled += patterns.len();
            different.extend(patterns);
        }
        for (count, limit, what) in [
            (different.len(), MAX_PATTERNS, "different regular expressions"),
            (compiled, MAX_COMPILED, "regular expressions, each counted once for each schema that has it,"),
        ] {
            if count > limit {
                let message = format!("all schemas together hold {count} {what} over the limit of {limit}");
                let remedy = "check less by `pattern` and `patternProperties`: name the values in an `enum`, or let the tool check them";
                self.refuse("manifest/too-many-patterns", "/tools", message, remedy);
            }
        }
    }

    fn tool(&mut self, value: &Value, at: &str) -> Option<ToolManifest> {
        const KNOWN: [&str; 8] = [
            "name",
            "title",
            "description",
            "inputSchema",
            "outputSchema",
            "annotations",
            "concurrency",
            "timeLimitMs",
        ];
        let object = self.object(value, at, &KNOWN)?;
        let name = self.line(object, at, "name", Required, 40).filter(|name| {
            let fits = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
            if !fits {
                let message = format!("`{}` is no tool name", clip(name, 64));
                self.refuse("manifest/tool-name", &format!("{at}/name"), message, "write [A-Za-z0-9_-]{1,40}");
            }
            fits
        });
        let title = self.line(object, at, "title", Optional, MAX_LINE);
        let description = self.text(object, at, "description", Required, MAX_DESCRIPTION, Lines::Many);
        let input = self.schema(object, at, "inputSchema");
        let output = self.schema(object, at, "outputSchema");
        let annotations = self.annotations(object, at);
        let concurrency = self.concurrency(object, at);
        let time_limit = self.time_limit(object, at);
        let schemas = Schemas { input: input?, output: output?, pointer: at.to_owned(), admitted: OnceLock::new() };
        Some(ToolManifest {
            name: name?,
            title,
            description: description?,
            annotations,
            concurrency,
            time_limit,
            schemas: Arc::new(schemas),
        })
    }

    /// Whether a schema can be used is judged later and concerns one tool; hidden text in it concerns them all.
    fn schema(&mut self, object: &Object, at: &str, key: &str) -> Option<Value> {
        let at = format!("{at}/{key}");
        let Some(schema) = object.get(key) else {
            let remedy = "declare one; to accept anything, say so: {}";
            self.refuse("manifest/missing-field", &at, format!("the tool has no `{key}`"), remedy);
            return None;
        };
        if holds_hidden(schema) {
            self.hidden_in(schema, &at);
        }
        Some(schema.clone())
    }

    /// The JSON gate has bounded the depth, so recursion is safe.
    fn hidden_in(&mut self, value: &Value, at: &str) {
        match value {
            Value::String(text) => {
                self.visible(text, at, Lines::Data);
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.hidden_in(item, &format!("{at}/{index}"));
                }
            }
            Value::Object(members) => {
                for (key, member) in members {
                    let at = join(at, key);
                    self.visible(key, &at, Lines::One);
                    self.hidden_in(member, &at);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn annotations(&mut self, object: &Object, at: &str) -> ToolAnnotations {
        let at = format!("{at}/annotations");
        let known = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
        let Some(object) = object.get("annotations").and_then(|value| self.object(value, &at, &known)) else {
            return ToolAnnotations::default();
        };
        ToolAnnotations {
            read_only_hint: self.flag(object, &at, "readOnlyHint"),
            destructive_hint: self.flag(object, &at, "destructiveHint"),
            idempotent_hint: self.flag(object, &at, "idempotentHint"),
            open_world_hint: self.flag(object, &at, "openWorldHint"),
        }
    }

    fn concurrency(&mut self, object: &Object, at: &str) -> Concurrency {
        match object.get("concurrency").map(Value::as_str) {
            None | Some(Some("exclusive")) => Concurrency::Exclusive,
            Some(Some("parallel")) => Concurrency::Parallel,
            Some(_) => {
                let remedy = "write \"parallel\" or \"exclusive\"";
                let at = format!("{at}/concurrency");
                self.refuse("manifest/concurrency", &at, "this is no way to run calls", remedy);
                Concurrency::Exclusive
            }
        }
    }

    fn time_limit(&mut self, object: &Object, at: &str) -> Option<Duration> {
        let value = object.get("timeLimitMs")?;
        let limit = value.as_u64().filter(|limit| (1..=MAX_TIME_LIMIT).contains(limit));
        if limit.is_none() {
            let remedy = format!("write whole milliseconds from 1 to {MAX_TIME_LIMIT}");
            let at = format!("{at}/timeLimitMs");
            self.refuse("manifest/time-limit", &at, "the time limit is out of range", remedy);
        }
        limit.map(Duration::from_millis)
    }
}

/// What could be a regular expression of a schema: in every object, also where no subschema is.
fn patterns(schema: &Value) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut rest = vec![schema];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => {
                found.extend(members.get("pattern").and_then(Value::as_str));
                let named = members.get("patternProperties").and_then(Value::as_object);
                found.extend(named.into_iter().flat_map(|named| named.keys().map(String::as_str)));
                rest.extend(members.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}

/// The quick answer, without a pointer for every node on the way.
fn holds_hidden(value: &Value) -> bool {
    match value {
        Value::String(text) => text::hidden(text, Lines::Data).is_some(),
        Value::Array(items) => items.iter().any(holds_hidden),
        Value::Object(members) => {
            members.iter().any(|(key, member)| text::hidden(key, Lines::One).is_some() || holds_hidden(member))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

//! Two components side by side, and whether the second may do more than the first.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::covers::covers;
use super::loosened;
use crate::capability::Need;
use crate::component::Digest;
use crate::inspect::{Doubt, Import, Inspected, Purity};
use crate::json::bounded_pointer;
use crate::manifest::{Manifest, Request, ToolManifest};

/// Bytes of a text that are shown of each side.
const SHOWN: usize = 400;

/// What changed from one component to another.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Diff {
    /// The first.
    pub old: DiffSide,
    /// The second.
    pub new: DiffSide,
    /// Whether the second asks for more authority: a capability that the first did not ask for, wider access, an
    /// import that was not there and whose capability it asks for, a projector that was proved pure and is not any more. A
    /// tool that became a reviewer, or a reviewer that became a tool, grew.
    pub grew: bool,
    /// Every difference, by subject.
    pub changes: Vec<Change>,
}

/// Which component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DiffSide {
    /// As the vendor names it.
    pub name: String,
    /// As the vendor numbers it.
    pub version: String,
    /// SHA-256 of the file.
    pub digest: Digest,
    /// SHA-256 of the manifest.
    pub manifest_digest: Digest,
}

/// What a change is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// Whether it is a tool or a reviewer.
    Kind,
    /// What it asks for.
    Capability,
    /// What it links.
    Import,
    /// Whether a projector can reach an import.
    Purity,
    /// A tool that came or went, or what it says of itself to programs.
    Tool,
    /// What a tool takes and returns.
    Schema,
    /// Time limits, and whether calls may overlap.
    Limit,
    /// What people and models read.
    Text,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// It was not there.
    Added,
    /// It is there no more.
    Removed,
    /// A schema accepts what it did not accept.
    Loosened,
    /// It is another one.
    Changed,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// About what.
    pub subject: Subject,
    /// What happened.
    pub kind: ChangeKind,
    /// Where: a capability's kind, an import, `grep /inputSchema/properties/path`.
    pub at: String,
    /// What it was, cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// What it is, cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// It is more authority than there was.
    pub grows: bool,
}

impl Diff {
    /// Compares. Both were inspected, so both could run.
    pub fn of(old: &Inspected, new: &Inspected) -> Self {
        let mut changes = Changes::default();
        changes.capabilities(&old.manifest().capabilities, &new.manifest().capabilities);
        changes.imports(old, new);
        if let (Some(old), Some(new)) = (old.purity(), new.purity()) {
            changes.purity("render", &old.render, &new.render);
            changes.purity("present", &old.present, &new.present);
        }
        changes.manifests(old.manifest(), new.manifest());
        let mut changes = changes.0;
        // Within a subject the order in which they were found, which is that of the components.
        changes.sort_by_key(|change| change.subject);
        let grew = changes.iter().any(|change| change.grows);
        Self { old: DiffSide::of(old), new: DiffSide::of(new), grew, changes }
    }
}

impl DiffSide {
    fn of(inspected: &Inspected) -> Self {
        let manifest = inspected.manifest();
        Self {
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            digest: inspected.digest(),
            manifest_digest: manifest.digest(),
        }
    }
}

#[derive(Default)]
struct Changes(Vec<Change>);

impl Changes {
    fn push(&mut self, subject: Subject, at: impl Into<String>, old: Option<String>, new: Option<String>, grows: bool) {
        let kind = match (&old, &new) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        };
        self.0.push(Change { subject, kind, at: at.into(), old, new, grows });
    }

    fn text(&mut self, at: impl Into<String>, old: Option<&str>, new: Option<&str>) {
        if old != new {
            self.push(Subject::Text, at, old.map(cut), new.map(cut), false);
        }
    }

    fn capabilities(&mut self, old: &[Request], new: &[Request]) {
        let plain = |request: &Request| {
            let optional = if request.optional { " (optional)" } else { "" };
            format!("{}{optional}", request.capability)
        };
        // Requests that are alike on both sides differ at most in the reason; the others are paired by kind in order.
        let mut left: Vec<&Request> = Vec::new();
        for request in new {
            match old.iter().find(|candidate| candidate.capability == request.capability) {
                Some(before) => {
                    let at = request.capability.to_string();
                    if before.optional != request.optional {
                        self.push(Subject::Capability, &*at, Some(plain(before)), Some(plain(request)), false);
                    }
                    self.text(format!("reason for {at}"), Some(&before.reason), Some(&request.reason));
                }
                None => left.push(request),
            }
        }
        let mut gone: Vec<&Request> = old
            .iter()
            .filter(|request| new.iter().all(|candidate| candidate.capability != request.capability))
            .collect();
        for request in left {
            let kind = request.capability.kind();
            let grows = !old.iter().any(|before| covers(&before.capability, &request.capability));
            let before =
                gone.iter().position(|before| before.capability.kind() == kind).map(|index| gone.remove(index));
            self.push(Subject::Capability, kind.to_string(), before.map(plain), Some(plain(request)), grows);
            self.text(
                format!("reason for {}", request.capability),
                before.map(|before| before.reason.as_str()),
                Some(&request.reason),
            );
        }
        for request in gone {
            self.push(Subject::Capability, request.capability.kind().to_string(), Some(plain(request)), None, false);
        }
    }

    fn imports(&mut self, old: &Inspected, new: &Inspected) {
        // What is linked and not asked for is never granted: it is shown, and is no authority.
        let asked = |kind| new.manifest().capabilities.iter().any(|request| request.capability.kind() == kind);
        // The same interface in another patch version is the same interface.
        fn by_name(imports: &[Import]) -> BTreeMap<&str, Vec<&Import>> {
            let mut named: BTreeMap<&str, Vec<&Import>> = BTreeMap::new();
            for import in imports {
                named.entry(import.name.split('@').next().unwrap_or_default()).or_default().push(import);
            }
            named
        }
        fn functions<'i>(imports: &[&'i Import]) -> Vec<&'i str> {
            let mut names: Vec<_> =
                imports.iter().flat_map(|import| import.functions.iter().map(String::as_str)).collect();
            names.sort_unstable();
            names.dedup();
            names
        }
        let versions = |imports: &[&Import]| {
            let names: Vec<_> = imports.iter().map(|import| import.name.as_str()).collect();
            names.join(", ")
        };
        let (old, new) = (by_name(old.imports()), by_name(new.imports()));
        for (name, imports) in &new {
            let described = || imports.first().map(|import| format!("{}, {}", versions(imports), import.need));
            let Some(before) = old.get(name) else {
                let grows = imports.iter().any(|import| matches!(import.need, Need::Capability(kind) if asked(kind)));
                self.push(Subject::Import, *name, None, described(), grows);
                continue;
            };
            if versions(before) != versions(imports) {
                self.push(Subject::Import, *name, Some(versions(before)), Some(versions(imports)), false);
            }
            let (was, is) = (functions(before), functions(imports));
            for function in is.iter().filter(|function| !was.contains(*function)) {
                self.push(Subject::Import, format!("{name}#{function}"), None, Some((*function).to_owned()), false);
            }
            for function in was.iter().filter(|function| !is.contains(*function)) {
                self.push(Subject::Import, format!("{name}#{function}"), Some((*function).to_owned()), None, false);
            }
        }
        for (name, imports) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
            self.push(Subject::Import, *name, Some(versions(imports)), None, false);
        }
    }

    fn purity(&mut self, name: &str, old: &Purity, new: &Purity) {
        // Two paths to imports are two ways of saying that the sandbox holds it.
        if old.is_proved() != new.is_proved() {
            let plain = |purity: &Purity| match purity {
                Purity::Proved => "proved".to_owned(),
                Purity::Enforced(Doubt::Path(path)) => format!("enforced: {}", path.join(" > ")),
                Purity::Enforced(Doubt::NotCovered(reason)) => format!("enforced: {reason}"),
            };
            self.push(Subject::Purity, name, Some(plain(old)), Some(plain(new)), old.is_proved());
        }
    }

    fn manifests(&mut self, old: &Manifest, new: &Manifest) {
        if old.kind != new.kind {
            // A reviewer reads what every tool returns, and a tool is called by a model: each is authority the other lacks.
            self.push(Subject::Kind, "kind", Some(old.kind.to_string()), Some(new.kind.to_string()), true);
        }
        self.text("name", Some(&old.name), Some(&new.name));
        self.text("description", Some(&old.description), Some(&new.description));
        for tool in &new.tools {
            match old.tool(&tool.name) {
                Some(before) => self.tools(before, tool),
                None => self.push(Subject::Tool, &*tool.name, None, Some(cut(&tool.description)), false),
            }
        }
        for tool in old.tools.iter().filter(|tool| new.tool(&tool.name).is_none()) {
            self.push(Subject::Tool, &*tool.name, Some(cut(&tool.description)), None, false);
        }
    }

    fn tools(&mut self, old: &ToolManifest, new: &ToolManifest) {
        let name = &new.name;
        self.text(format!("{name} title"), old.title.as_deref(), new.title.as_deref());
        self.text(format!("{name} description"), Some(&old.description), Some(&new.description));
        let hints = |tool: &ToolManifest| serde_json::to_string(&tool.annotations).unwrap_or_default();
        if old.annotations != new.annotations {
            self.push(Subject::Tool, format!("{name} annotations"), Some(hints(old)), Some(hints(new)), false);
        }
        if old.is_callable() != new.is_callable() {
            let plain = |callable| Some(if callable { "callable" } else { "not callable" }.to_owned());
            self.push(Subject::Tool, &**name, plain(old.is_callable()), plain(new.is_callable()), false);
        }
        if old.time_limit != new.time_limit {
            let plain = |tool: &ToolManifest| tool.time_limit.map(|limit| format!("{} ms", limit.as_millis()));
            self.push(Subject::Limit, format!("{name} time limit"), plain(old), plain(new), false);
        }
        if old.concurrency != new.concurrency {
            let plain = |tool: &ToolManifest| Some(format!("{:?}", tool.concurrency).to_lowercase());
            self.push(Subject::Limit, format!("{name} concurrency"), plain(old), plain(new), false);
        }
        self.schema(&format!("{name} /inputSchema"), old.input_json(), new.input_json());
        self.schema(&format!("{name} /outputSchema"), old.output_json(), new.output_json());
    }

    fn schema(&mut self, at: &str, old: &Value, new: &Value) {
        for step in loosened::compare(old, new) {
            self.push(Subject::Schema, format!("{at}{}", step.at), step.old, step.new, false);
            if let Some(change) = self.0.last_mut()
                && step.looser
                && !step.property
            {
                change.kind = ChangeKind::Loosened;
            }
        }
        let (before, after) = (prose(old), prose(new));
        for (pointer, text) in &after {
            self.text(format!("{at}{pointer}"), before.get(pointer).map(String::as_str), Some(text));
        }
        for (pointer, text) in before.iter().filter(|(pointer, _)| !after.contains_key(*pointer)) {
            self.text(format!("{at}{pointer}"), Some(text), None);
        }
    }
}

/// The texts of a schema that a model reads, by pointer.
fn prose(schema: &Value) -> BTreeMap<String, String> {
    fn walk(value: &Value, path: &mut Vec<String>, texts: &mut BTreeMap<String, String>) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    path.push(key.clone());
                    match member {
                        Value::String(text) if matches!(key.as_str(), "title" | "description" | "$comment") => {
                            texts.insert(bounded_pointer(path.iter().map(String::as_str)), text.clone());
                        }
                        other => walk(other, path, texts),
                    }
                    path.pop();
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    path.push(index.to_string());
                    walk(item, path, texts);
                    path.pop();
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut texts = BTreeMap::new();
    walk(schema, &mut Vec::new(), &mut texts);
    texts
}

fn cut(text: &str) -> String {
    let cut = text.floor_char_boundary(SHOWN);
    if cut == text.len() { text.to_owned() } else { format!("{}…", &text[..cut]) }
}

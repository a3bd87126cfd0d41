//! What a component exports and imports, held against the WIT of this host.

use std::borrow::Cow;

use serde::Serialize;
use wasmparser::component_types::{ComponentEntityType, ComponentInstanceTypeId, ComponentItem};
use wasmparser::types::TypesRef;

use super::types::{Comparison, Mismatch};
use super::wit::{self, Known};
use crate::capability::{self, Need, OUR_TRACK, Sealed, Unknown};
use crate::finding::Finding;
use crate::manifest::ComponentKind;

/// The interface that makes a component a tool.
pub(super) const TOOL: &str = "fumehood:tool/tool";
/// The interface that makes a component a reviewer.
pub(super) const REVIEWER: &str = "fumehood:review/reviewer";

/// The interface that a component of this kind exports.
pub(super) const fn exported(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::Tool => TOOL,
        ComponentKind::Reviewer => REVIEWER,
    }
}

/// A name in a finding is cut here; names in a component may be 100,000 bytes long.
const SHOWN: usize = 128;
/// As many reasons as a person reads. There is room for 20,000 wrong functions in a component.
const MAX_REASONS: usize = 100;

/// One interface that a component imports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Import {
    /// `wasi:io/poll@0.2.9`.
    pub name: String,
    /// What it takes for it to work in `execute`.
    pub need: Need,
    /// The functions that the component links, in its own order.
    pub functions: Vec<String>,
}

/// Both sides of a component.
#[derive(Debug, Default)]
pub(super) struct Surface {
    pub(super) imports: Vec<Import>,
    pub(super) exports: Vec<String>,
    /// Which of [`TOOL`] and [`REVIEWER`] is exported, and in which version: `0.1.0`.
    pub(super) kind: Option<ComponentKind>,
    pub(super) version: Option<String>,
    pub(super) findings: Vec<Finding>,
}

impl Surface {
    /// `imports` and `exports` are the names at the top level, in file order.
    pub(super) fn of<'a>(
        types: TypesRef<'a>,
        imports: impl IntoIterator<Item = &'a str>,
        exports: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut surface = Self::default();
        for name in imports {
            surface.import(types, name, types.component_item_for_import(name));
        }
        let (mut tools, mut reviewers) = (Vec::new(), Vec::new());
        for name in exports {
            surface.exports.push(name.to_owned());
            let Some(item) = types.component_item_for_export(name) else { continue };
            let version = |interface| name.strip_prefix(interface).and_then(|rest| rest.strip_prefix('@'));
            if let Some(version) = version(TOOL) {
                tools.push((name, version, item));
            } else if let Some(version) = version(REVIEWER) {
                reviewers.push((name, version, item));
            }
        }
        match (tools.as_slice(), reviewers.as_slice()) {
            ([], []) => {
                let message = format!(
                    "the component exports neither `{TOOL}@{OUR_TRACK}.x` nor `{REVIEWER}@{OUR_TRACK}.x`, so it is neither \
                     a tool nor a reviewer"
                );
                surface.refuse("export/missing", TOOL, message, REBUILD);
            }
            (tools, []) => surface.interface(types, ComponentKind::Tool, tools),
            ([], reviewers) => {
                surface.interface(types, ComponentKind::Reviewer, reviewers);
                surface.alone();
            }
            (_, [(name, ..), ..]) => {
                let message = format!("the component exports `{TOOL}` as well: a tool that reviews could pass itself");
                surface.refuse("export/tool-and-reviewer", name, message, "make two components of it");
            }
        }
        if surface.findings.len() > MAX_REASONS {
            let message = format!("{} more reasons are not listed", surface.findings.len() - MAX_REASONS);
            surface.findings.truncate(MAX_REASONS);
            surface.findings.push(Finding::note("import/more", "", message));
        }
        surface
    }

    fn refuse(&mut self, rule: &'static str, at: &str, message: impl Into<String>, remedy: impl Into<String>) {
        self.findings.push(Finding::refusal(rule, shown(at), message, remedy));
    }

    fn import(&mut self, types: TypesRef<'_>, name: &str, item: Option<&ComponentItem>) {
        let row = match capability::find(name) {
            Ok(row) => row,
            Err(unknown) => return self.refuse_import(name, unknown),
        };
        let (Some(ComponentEntityType::Instance(id)), Some(expected)) =
            (item.map(|item| item.ty), wit::interface(row.package, row.name))
        else {
            return self.refuse("import/not-an-interface", name, "this is not imported as an interface", REBUILD);
        };
        let functions = self.functions(types, "import/function", name, expected, id);
        self.imports.push(Import { name: name.to_owned(), need: row.need, functions });
    }

    fn refuse_import(&mut self, name: &str, unknown: Unknown) {
        match unknown {
            Unknown::Version(known) => {
                let message = format!("this version is not provided; provided is {known}");
                self.refuse("import/version", name, message, "build against the WIT package that this host comes with");
            }
            Unknown::Interface if name.starts_with("wasi:http/") => {
                let remedy = "import wasi:http/types and wasi:http/outgoing-handler alone";
                self.refuse("import/unknown", name, "a tool makes requests and answers none", remedy);
            }
            Unknown::Interface | Unknown::Shape => {
                let remedy = "remove the import, or compose the component with one that provides it";
                self.refuse("import/unknown", name, "nothing of this name is provided to a tool", remedy);
            }
        }
    }

    /// Checks the functions of an imported interface: each must exist, with that type. Types and resources are checked
    /// where functions use them.
    fn functions(
        &mut self,
        types: TypesRef<'_>,
        rule: &'static str,
        name: &str,
        expected: Known,
        actual: ComponentInstanceTypeId,
    ) -> Vec<String> {
        let comparison = Comparison { resolve: expected.resolve, types };
        let mut functions = Vec::new();
        for (function, item) in &types[actual].exports {
            let ComponentEntityType::Func(id) = item.ty else { continue };
            functions.push(function.clone());
            let at = format!("{name}#{}", shown(function));
            match expected.interface.functions.get(function) {
                None => self.refuse(rule, &at, "the interface has no function of this name here", REBUILD),
                Some(expected) => {
                    if let Err(mismatch) = comparison.function(expected, &types[id]) {
                        self.wrong_type(rule, &at, &mismatch);
                    }
                }
            }
        }
        functions
    }

    fn wrong_type(&mut self, rule: &'static str, at: &str, Mismatch { at: part, message }: &Mismatch) {
        let message = if part.is_empty() {
            format!("the function has another type here: {message}")
        } else {
            format!("the function has another type here, at {part}: {message}")
        };
        self.refuse(rule, at, message, REBUILD);
    }

    /// What a reviewer has no use for: whom it would call, and who would hear of its progress.
    fn alone(&mut self) {
        let wanted = |import: &&Import| {
            let row = capability::lookup(&import.name);
            row.is_some_and(|row| {
                matches!((row.package, row.name), ("fumehood:tool", "progress") | ("fumehood:host", "tools"))
            })
        };
        let names: Vec<_> = self.imports.iter().filter(wanted).map(|import| import.name.clone()).collect();
        for name in names {
            let message = "a reviewer calls no tools and reports no progress";
            self.refuse("import/not-for-reviewers", &name, message, "remove the import");
        }
    }

    /// Checks the one export that makes the component what it is. `exported` holds at least one.
    fn interface(&mut self, types: TypesRef<'_>, kind: ComponentKind, exported: &[(&str, &str, &ComponentItem)]) {
        let interface = self::exported(kind);
        let (ours, others): (Vec<_>, Vec<_>) =
            exported.iter().partition(|(_, version, _)| capability::patch(version, OUR_TRACK).is_some());
        for (name, _, _) in &others {
            let message = format!("this host speaks {interface}@{OUR_TRACK}.x and does not use this version");
            if ours.is_empty() {
                self.refuse("export/version", name, message, REBUILD);
            } else {
                self.findings.push(Finding::note("export/version", shown(name), message));
            }
        }
        let (name, version, item) = match ours.as_slice() {
            [one] => *one,
            [] => return,
            [_, rest @ ..] => {
                for (name, _, _) in rest {
                    let message = format!("a second version of {OUR_TRACK}.x is exported, and a host cannot choose");
                    self.refuse("export/ambiguous", name, message, "export one");
                }
                return;
            }
        };
        self.kind = Some(kind);
        self.version = Some((*version).to_owned());
        let expected = interface.split_once('/').and_then(|(package, name)| wit::interface(package, name));
        let (ComponentEntityType::Instance(id), Some(expected)) = (item.ty, expected) else {
            return self.refuse("export/not-an-interface", name, "this is not exported as an interface", REBUILD);
        };
        let comparison = Comparison { resolve: expected.resolve, types };
        let exports = &types[id].exports;
        for (function, expected) in &expected.interface.functions {
            let at = format!("{name}#{function}");
            match exports.get(function).map(|item| item.ty) {
                Some(ComponentEntityType::Func(id)) => {
                    if let Err(mismatch) = comparison.function(expected, &types[id]) {
                        self.wrong_type("export/function", &at, &mismatch);
                    }
                }
                _ => self.refuse("export/function", &at, "the function is missing", REBUILD),
            }
        }
    }

    /// What a reviewer should know of the imports, beside the refusals.
    pub(super) fn notes(&self) -> Vec<Finding> {
        let mut notes = Vec::new();
        let never: Vec<_> = self.imports.iter().filter(|import| import.need == Need::Never).collect();
        if let Some(first) = never.first() {
            let message =
                format!("{} interfaces of this package are linked; every call of them is denied", never.len());
            let package = first.name.split('/').next().unwrap_or_default();
            notes.push(Finding::note("import/denied", package, message));
        }
        let mut constants = Vec::new();
        for import in &self.imports {
            let Some(row) = capability::lookup(&import.name) else { continue };
            let read = import.functions.iter().filter(|function| capability::sealed(row, function) == Sealed::Constant);
            constants.extend(read.map(|function| format!("{}/{}.{function}", row.package, row.name)));
        }
        // The same function may be linked in several versions.
        constants.sort();
        constants.dedup();
        // A reviewer has no projectors.
        if !constants.is_empty() && self.kind == Some(ComponentKind::Tool) {
            let message = format!("a projector that calls one of these reads a constant: {}", constants.join(", "));
            notes.push(Finding::note("import/constants", "", message));
        }
        notes
    }
}

const REBUILD: &str = "build against the WIT package that this host comes with";

fn shown(name: &str) -> Cow<'_, str> {
    let cut = name.floor_char_boundary(SHOWN);
    if cut == name.len() { Cow::Borrowed(name) } else { Cow::Owned(format!("{}…", &name[..cut])) }
}

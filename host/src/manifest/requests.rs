//! What a manifest asks for, walked as the rest of the form is.

use std::fmt::Display;
use std::str::FromStr;

use serde_json::Value;

use super::form::{MAX_DESCRIPTION, MAX_LINE};
use super::text::Lines;
use super::walk::Field::Required;
use super::walk::{Object, Walk, clip};
use super::{ComponentKind, Request};
use crate::capability::{Access, Capability, CapabilityKind};

/// More than a person reads before they agree.
const MAX_CAPABILITIES: usize = 64;

impl Walk {
    pub(super) fn capabilities(&mut self, object: &Object, kind: Option<ComponentKind>) -> Option<Vec<Request>> {
        if !object.contains_key("capabilities") {
            return Some(Vec::new());
        }
        let list = self.list(object, "capabilities")?;
        if list.len() > MAX_CAPABILITIES {
            let message = format!("{} capabilities are asked for, over the limit of {MAX_CAPABILITIES}", list.len());
            self.refuse(
                "manifest/too-many-capabilities",
                "/capabilities",
                message,
                "ask for less, or split the component",
            );
            return None;
        }
        let mut requests: Vec<Request> = Vec::new();
        for (index, value) in list.iter().enumerate() {
            let at = format!("/capabilities/{index}");
            let Some(request) = self.request(value, &at) else { continue };
            if kind == Some(ComponentKind::Reviewer) && request.capability.kind() == CapabilityKind::Tools {
                let message = "a reviewer calls no tools";
                self.refuse("manifest/tools-of-a-reviewer", &at, message, "remove the request");
                continue;
            }
            let same = |earlier: &Request| same_authority(&earlier.capability, &request.capability);
            if requests.iter().any(same) {
                let message = format!("`{}` is asked for twice", request.capability);
                self.refuse("manifest/capability-twice", &at, message, "ask once, for the most that is needed");
            } else {
                requests.push(request);
            }
        }
        Some(requests)
    }

    fn request(&mut self, value: &Value, at: &str) -> Option<Request> {
        // Which fields are known depends on the kind, so the kind is read first.
        let kind = value.get("capability").and_then(Value::as_str).and_then(CapabilityKind::from_name);
        let detail = kind.map_or(Some("access"), detail);
        let known: Vec<_> = ["capability"].into_iter().chain(detail).chain(["reason", "optional"]).collect();
        let object = self.object(value, at, &known)?;
        if kind.is_none() {
            let names = CapabilityKind::ALL.map(|kind| format!("\"{kind}\"")).join(", ");
            let message = match object.get("capability") {
                Some(Value::String(name)) => format!("there is no capability `{}`", clip(name, 64)),
                _ => "this does not say which capability".to_owned(),
            };
            let at = format!("{at}/capability");
            self.refuse("manifest/capability", &at, message, format!("write one of {names}"));
        }
        let capability = kind.and_then(|kind| self.capability(kind, object, at));
        let reason = self.text(object, at, "reason", Required, MAX_DESCRIPTION, Lines::Many);
        let optional = self.flag(object, at, "optional").unwrap_or(false);
        Some(Request { capability: capability?, reason: reason?, optional })
    }

    fn capability(&mut self, kind: CapabilityKind, object: &Object, at: &str) -> Option<Capability> {
        Some(match kind {
            CapabilityKind::Filesystem => Capability::Filesystem { access: self.access(object, at)? },
            CapabilityKind::Http if !object.contains_key("target") => Capability::Http { target: None },
            CapabilityKind::Http => Capability::Http { target: Some(self.parsed(object, at, "target")?) },
            CapabilityKind::Secret => Capability::Secret { name: self.parsed(object, at, "name")? },
            CapabilityKind::Env => Capability::Env { name: self.parsed(object, at, "name")? },
            CapabilityKind::Clock => Capability::Clock,
            CapabilityKind::Random => Capability::Random,
            CapabilityKind::Process => Capability::Process { program: self.parsed(object, at, "program")? },
            CapabilityKind::Tools => Capability::Tools { tool: self.parsed(object, at, "tool")? },
        })
    }

    /// A detail that has a type of its own.
    fn parsed<T: FromStr<Err: Display>>(&mut self, object: &Object, at: &str, key: &str) -> Option<T> {
        let text = self.line(object, at, key, Required, MAX_LINE)?;
        match text.parse() {
            Ok(detail) => Some(detail),
            Err(error) => {
                let at = format!("{at}/{key}");
                self.refuse(
                    "manifest/capability-detail",
                    &at,
                    error.to_string(),
                    "correct it, or leave the request out",
                );
                None
            }
        }
    }

    fn access(&mut self, object: &Object, at: &str) -> Option<Access> {
        match object.get("access").and_then(Value::as_str) {
            Some("read") => Some(Access::Read),
            Some("read-write") => Some(Access::ReadWrite),
            _ => {
                let at = format!("{at}/access");
                let message = "this does not say how far the access to files goes";
                self.refuse("manifest/access", &at, message, "write \"read\" or \"read-write\"");
                None
            }
        }
    }
}

/// The field that says how much of a kind is asked for.
fn detail(kind: CapabilityKind) -> Option<&'static str> {
    match kind {
        CapabilityKind::Filesystem => Some("access"),
        CapabilityKind::Http => Some("target"),
        CapabilityKind::Secret | CapabilityKind::Env => Some("name"),
        CapabilityKind::Process => Some("program"),
        CapabilityKind::Tools => Some("tool"),
        CapabilityKind::Clock | CapabilityKind::Random => None,
    }
}

/// Whether two requests ask for the same thing, be it to another extent: the reviewer would have to guess which holds.
fn same_authority(one: &Capability, other: &Capability) -> bool {
    matches!((one, other), (Capability::Filesystem { .. }, Capability::Filesystem { .. })) || one == other
}

//! A tool as a client lists it.

use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::json;

use super::schema::{PortableOutput, portable_input, portable_output};
use super::{CARD_URI, Era, key};
use crate::{Manifest, Provider, ToolManifest};

/// What a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mcp) enum Origin {
    /// A component.
    Component {
        /// As the manifest says.
        name: String,
        /// As the manifest says.
        version: String,
        /// Of the component's bytes: `sha256:…`.
        digest: String,
    },
    /// A server that was mounted: no sandbox holds the tool.
    Mounted {
        /// What the operator calls it.
        name: String,
        /// Where it is.
        at: String,
    },
}

impl Origin {
    pub(in crate::mcp) fn of(provider: &Provider) -> Self {
        let Manifest { name, version, .. } = provider.manifest();
        match (provider.digest(), provider.remote()) {
            (Some(digest), _) => {
                Self::Component { name: name.clone(), version: version.clone(), digest: digest.to_string() }
            }
            (None, at) => Self::Mounted { name: name.clone(), at: at.unwrap_or_default().to_owned() },
        }
    }
}

/// Both schemas of one tool as they are advertised. Made once, then shared by every list.
#[derive(Clone, Debug)]
pub(in crate::mcp) struct Schemas {
    input: Arc<JsonObject>,
    output: Arc<JsonObject>,
    wrapped: Option<Arc<JsonObject>>,
}

impl Schemas {
    /// Of a tool whose schemas were admitted ([`ToolManifest::is_callable`]).
    pub(in crate::mcp) fn of(manifest: &ToolManifest) -> Self {
        let PortableOutput { schema, wrapped } = portable_output(manifest.output_json());
        let input = Arc::new(portable_input(manifest.input_json()));
        Self { input, output: Arc::new(schema), wrapped: wrapped.map(Arc::new) }
    }

    /// Whether peers of that era get values of this tool under `result`.
    pub(in crate::mcp) fn wraps(&self, era: Era) -> bool {
        era == Era::Legacy && self.wrapped.is_some()
    }

    fn output(&self, era: Era) -> Arc<JsonObject> {
        match (&self.wrapped, era) {
            (Some(wrapped), Era::Legacy) => Arc::clone(wrapped),
            _ => Arc::clone(&self.output),
        }
    }
}

/// A tool for peers of one era. `name` is what clients call it by; `card`: whether the peer may draw our cards.
pub(in crate::mcp) fn tool(
    name: &str,
    manifest: &ToolManifest,
    schemas: &Schemas,
    era: Era,
    origin: &Origin,
    card: bool,
) -> Tool {
    let mut tool = Tool::new(name.to_owned(), manifest.description.clone(), Arc::clone(&schemas.input))
        .with_raw_output_schema(schemas.output(era));
    tool.title.clone_from(&manifest.title);
    tool.annotations = annotations(manifest, era);
    tool.with_meta(meta(origin, card))
}

fn annotations(manifest: &ToolManifest, era: Era) -> Option<ToolAnnotations> {
    let hints = manifest.annotations;
    // Clients of 2025-03-26 know no other title; where both are, the tool's own comes first.
    let title = manifest.title.clone().filter(|_| era == Era::Legacy);
    let annotations = ToolAnnotations::from_raw(
        title,
        hints.read_only_hint,
        hints.destructive_hint,
        hints.idempotent_hint,
        hints.open_world_hint,
    );
    (annotations != ToolAnnotations::default()).then_some(annotations)
}

fn meta(origin: &Origin, card: bool) -> MetaObject {
    let mut meta = MetaObject::new();
    match origin {
        Origin::Component { name, version, digest } => {
            meta.insert(key::COMPONENT.to_owned(), json!({ "name": name, "version": version, "digest": digest }));
        }
        Origin::Mounted { name, at } => {
            meta.insert(key::MOUNTED.to_owned(), json!({ "name": name, "at": at, "sandboxed": false }));
        }
    }
    if card {
        meta.insert(key::UI.to_owned(), json!({ "resourceUri": CARD_URI }));
        meta.insert(key::UI_FLAT.to_owned(), CARD_URI.into());
    }
    meta
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ListToolsResult, ServerResult};
    use serde_json::Value;

    use super::*;

    fn manifest(tool: Value) -> Manifest {
        let mut declared = json!({
            "name": "find", "description": "Finds.",
            "inputSchema": { "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object" },
            "outputSchema": { "type": "array", "items": { "$ref": "#/$defs/T" },
                "$defs": { "T": { "type": "object", "properties": { "t": { "$ref": "#/$defs/T" } } } } },
        });
        declared.as_object_mut().unwrap().extend(tool.as_object().unwrap().clone());
        let all =
            json!({ "name": "a", "version": "1.2.3", "description": "b", "capabilities": [], "tools": [declared] });
        Manifest::parse(all.to_string().as_bytes()).unwrap()
    }

    /// What arrives at a peer of that era, after what the SDK does for it.
    fn listed(tool: Value, era: Era, card: bool) -> Value {
        let manifest = manifest(tool);
        let tool = &manifest.tools[0];
        assert!(tool.is_callable(), "{:?}", tool.findings());
        let origin = Origin::Component { name: "a".into(), version: "1.2.3".into(), digest: "sha256:00".into() };
        let tool = super::tool(&tool.name, tool, &Schemas::of(tool), era, &origin, card);
        let mut list = ServerResult::ListToolsResult(ListToolsResult::with_all_items(vec![tool]));
        if era == Era::Legacy {
            list.strip_non_object_output_for_legacy_peer();
        }
        serde_json::to_value(&list).unwrap()["tools"][0].take()
    }

    #[test]
    fn every_field_arrives() {
        let all = json!({
            "title": "Find it",
            "annotations": { "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false },
            // The host's alone.
            "concurrency": "parallel",
            "timeLimitMs": 1000,
        });
        let items = json!({ "type": "array", "items": { "$ref": "#/$defs/T" },
            "$defs": { "T": { "type": "object", "properties": { "t": { "$ref": "#/$defs/T" } } } } });
        let expect = json!({
            "name": "find",
            "title": "Find it",
            "description": "Finds.",
            "inputSchema": { "type": "object", "properties": {} },
            "outputSchema": items,
            "annotations": { "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false },
            "_meta": {
                "fumehood/component": { "name": "a", "version": "1.2.3", "digest": "sha256:00" },
                "ui": { "resourceUri": "ui://fumehood/card.html" },
                "ui/resourceUri": "ui://fumehood/card.html",
            },
        });
        assert_eq!(listed(all.clone(), Era::Modern, true), expect);

        let mut legacy = expect;
        legacy["annotations"]["title"] = "Find it".into();
        legacy["outputSchema"] = json!({
            "type": "object",
            "properties": { "result": { "type": "array", "items": { "$ref": "#/$defs/T" } } },
            "required": ["result"],
            "additionalProperties": false,
            "$defs": { "T": { "type": "object", "properties": { "t": { "$ref": "#/$defs/T" } } } },
        });
        assert_eq!(listed(all, Era::Legacy, true), legacy);
    }

    #[test]
    fn what_is_not_declared_is_not_invented() {
        for era in [Era::Legacy, Era::Modern] {
            let tool = listed(json!({}), era, false);
            let keys: Vec<_> = tool.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(keys, ["name", "description", "inputSchema", "outputSchema", "_meta"]);
            assert_eq!(tool["_meta"].as_object().unwrap().len(), 1);
        }
        let one = listed(json!({ "annotations": { "readOnlyHint": false } }), Era::Legacy, false);
        assert_eq!(one["annotations"], json!({ "readOnlyHint": false }));
    }

    #[test]
    fn only_values_under_a_wrapped_schema_are_wrapped() {
        let check = |output: Value, era, expect| {
            let manifest = manifest(json!({ "outputSchema": output }));
            assert_eq!(Schemas::of(&manifest.tools[0]).wraps(era), expect, "{era:?}");
        };
        check(json!({ "type": "array" }), Era::Legacy, true);
        check(json!({ "type": "array" }), Era::Modern, false);
        check(json!({ "type": "object" }), Era::Legacy, false);
        check(json!({ "type": "object" }), Era::Modern, false);
    }
}

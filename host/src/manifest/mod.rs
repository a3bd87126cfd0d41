//! What a vendor declares: the custom section `fumehood:manifest` of a component.
//!
//! Reading it walks section headers and parses one JSON text. No code is looked at and no schema is built, so a host can
//! list a thousand components before it loads one.

mod form;
mod requests;
mod text;
mod walk;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::capability::Capability;
use crate::component::{self, Component, ComponentError, Digest};
use crate::finding::Finding;
use crate::json::{Json, JsonLimits};
use crate::schema::{Schema, Use};

pub(crate) use text::hides;

/// The name of the custom section, at the top level of the component.
pub(crate) const SECTION: &str = "fumehood:manifest";

/// 1 MiB: a schema may take 256 KiB, and a model is never sent a megabyte of tool descriptions.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// What a component is for. It is one of these, never both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentKind {
    /// It exports `fumehood:tool/tool`: its tools are called.
    #[default]
    Tool,
    /// It exports `fumehood:review/reviewer`: it reads the results of calls.
    Reviewer,
}

impl ComponentKind {
    /// `tool`, `reviewer`: as a manifest spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Reviewer => "reviewer",
        }
    }

    /// The WIT package whose interface it exports.
    pub const fn package(self) -> &'static str {
        match self {
            Self::Tool => "fumehood:tool",
            Self::Reviewer => "fumehood:review",
        }
    }
}

impl fmt::Display for ComponentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a vendor says about a component. Made only by reading one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Manifest {
    /// What the component is for.
    pub kind: ComponentKind,
    /// `[a-z0-9][a-z0-9-]{0,63}`.
    pub name: String,
    /// Semantic Versioning 2.0.
    pub version: String,
    /// For people.
    pub description: String,
    /// 1 to 256, with different names. A reviewer has none.
    pub tools: Vec<ToolManifest>,
    /// What it asks for, each thing at most once. A reviewer asks for no tools.
    pub capabilities: Vec<Request>,
    digest: Digest,
}

/// One tool.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolManifest {
    /// `[A-Za-z0-9_-]{1,40}`.
    pub name: String,
    /// For people.
    pub title: Option<String>,
    /// For models.
    pub description: String,
    /// Hints, which the host does not trust.
    pub annotations: ToolAnnotations,
    /// Whether calls of it may overlap.
    pub concurrency: Concurrency,
    /// How long a call may take, 1 ms to 10 min. `None`: as long as the policy allows.
    pub time_limit: Option<Duration>,
    schemas: Arc<Schemas>,
}

/// Hints about a tool, with the meaning and defaults of the Model Context Protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// It changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// It may destroy something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// A second call with the same arguments changes nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// It meets things outside the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

/// Whether calls of one tool may overlap with other calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Concurrency {
    /// With any other parallel call.
    Parallel,
    /// With none.
    #[default]
    Exclusive,
}

/// One capability that a component asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Request {
    /// What.
    #[serde(flatten)]
    pub capability: Capability,
    /// Why, for a reviewer.
    pub reason: String,
    /// Whether the component has a use without it.
    pub optional: bool,
}

/// The schemas of one tool, admitted when first asked for and then never again.
#[derive(Debug)]
struct Schemas {
    input: Value,
    output: Value,
    /// `/tools/3`.
    pointer: String,
    admitted: OnceLock<Admitted>,
}

#[derive(Debug)]
struct Admitted {
    input: Result<Schema, Vec<Finding>>,
    output: Result<Schema, Vec<Finding>>,
}

/// Why a component has no manifest that can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// The bytes are no component.
    #[error(transparent)]
    Component(#[from] ComponentError),
    /// Every reason at once.
    #[error("the manifest is refused: {}", Reasons(.0))]
    Refused(Vec<Finding>),
}

impl Manifest {
    /// Reads the manifest of a component and nothing else of it. The cost is that of the manifest, not of the component.
    ///
    /// # Errors
    ///
    /// The section is missing, doubled, too large or malformed.
    pub fn read(component: &Component) -> Result<Self, ManifestError> {
        Self::list(component.bytes())
    }

    /// [`Manifest::read`] for bytes that are listed only: unlike a [`Component`], they are not digested.
    ///
    /// # Errors
    ///
    /// As [`Manifest::read`], or the bytes do not begin like a component.
    pub fn list(bytes: &[u8]) -> Result<Self, ManifestError> {
        component::recognise(bytes)?;
        let section = read_section(bytes).map_err(ManifestError::Refused)?;
        Self::parse(section).map_err(ManifestError::Refused)
    }

    /// Reads a manifest that is not in a component yet.
    ///
    /// # Errors
    ///
    /// Every fault of it, each with a JSON pointer; at most 100 are spelled out.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Finding>> {
        if bytes.len() > MAX_BYTES {
            let message = format!("the manifest is {} bytes long, over the limit of {MAX_BYTES}", bytes.len());
            return Err(vec![Finding::refusal("manifest/too-large", "", message, "shorten descriptions and schemas")]);
        }
        form::read(json(bytes)?.value(), Digest::of(bytes))
    }

    /// The SHA-256 of the section, byte for byte.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The tool of that name.
    pub fn tool(&self, name: &str) -> Option<&ToolManifest> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

impl ToolManifest {
    /// The input schema, if it can be used.
    ///
    /// # Errors
    ///
    /// Why not. The tool cannot be called then; other tools of the component can.
    pub fn input(&self) -> Result<&Schema, &[Finding]> {
        self.schemas.admitted().input.as_ref().map_err(Vec::as_slice)
    }

    /// The output schema, if it can be used.
    ///
    /// # Errors
    ///
    /// As [`ToolManifest::input`].
    pub fn output(&self) -> Result<&Schema, &[Finding]> {
        self.schemas.admitted().output.as_ref().map_err(Vec::as_slice)
    }

    /// The input schema as the vendor wrote it, admitted or not.
    pub fn input_json(&self) -> &Value {
        &self.schemas.input
    }

    /// The output schema as the vendor wrote it, admitted or not.
    pub fn output_json(&self) -> &Value {
        &self.schemas.output
    }

    /// Whether both schemas can be used.
    pub fn is_callable(&self) -> bool {
        self.input().is_ok() && self.output().is_ok()
    }

    /// What there is to say about the two schemas, with pointers into the manifest. A refusal among them means that the
    /// tool cannot be called.
    pub fn findings(&self) -> Vec<Finding> {
        let admitted = self.schemas.admitted();
        let mut findings = Vec::new();
        for (field, schema) in [("inputSchema", &admitted.input), ("outputSchema", &admitted.output)] {
            for finding in schema.as_ref().map_or_else(Vec::as_slice, Schema::findings) {
                let at = format!("{}/{field}{}", self.schemas.pointer, finding.at);
                findings.push(Finding { at, ..finding.clone() });
            }
        }
        findings
    }
}

impl Schemas {
    fn admitted(&self) -> &Admitted {
        self.admitted.get_or_init(|| Admitted {
            input: Schema::admit(&self.input, Use::Input),
            output: Schema::admit(&self.output, Use::Output),
        })
    }
}

/// What a tool's name is known by: a model mixes up two names that differ only by case or by `-` and `_`.
pub(crate) fn name_key(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

/// Finds the one manifest section of bytes that begin like a component, walking section headers only.
pub(crate) fn read_section(bytes: &[u8]) -> Result<&[u8], Vec<Finding>> {
    let mut found = None;
    for section in component::sections(bytes) {
        let section = section.map_err(|broken| vec![broken.refusal()])?;
        let Some((name, data)) = section.custom() else { continue };
        if name == SECTION.as_bytes() && found.replace(data).is_some() {
            let message = format!("there is more than one section `{SECTION}`");
            let remedy = "run `fumehood pack`, which leaves exactly one";
            return Err(vec![Finding::refusal("manifest/doubled", "", message, remedy)]);
        }
    }
    found.ok_or_else(|| {
        let message = format!("the component has no section `{SECTION}`");
        vec![Finding::refusal("manifest/missing", "", message, "run `fumehood pack` with the tool's manifest.json")]
    })
}

/// Parses through the same gate as any JSON from outside: no duplicate keys, no number that readers disagree on.
fn json(bytes: &[u8]) -> Result<Json, Vec<Finding>> {
    // Depth: a schema may nest 64 levels and lies three levels down. Nodes: ten thousand lines of schema, about 10 MB.
    let limits = JsonLimits { bytes: MAX_BYTES as u64, depth: 72, nodes: 100_000 };
    Json::from_slice(bytes, &limits).map_err(|error| {
        let remedy = "write one JSON object in UTF-8 that all readers understand alike";
        vec![Finding::refusal(error.rule(), error.pointer(), error.to_string(), remedy)]
    })
}

/// Reasons in a row, for an error's text.
pub(crate) struct Reasons<'a>(pub(crate) &'a [Finding]);

impl fmt::Display for Reasons<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, reason) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{reason}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

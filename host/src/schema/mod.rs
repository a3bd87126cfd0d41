//! The schema gate: JSON Schema 2020-12 or draft-07, admitted once, then checked in bounded time.
//!
//! A schema comes from whoever wrote the component, so it is hostile until read. Admission ([`Schema::admit`])
//! refuses what cannot be checked, what would cost too much to check and what clients cannot read, and lists every
//! reason at once. Nothing is ever fetched: a `$ref` points into the schema itself or the schema is refused.
//!
//! `format` is asserted, in both dialects, for the formats that the `jsonschema` crate knows: some clients assert it
//! whatever the dialect says, and a value that passes here must pass there. The one exception is `regex`, which
//! would compile a pattern that the *value* holds; it and unknown formats are annotations, with a warning.
//!
//! What checking costs is known before it starts; see [`cost`] for the arithmetic.

mod admission;
mod check;
mod cost;
mod dialect;
mod graph;
mod keywords;
mod lint;
mod report;
#[cfg(test)]
mod tests;
mod violation;
mod work;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::finding::Finding;
use crate::json::Json;

pub use violation::{Violation, Violations};

/// Nested arrays and objects of a schema: what the JSON gate allows a manifest.
pub(crate) const MAX_NESTING: u32 = 64;
/// Bytes of a schema in canonical form. The largest schema of a public MCP server seen was a tenth of this.
pub(crate) const MAX_BYTES: usize = 256 << 10;
/// Subschemas, boolean ones included.
pub(crate) const MAX_SUBSCHEMAS: usize = 2_000;
/// Subschemas once each in-place branch is written out wherever it is reached, and how often one part of a value
/// may be visited. Doubling `anyOf` reaches it at 13 levels, before it costs a millisecond.
pub(crate) const MAX_EXPANDED: u64 = 10_000;
/// Different patterns. Each may take [`PATTERN_BYTES`] for its program and as much again for its cache, which bounds
/// one schema's patterns to some 16 MiB: forward and backward, program and cache. The manifest bounds those of all.
pub(crate) const MAX_PATTERNS: usize = 64;
/// Bytes of one compiled pattern: some 2,000 states, so that a hundred kilobytes of text can be matched at the worst
/// rate. Enough for `^.{1,32}$` and `^[a-z]{1,512}$`; longer counts are for `maxLength`.
pub(crate) const PATTERN_BYTES: usize = 64 << 10;

/// What a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// A tool's arguments. The root must say `"type": "object"` and property names must match
    /// `[A-Za-z0-9_.-]{1,64}`: model APIs refuse the whole request otherwise.
    Input,
    /// A tool's value. Any root type.
    Output,
}

/// A schema that was admitted. Immutable and cheap to clone.
#[derive(Clone)]
pub struct Schema(Arc<Admitted>);

struct Admitted {
    json: Value,
    findings: Vec<Finding>,
    cost: cost::Cost,
    validator: check::Compiled,
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    ///
    /// Every reason to refuse it. [`Finding::at`] is a JSON pointer into the schema, the rules are `schema/…`. At
    /// most 100 findings; the last says how many were left out.
    pub fn admit(schema: &Value, purpose: Use) -> Result<Self, Vec<Finding>> {
        admission::admit(schema, purpose).map(|admitted| Self(Arc::new(admitted)))
    }

    /// Warnings and notes, for a reviewer.
    pub fn findings(&self) -> &[Finding] {
        &self.0.findings
    }

    /// The schema as it was declared.
    pub fn json(&self) -> &Value {
        &self.0.json
    }

    /// Whether a value matches. It proves nothing to a call: [`Valid`] comes from a call alone.
    ///
    /// # Errors
    ///
    /// What is wrong with it: up to [`Violations::MAX`], or one that says that the value is too large to explain.
    pub fn matches(&self, json: &Json) -> Result<(), Violations> {
        check::check(&self.0, json)
    }

    /// Checks a value.
    ///
    /// # Errors
    ///
    /// What is wrong with it: up to [`Violations::MAX`], or one that says that the value is too large to explain.
    pub(crate) fn check<K>(&self, json: Json) -> Result<Valid<K>, Violations> {
        match check::check(&self.0, &json) {
            Ok(()) => Ok(Valid { json, kind: PhantomData }),
            Err(violations) => Err(violations),
        }
    }
}

/// Says how large, not what: a schema is too long for a log line.
impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema").field("findings", &self.0.findings.len()).finish_non_exhaustive()
    }
}

/// Marks arguments. Has no values.
#[derive(Debug)]
pub enum Args {}

/// Marks a tool's value. Has no values.
#[derive(Debug)]
pub enum Canonical {}

/// JSON that passed both gates. Only [`Schema`] makes one, so holding one is the proof.
///
/// `K` is [`Args`] or [`Canonical`] and keeps the two apart. Immutable and cheap to clone.
pub struct Valid<K> {
    json: Json,
    kind: PhantomData<fn() -> K>,
}

/// The canonical value of a call: what `execute` returned, proven lossless and in agreement with its schema.
pub type CanonicalValue = Valid<Canonical>;

impl<K> Valid<K> {
    /// The JSON.
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// The value.
    pub fn value(&self) -> &Value {
        self.json.value()
    }

    /// The canonical text.
    pub fn text(&self) -> &str {
        self.json.text()
    }
}

impl<K> Clone for Valid<K> {
    fn clone(&self) -> Self {
        Self { json: self.json.clone(), kind: PhantomData }
    }
}

impl<K> Serialize for Valid<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<K> fmt::Debug for Valid<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Valid").field(&self.json).finish()
    }
}

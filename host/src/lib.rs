//! A WebAssembly host for third-party agent tools.

mod card;
mod component;
mod content;
mod finding;
mod json;
mod schema;

pub use card::{
    Card, ExitStatus, FileDiff, FileMatches, LineMatch, Location, NumberedLine, SearchResults, ToolKind, WebResults,
    WebSource,
};
pub use component::{Component, ComponentError, Digest, DigestError, LoadLimits};
pub use content::{Annotations, Bytes, ContentBlock, EmbeddedResource, ResourceBody, Role};
pub use finding::{Finding, Severity};
pub use json::{Json, JsonError, JsonLimits, JsonUsage};
pub use schema::{Args, Canonical, CanonicalValue, Schema, Use, Valid, Violation, Violations};

//! A WebAssembly host for third-party agent tools.

mod capability;
mod card;
mod component;
mod content;
mod finding;
mod inspect;
mod json;
mod manifest;
mod pack;
mod schema;

pub use capability::{Access, Capability, CapabilityKind, Need};
pub use card::{
    Card, ExitStatus, FileDiff, FileMatches, LineMatch, Location, NumberedLine, SearchResults, ToolKind, WebResults,
    WebSource,
};
pub use component::{Component, ComponentError, Digest, DigestError, LoadLimits};
pub use content::{Annotations, Bytes, ContentBlock, EmbeddedResource, ResourceBody, Role};
pub use finding::{Finding, Severity};
pub use inspect::{Import, InspectError, Inspected, Shape};
pub use json::{Json, JsonError, JsonLimits, JsonUsage};
pub use manifest::{Concurrency, Manifest, ManifestError, Request, ToolAnnotations, ToolManifest};
pub use pack::{PackError, pack};
pub use schema::{Args, Canonical, CanonicalValue, Schema, Use, Valid, Violation, Violations};

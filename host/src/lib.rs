//! A WebAssembly host for third-party agent tools.

mod card;
mod content;
#[cfg_attr(not(test), expect(dead_code, reason = "the sandboxes, its users, come next"))]
mod engine;
mod finding;
mod json;
mod schema;

pub use card::{
    Card, ExitStatus, FileDiff, FileMatches, LineMatch, Location, NumberedLine, SearchResults, ToolKind, WebResults,
    WebSource,
};
pub use content::{Annotations, Bytes, ContentBlock, EmbeddedResource, ResourceBody, Role};
pub use engine::{
    Bounds, COMPILE_WORKER, CacheError, CacheLocation, CompileError, CompileLimit, CompileLimits, CompileStage,
    Compiler, EngineError, EngineSettings, MAX_MEMORY_BYTES, MAX_SLOTS, Origin, Scaled, Tier, compile_worker_main,
};
pub use finding::{Finding, Severity};
pub use json::{Json, JsonError, JsonLimits, JsonUsage};
pub use schema::{Args, Canonical, CanonicalValue, Schema, Use, Valid, Violation, Violations};

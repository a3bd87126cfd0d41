//! A WebAssembly host for third-party agent tools.
//!
//! A tool is a component that exports `execute`, `render` and `present`. `execute` may use what the operator
//! granted and returns one JSON value; the host checks it against the schema the tool declared; only then do the
//! two *projectors* turn it into what a model reads and what a person sees, in a sandbox that can do no I/O.
//!
//! # The data flow
//!
//! Each stage is a type that only the stage before it can make.
//!
//! ```text
//! bytes ─► Component ─► Inspected ─► Approved ─► Toolset          a file becomes callable
//!          size, kind   shape, WIT,  manifest ∩  compiled,
//!                       manifest     policy      linked
//!
//! args ─► Json ─► Valid<Args> ─► execute ─► Json ─► CanonicalValue ─► render  ─► content
//!         lossless  schema       granted    lossless   schema     └─► present ─► card
//!                                sandbox                              sealed sandboxes
//! ```
//!
//! A call that does not get to the end is a [`Failure`] of one of four kinds: refused, failed, aborted, fault.
//!
//! # For an embedder
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use fumehood::{CacheLocation, Compiler, EngineSettings, Host, Outcome, Policy};
//!
//! let host = Host::new(EngineSettings::standard(Compiler::InProcess, CacheLocation::Off))?;
//! let tools = host.load("files.wasm", &Policy::nothing().mount(".".parse()?)?).await?;
//! match tools.call("grep", serde_json::json!({ "pattern": "fn " })).await {
//!     Outcome::Success(success) => println!("{}", success.value.text()),
//!     Outcome::Failure(failure) => println!("{}: {}", failure.code, failure.message),
//! }
//! # Ok(())
//! # }
//! ```

// What a tool is: no engine, no I/O.
mod capability;
mod component;
mod finding;
mod inspect;
mod manifest;
mod pack;
// What it may do: pure, but for the lock's file.
mod decision;
mod lock;
mod policy;
// What a reviewer reads of both.
mod audit;
// Values.
mod backtrace;
mod card;
mod content;
mod excerpt;
mod json;
mod schema;
// Running it: the only code that knows wasmtime.
mod bindings;
mod engine;
mod sandbox;
mod worker;
// One call, how it ended, who looks at it, and what is written down.
mod call;
mod consent;
mod host;
mod outcome;
mod review;
mod session;
mod spill;
// Surfaces: they use what is public below, and nothing else of the crate.
#[cfg(feature = "check")]
pub mod check;
#[cfg(feature = "mcp")]
pub mod mcp;

pub use audit::{Audit, AuditedTool, Change, ChangeKind, Diff, DiffSide, PolicyAnswer, Subject};
pub use backtrace::{Backtrace, Frame, Place};
pub use call::{
    Call, ComponentReviewer, Deferred, Mounted, NotLoaded, Projection, Projector, Provider, Registry, RegistryError,
    Remote, RemoteCall, RemoteError, Session, SessionRules, Toolset,
};
pub use capability::{
    Access, Capability, CapabilityKind, EnvName, HttpRule, HttpRuleError, Name, NameError, Need, ToolName,
};
pub use card::{
    Card, CardBudget, CardBudgetError, Cut, ExitStatus, FileDiff, FileMatches, LineMatch, Location, NumberedLine,
    SearchResults, ToolKind, WebResults, WebSource,
};
pub use component::{Component, ComponentError, Digest, DigestError, LoadLimits};
pub use consent::{Answer, Approver, CallPolicy, CallRules, Proposed, Question, Ruling, ToolPattern, ToolPatternError};
pub use content::{Annotations, Bytes, ContentBlock, EmbeddedResource, ResourceBody, Role};
pub use decision::Decision;
pub use engine::{
    Bounds, CacheError, CacheLocation, CodeOrigin, CompileError, CompileLimit, CompileLimits, CompileStage, Compiler,
    EngineError, EngineSettings, MAX_MEMORY_BYTES, MAX_SLOTS, Scaled, Tier,
};
pub use finding::{Finding, Severity};
pub use host::{DescribeError, Host, LoadError, inspect};
pub use inspect::{
    Claim, Dependency, Doubt, Import, InspectError, Inspected, Producer, Projectors, Provenance, Purity, Sbom, Shape,
};
pub use json::{Json, JsonError, JsonLimits, JsonUsage};
pub use lock::{Lock, LockError, LockFile, LockFileError, NotApproved, Record};
pub use manifest::{ComponentKind, Concurrency, Manifest, ManifestError, Request, ToolAnnotations, ToolManifest};
pub use outcome::{Code, Diagnostic, Failure, FailureKind, Outcome, Success};
pub use pack::{PackError, Package, pack, strip_debug};
pub use policy::{
    Approved, ArgPattern, ArgPatternError, Denied, EnvGrant, EnvGrantError, Grant, GrantError, Grants, GuestPath,
    GuestPathError, HttpGrant, HttpGrantError, Limit, LimitName, Limits, Mount, MountError, Origin, Policy,
    PolicyError, ProcessGrant, ProcessGrantError, RequestRefused, SecretGrant, SecretGrantError, SecretSource,
    Selector, Usage, Used,
};
pub use review::{Amendment, Draft, DraftResult, ReviewError, Reviewer, Verdict};
pub use sandbox::http::{Network, Resolve, Resolved, SecretError, SystemResolver, TlsRoots, TlsRootsError};
pub use sandbox::{
    EnvironmentError, GuestLog, LinkError, NoProgramsError, OpenMountError, Progress, ProgressSink, ToolError,
};
pub use schema::{Args, Canonical, CanonicalValue, Schema, Use, Valid, Violation, Violations};
pub use session::{
    CallEvent, CallId, CallIdError, CardNote, EndEvent, EndedAs, Event, Flaw, Log, LogEntry, LogError, LogRecord,
    LogSettings, LogSync, NotRun, OpenEvent, Opened, Passage, ProjectedDigests, ProviderId, RecordedCard, Recorder,
    RepairEvent, Replay, ReplayedCall, ReplayedCard, Reviewed, ReviewedAs, Spilled, TornPart, Transcript,
};
pub use spill::{Locator, LocatorError, SpillBudget, SpillError, SpillLimits, SpillStore, spilled};
pub use tokio_util::sync::CancellationToken;
pub use worker::worker_main;

//! What is written down of calls, and how it is read again.
//!
//! A log is one JSON line per event ([`LogRecord`]), appended before the thing it announces. Reading one needs no tool, no
//! policy and no engine: what a model read and what a person saw stand in it.

mod event;
mod flaw;
mod interrupted;
mod lines;
mod log;
mod replay;
mod transcript;

pub use event::{
    CallEvent, CallId, CallIdError, EndEvent, EndedAs, Event, LogRecord, NotRun, OpenEvent, ProjectedDigests,
    ProviderId, RecordedCard, RepairEvent, Reviewed, ReviewedAs, Spilled,
};
pub use flaw::Flaw;
pub use log::{Log, LogError, LogSettings, LogSync, Opened, TornPart};
pub use replay::{LogEntry, Replay};
pub use transcript::{CardNote, Passage, ReplayedCall, ReplayedCard, Transcript};

/// Where the events of a session go: a log file, or an embedder's own store.
pub trait Recorder: Send + Sync + 'static {
    /// Whether canonical values are to be recorded too.
    fn records_values(&self) -> bool;

    /// Write these events, all of them or none, in this order. What this returns `Ok` for has to be there after a crash. It
    /// may block: it is called on a thread of its own, one call at a time.
    ///
    /// # Errors
    /// They cannot be written: the call that they announce does not run, the result that they hold is withheld.
    fn record(&self, events: &[Event]) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}

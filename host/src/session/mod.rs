//! What is written down of calls, and how it is read again.
//!
//! A log is one JSON line per event ([`LogRecord`]), appended before the thing it announces. Reading one needs no tool, no
//! policy and no engine: what a model read and what a person saw stand in it.

mod event;

pub use event::{
    CallEvent, CallId, CallIdError, Cut, EndEvent, EndedAs, Event, LogRecord, NotRun, OpenEvent, ProjectedDigests,
    ProviderId, RecordedCard, RepairEvent, Reviewed, ReviewedAs, Spilled,
};

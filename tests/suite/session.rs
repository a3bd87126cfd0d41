//! Calls in sessions: who may stop one, who looks at what it came to, what runs side by side, and what is written down.
//!
//! Tools that run elsewhere are closures here, so that a test can hold a call where it wants it.

#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

#[path = "session/batches.rs"]
mod batches;
#[path = "session/nested.rs"]
mod nested;
#[path = "session/policies.rs"]
mod policies;
#[path = "session/record.rs"]
mod record;
#[path = "session/reviews.rs"]
mod reviews;
#[path = "session/stage.rs"]
mod stage;
#[path = "session/stops.rs"]
mod stops;
#[path = "../support/mod.rs"]
mod support;
#[path = "session/values.rs"]
mod values;

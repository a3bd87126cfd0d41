//! What a vendor does all day: change a tool, see it called again, and read where it went wrong.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail loudly, in directories of their own")]

#[path = "../support/mod.rs"]
mod support;

#[path = "inner_loop/places.rs"]
mod places;
#[path = "inner_loop/watch.rs"]
mod watch;

//! The conformance kit: whether every host will take a tool, and how near its limits it runs.
//!
//! A surface, as an embedder could have written it: it uses what is public at the crate's root. Each check has an id, which
//! [`ALL`] lists and `docs/tool-authors/checks.md` explains, one line of verdict, and the findings behind it.

mod generated;
mod headroom;
mod loaded;
mod report;
mod settings;
mod table;

use crate::Host;

pub use headroom::{Headroom, Peak};
pub use loaded::Loaded;
pub use report::{Check, Counts, Report, Verdict};
pub use settings::Settings;
pub use table::{ALL, About, about};

/// Two engines: what a tool shows may not depend on how it was compiled.
#[derive(Clone)]
#[non_exhaustive]
pub struct Engines {
    /// What most runs are made on.
    pub first: Host,
    /// One that compiles to other code: with other [`Bounds`](crate::Bounds), for one.
    pub other: Host,
}

impl Engines {
    /// Both.
    pub fn new(first: Host, other: Host) -> Self {
        Self { first, other }
    }
}

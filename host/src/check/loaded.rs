//! A component that compiled, ready for the checks that run it.

use std::sync::Arc;

use tempfile::TempDir;

use crate::{Inspected, Toolset};

/// A component that compiled, on both engines.
#[derive(Clone)]
#[non_exhaustive]
pub struct Loaded {
    /// What was compiled.
    pub inspected: Inspected,
    /// Under the grants and limits that it has in earnest: [`Settings::policy`](super::Settings::policy), or what its
    /// manifest asks for.
    pub toolset: Toolset,
    /// The same on an engine that is set up in another way, and so compiles to other code.
    pub other: Toolset,
    /// The files of both. They go with the last who holds them.
    pub(super) _world: Arc<TempDir>,
}

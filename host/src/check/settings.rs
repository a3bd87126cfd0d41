//! What is checked, and how much.

use std::path::PathBuf;

use crate::Policy;

/// What is checked, and how much.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The folder of golden cases. `None`: there are none.
    pub cases: Option<PathBuf>,
    /// What the tool is granted where it runs with its grants. `None`: what its manifest asks for, from an empty world.
    pub policy: Option<Policy>,
    /// Generated calls for each tool. 0: none.
    pub calls: u32,
    /// What they are drawn from.
    pub seed: u64,
    /// Write again what the cases expect.
    pub bless: bool,
    /// Make these checks alone, by id. Empty: all.
    pub only: Vec<String>,
}

impl Settings {
    /// Every check, no cases, 100 generated calls for each tool, from the seed 0.
    ///
    /// A hundred calls reach each edge of a usual schema, and take well under a second for a tool in Rust.
    pub fn standard() -> Self {
        Self { cases: None, policy: None, calls: 100, seed: 0, bless: false, only: Vec::new() }
    }

    /// Whether this check is to be made.
    pub fn wants(&self, id: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == id)
    }
}

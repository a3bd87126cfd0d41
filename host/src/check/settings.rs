//! What is checked, and how much.

use std::path::PathBuf;

use super::ALL;
use crate::{LimitName, Policy};

/// What is checked, and how much.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The folder of golden cases. `None`: there are none.
    pub cases: Option<PathBuf>,
    /// The limits that the tool has in earnest, and what it is granted where it runs with its grants. Where this grants
    /// nothing, the tool gets what its manifest asks for, from an empty world.
    pub policy: Policy,
    /// Generated calls for each tool. 0: none.
    pub calls: u32,
    /// What they are drawn from.
    pub seed: u64,
    /// Give cases whatever they grant themselves, programs and folders of this machine included. Without it a case that
    /// grants what reaches out of its own world is not run: cases come with a component, and nobody may have read them.
    pub trust_cases: bool,
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
        Self {
            cases: None,
            policy: Policy::nothing(),
            calls: 100,
            seed: 0,
            trust_cases: false,
            bless: false,
            only: Vec::new(),
        }
    }

    /// Whether this check is to be made.
    pub fn wants(&self, id: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == id)
    }

    /// The limits of the policy, without any grant.
    pub(super) fn limits(&self) -> impl Iterator<Item = (LimitName, u64)> {
        self.policy.limits().filter(|(whom, ..)| whom.is_none()).map(|(_, name, value)| (name, value))
    }

    /// Whether any of these is to be made.
    pub(super) fn wants_any(&self, ids: &[&str]) -> bool {
        ids.iter().any(|id| self.wants(id))
    }

    /// Whether anything is to be run.
    pub(super) fn runs(&self) -> bool {
        ALL.iter().any(|row| Self::is_run(row.id) && self.wants(row.id))
    }

    /// Whether a check runs the component. The table has those that only look first.
    pub(super) fn is_run(id: &str) -> bool {
        let place = |id: &str| ALL.iter().position(|row| row.id == id);
        place(id) >= place("compile")
    }
}

//! What really holds: what the manifest asks for, cut down to what the policy allows.

use serde::Serialize;

use super::mounts::Mount;
use crate::capability::CapabilityKind;

/// What a component may use. Only [`Policy::approve`](super::Policy::approve) makes one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grants {
    pub(super) mounts: Vec<Mount>,
    pub(super) clock: bool,
    pub(super) random: bool,
}

impl Grants {
    /// The directories, each a separate preopen.
    pub fn mounts(&self) -> &[Mount] {
        &self.mounts
    }

    /// Whether the clocks tell the time.
    pub fn clock(&self) -> bool {
        self.clock
    }

    /// Whether random numbers are random.
    pub fn random(&self) -> bool {
        self.random
    }

    /// Whether it may use nothing at all.
    pub fn is_empty(&self) -> bool {
        self.mounts.is_empty() && !self.clock && !self.random
    }

    pub(crate) fn holds(&self, kind: CapabilityKind) -> bool {
        match kind {
            CapabilityKind::Filesystem => !self.mounts.is_empty(),
            CapabilityKind::Clock => self.clock,
            CapabilityKind::Random => self.random,
        }
    }
}

//! Whether a projector can reach an import at all: a static answer, from the code.
//!
//! The sealed sandbox holds whatever a projector tries. This says something else, before anything runs: that there is
//! nothing to hold. `render` is *proved* pure when no path in the call graph leads from it to an import of the
//! component; otherwise it is *enforced*, with the shortest path, or with the reason why there is no answer. The graph
//! has more edges than the program, never fewer:
//!
//! - a call through a table may land on every function of that type that may lie in that table: what element segments
//!   put there, and, once any code writes to the table, every function whose reference is taken anywhere;
//! - what runs besides the export counts as called by it: start functions of every core instance, the reallocation and
//!   post-return functions of the canonical ABI on both sides of a border, and, from any `resource.drop`, every
//!   destructor;
//! - every branch is taken, and every function of a module is looked at.
//!
//! Dropping a handle of an *imported* resource is no edge: a fresh instance holds none until an import returned one,
//! and `render` and `present` take strings.
//!
//! Reading is linear in the bytes, which [`super::shape`] has bounded; the rest is bounded by the numbers here.

mod code;
mod names;
mod program;
mod search;
mod spaces;
#[cfg(test)]
mod tests;
mod wiring;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use program::Program;
use search::Tables;

use super::escape::escaped;

/// What the code says of one projector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purity {
    /// No path in the call graph leads from the export to an import.
    Proved,
    /// The sandbox holds it; the code alone does not show that it must not.
    Enforced(Doubt),
}

/// Why a projector is not proved pure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// A path may exist, the shortest one first to last: how the code is entered (`render`, `start of module 1`,
    /// `realloc of render`), functions by name or as `module 0 function 12`, the import as
    /// `wasi:cli/environment@0.2.12#get-environment`. Names are the vendor's, escaped and cut; the middle of a path
    /// over 32 steps is left out.
    Path(Vec<String>),
    /// The analysis does not cover what the component does.
    NotCovered(String),
}

/// Both projectors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Projectors {
    /// What a model reads is made by it.
    pub render: Purity,
    /// What a person sees is made by it.
    pub present: Purity,
}

impl Purity {
    /// Whether no import can be reached.
    pub const fn is_proved(&self) -> bool {
        matches!(self, Self::Proved)
    }
}

/// `{"purity":"proved"}`, `{"purity":"enforced","path":[…]}` or `{"purity":"enforced","reason":"…"}`.
impl Serialize for Purity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("purity", if self.is_proved() { "proved" } else { "enforced" })?;
        match self {
            Self::Proved => {}
            Self::Enforced(Doubt::Path(path)) => map.serialize_entry("path", path)?,
            Self::Enforced(Doubt::NotCovered(reason)) => map.serialize_entry("reason", reason)?,
        }
        map.end()
    }
}

/// The analysis stops here: whatever is asked is enforced.
#[derive(Debug)]
struct Uncovered(String);

impl Uncovered {
    fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl From<wasmparser::Error> for Uncovered {
    fn from(error: wasmparser::Error) -> Self {
        Self(format!("byte {} cannot be read: {}", error.offset(), error.message()))
    }
}

/// Answers for a component that was validated under [`super::features`]. `interface` is the export that holds `render`
/// and `present`.
pub(super) fn analyse(bytes: &[u8], interface: &str) -> Projectors {
    answers(bytes, interface).unwrap_or_else(|uncovered| {
        let purity = enforced(uncovered);
        Projectors { render: purity.clone(), present: purity }
    })
}

fn answers(bytes: &[u8], interface: &str) -> Result<Projectors, Uncovered> {
    let wiring = wiring::parse(bytes)?;
    let program = Program::of(&wiring)?;
    let tables = Tables::of(&program)?;
    let [render, present] =
        ["render", "present"].map(|name| search::purity(&program, &tables, interface, name).unwrap_or_else(enforced));
    Ok(Projectors { render, present })
}

fn enforced(Uncovered(reason): Uncovered) -> Purity {
    // It may quote a name of the vendor's.
    Purity::Enforced(Doubt::NotCovered(escaped(&reason, 256)))
}

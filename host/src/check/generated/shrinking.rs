//! From the draw that failed to the least that fails in the same way.

use proptest::strategy::ValueTree as _;
use serde_json::Value;

use super::FUEL;
use super::fault::Fault;
use crate::check::draw::Tree;

/// Simpler draws that are run for one failure: a second or two for a tool that takes milliseconds, a minute where each run
/// uses all the fuel there is, and the least draw alone where each waits for the wall clock, half a minute.
const TRIES: u32 = 400;
const TRIES_WITH_FUEL: u32 = 30;
const TRIES_WITH_WAITING: u32 = 1;

/// Shrinks one draw. Whoever runs it says of each candidate whether it fails.
pub(super) struct Shrinking {
    tree: Tree,
    more: bool,
    left: u32,
}

impl Shrinking {
    /// - `fault`: what the draw fails with.
    pub(super) fn new(mut tree: Tree, fault: &Fault) -> Self {
        let more = tree.simplify();
        let left = match fault.id {
            FUEL => TRIES_WITH_FUEL,
            _ if fault.waited() => TRIES_WITH_WAITING,
            _ => TRIES,
        };
        Self { tree, more, left }
    }

    /// The next value to run.
    pub(super) fn candidate(&mut self) -> Option<Value> {
        self.left = self.left.checked_sub(1).filter(|_| self.more)?;
        Some(self.tree.current())
    }

    /// How the candidate did.
    pub(super) fn failed(&mut self, it: bool) {
        self.more = if it { self.tree.simplify() } else { self.tree.complicate() };
    }

    /// The least that is known to fail.
    pub(super) fn least(self) -> Value {
        self.tree.failing()
    }
}

/// Whether one fault is the other at a simpler draw: texts hold numbers and quote the value.
pub(super) fn same(fault: &Fault, other: Option<&Fault>) -> bool {
    other.is_some_and(|other| other.id == fault.id)
}

/// The most of a counter-example that is shown; its seed shows all of it.
const SHOWN: usize = 2 << 10;

/// The exact JSON of a counter-example.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.len() <= SHOWN {
        return text;
    }
    format!("{}… ({} bytes)", &text[..text.floor_char_boundary(SHOWN)], text.len())
}

//! A policy decides about a call as it was asked for. It cannot make another of it.
use fumehood::{Args, CallPolicy, Proposed, Ruling, Valid};

struct Rewrites(Valid<Args>);

impl CallPolicy for Rewrites {
    fn name(&self) -> &str {
        "rewrites"
    }

    fn rule(&self, proposed: &Proposed<'_>) -> Ruling {
        proposed.args = &self.0;
        *proposed.args = self.0.clone();
        Ruling::Allow
    }
}

fn main() {}

//! A policy decides about a call as it was asked for. It cannot make another of it.
use fumehood::{Args, Proposed, Ruling, Valid};

fn rule<'a>(proposed: &Proposed<'a>, others: &'a Valid<Args>) -> Ruling {
    proposed.args = others;
    *proposed.args = others.clone();
    Ruling::Allow
}

fn main() {
    let _ = rule;
}

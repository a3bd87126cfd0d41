//! A failure has no value.

use fumehood::{Failure, Outcome};

fn value(failure: &Failure, outcome: &Outcome) {
    let _ = &failure.value;
    let _ = outcome.value();
}

fn main() {
    let _ = value;
}

//! Arguments that passed their gate are no value, though both are checked JSON.

use fumehood::{Args, CanonicalValue, Valid};

fn promote(args: Valid<Args>) -> CanonicalValue {
    args
}

fn main() {
    let _ = promote;
}

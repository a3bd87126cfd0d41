//! The fields of a canonical value are private, and so is every way to fill them.

use std::marker::PhantomData;

use fumehood::{Canonical, Json, Valid};

fn construct(json: Json) -> Valid<Canonical> {
    Valid { json, kind: PhantomData }
}

fn main() {
    let _ = construct;
}

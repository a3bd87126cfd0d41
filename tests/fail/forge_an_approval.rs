//! Only a policy approves, and only what it approved has grants.

use fumehood::{Approved, Grants, Inspected};

fn approve(inspected: Inspected) -> Approved {
    Approved(inspected)
}

fn widen(approved: &Approved) {
    approved.grants().granted.push(fumehood::Grant::Clock);
}

fn default() -> Grants {
    Grants::default()
}

fn main() {
    let _ = (approve, widen, default);
}

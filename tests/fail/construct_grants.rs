//! Grants are what a manifest asks for and a policy allows, and nobody writes them down.

use fumehood::Grants;

fn invent() -> Grants {
    Grants { granted: vec![fumehood::Grant::Clock], http: Default::default() }
}

fn widen(grants: &Grants) -> Grants {
    Grants { granted: vec![fumehood::Grant::Clock], ..grants.clone() }
}

fn main() {
    let _ = (invent, widen);
}

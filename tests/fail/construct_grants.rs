//! Grants are what a manifest asks for and a policy allows, and nobody writes them down.

use fumehood::Grants;

fn invent() -> Grants {
    Grants { mounts: Vec::new(), clock: true, random: true }
}

fn widen(grants: &Grants) -> Grants {
    Grants { clock: true, ..grants.clone() }
}

fn main() {
    let _ = (invent, widen);
}

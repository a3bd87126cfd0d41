//! When one request contains another.

use crate::capability::Capability;

/// Whether a component that asks for `held` asks for `wanted` already. What names one secret, variable, program or tool
/// is covered by nothing but its equal.
pub(super) fn covers(held: &Capability, wanted: &Capability) -> bool {
    match (held, wanted) {
        (Capability::Filesystem { access: held }, Capability::Filesystem { access: wanted }) => wanted <= held,
        // Whichever hosts the operator names: all of them.
        (Capability::Http { target: None }, Capability::Http { .. }) => true,
        (Capability::Http { target: Some(held) }, Capability::Http { target: Some(wanted) }) => held.covers(wanted),
        (held, wanted) => held == wanted,
    }
}

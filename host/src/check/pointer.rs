//! JSON pointers (RFC 6901).

/// A member's name, as one step of a pointer has it.
pub(super) fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

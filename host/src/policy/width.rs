//! Directories that are more than a tool needs. Paths are judged as they are written: nothing is opened here.

use std::path::{Component, Path};

use crate::capability::Access;

/// Directories that hold keys.
const KEYS: [&str; 6] = [".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"];
/// Directories of the system that hold more directories of it.
const SYSTEM: [&str; 4] = ["/etc", "/proc", "/sys", "/usr"];

/// What a directory is, if it is wide: `a whole home directory`.
pub(super) fn of(host: &Path, access: Access) -> Option<&'static str> {
    let (absolute, up, parts) = plain(host);
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    if parts.iter().any(|part| KEYS.contains(part)) {
        return Some("a directory of keys and credentials");
    }
    if !absolute {
        return match parts.as_slice() {
            _ if up => Some("what lies above the working directory"),
            [] if access == Access::ReadWrite => Some("all of the working directory"),
            _ => None,
        };
    }
    match parts.as_slice() {
        [] => Some("the whole file system"),
        ["home" | "Users"] => Some("the home directories of all users"),
        ["root"] | ["home" | "Users", _] => Some("a whole home directory"),
        [_] => Some("a directory at the top of the file system"),
        [first, ..] if SYSTEM.iter().any(|system| system[1..] == **first) => Some("a directory of the system"),
        _ => None,
    }
}

/// Whether the path is absolute, whether it leads above where it starts, and what is left of it.
fn plain(path: &Path) -> (bool, bool, Vec<String>) {
    let (mut absolute, mut up, mut parts) = (false, false, Vec::new());
    for component in path.components() {
        match component {
            Component::RootDir | Component::Prefix(_) => absolute = true,
            Component::CurDir => {}
            // Nothing is above the root.
            Component::ParentDir => up |= parts.pop().is_none() && !absolute,
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
        }
    }
    (absolute, up, parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wide_and_what_is_not() {
        let check = |path: &str, access, what: Option<&str>| assert_eq!(of(Path::new(path), access), what, "{path}");
        for access in [Access::Read, Access::ReadWrite] {
            check("/", access, Some("the whole file system"));
            check("/srv/../..", access, Some("the whole file system"));
            check("/home", access, Some("the home directories of all users"));
            check("/home/ann", access, Some("a whole home directory"));
            check("/home/ann/./", access, Some("a whole home directory"));
            check("/root", access, Some("a whole home directory"));
            check("/Users/ann", access, Some("a whole home directory"));
            check("/home/ann/notes", access, None);
            check("/srv", access, Some("a directory at the top of the file system"));
            check("/srv/notes", access, None);
            check("/usr/lib/x", access, Some("a directory of the system"));
            check("/var/lib/notes", access, None);
            check("..", access, Some("what lies above the working directory"));
            check("notes/../..", access, Some("what lies above the working directory"));
            check("notes", access, None);
            check("/home/ann/.ssh", access, Some("a directory of keys and credentials"));
            check("notes/.aws/cli", access, Some("a directory of keys and credentials"));
        }
        check(".", Access::ReadWrite, Some("all of the working directory"));
        check("notes/..", Access::ReadWrite, Some("all of the working directory"));
        check(".", Access::Read, None);
    }
}

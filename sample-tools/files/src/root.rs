//! The granted directory: paths as the tools name them, and errors as a model may read them.
//!
//! A path is relative to the root, parted by `/`, and never a path of the host. With one grant at `/` the root is
//! that directory. With several, such as `/docs` and `/src`, the root lists them and each is a first name.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use fumehood_tool::{Code, ToolError};

use crate::list::{self, entries};

pub struct Root {
    base: PathBuf,
    /// Where the grants lie, normal paths; the root itself is the empty path.
    mounts: Vec<String>,
}

/// What a directory holds under a name.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    File,
    Directory,
    /// A symbolic link, wherever it leads.
    Link,
    /// A socket, a device, a pipe.
    Other,
}

impl Root {
    /// What the call is granted.
    pub fn granted() -> Self {
        Self::new("/", list::grants())
    }

    /// Tests have a temporary directory.
    pub fn new(base: impl Into<PathBuf>, mounts: impl IntoIterator<Item = String>) -> Self {
        let mounts = mounts.into_iter().filter_map(|mount| normal(&mount).ok()).collect();
        Self { base: base.into(), mounts }
    }

    /// Where the system finds `path`, which must be normal.
    pub fn at(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.base.clone() } else { self.base.join(path) }
    }

    /// Whether a grant reaches `path`. One that none reaches cannot even come to exist.
    pub fn grants(&self, path: &str) -> bool {
        let below = |mount: &String| {
            mount.is_empty() || path.strip_prefix(mount.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        self.mounts.iter().any(below)
    }

    /// Opens a regular file; links are followed as far as the grant reaches.
    pub fn open(&self, path: &str) -> Result<File, ToolError> {
        match self.kind(path)? {
            Kind::File => File::open(self.at(path)).map_err(|error| failed(&error, path)),
            Kind::Directory => Err(is_directory(path)),
            _ => Err(ToolError::InvalidArgs(format!("`{path}` is not a regular file"))),
        }
    }

    /// What is at `path`, links followed.
    pub fn kind(&self, path: &str) -> Result<Kind, ToolError> {
        match fs::metadata(self.at(path)) {
            Ok(found) if found.is_dir() => Ok(Kind::Directory),
            Ok(found) if found.is_file() => Ok(Kind::File),
            Ok(_) => Ok(Kind::Other),
            Err(_) if !self.mounts_below(path).is_empty() => Ok(Kind::Directory),
            Err(error) => Err(failed(&error, path)),
        }
    }

    /// What the directory holds, by name. Names that are not UTF-8 cannot be named by a call and are left out.
    pub fn list(&self, path: &str) -> Result<BTreeMap<String, Kind>, ToolError> {
        let mut names = self.mounts_below(path);
        match entries(&self.at(path), path) {
            Ok(entries) => names.extend(entries),
            // Above the grants there is nothing to read but their names.
            Err(_) if !names.is_empty() => {}
            Err(error) => return Err(failed(&error, path)),
        }
        Ok(names)
    }

    /// The next names on the way from `path` to each grant below it.
    fn mounts_below(&self, path: &str) -> BTreeMap<String, Kind> {
        let below = |mount: &String| {
            let rest = if path.is_empty() { mount } else { mount.strip_prefix(path)?.strip_prefix('/')? };
            let name = rest.split('/').next().filter(|name| !name.is_empty())?;
            Some((name.to_owned(), Kind::Directory))
        };
        self.mounts.iter().filter_map(below).collect()
    }
}

/// The one spelling of a path: no leading, doubled or trailing `/`, no `.`, no `..`; the root is empty.
pub fn normal(path: &str) -> Result<String, ToolError> {
    let mut names = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." if names.pop().is_none() => {
                return Err(ToolError::InvalidArgs(format!(
                    "`{path}` leads out of the root; paths are relative to it"
                )));
            }
            ".." => {}
            name if name.contains('\0') => {
                return Err(ToolError::InvalidArgs("a path cannot hold the character U+0000".into()));
            }
            name => names.push(name),
        }
    }
    Ok(names.join("/"))
}

/// `directory` and `name` as one path.
pub fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// How a path is written for a reader, who would not see an empty one.
pub fn shown(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

pub fn is_directory(path: &str) -> ToolError {
    ToolError::InvalidArgs(format!("`{}` is a directory; find the files in it with glob", shown(path)))
}

pub fn outside(path: &str) -> ToolError {
    ToolError::Denied(format!("`{path}` lies outside of what is granted; glob with `*/**` shows what is"))
}

const NO_SPACE: Code = Code::new("NO_SPACE");
const IO: Code = Code::new("IO");

/// An error of the system, in words that name the path as the call does.
pub fn failed(error: &io::Error, path: &str) -> ToolError {
    use io::ErrorKind as Kind;
    /// WASI's "capabilities insufficient": nothing that covers the path is granted. std has no kind for it.
    const NOT_CAPABLE: i32 = 76;
    let path = shown(path);
    match error.kind() {
        Kind::NotFound => ToolError::NotFound(format!("`{path}` does not exist")),
        Kind::NotADirectory => ToolError::NotFound(format!("`{path}` does not exist: a part of it is a file")),
        Kind::PermissionDenied => ToolError::Denied(format!("`{path}`: the grant or the file's permissions forbid it")),
        Kind::ReadOnlyFilesystem => ToolError::Denied(format!("`{path}` lies on a read-only file system")),
        Kind::IsADirectory => is_directory(path),
        Kind::ResourceBusy | Kind::WouldBlock | Kind::Interrupted | Kind::TimedOut => {
            ToolError::Unavailable(format!("`{path}` is busy; try again"))
        }
        Kind::InvalidFilename => {
            ToolError::InvalidArgs(format!("`{path}` is too long, or no name this file system has"))
        }
        Kind::StorageFull | Kind::QuotaExceeded => ToolError::failed(NO_SPACE, format!("no space left for `{path}`")),
        _ if error.raw_os_error() == Some(NOT_CAPABLE) => outside(path),
        kind => ToolError::failed(IO, format!("`{path}`: {kind}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_one_spelling() {
        let check = |path: &str, expect: Option<&str>| {
            assert_eq!(normal(path).ok().as_deref(), expect, "{path:?}");
        };
        check("a/b.txt", Some("a/b.txt"));
        check("/a//./b.txt/", Some("a/b.txt"));
        check("a/../b", Some("b"));
        check(".", Some(""));
        check("", Some(""));
        check("..", None);
        check("a/../../b", None);
        check("a\0b", None);
    }

    #[test]
    fn several_grants_show_as_names_in_the_root() {
        let root = Root::new("/nowhere/at/all", ["/docs".to_owned(), "/work/src".to_owned()]);
        assert_eq!(root.list("").unwrap().into_keys().collect::<Vec<_>>(), ["docs", "work"]);
        assert_eq!(root.list("work").unwrap().into_keys().collect::<Vec<_>>(), ["src"]);
        assert!(root.kind("work").unwrap() == Kind::Directory);
        assert!(root.grants("docs/a") && root.grants("work/src/a/b"));
        assert!(!root.grants("a") && !root.grants("docsa") && !root.grants("work/a"));
        assert!(matches!(root.list("elsewhere"), Err(ToolError::NotFound(_))));
    }
}

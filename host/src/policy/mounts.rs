//! Directories an operator grants.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::quote::{path_text, shell, toml_text};
use crate::capability::Access;

/// Where a directory appears inside the sandbox: absolute, `/`-separated, without `.`, `..` or empty parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GuestPath(String);

/// A guest path that is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("guest path {0:?} is not absolute and plain; write it like \"/\" or \"/data\"")]
pub struct GuestPathError(String);

impl GuestPath {
    /// `/`.
    pub fn root() -> Self {
        Self("/".to_owned())
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for GuestPath {
    type Err = GuestPathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\0', '\\']);
        match text.strip_prefix('/') {
            Some("") => Ok(Self::root()),
            Some(rest) if rest.split('/').all(plain) => Ok(Self(text.to_owned())),
            _ => Err(GuestPathError(text.to_owned())),
        }
    }
}

impl TryFrom<String> for GuestPath {
    type Error = GuestPathError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<GuestPath> for String {
    fn from(path: GuestPath) -> Self {
        path.0
    }
}

impl fmt::Display for GuestPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One directory: where it is, where the tool sees it, and what may be done in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mount {
    /// On the host. Opened once, when the component is loaded.
    pub host: PathBuf,
    /// In the sandbox.
    pub guest: GuestPath,
    /// What may be done.
    pub access: Access,
}

/// A mount in its short form that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MountError {
    /// No directory.
    #[error("mount {0:?} names no directory; write HOST_DIR[:GUEST][:rw], for example \"./src:/src:rw\"")]
    NoDirectory(String),
    /// The guest path is not one.
    #[error("mount {mount:?}: {source}")]
    Guest {
        /// The whole mount.
        mount: String,
        /// What is wrong with its guest path.
        source: GuestPathError,
    },
}

impl Mount {
    /// The short form that grants this mount, quoted for a shell where it has to be: `./src:/src:rw`.
    pub fn short_form(&self) -> String {
        shell(&self.plain_form())
    }

    pub(super) fn policy_line(&self) -> String {
        let guest = if self.guest == GuestPath::root() {
            String::new()
        } else {
            format!(", guest = {}", toml_text(self.guest.as_str()))
        };
        format!("grants.filesystem = [{{ host = {}{guest}, access = \"{}\" }}]", path_text(&self.host), self.access)
    }

    /// The short form, unquoted. The sandbox's `/` is left out where nothing else could be read.
    fn plain_form(&self) -> String {
        let access = match self.access {
            Access::Read => "",
            Access::ReadWrite => ":rw",
        };
        let host = self.host.display().to_string();
        if self.guest == GuestPath::root() && !host.contains(':') {
            format!("{host}{access}")
        } else {
            format!("{host}:{}{access}", self.guest)
        }
    }

    /// The short form with nothing left out: what a person reads.
    pub(super) fn whole_form(&self) -> String {
        let access = match self.access {
            Access::Read => "ro",
            Access::ReadWrite => "rw",
        };
        format!("{}:{}:{access}", self.host.display(), self.guest)
    }

    /// Why this is much to give.
    pub(super) fn width(&self) -> Option<String> {
        let what = super::width::of(&self.host, self.access)?;
        Some(format!("gives {what}, {}", self.access))
    }

    /// The same mount, with a relative host path taken from `base`.
    pub fn relative_to(self, base: &Path) -> Self {
        Self { host: base.join(&self.host), ..self }
    }
}

/// `HOST_DIR[:GUEST][:rw]`. A guest path starts with `/`; without one the directory is the sandbox's `/`.
/// Without `:rw` it is read-only (`:ro` says so in words). A host directory whose name would be read
/// otherwise can be granted by a policy file.
impl FromStr for Mount {
    type Err = MountError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (rest, access) = match text.rsplit_once(':') {
            Some((rest, "rw")) => (rest, Access::ReadWrite),
            Some((rest, "ro")) => (rest, Access::Read),
            _ => (text, Access::Read),
        };
        let (host, guest) = match rest.rsplit_once(':') {
            Some((host, guest)) if guest.starts_with('/') => {
                let guest = guest.parse().map_err(|source| MountError::Guest { mount: text.to_owned(), source })?;
                (host, guest)
            }
            _ => (rest, GuestPath::root()),
        };
        if host.is_empty() {
            return Err(MountError::NoDirectory(text.to_owned()));
        }
        Ok(Self { host: PathBuf::from(host), guest, access })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Result<(&str, &str, Access), ()>) {
        let mount: Result<Mount, _> = text.parse();
        match expect {
            Ok((host, guest, access)) => {
                let mount = mount.expect(text);
                assert_eq!((mount.host.to_str(), mount.guest.as_str(), mount.access), (Some(host), guest, access));
                assert_eq!(mount.plain_form().parse(), Ok(mount.clone()), "{text}");
                assert_eq!(mount.whole_form().parse(), Ok(mount), "{text}");
            }
            Err(()) => assert!(mount.is_err(), "{text} was read as {mount:?}"),
        }
    }

    #[test]
    fn the_short_form() {
        check(".", Ok((".", "/", Access::Read)));
        check(".:rw", Ok((".", "/", Access::ReadWrite)));
        check("a:/data", Ok(("a", "/data", Access::Read)));
        check("a:/data:ro", Ok(("a", "/data", Access::Read)));
        check("/a/b:/:rw", Ok(("/a/b", "/", Access::ReadWrite)));
        check("odd:name", Ok(("odd:name", "/", Access::Read)));
        check("odd:/:/", Ok(("odd:/", "/", Access::Read)));
        check("", Err(()));
        check(":rw", Err(()));
        check(":/data", Err(()));
        check("a:/x/../y", Err(()));
        check("a:/x//y", Err(()));
        check("a:/x/", Err(()));
    }
}

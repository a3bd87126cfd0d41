//! Granted directories, opened once.

use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::capability::Access;
use crate::policy::Mount;

/// A directory that is held open, so that what a path names later changes nothing.
pub(crate) struct OpenMount {
    mount: Mount,
    path: PathBuf,
    /// Keeps `path` alive where it goes through the descriptor.
    dir: Dir,
}

/// A granted directory that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot open the granted directory {}: {source}", .path.display())]
pub struct OpenMountError {
    path: PathBuf,
    source: std::io::Error,
}

impl OpenMount {
    pub(crate) fn open(mount: &Mount) -> Result<Self, OpenMountError> {
        let failed = |source| OpenMountError { path: mount.host.clone(), source };
        let dir = Dir::open_ambient_dir(&mount.host, ambient_authority()).map_err(failed)?;
        let path = by_descriptor(&dir, &mount.host).map_err(failed)?;
        Ok(Self { path, mount: mount.clone(), dir })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    pub(super) fn guest(&self) -> &str {
        self.mount.guest.as_str()
    }

    pub(super) fn access(&self) -> Access {
        self.mount.access
    }
}

/// A path that names the open directory itself. wasmtime takes only paths.
#[cfg(target_os = "linux")]
fn by_descriptor(dir: &Dir, _: &Path) -> std::io::Result<PathBuf> {
    use std::os::fd::{AsFd as _, AsRawFd as _};
    let path = PathBuf::from(format!("/proc/self/fd/{}", dir.as_fd().as_raw_fd()));
    let (named, held) = (rustix::fs::stat(&path)?, rustix::fs::fstat(dir)?);
    if (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino) {
        Ok(path)
    } else {
        Err(std::io::Error::other("/proc is not this process's own, and a grant is held open through it"))
    }
}

/// Elsewhere the mount's own path has to do: what it names is looked up at each call.
#[cfg(not(target_os = "linux"))]
fn by_descriptor(_: &Dir, path: &Path) -> std::io::Result<PathBuf> {
    Ok(path.to_owned())
}

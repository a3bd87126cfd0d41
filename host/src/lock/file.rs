//! The lock on disk: read again whenever it changes, so that an approval taken back holds for the next call.

use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, MetadataExt as _, OpenOptions};

use super::{Lock, LockError, NotApproved};
use crate::policy::Approved;

/// A thousand records are half a megabyte.
const MAX_BYTES: u64 = 4 << 20;

/// A lock file in use. Each check looks whether the file has changed since it was read, which costs one look at its
/// metadata. A file that is gone, or cannot be read, approves nothing.
#[derive(Debug)]
pub struct LockFile {
    path: PathBuf,
    /// What relative directories in grants are relative to.
    base: PathBuf,
    read: Mutex<Option<(Stamp, Arc<Lock>)>>,
}

/// Changes whenever the file does: a file replaced by a rename has another inode, one written in place another time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode: (u64, u64),
    size: u64,
    changed: (i64, i64),
}

/// A lock file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockFileError {
    /// It cannot be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is no lock.
    #[error("{}: {source}", .path.display())]
    Text {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: LockError,
    },
    /// The component is not approved.
    #[error(transparent)]
    NotApproved(#[from] NotApproved),
}

impl LockFile {
    /// Use this file. `base` is the directory that relative paths of grants are taken from: where the policy's are.
    pub fn new(path: impl Into<PathBuf>, base: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), base: base.into(), read: Mutex::new(None) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says now.
    ///
    /// # Errors
    /// It cannot be read, or is no lock.
    pub fn current(&self) -> Result<Arc<Lock>, LockFileError> {
        let failed = |source| LockFileError::File { path: self.path.clone(), source };
        let (dir, name) = self.place().map_err(failed)?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = dir.metadata(&name).map_err(failed)?;
        if let Some((stamp, lock)) = &*read
            && *stamp == Stamp::of(&seen)
        {
            return Ok(lock.clone());
        }
        *read = None;
        let file = dir.open(&name).map_err(failed)?;
        // Of the file that is open: the name may stand for another one by now.
        let stamp = Stamp::of(&file.metadata().map_err(failed)?);
        let mut text = String::new();
        file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(failed(std::io::Error::other(format!("longer than {MAX_BYTES} bytes"))));
        }
        let lock = Lock::from_toml(&text).map_err(|source| LockFileError::Text { path: self.path.clone(), source })?;
        let lock = Arc::new(lock);
        *read = Some((stamp, lock.clone()));
        Ok(lock)
    }

    /// Whether this component is approved, as the file stands now.
    ///
    /// # Errors
    /// It is not, or the file does not say.
    pub fn check(&self, approved: &Approved) -> Result<(), LockFileError> {
        Ok(self.current()?.check(approved, &self.base)?)
    }

    /// Change the file: read it (a missing one is empty), change it, and put the new one in its place in one step.
    ///
    /// # Errors
    /// It cannot be read or written, or is no lock. The old file is then as it was.
    pub fn update<T>(&self, change: impl FnOnce(&mut Lock, &Path) -> T) -> Result<T, LockFileError> {
        let failed = |source| LockFileError::File { path: self.path.clone(), source };
        let (dir, name) = self.place().map_err(failed)?;
        // Two writers, one after the other: the second reads what the first wrote.
        let turn = dir.open(".").map_err(failed)?;
        rustix::fs::flock(&turn, rustix::fs::FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
        let mut lock = match self.current() {
            Ok(lock) => Lock::clone(&lock),
            Err(LockFileError::File { source, .. }) if source.kind() == ErrorKind::NotFound => Lock::default(),
            Err(error) => return Err(error),
        };
        let done = change(&mut lock, &self.base);
        let temporary = format!(".{}.{}", name.display(), std::process::id());
        // Left by a process of this number that did not get to its end. It is our turn: nobody else writes it now.
        let _ = dir.remove_file(&temporary);
        let written = dir
            .open_with(&temporary, OpenOptions::new().write(true).create_new(true))
            .and_then(|mut file| file.write_all(lock.to_toml().as_bytes()).and_then(|()| file.sync_all()))
            .and_then(|()| dir.rename(&temporary, &dir, &name));
        if written.is_err() {
            // Whatever there is of it is of no use to anybody.
            let _ = dir.remove_file(&temporary);
        }
        written.map_err(failed)?;
        Ok(done)
    }

    fn place(&self) -> std::io::Result<(Dir, PathBuf)> {
        let name = self.path.file_name().ok_or(ErrorKind::InvalidFilename)?;
        let parent = self.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok((Dir::open_ambient_dir(parent, ambient_authority())?, name.into()))
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            inode: (metadata.dev(), metadata.ino()),
            size: metadata.size(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

//! The file of a log, for one writer.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Dir, Mode, OFlags, fsync, openat};
use rustix::io::Errno;

use super::LogSync;
use super::error::LogError;

/// For this user alone: a log holds what tools were asked and what they said.
const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);

/// A file that is there, or is made. Never through a link; and a pipe without a reader is no reason to wait.
const HERE: OFlags = OFlags::RDWR.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// An open log and its directory.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) file: File,
    dir: OwnedFd,
    name: OsString,
    sync: LogSync,
}

impl Place {
    /// Opens or makes the file, and locks it.
    pub(super) fn open(path: &Path, sync: LogSync) -> Result<Self, LogError> {
        let not_a_file = |what| LogError::NotAFile { path: path.into(), what };
        let name = path.file_name().ok_or(not_a_file("a directory"))?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let dir = openat(CWD, parent, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
            .map_err(|errno| LogError::Directory { path: parent.into(), source: errno.into() })?;
        let file = match openat(&dir, name, HERE | OFlags::APPEND | OFlags::CREATE, PRIVATE) {
            Ok(file) => File::from(file),
            Err(Errno::LOOP) => return Err(not_a_file("a symbolic link")),
            Err(Errno::ISDIR) => return Err(not_a_file("a directory")),
            Err(Errno::NXIO) => return Err(not_a_file("a socket or a device")),
            Err(errno) => return Err(LogError::File { path: path.into(), action: "open it", source: errno.into() }),
        };
        let place = Self { path: path.into(), file, dir, name: name.into(), sync };
        let metadata = place.file.metadata().map_err(place.failed("look at it"))?;
        if !metadata.is_file() {
            let kind = metadata.file_type();
            return Err(not_a_file(if kind.is_fifo() { "a pipe" } else { "a device" }));
        }
        let others = metadata.mode() & 0o077 != 0 || metadata.uid() != rustix::process::geteuid().as_raw();
        if others || metadata.nlink() > 1 {
            return Err(LogError::NotPrivate { path: path.into() });
        }
        match place.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LogError::InUse { path: path.into() }),
            Err(TryLockError::Error(source)) => return Err(place.failed("lock it")(source)),
        }
        if metadata.len() == 0 {
            // Its name is to be there after a power cut, too.
            place.sync_directory()?;
        }
        Ok(place)
    }

    pub(super) fn failed(&self, action: &'static str) -> impl Fn(io::Error) -> LogError {
        let path = self.path.clone();
        move |source| LogError::File { path: path.clone(), action, source }
    }

    pub(super) fn sync_directory(&self) -> Result<(), LogError> {
        if self.sync == LogSync::Never {
            return Ok(());
        }
        fsync(&self.dir).map_err(|errno| self.failed("write its directory to the disk")(errno.into()))
    }

    pub(super) fn sync(&self, file: &File) -> io::Result<()> {
        if self.sync == LogSync::Never { Ok(()) } else { file.sync_all() }
    }

    /// A name beside the log: `NAME.torn-12`.
    pub(super) fn beside(&self, number: u64, more: u32) -> OsString {
        let mut name = self.name.clone();
        name.push(format!(".torn-{number}"));
        if more > 0 {
            name.push(format!("-{more}"));
        }
        name
    }

    /// The path of a file beside the log.
    pub(super) fn path_of(&self, name: &OsStr) -> PathBuf {
        self.path.with_file_name(name)
    }

    /// Makes a file beside the log, for this user alone.
    pub(super) fn make(&self, name: &OsStr) -> io::Result<File> {
        Ok(openat(&self.dir, name, HERE | OFlags::CREATE | OFlags::EXCL, PRIVATE)?.into())
    }

    /// Opens a plain file beside the log.
    pub(super) fn existing(&self, name: &OsStr) -> io::Result<File> {
        let file = File::from(openat(&self.dir, name, HERE, Mode::empty())?);
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// The names beside the log that [`Self::beside`] makes, with their numbers, in order.
    pub(super) fn all_beside(&self) -> io::Result<Vec<(u64, OsString)>> {
        let mut found = Vec::new();
        for entry in Dir::read_from(self.dir.as_fd())? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            let Some(rest) = name.as_bytes().strip_prefix(self.name.as_bytes()) else { continue };
            let Some(rest) = str::from_utf8(rest).ok().and_then(|rest| rest.strip_prefix(".torn-")) else { continue };
            let (number, more) = rest.split_once('-').unwrap_or((rest, "0"));
            if let (Ok(number), Ok(more)) = (number.parse(), more.parse())
                && self.beside(number, more) == name
            {
                found.push((number, more, name.to_owned()));
            }
        }
        found.sort_unstable();
        Ok(found.into_iter().map(|(number, _, name)| (number, name)).collect())
    }
}

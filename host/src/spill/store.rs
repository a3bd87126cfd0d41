//! Texts in files that nobody else can read.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, fsync, mkdirat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::error::SpillError;
use super::locator::Locator;

/// How much is kept. Nothing is ever deleted to make room: a locator that was given out stays good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpillLimits {
    /// UTF-8 bytes of one text.
    pub text_bytes: u64,
    /// Bytes of all files together. Two processes that write at once may pass it by a text each.
    pub store_bytes: u64,
    /// Files.
    pub files: u64,
}

impl SpillLimits {
    /// Texts of 16 MiB, twice what the standard limits let a tool show; 1 GiB of them, which a disk hardly notices; 10,000
    /// files, more than a person looks through, and few enough to be counted anew before each new text.
    pub const fn standard() -> Self {
        Self { text_bytes: 16 << 20, store_bytes: 1 << 30, files: 10_000 }
    }
}

/// A directory of texts, each in a file named by its SHA-256: mode 0700, files 0600, this user's own.
///
/// Methods read and write files, and wait for the disk. In async code, call them where that may take its time.
#[derive(Debug)]
pub struct SpillStore {
    path: PathBuf,
    dir: OwnedFd,
    limits: SpillLimits,
    hint: String,
    /// How many files this store began to write: part of their temporary names. Held while one is written, so that threads
    /// count what is kept one after the other.
    writing: Mutex<u64>,
}

/// Begins the name of a file that is still being written.
const UNFINISHED: &str = "tmp.";

/// What is in a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Held {
    files: u64,
    bytes: u64,
}

impl SpillStore {
    /// The longest hint, in bytes: the notice has to fit into the least budget.
    pub const MAX_HINT: usize = 200;

    /// Open `directory`, which is made where it is missing; its parent must exist. What writers that were killed have left
    /// there is removed.
    ///
    /// # Errors
    /// It cannot be made or opened; it is a symbolic link or no directory; it belongs to somebody else; its mode is not
    /// 0700. Directories above it are not judged: who can write there can take it away and cannot look into it.
    pub fn open(directory: impl Into<PathBuf>, limits: SpillLimits) -> Result<Self, SpillError> {
        Self::open_as(directory.into(), limits, geteuid().as_raw())
    }

    fn open_as(path: PathBuf, limits: SpillLimits, me: u32) -> Result<Self, SpillError> {
        let dir = private(&path, me)?;
        let hint =
            "To read more of it, call the tool again for less at once, or ask the person you work for to open it.";
        let store = Self { path, dir, limits, hint: hint.to_owned(), writing: Mutex::new(0) };
        store.remove_unfinished().map_err(store.failed("remove what a killed writer left"))?;
        Ok(store)
    }

    /// Tell models in other words how they get at a kept text. The standing words ask for a narrower call, or a person.
    ///
    /// # Errors
    /// It is empty, longer than [`SpillStore::MAX_HINT`], or not one line.
    pub fn saying(mut self, hint: &str) -> Result<Self, SpillError> {
        if hint.is_empty() || hint.len() > Self::MAX_HINT || hint.chars().any(char::is_control) {
            return Err(SpillError::Hint(hint.len()));
        }
        hint.clone_into(&mut self.hint);
        Ok(self)
    }

    pub(super) fn hint(&self) -> &str {
        &self.hint
    }

    /// Where the texts are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keep this text. One that is kept already is kept once. When this returns, it is on the disk.
    ///
    /// # Errors
    /// A limit, or the operating system. Nothing is then kept, and nothing that was kept is lost.
    pub fn keep(&self, text: &str) -> Result<Locator, SpillError> {
        let bytes = text.len() as u64;
        if bytes > self.limits.text_bytes {
            return Err(SpillError::TooLong { bytes, limit: self.limits.text_bytes });
        }
        let locator = Locator::of(text);
        // Two threads, one after the other: the second counts what the first wrote.
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        // A file that is no longer what it was is written anew.
        if self.read(&locator).is_err() {
            let held = self.held().map_err(self.failed("count what is kept"))?;
            let full = |held, limit, unit| SpillError::Full { directory: self.path.clone(), held, limit, unit };
            if held.files >= self.limits.files {
                return Err(full(held.files, self.limits.files, "files"));
            }
            if held.bytes.saturating_add(bytes) > self.limits.store_bytes {
                return Err(full(held.bytes, self.limits.store_bytes, "bytes"));
            }
            self.publish(&locator.file_name(), text, &mut writing).map_err(self.failed("write a kept text"))?;
        }
        // The name as well as the bytes: whoever wrote the file may not have come so far.
        fsync(&self.dir).map_err(|errno| self.failed("write the directory")(errno.into()))?;
        Ok(locator)
    }

    /// The text of this name, exactly as it was kept.
    ///
    /// # Errors
    /// It is not here, it was changed, it is longer than the limit, or the operating system says no.
    pub fn read(&self, locator: &Locator) -> Result<String, SpillError> {
        let file = match self.open_file(&locator.file_name()) {
            Ok(Some(file)) => file,
            Ok(None) => return Err(SpillError::Changed(*locator)),
            Err(Errno::NOENT) => return Err(SpillError::Missing(*locator)),
            Err(errno) => return Err(self.failed("open a kept text")(errno.into())),
        };
        let limit = self.limits.text_bytes;
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(self.failed("read a kept text"))?;
        if bytes.len() as u64 > limit {
            return Err(SpillError::TooLong { bytes: bytes.len() as u64, limit });
        }
        match String::from_utf8(bytes) {
            Ok(text) if Locator::of(&text) == *locator => Ok(text),
            _ => Err(SpillError::Changed(*locator)),
        }
    }

    /// `None`: there is something of this name that is no regular file.
    fn open_file(&self, name: &str) -> Result<Option<File>, Errno> {
        // Opening a pipe would wait for its other end.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(&self.dir, name, flags, Mode::empty()) {
            Err(Errno::LOOP) => return Ok(None),
            file => file?,
        };
        let regular = FileType::from_raw_mode(fstat(&file)?.st_mode) == FileType::RegularFile;
        Ok(regular.then(|| File::from(file)))
    }

    fn publish(&self, name: &str, text: &str, writing: &mut u64) -> io::Result<()> {
        let mut tries = 0;
        loop {
            *writing += 1;
            // Who else writes here has another number, or, in another container, perhaps not: then the name is taken.
            match self.attempt(&format!("{UNFINISHED}{}.{writing}", std::process::id()), name, text) {
                // Taken, or cleaned up between our making the file and our locking it.
                Err(Errno::EXIST | Errno::NOENT | Errno::AGAIN) if tries < 8 => tries += 1,
                done => return Ok(done?),
            }
        }
    }

    fn attempt(&self, unfinished: &str, name: &str, text: &str) -> Result<(), Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(&self.dir, unfinished, flags, Mode::RUSR | Mode::WUSR)?);
        let written = write(&file, text).and_then(|()| renameat(&self.dir, unfinished, &self.dir, name));
        if written.is_err() {
            // Whatever there is of it is of no use to anybody.
            let _best_effort = unlinkat(&self.dir, unfinished, AtFlags::empty());
        }
        written
    }

    /// What is kept, and what is being written.
    fn held(&self) -> io::Result<Held> {
        let mut held = Held::default();
        self.each(|name| {
            // One that is gone by now is not held.
            if let Ok(stat) = statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW) {
                held.files += 1;
                held.bytes = held.bytes.saturating_add(u64::try_from(stat.st_size).unwrap_or(0));
            }
        })?;
        Ok(held)
    }

    /// A writer holds a lock on what it writes, and the lock ends with it: what can be locked is left over.
    fn remove_unfinished(&self) -> io::Result<()> {
        self.each(|name| {
            if name.to_bytes().starts_with(UNFINISHED.as_bytes())
                && let Ok(Some(file)) = name.to_str().map_or(Ok(None), |name| self.open_file(name))
                && file.try_lock().is_ok()
            {
                let _best_effort = unlinkat(&self.dir, name, AtFlags::empty());
            }
        })
    }

    fn each(&self, mut visit: impl FnMut(&std::ffi::CStr)) -> io::Result<()> {
        for entry in Dir::read_from(&self.dir)? {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                visit(entry.file_name());
            }
        }
        Ok(())
    }

    fn failed(&self, action: &'static str) -> impl Fn(io::Error) -> SpillError + '_ {
        move |source| SpillError::Io { directory: self.path.clone(), action, source }
    }
}

fn write(mut file: &File, text: &str) -> Result<(), Errno> {
    let errno = |error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    // Tells a cleaner that somebody is still writing.
    file.try_lock().map_err(|error| errno(error.into()))?;
    file.write_all(text.as_bytes()).map_err(errno)?;
    fsync(file)
}

/// Opens the directory, made with mode 0700 where it is missing, when nobody but the user `me` can look into it.
fn private(path: &Path, me: u32) -> Result<OwnedFd, SpillError> {
    let io = |action| move |errno: Errno| SpillError::Io { directory: path.into(), action, source: errno.into() };
    let fault = |fault: String, remedy| SpillError::NotPrivate { directory: path.into(), fault, remedy };
    let Some(name) = path.file_name().map(OsString::from) else {
        return Err(fault("has no name of its own".to_owned(), "name one that holds nothing else"));
    };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let parent = match openat(CWD, parent, flags | OFlags::PATH, Mode::empty()) {
        Err(Errno::NOENT) => return Err(fault("has no parent".to_owned(), "make the directory above it")),
        parent => parent.map_err(io("open the directory above it"))?,
    };
    match mkdirat(&parent, &name, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(io("make it")(errno)),
    }
    let dir = match openat(&parent, &name, flags | OFlags::NOFOLLOW, Mode::empty()) {
        Err(Errno::LOOP | Errno::NOTDIR) => {
            return Err(fault("is a symbolic link, or no directory".to_owned(), "name a directory, by its own name"));
        }
        dir => dir.map_err(io("open it"))?,
    };
    let stat = fstat(&dir).map_err(io("inspect it"))?;
    if stat.st_uid != me {
        let owner = format!("belongs to user {}, and user {me} runs this host", stat.st_uid);
        return Err(fault(owner, "name a directory of your own"));
    }
    let mode = stat.st_mode & 0o777;
    if mode != 0o700 {
        let open = format!("has the mode {mode:04o}");
        return Err(fault(
            open,
            "see who has read it, and run `chmod 0700` on it, or name one that does not exist yet",
        ));
    }
    Ok(dir)
}

#[cfg(test)]
mod tests;

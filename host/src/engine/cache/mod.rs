//! Compiled code between runs.
//!
//! Loading code is running it, so an entry must be ours twice over: it lies in a directory that only this user can
//! write to, and it carries a tag made with a key that only this user can read. The second guards against files that
//! come with the first: restored backups, copied homes, a careless `cp`. An entry is verified through one handle and
//! mapped through the same. What does not verify is removed and compiled anew; nothing here is ever fatal to a load.

mod place;
mod publish;
mod seal;

use std::{
    fmt::Write,
    io,
    path::{Path, PathBuf},
};

use cap_std::fs::{Dir, MetadataExt};
use rustix::fs::{Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, futimens};
use wasmtime::{Engine, component::Component};

use self::{
    publish::{Taken, publish, remove_unfinished},
    seal::{Key, TAG_BYTES},
};
use super::{
    error::CacheError,
    native::{self, Native},
};

/// Ends the name of an entry.
const ENTRY: &str = ".cwasm";

/// A directory of compiled code.
pub(super) struct Cache {
    path: PathBuf,
    dir: Dir,
    key: Key,
    /// Which engines can load what is written here.
    identity: [u8; 32],
    most_bytes: u64,
}

impl Cache {
    /// Opens `path`, made if missing, for an engine of this `identity`.
    pub(super) fn open(path: &Path, identity: [u8; 32], most_bytes: u64) -> Result<Self, CacheError> {
        let dir = place::open_private(path)?;
        let io = |action| move |source| CacheError::Io { directory: path.into(), action, source };
        // Entries are mapped through it: see `native::load`.
        Path::new("/proc/self/fd").metadata().map_err(io("map files from it, as that needs /proc"))?;
        remove_unfinished(&dir).map_err(io("clean it up"))?;
        let key = Key::of(&dir).map_err(io("make or read its key"))?;
        Ok(Self { path: path.into(), dir, key, identity, most_bytes })
    }

    /// The code for the component of this digest, if it is here and sound.
    pub(super) fn load(&self, engine: &Engine, sha256: [u8; 32]) -> Option<Component> {
        let name = self.name(sha256);
        let file = self.dir.open(&name).ok()?.into_std();
        let loaded = self.key.verify(&name, &file).and_then(|()| {
            // Also without a tag at fault: wasmtime has the last word on what it can load.
            native::load(engine, Native::Verified(&file)).map_err(|error| io::Error::other(format!("{error:#}")))
        });
        match loaded {
            Ok(component) => {
                // Marks it as used. A system that refuses evicts by age instead.
                let _best_effort = futimens(
                    &file,
                    &Timestamps {
                        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
                        last_modification: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
                    },
                );
                Some(component)
            }
            Err(_unsound) => {
                let _best_effort = self.dir.remove_file(&name);
                None
            }
        }
    }

    /// Keeps `code` for the component of this digest.
    pub(super) fn store(&self, sha256: [u8; 32], code: &[u8]) -> Result<(), CacheError> {
        let name = self.name(sha256);
        let tag = self.key.seal(&name, code);
        self.make_room((code.len() + TAG_BYTES) as u64)
            .and_then(|()| publish(&self.dir, &name, &[code, &tag], Taken::Replace))
            .map_err(|source| CacheError::Io { directory: self.path.clone(), action: "keep compiled code", source })
    }

    /// Removes the least recently used entries until `bytes` more fit. Other hosts may do so at the same time, and
    /// remove more than one alone would.
    fn make_room(&self, bytes: u64) -> io::Result<()> {
        if bytes > self.most_bytes {
            return Err(io::Error::other(format!("{bytes} bytes exceed cache_bytes = {}", self.most_bytes)));
        }
        let mut entries = self.entries()?;
        let mut total = entries.iter().map(|entry| entry.bytes).sum::<u64>().saturating_add(bytes);
        entries.sort_unstable_by(|a, b| (a.used, &a.name).cmp(&(b.used, &b.name)));
        for entry in entries {
            if total <= self.most_bytes {
                break;
            }
            match self.dir.remove_file(&entry.name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => total -= entry.bytes,
            }
        }
        Ok(())
    }

    fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in self.dir.entries()? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // Removed meanwhile by another host: not an entry any more.
            let Ok(metadata) = entry.metadata() else { continue };
            if name.ends_with(ENTRY) {
                entries.push(Entry { name, bytes: metadata.size(), used: (metadata.mtime(), metadata.mtime_nsec()) });
            }
        }
        Ok(entries)
    }

    fn name(&self, sha256: [u8; 32]) -> String {
        format!("{}.{}{ENTRY}", hex(&sha256), hex(&self.identity))
    }
}

struct Entry {
    name: String,
    bytes: u64,
    /// Seconds and nanoseconds of the last use.
    used: (i64, i64),
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _infallible = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests;

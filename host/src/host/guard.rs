//! What no tool may be let at, because it governs tools: compiled code, the lock, the policy, secrets, programs, and the
//! place where another grant lies. Read-only access to most of them is the operator's to give; writing is not.

use std::path::{Path, PathBuf};

use super::LoadError;
use crate::capability::Access;
use crate::lock::LockFile;
use crate::policy::{Approved, Grant, Mount, SecretSource};

/// What governs, where it lies, and what people call it.
struct Governing {
    path: PathBuf,
    what: &'static str,
}

/// Refuse grants that reach what governs grants.
pub(super) fn check(
    approved: &Approved,
    cache: Option<&Path>,
    lock: Option<&LockFile>,
    worker: Option<&Path>,
    kept_away: &[(PathBuf, &'static str)],
) -> Result<(), LoadError> {
    // A mount that cannot be resolved cannot be opened either, which says so itself.
    let mounts = approved.grants().mounts().filter_map(|mount| Some((mount, mount.host.canonicalize().ok()?)));
    let mounts: Vec<(&Mount, PathBuf)> = mounts.collect();
    for (mount, directory) in &mounts {
        if let Some(cache) = cache
            && (cache.starts_with(directory) || directory.starts_with(cache))
        {
            return Err(LoadError::Cache { mount: mount.host.clone(), cache: cache.to_path_buf() });
        }
    }
    let governing = governing(approved, lock, worker);
    for (mount, directory) in mounts.iter().filter(|(mount, _)| mount.access == Access::ReadWrite) {
        for Governing { path, what } in &governing {
            if holds(directory, path) {
                return Err(LoadError::Governs { mount: mount.host.clone(), path: path.clone(), what });
            }
        }
        for (path, what) in kept_away {
            // A directory is changed from within, too.
            let within = path.is_dir() && path.canonicalize().is_ok_and(|path| directory.starts_with(path));
            if within || holds(directory, path) {
                return Err(LoadError::Governs { mount: mount.host.clone(), path: path.clone(), what });
            }
        }
        // In there a tool could move a directory away and put a link in its place.
        if let Some((other, _)) = mounts.iter().find(|(_, other)| other != directory && other.starts_with(directory)) {
            let what = "another granted directory";
            return Err(LoadError::Governs { mount: mount.host.clone(), path: other.host.clone(), what });
        }
    }
    Ok(())
}

fn governing(approved: &Approved, lock: Option<&LockFile>, worker: Option<&Path>) -> Vec<Governing> {
    let lock = lock.map(|lock| Governing { path: lock.path().to_owned(), what: "the lock file" });
    let worker = worker.map(|worker| Governing { path: worker.to_owned(), what: "the host's own program" });
    let policy = approved.policy_files().map(|path| Governing { path: path.to_owned(), what: "the policy file" });
    let granted = approved.grants().iter().filter_map(|grant| match grant {
        Grant::Secret(secret) => match secret.source() {
            SecretSource::File(path) => Some(Governing { path: path.clone(), what: "a secret's file" }),
            SecretSource::Env(_) => None,
        },
        Grant::Process(process) => Some(Governing { path: process.path().to_owned(), what: "a granted program" }),
        _ => None,
    });
    lock.into_iter().chain(worker).chain(policy).chain(granted).collect()
}

/// Whether a file can be changed, replaced or made from within a directory: as it is, and where its name lies.
fn holds(directory: &Path, file: &Path) -> bool {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    [file, parent].into_iter().filter_map(|path| path.canonicalize().ok()).any(|path| path.starts_with(directory))
}

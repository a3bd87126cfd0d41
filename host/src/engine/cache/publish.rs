//! Files that appear whole or not at all.

use std::{
    fs::File,
    io::{self, Write},
};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};

/// Begins the name of a file that is still being written.
const UNFINISHED: &str = "tmp.";

/// What to do when the name is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Replace,
    /// Leave what is there; the error is `AlreadyExists`.
    Keep,
}

/// Puts a file of `parts` at `name`, readable by this user alone, writable by nobody.
pub(super) fn publish(dir: &Dir, name: &str, parts: &[&[u8]], taken: Taken) -> io::Result<()> {
    let mut tries = 0;
    loop {
        match attempt(dir, name, parts, taken) {
            // Another host cleans up, or did, between our making the file and our locking it.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::WouldBlock) && tries < 3 => {
                tries += 1;
            }
            result => return result,
        }
    }
}

fn attempt(dir: &Dir, name: &str, parts: &[&[u8]], taken: Taken) -> io::Result<()> {
    let unfinished = format!("{UNFINISHED}{}", super::hex(&random::<16>()?));
    let file = dir.open_with(&unfinished, OpenOptions::new().write(true).create_new(true).mode(0o400))?.into_std();
    let written = write(&file, parts).and_then(|()| match taken {
        Taken::Replace => dir.rename(&unfinished, dir, name),
        Taken::Keep => dir.hard_link(&unfinished, dir, name),
    });
    if taken == Taken::Keep || written.is_err() {
        // Whoever finds it later can tell that it is left over: the lock ends with this process.
        let _best_effort = dir.remove_file(&unfinished);
    }
    written
}

fn write(mut file: &File, parts: &[&[u8]]) -> io::Result<()> {
    // Tells a cleaner that somebody is still writing.
    file.try_lock().map_err(io::Error::from)?;
    for part in parts {
        file.write_all(part)?;
    }
    file.sync_all()
}

/// Removes what hosts that died while writing have left.
pub(super) fn remove_unfinished(dir: &Dir) -> io::Result<()> {
    for entry in dir.entries()? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(UNFINISHED.as_bytes()) {
            continue;
        }
        // Gone already, or locked: its writer lives.
        if let Ok(file) = entry.open()
            && file.into_std().try_lock().is_ok()
        {
            let _best_effort = entry.remove_file();
        }
    }
    Ok(())
}

pub(super) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{super::place::open_private, *};

    #[test]
    fn keeps_or_replaces_and_leaves_nothing_behind() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("cache");
        let dir = open_private(&path).unwrap();
        publish(&dir, "a", &[b"one"], Taken::Keep).unwrap();
        let again = publish(&dir, "a", &[b"two"], Taken::Keep).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(dir.read("a").unwrap(), b"one");
        publish(&dir, "a", &[b"th", b"ree"], Taken::Replace).unwrap();
        assert_eq!(dir.read("a").unwrap(), b"three");
        assert_eq!(dir.entries().unwrap().count(), 1);
    }

    #[test]
    fn cleans_up_after_the_dead_and_not_after_the_living() {
        let home = tempfile::tempdir().unwrap();
        let dir = open_private(&home.path().join("cache")).unwrap();
        dir.write("tmp.dead", "half").unwrap();
        let living = dir.create("tmp.living").unwrap().into_std();
        living.try_lock().unwrap();
        dir.write("other", "").unwrap();
        remove_unfinished(&dir).unwrap();
        assert!(!dir.exists("tmp.dead"));
        assert!(dir.exists("tmp.living") && dir.exists("other"));
        drop(living);
        remove_unfinished(&dir).unwrap();
        assert!(!dir.exists("tmp.living"));
    }
}

//! The fixture: one temporary directory for each run.

use std::path::Path;

use super::expectation::{Left, Place};

pub(crate) fn set(root: &Path, places: &[Place]) {
    for place in places {
        let at = |path: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            path
        };
        match place {
            Place::File { file, text } => std::fs::write(at(file), text).unwrap(),
            Place::Dir { dir } => std::fs::create_dir_all(root.join(dir)).unwrap(),
            // `to` may name the fixture's own root, for links that are absolute.
            Place::Link { link, to } => {
                std::os::unix::fs::symlink(to.replace("{root}", root.to_str().unwrap()), at(link)).unwrap();
            }
            Place::Fifo { fifo } => {
                use rustix::fs::{CWD, FileType, Mode, mknodat};
                mknodat(CWD, at(fifo), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
            }
            Place::Move { from, to } => std::fs::rename(root.join(from), at(to)).unwrap(),
        }
    }
}

/// Lets go whoever waits in the host for the other end of a FIFO: otherwise the runtime would wait for that thread.
pub(crate) fn release(root: &Path, places: &[Place]) {
    for place in places {
        if let Place::Fifo { fifo } = place {
            // Both ends at once: neither waits, and whoever waits for either is served.
            std::fs::File::options().read(true).write(true).open(root.join(fifo)).unwrap();
        }
    }
}

/// What is wrong with what a run left behind.
pub(crate) fn left<'a>(root: &Path, files: impl IntoIterator<Item = (&'a String, &'a Left)>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (path, expect) in files {
        let found = std::fs::read_to_string(root.join(path)).ok();
        let exists = std::fs::symlink_metadata(root.join(path)).is_ok();
        match expect {
            Left::Text(text) if found.as_ref() == Some(text) => {}
            Left::Exists(there) if *there == exists => {}
            expect => wrong.push(format!("{path} is {found:?} (exists: {exists}), expected {expect:?}")),
        }
    }
    wrong
}

//! Why a log cannot be opened or written.

use std::io;
use std::path::PathBuf;

use super::super::flaw::Flaw;

/// A log that cannot be opened or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The directory cannot be opened.
    #[error("{}: {source}; a log is made in a directory that exists: make it, or name another file", .path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A link, a directory, a device.
    #[error("{} is {what}, and a log is a plain file; name another one", .path.display())]
    NotAFile {
        /// The log.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Others can read it, or reach it by another name.
    #[error(
        "{}: a log is for its owner alone, and this file is another's, has another name too, or may be read by others; \
         chmod 600 it, or name another file", .path.display()
    )]
    NotPrivate {
        /// The log.
        path: PathBuf,
    },
    /// It has a writer.
    #[error("{} is being written by another process or session; name another file, or wait for its end", .path.display())]
    InUse {
        /// The log.
        path: PathBuf,
    },
    /// It holds something, and not a log.
    #[error("{} does not begin as a log does, and was left as it is; name another file", .path.display())]
    NotALog {
        /// The file.
        path: PathBuf,
    },
    /// A line that was whole is so no longer, or is not where it was. The file was left as it is.
    #[error(
        "{}, line {line}: {flaw}; this is no damage that a crash leaves, and the log was left as it is: `fumehood replay` \
         still reads it, and events go on in another file",
        .path.display()
    )]
    Damaged {
        /// The log.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// What is wrong.
        flaw: Flaw,
    },
    /// A later host wrote it.
    #[error("{}, line {line}: {flaw}; go on with the program that wrote it, or in another file", .path.display())]
    NewerForm {
        /// The log.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// Which form.
        flaw: Flaw,
    },
    /// The system refused.
    #[error("{}: cannot {action}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was to be done.
        action: &'static str,
        /// Why it was not.
        source: io::Error,
    },
    /// An event that does not belong in this log. Nothing was written.
    #[error("{}: an event was not written: {why}", .path.display())]
    NotForThisLog {
        /// The log.
        path: PathBuf,
        /// Why not.
        why: &'static str,
    },
    /// An event that has no line. Nothing was written.
    #[error("{}: an event was not written: {why}", .path.display())]
    Unwritable {
        /// The log.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// The file takes no more, and is as it was before. Later events may find room.
    #[error("{}: an event was not written: {source}; make room, or let events go on in another file", .path.display())]
    Append {
        /// The log.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Nobody knows what the file holds after the last event that was acknowledged. Nothing is written any more.
    #[error(
        "{} takes no more events: {why}; what was acknowledged is in it, and opening it again mends the rest",
        .path.display()
    )]
    Broken {
        /// The log.
        path: PathBuf,
        /// What happened.
        why: String,
    },
}

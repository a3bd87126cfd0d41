//! Why a text is not kept, or not there.

use std::io;
use std::path::PathBuf;

use super::locator::Locator;

/// Why a text is not kept, or not there. For the operator: it names directories of the host.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpillError {
    /// Others may read or write in the directory, or it is none.
    #[error("{}: the directory for kept texts {fault}; {remedy}", .directory.display())]
    NotPrivate {
        /// Which directory.
        directory: PathBuf,
        /// What is wrong with it.
        fault: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", .directory.display())]
    Io {
        /// Which directory.
        directory: PathBuf,
        /// What was being done.
        action: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// One text is over [`SpillLimits::text_bytes`](super::SpillLimits::text_bytes).
    #[error("a text of {bytes} bytes is over the limit of {limit} bytes for a kept text")]
    TooLong {
        /// Its bytes.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The store holds as much as it may. Nothing is ever deleted to make room.
    #[error(
        "{}: {held} {unit} are kept and one more text would pass the limit of {limit}; remove files that nobody needs \
         any more, or allow more", .directory.display()
    )]
    Full {
        /// Which directory.
        directory: PathBuf,
        /// What it holds.
        held: u64,
        /// What it may hold.
        limit: u64,
        /// Of what: `bytes` or `files`.
        unit: &'static str,
    },
    /// Nothing is kept under this name.
    #[error("{0} is not kept here; it was removed, or it belongs to another store")]
    Missing(Locator),
    /// The file is not what was kept.
    #[error("{0} was changed after it was kept: its bytes have another SHA-256; what it said is lost")]
    Changed(Locator),
    /// A hint that cannot be part of a notice.
    #[error("a hint of {0} bytes; write one line of 1 to {max} bytes", max = super::SpillStore::MAX_HINT)]
    Hint(usize),
    /// A budget in which no notice fits.
    #[error("a budget of {0} bytes is too small; write {least} or more", least = super::SpillBudget::LEAST)]
    Budget(u64),
}

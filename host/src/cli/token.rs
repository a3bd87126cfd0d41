//! Files with a bearer token in them.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::bail;

use super::host::read_text;

/// A token is a line.
const MAX_BYTES: u64 = 4 << 10;

/// The text of a file that is its owner's alone.
pub(super) fn read_token(path: &Path) -> anyhow::Result<String> {
    let mode = path.metadata()?.permissions().mode();
    if mode & 0o077 != 0 {
        bail!("others may read it (mode {:03o}); chmod 600 it, and make another token", mode & 0o777);
    }
    read_text(path, MAX_BYTES)
}

//! The tag that only hosts of this user can make.

use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::{MetadataExt, PermissionsExt},
};

use cap_std::fs::Dir;
use hmac::{Hmac, Mac};
use rustix::process::geteuid;
use sha2::Sha256;

use super::publish::{Taken, publish, random};

/// Where the key is kept in the directory.
const KEY_FILE: &str = "key";

/// Ends an entry: HMAC-SHA-256 over what it is for, its name and its code.
pub(super) const TAG_BYTES: usize = 32;

/// Keeps this use of the key apart from any other, and this format from later ones.
const PURPOSE: &[u8] = b"fumehood code entry 1\0";

/// A secret of this user's hosts, shared through the directory.
pub(super) struct Key([u8; 32]);

impl Key {
    /// The directory's key. Of hosts that start together all get the same one.
    pub(super) fn of(dir: &Dir) -> io::Result<Self> {
        for _try in 0..3 {
            match dir.open(KEY_FILE) {
                Ok(file) => match read(file.into_std()) {
                    Ok(key) => return Ok(Self(key)),
                    // Damaged, or seen by others: all that it sealed is worthless, and will be made anew.
                    Err(_unusable) => dir.remove_file(KEY_FILE)?,
                },
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            match publish(dir, KEY_FILE, &[&random::<32>()?], Taken::Keep) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                // Read back in either case: what counts is what other hosts see.
                _ => {}
            }
        }
        Err(io::Error::other("its key changes all the time"))
    }

    fn mac(&self, name: &str) -> Hmac<Sha256> {
        // Any length of key is fine for HMAC: this cannot fail.
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&self.0).expect("HMAC takes keys of every length");
        mac.update(PURPOSE);
        mac.update(name.as_bytes());
        mac.update(b"\0");
        mac
    }

    /// The tag of `code` under `name`.
    pub(super) fn seal(&self, name: &str, code: &[u8]) -> [u8; TAG_BYTES] {
        self.mac(name).chain_update(code).finalize().into_bytes().into()
    }

    /// Reads `entry` to its end and compares its tag.
    pub(super) fn verify(&self, name: &str, entry: &File) -> io::Result<()> {
        let bytes = owned(entry, 0o222)?;
        let code_bytes = bytes.checked_sub(TAG_BYTES as u64).ok_or_else(|| io::Error::other("shorter than its tag"))?;
        let mut mac = self.mac(name);
        // Larger buffers measure no faster.
        let mut buffer = vec![0; 128 << 10];
        let mut code = entry.take(code_bytes);
        loop {
            match code.read(&mut buffer)? {
                0 => break,
                got => mac.update(&buffer[..got]),
            }
        }
        let mut tag = Vec::with_capacity(TAG_BYTES + 1);
        entry.take(TAG_BYTES as u64 + 1).read_to_end(&mut tag)?;
        // In constant time; an entry that changed its length while it was read fails as well.
        mac.verify_slice(&tag).map_err(|_| io::Error::other("its tag does not fit"))
    }
}

fn read(file: File) -> io::Result<[u8; 32]> {
    if owned(&file, 0o077)? != 32 {
        return Err(io::Error::other("not 32 bytes"));
    }
    let mut key = [0; 32];
    (&file).read_exact(&mut key)?;
    Ok(key)
}

/// The length of a regular file of this user's with none of the `refused` permissions.
fn owned(file: &File, refused: u32) -> io::Result<u64> {
    let metadata = file.metadata()?;
    let sound =
        metadata.is_file() && metadata.uid() == geteuid().as_raw() && metadata.permissions().mode() & refused == 0;
    if sound { Ok(metadata.len()) } else { Err(io::Error::other("of another user, or with loose permissions")) }
}

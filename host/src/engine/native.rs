//! The one place where bytes become code that runs.

use std::{fs::File, os::fd::AsRawFd};

use wasmtime::{Engine, component::Component};

/// Code made by this host's compiler, from one of two sources that vouch for it.
pub(super) enum Native<'a> {
    /// Straight from [`local`](super::compile::local) or from a compile worker.
    Fresh(&'a [u8]),
    /// A cache entry whose tag was just verified through this handle.
    Verified(&'a File),
}

/// Makes code runnable. Wasmtime checks that version, settings and processor fit; it cannot check the code itself.
#[expect(unsafe_code, reason = "native code cannot be checked, only its origin: the one AOT load of this crate")]
pub(super) fn load(engine: &Engine, code: Native<'_>) -> wasmtime::Result<Component> {
    match code {
        // SAFETY: the bytes are the unchanged output of `Engine::precompile_component`, made by this process or by a
        // worker that the embedder named as its own compiler. No path leads here from a file of a vendor.
        Native::Fresh(bytes) => unsafe { Component::deserialize(engine, bytes) },
        // The path names the inode that was verified, whatever the directory holds by now.
        // SAFETY: its content carries a tag made with this user's key, so this host wrote it after compiling; it is
        // a file of mode 0400 in a directory that only this user can enter, and nobody writes to it again: entries
        // are replaced by renaming and removed by unlinking, which leave the mapped inode as it is.
        Native::Verified(file) => unsafe {
            Component::deserialize_file(engine, format!("/proc/self/fd/{}", file.as_raw_fd()))
        },
    }
}

//! What a directory holds. `std::fs` on WASI fails for a whole directory when one name in it is not UTF-8, and would
//! hide every file beside that name. The interface below goes on, and no call could name such a file anyway.

use std::io;
use std::path::Path;

use crate::root::Kind;

/// Where the grants lie. `std::fs` opens what is granted, but has no way to say what that is.
pub fn grants() -> Vec<String> {
    fumehood_tool::wasi::filesystem::preopens::get_directories().into_iter().map(|(_, path)| path).collect()
}

/// The names in `path`.
#[cfg(target_family = "wasm")]
pub fn entries(_system: &Path, path: &str) -> io::Result<Vec<(String, Kind)>> {
    use fumehood_tool::wasi::filesystem::preopens::get_directories;
    use fumehood_tool::wasi::filesystem::types::{DescriptorFlags, DescriptorType, ErrorCode, OpenFlags, PathFlags};
    use io::ErrorKind;

    use crate::root::normal;

    let grants = get_directories().into_iter().filter_map(|(grant, mount)| {
        let mount = normal(&mount).ok()?;
        let below = match path.strip_prefix(&mount)? {
            "" => ".",
            below if mount.is_empty() => below,
            below => below.strip_prefix('/')?,
        };
        Some((mount.len(), grant, below))
    });
    // Of nested grants the inner one counts, as in wasi-libc.
    let (_, grant, below) = grants.max_by_key(|(length, ..)| *length).ok_or(ErrorKind::NotFound)?;
    let failed = |code| {
        io::Error::from(match code {
            ErrorCode::NoEntry => ErrorKind::NotFound,
            ErrorCode::NotDirectory => ErrorKind::NotADirectory,
            ErrorCode::Access | ErrorCode::NotPermitted => ErrorKind::PermissionDenied,
            _ => ErrorKind::Other,
        })
    };
    let entries = grant
        .open_at(PathFlags::SYMLINK_FOLLOW, below, OpenFlags::DIRECTORY, DescriptorFlags::READ)
        .and_then(|directory| directory.read_directory())
        .map_err(failed)?;
    let mut names = Vec::new();
    loop {
        match entries.read_directory_entry() {
            Ok(Some(entry)) => {
                let kind = match entry.type_ {
                    DescriptorType::Directory => Kind::Directory,
                    DescriptorType::RegularFile => Kind::File,
                    DescriptorType::SymbolicLink => Kind::Link,
                    _ => Kind::Other,
                };
                names.push((entry.name, kind));
            }
            Ok(None) => return Ok(names),
            Err(ErrorCode::IllegalByteSequence) => {}
            Err(code) => return Err(failed(code)),
        }
    }
}

/// The same for tests, where `std::fs` takes any name.
#[cfg(not(target_family = "wasm"))]
pub fn entries(system: &Path, _path: &str) -> io::Result<Vec<(String, Kind)>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(system)? {
        let entry = entry?;
        let (kind, Ok(name)) = (entry.file_type()?, entry.file_name().into_string()) else { continue };
        let kind = match kind {
            _ if kind.is_dir() => Kind::Directory,
            _ if kind.is_file() => Kind::File,
            _ if kind.is_symlink() => Kind::Link,
            _ => Kind::Other,
        };
        names.push((name, kind));
    }
    Ok(names)
}

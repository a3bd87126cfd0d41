//! Opening a directory that nobody else can write to.

use std::{
    fs::{DirBuilder, File},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Component, Path, PathBuf},
};

use cap_std::fs::Dir;
use rustix::{
    fs::{CWD, Mode, OFlags, fstat, openat},
    process::geteuid,
};

use super::super::error::CacheError;

/// Write permission for the group or for all.
const OTHERS_WRITE: u32 = 0o022;
/// In such a directory only the owner of an entry can replace it: `/tmp`.
const STICKY: u32 = 0o1000;

/// Opens `path`, made with mode 0700 if missing, when this user alone decides what is in it.
///
/// Walks from the root by handles and never follows a link, so that what was checked is what is opened. Permission
/// bits are the whole check: access control lists that grant more are not seen.
pub(super) fn open_private(path: &Path) -> Result<Dir, CacheError> {
    let io = |action: &'static str| move |source: io::Error| CacheError::Io { directory: path.into(), action, source };
    let unsafe_at = |at: &Path, fault: String, remedy: &'static str| CacheError::Unsafe {
        directory: path.into(),
        at: at.into(),
        fault,
        remedy,
    };
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(unsafe_at(path, "names no directory of its own".into(), "name one that holds nothing else"));
    };
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(io("make it"))?;
    // Links above it are the operator's layout; the walk below judges where they lead.
    let parent = parent.canonicalize().map_err(io("find it"))?;

    let me = geteuid().as_raw();
    let mut at = PathBuf::from("/");
    let search = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut handle = openat(CWD, &at, search, Mode::empty()).map_err(|errno| io("open `/`")(errno.into()))?;
    let below_root = parent.components().filter(|part| matches!(part, Component::Normal(_)));
    for step in below_root.map(Some).chain([None]) {
        let stat = fstat(&handle).map_err(|errno| io("inspect its parents")(errno.into()))?;
        if stat.st_uid != 0 && stat.st_uid != me {
            let fault = format!("belongs to user {}, who can replace what is in it", stat.st_uid);
            return Err(unsafe_at(&at, fault, "choose a directory below your own home"));
        }
        if stat.st_mode & OTHERS_WRITE != 0 && stat.st_mode & STICKY == 0 {
            let fault = format!("can be written by others (mode {:04o})", stat.st_mode & 0o7777);
            return Err(unsafe_at(&at, fault, "run `chmod go-w` on it or choose another directory"));
        }
        if let Some(step) = step {
            at.push(step);
            handle = openat(&handle, step.as_os_str(), search, Mode::empty())
                .map_err(|errno| io("open its parents")(errno.into()))?;
        }
    }

    let read = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = match openat(&handle, name, read, Mode::empty()) {
        Ok(directory) => directory,
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => {
            return Err(unsafe_at(path, "is a symbolic link".into(), "name the directory it leads to"));
        }
        Err(errno) => return Err(io("open it")(errno.into())),
    };
    let stat = fstat(&directory).map_err(|errno| io("inspect it")(errno.into()))?;
    if stat.st_uid != me {
        let fault = format!("belongs to user {}, not to {me} who runs this host", stat.st_uid);
        return Err(unsafe_at(path, fault, "choose a directory of your own"));
    }
    if stat.st_mode & OTHERS_WRITE != 0 {
        let fault = format!("can be written by others (mode {:04o})", stat.st_mode & 0o7777);
        return Err(unsafe_at(path, fault, "remove it, so that it is made anew, or choose another directory"));
    }
    Ok(Dir::from_std_file(File::from(directory)))
}

#[cfg(test)]
mod tests {
    use std::{fs::Permissions, os::unix::fs::PermissionsExt};

    use super::*;

    fn check(path: &Path, expect: Result<(), &str>) {
        match (open_private(path), expect) {
            (Ok(_), Ok(())) => {}
            (Err(error @ CacheError::Unsafe { .. }), Err(part)) => {
                let error = error.to_string();
                assert!(error.contains(part), "{error} lacks {part}");
            }
            (got, expect) => panic!("{}: {got:?}, not {expect:?}", path.display()),
        }
    }

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn makes_a_directory_for_this_user_alone() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a/b");
        check(&path, Ok(()));
        for made in [home.path().join("a"), path.clone()] {
            assert_eq!(made.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
        check(&path, Ok(()));
    }

    #[test]
    fn refuses_one_that_others_can_write() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("cache");
        check(&path, Ok(()));
        for mode in [0o770, 0o702, 0o1777] {
            set_mode(&path, mode);
            check(&path, Err("can be written by others"));
        }
        set_mode(&path, 0o755);
        check(&path, Ok(()));
    }

    #[test]
    fn refuses_a_parent_that_others_can_write_unless_sticky() {
        let home = tempfile::tempdir().unwrap();
        let parent = home.path().join("shared");
        let path = parent.join("cache");
        check(&path, Ok(()));
        set_mode(&parent, 0o777);
        check(&path, Err("shared` can be written by others (mode 0777)"));
        set_mode(&parent, 0o1777);
        check(&path, Ok(()));
    }

    #[test]
    fn refuses_a_link_at_the_end_and_follows_safe_ones_above() {
        let home = tempfile::tempdir().unwrap();
        let real = home.path().join("real");
        check(&real.join("cache"), Ok(()));
        let link = home.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        check(&link, Err("is a symbolic link"));
        check(&link.join("cache"), Ok(()));
        set_mode(&real, 0o777);
        check(&link.join("cache"), Err("real` can be written by others"));
    }

    #[test]
    fn refuses_a_path_without_a_name() {
        check(Path::new("/"), Err("names no directory"));
    }

    #[test]
    fn a_file_in_its_place_is_an_input_output_error() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        File::create_new(&file).unwrap();
        assert!(matches!(open_private(&file), Err(CacheError::Io { action: "make it", .. })));
    }
}

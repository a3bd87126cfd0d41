//! The directory: who gets in, what is counted, what is left behind, what was changed.

#![expect(clippy::disallowed_methods, reason = "it makes the files that a store has to cope with")]

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Command, Stdio};

use super::*;

const LIMITS: SpillLimits = SpillLimits::standard();

fn check(path: &Path, expect: Result<(), &str>) {
    match (SpillStore::open(path, LIMITS), expect) {
        (Ok(_), Ok(())) => {}
        (Err(error @ SpillError::NotPrivate { .. }), Err(part)) => {
            let error = error.to_string();
            assert!(error.contains(part), "{error} lacks {part}");
        }
        (got, expect) => panic!("{}: {got:?}, not {expect:?}", path.display()),
    }
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o7777
}

fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        path.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn keeps_a_text_for_this_user_alone() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("spill");
    let store = SpillStore::open(&path, LIMITS).unwrap();
    for text in ["", "one", "ä\0\r\n😀"] {
        let locator = store.keep(text).unwrap();
        assert_eq!(locator, Locator::of(text));
        assert_eq!(store.read(&locator).unwrap(), text);
        let file = path.join(locator.file_name());
        assert_eq!(std::fs::read(&file).unwrap(), text.as_bytes());
        assert_eq!(mode(&file), 0o600);
    }
    assert_eq!(mode(&path), 0o700);
    assert_eq!(store.path(), path);
    let again = SpillStore::open(&path, LIMITS).unwrap();
    assert_eq!(again.read(&Locator::of("one")).unwrap(), "one");
    assert!(matches!(again.read(&Locator::of("two")), Err(SpillError::Missing(_))));
}

#[test]
fn keeps_a_text_once() {
    let home = tempfile::tempdir().unwrap();
    let store = SpillStore::open(home.path().join("spill"), LIMITS).unwrap();
    let inode = |store: &SpillStore| statat(&store.dir, Locator::of("x").file_name(), AtFlags::empty()).unwrap().st_ino;
    store.keep("x").unwrap();
    let first = inode(&store);
    store.keep("x").unwrap();
    assert_eq!((inode(&store), names(store.path()).len()), (first, 1));
}

#[test]
fn refuses_a_directory_that_others_can_enter() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("spill");
    check(&path, Ok(()));
    for mode in [0o755, 0o770, 0o701, 0o1777] {
        set_mode(&path, mode);
        check(&path, Err("run `chmod 0700` on it"));
    }
    // One that nobody can write to is refused before a call needs it.
    set_mode(&path, 0o500);
    check(&path, Err("has the mode 0500"));
    set_mode(&path, 0o700);
    check(&path, Ok(()));
}

#[test]
fn refuses_a_directory_of_somebody_else() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("spill");
    let me = geteuid().as_raw();
    let error = SpillStore::open_as(path.clone(), LIMITS, me + 1).unwrap_err().to_string();
    assert!(error.contains(&format!("belongs to user {me}, and user {} runs this host", me + 1)), "{error}");
    SpillStore::open_as(path, LIMITS, me).unwrap();
}

#[test]
fn follows_no_link_at_its_end_and_links_above_it() {
    let home = tempfile::tempdir().unwrap();
    let real = home.path().join("real");
    check(&real, Ok(()));
    let link = home.path().join("link");
    symlink(&real, &link).unwrap();
    check(&link, Err("is a symbolic link"));
    check(&link.join("spill"), Ok(()));
    assert_eq!(mode(&real.join("spill")), 0o700);
    // Nor is one made where it leads.
    symlink(home.path().join("elsewhere"), home.path().join("dangling")).unwrap();
    check(&home.path().join("dangling"), Err("is a symbolic link"));
    assert!(!home.path().join("elsewhere").exists());
}

#[test]
fn refuses_what_is_no_directory_and_what_has_none_above_it() {
    let home = tempfile::tempdir().unwrap();
    File::create_new(home.path().join("file")).unwrap();
    check(&home.path().join("file"), Err("no directory"));
    check(&home.path().join("missing/spill"), Err("make the directory above it"));
    assert!(!home.path().join("missing").exists());
    check(Path::new("/"), Err("has no name of its own"));
    check(&home.path().join(".."), Err("has no name of its own"));
}

#[test]
fn a_link_in_the_place_of_a_text_is_not_followed() {
    let home = tempfile::tempdir().unwrap();
    let store = SpillStore::open(home.path().join("spill"), LIMITS).unwrap();
    let secret = home.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let file = store.path().join(Locator::of("secret").file_name());
    symlink(&secret, &file).unwrap();
    assert!(matches!(store.read(&Locator::of("secret")), Err(SpillError::Changed(_))));
    // Keeping the text puts a file in the link's place and leaves alone what it led to.
    std::fs::write(&secret, "other").unwrap();
    store.keep("secret").unwrap();
    assert!(file.symlink_metadata().unwrap().is_file());
    assert_eq!(std::fs::read(&secret).unwrap(), b"other");
    assert_eq!(store.read(&Locator::of("secret")).unwrap(), "secret");
}

#[test]
fn a_pipe_in_the_place_of_a_text_is_not_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let store = SpillStore::open(home.path().join("spill"), LIMITS).unwrap();
    let name = Locator::of("x").file_name();
    rustix::fs::mknodat(&store.dir, &name, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert!(matches!(store.read(&Locator::of("x")), Err(SpillError::Changed(_))));
    store.keep("x").unwrap();
    assert_eq!(store.read(&Locator::of("x")).unwrap(), "x");
}

#[test]
fn a_changed_file_says_so_and_is_written_anew() {
    let home = tempfile::tempdir().unwrap();
    let store = SpillStore::open(home.path().join("spill"), LIMITS).unwrap();
    let locator = store.keep("what was kept").unwrap();
    let file = store.path().join(locator.file_name());
    for changed in ["what was Kept", "what was", "", "\u{fffd}"] {
        std::fs::write(&file, changed).unwrap();
        let error = store.read(&locator).unwrap_err();
        assert!(error.to_string().starts_with(&format!("{locator} was changed after it was kept")), "{error}");
    }
    std::fs::write(&file, b"\xff").unwrap();
    assert!(matches!(store.read(&locator), Err(SpillError::Changed(_))));
    store.keep("what was kept").unwrap();
    assert_eq!(store.read(&locator).unwrap(), "what was kept");
}

#[test]
fn a_full_store_keeps_what_it_has() {
    let home = tempfile::tempdir().unwrap();
    let open = |limits| SpillStore::open(home.path().join("spill"), limits).unwrap();
    let limits = SpillLimits { text_bytes: 6, store_bytes: 10, files: 3 };
    let store = open(limits);
    let fails = |text: &str, expect: &str| {
        let error = store.keep(text).unwrap_err().to_string();
        assert!(error.contains(expect), "{error} lacks {expect}");
    };
    store.keep("123456").unwrap();
    fails("1234567", "a text of 7 bytes is over the limit of 6 bytes");
    fails("12345", "6 bytes are kept and one more text would pass the limit of 10");
    store.keep("1234").unwrap();
    fails("1", "10 bytes are kept");
    // Neither what it has nor nothing at all takes any room.
    store.keep("123456").unwrap();
    store.keep("").unwrap();
    let counted = SpillLimits { store_bytes: 100, ..limits };
    let error = open(counted).keep("1").unwrap_err().to_string();
    assert!(error.contains("3 files are kept and one more text would pass the limit of 3"), "{error}");
    assert_eq!(names(store.path()).len(), 3);
    assert_eq!(store.read(&Locator::of("123456")).unwrap(), "123456");
    open(LIMITS).keep("1").unwrap();
}

#[test]
fn a_directory_that_cannot_be_written_keeps_nothing() {
    let home = tempfile::tempdir().unwrap();
    let store = SpillStore::open(home.path().join("spill"), LIMITS).unwrap();
    // Nothing can be made in a directory that is gone, not even by root.
    std::fs::remove_dir(store.path()).unwrap();
    let error = store.keep("x").unwrap_err();
    assert!(matches!(error, SpillError::Io { action: "write a kept text", .. }), "{error}");
    std::fs::create_dir(store.path()).unwrap();
    assert!(store.keep("x").is_err(), "another directory of the same name is not the one that was opened");
    assert_eq!(names(store.path()), Vec::<String>::new());
}

#[test]
fn what_cannot_be_put_in_its_place_is_not_left_lying_about() {
    let home = tempfile::tempdir().unwrap();
    let store = SpillStore::open(home.path().join("spill"), LIMITS).unwrap();
    let name = Locator::of("x").file_name();
    std::fs::create_dir(store.path().join(&name)).unwrap();
    assert!(matches!(store.keep("x"), Err(SpillError::Io { .. })));
    assert_eq!(names(store.path()), [name]);
}

#[test]
fn the_rest_of_a_killed_writer_is_removed_and_that_of_a_living_one_stays() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("spill");
    SpillStore::open(&path, LIMITS).unwrap().keep("kept").unwrap();
    std::fs::write(path.join("tmp.1.1"), "ha").unwrap();
    std::fs::write(path.join("other"), "").unwrap();
    // Another process holds this one, as a writer does, until it is killed.
    let half = File::create_new(path.join("tmp.2.1")).unwrap();
    half.try_lock().unwrap();
    let mut writer = Command::new("sleep").arg("600").stdin(Stdio::from(half)).spawn().unwrap();
    let kept = Locator::of("kept").file_name();
    SpillStore::open(&path, LIMITS).unwrap();
    assert_eq!(names(&path), [kept.as_str(), "other", "tmp.2.1"]);
    writer.kill().unwrap();
    writer.wait().unwrap();
    SpillStore::open(&path, LIMITS).unwrap();
    assert_eq!(names(&path), [kept.as_str(), "other"]);
}

#[test]
fn a_temporary_name_that_is_taken_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let store = SpillStore::open(home.path().join("spill"), LIMITS).unwrap();
    let taken = format!("tmp.{}.1", std::process::id());
    std::fs::write(store.path().join(&taken), "somebody else's").unwrap();
    store.keep("x").unwrap();
    assert_eq!(std::fs::read_to_string(store.path().join(&taken)).unwrap(), "somebody else's");
    assert_eq!(store.read(&Locator::of("x")).unwrap(), "x");
}

#[test]
fn many_writers_at_once_lose_nothing() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("spill");
    let stores = [(); 2].map(|()| SpillStore::open(&path, LIMITS).unwrap());
    let text = |writer: usize, number: usize| {
        format!("{}, number {number}", if number.is_multiple_of(2) { 9 } else { writer })
    };
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (store, path) = (&stores[writer % 2], &path);
            scope.spawn(move || {
                for number in 0..20 {
                    let locator = store.keep(&text(writer, number)).unwrap();
                    assert_eq!(store.read(&locator).unwrap(), text(writer, number));
                    // Whoever comes now does not take what is being written for left over.
                    SpillStore::open(path, LIMITS).unwrap();
                }
            });
        }
    });
    // Ten texts that all four wrote, and ten of each one's own.
    assert_eq!(names(&path).len(), 50);
    assert!(names(&path).iter().all(|name| name.ends_with(".txt")));
}

#[test]
fn threads_of_one_store_do_not_pass_its_limit() {
    let home = tempfile::tempdir().unwrap();
    let store = SpillStore::open(home.path().join("spill"), SpillLimits { files: 5, ..LIMITS }).unwrap();
    let kept: usize = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let store = &store;
                scope.spawn(move || (0..5).filter(|number| store.keep(&format!("{writer} {number}")).is_ok()).count())
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    assert_eq!((kept, names(store.path()).len()), (5, 5));
}

#[test]
fn a_hint_is_one_short_line() {
    let home = tempfile::tempdir().unwrap();
    let open = || SpillStore::open(home.path().join("spill"), LIMITS).unwrap();
    assert_eq!(open().saying("Read it as a resource.").unwrap().hint(), "Read it as a resource.");
    open().saying(&"x".repeat(SpillStore::MAX_HINT)).unwrap();
    assert!(open().hint().len() <= SpillStore::MAX_HINT);
    for wrong in ["", "two\nlines", "\u{1b}[1m", &"x".repeat(SpillStore::MAX_HINT + 1)] {
        let error = open().saying(wrong).unwrap_err().to_string();
        assert!(error.contains("write one line of 1 to 200 bytes"), "{error}");
    }
}

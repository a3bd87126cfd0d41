//! The file itself: who may have it, what it may be, and how much fits.

use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use fumehood::{Event, Log, LogError};

use crate::events::{Home, bytes_of, call, end, put, settings, sound, start};
use crate::{playing, this_program};

fn refused(path: &Path) -> LogError {
    Log::open(path, settings()).unwrap_err()
}

pub(crate) fn a_new_log_is_for_this_user_alone() {
    let home = Home::new();
    let (log, opened) = home.open();
    assert!(opened.is_new() && opened.next_call == 1 && opened.torn.is_empty() && opened.closed.is_empty());
    assert_eq!(log.path(), home.log());
    assert_eq!(home.log().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    drop(log);
    assert_eq!(sound(&home.log()).len(), 1);
    assert_eq!(home.beside(), [""; 0]);
    // One that holds nothing is as good as none.
    put(&home.log(), "");
    assert!(home.open().1.is_new());
}

pub(crate) fn only_a_plain_file_is_a_log() {
    let home = Home::new();
    let at = |name: &str| home.path().join(name);
    std::fs::write(at("file"), "").unwrap();
    symlink(at("file"), at("link")).unwrap();
    symlink(at("nothing"), at("dangling")).unwrap();
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    std::fs::create_dir(at("directory")).unwrap();
    for (path, what) in [
        (at("link"), "a symbolic link"),
        (at("dangling"), "a symbolic link"),
        (at("pipe"), "a pipe"),
        (at("socket"), "a socket or a device"),
        (at("directory"), "a directory"),
        ("/".into(), "a directory"),
        ("/dev/null".into(), "a device"),
    ] {
        let error = refused(&path);
        assert!(matches!(error, LogError::NotAFile { what: found, .. } if found == what), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(path.to_str().unwrap()) && text.contains("name another one"), "{text}");
    }
    assert!(!at("nothing").exists());
    assert_eq!(bytes_of(&at("file")), b"");
    let error = refused(&at("missing/session.jsonl"));
    assert!(matches!(&error, LogError::Directory { path, .. } if *path == at("missing")), "{error:?}");
    assert!(error.to_string().contains("make it"), "{error}");
}

pub(crate) fn another_file_is_left_as_it_is() {
    let home = Home::new();
    for text in ["a letter\n", "a letter", "{}\n", "[1]\n[2]\n", "\n", "{\"seq\":0}\n", "{\"seq\":1,", "\0\0\0"] {
        put(&home.log(), text);
        let error = refused(&home.log());
        assert!(matches!(error, LogError::NotALog { .. }), "{text:?}: {error:?}");
        assert!(error.to_string().contains("was left as it is"), "{error}");
        assert_eq!(bytes_of(&home.log()), text.as_bytes());
        assert_eq!(home.beside(), [""; 0]);
    }
}

/// A log is for its owner: not one that others read, and not one that has another name somewhere.
pub(crate) fn a_log_that_others_reach_is_refused() {
    let home = Home::new();
    home.open();
    let mode = |mode| std::fs::set_permissions(home.log(), std::fs::Permissions::from_mode(mode)).unwrap();
    for open in [0o640, 0o604, 0o620, 0o777] {
        mode(open);
        let error = refused(&home.log());
        assert!(matches!(error, LogError::NotPrivate { .. }), "{open:o}: {error:?}");
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }
    mode(0o600);
    let other = home.path().join("other");
    std::fs::hard_link(home.log(), &other).unwrap();
    assert!(matches!(refused(&home.log()), LogError::NotPrivate { .. }));
    std::fs::remove_file(other).unwrap();
    home.open();
}

pub(crate) fn two_writers_in_one_process() {
    let home = Home::new();
    let (log, _) = home.open();
    let error = refused(&home.log());
    assert!(matches!(error, LogError::InUse { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains(home.log().to_str().unwrap()) && text.contains("name another file"), "{text}");
    log.append(call("1", "t", "{}")).unwrap();
    drop(log);
    home.open();
    sound(&home.log());
}

pub(crate) fn two_writers_in_two_processes() {
    let home = Home::new();
    let mut command = playing("opens_and_waits");
    let mut holder = command.arg(home.log()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "opened\n");
    assert!(matches!(refused(&home.log()), LogError::InUse { .. }));
    holder.kill().unwrap();
    holder.wait().unwrap();
    // Its lock ended with it.
    home.open();
    assert_eq!(sound(&home.log()).len(), 2);
}

/// As the disk of a process that may write no more than so many blocks to a file.
pub(crate) fn a_full_disk_loses_and_halves_nothing() {
    let home = Home::new();
    for (blocks, acknowledged) in [("64", "said: "), ("0", "refused")] {
        // A process that is told so by a signal would end by it; one that ignores it gets an error.
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).arg(this_program()).arg("fills_the_disk").arg(home.log());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(told.contains(acknowledged), "{told}");
        let said: Vec<_> = told.lines().filter_map(|line| line.strip_prefix("said: ")).collect();
        if !said.is_empty() {
            let records = sound(&home.log());
            let ends = records.iter().filter(|record| matches!(record.event, Event::End(_))).count();
            assert_eq!(ends, said.len());
            assert!(ends > 2);
        }
        std::fs::remove_file(home.log()).unwrap();
        assert_eq!(home.beside(), [""; 0]);
    }
}

/// Appends until no more fits, then what does fit, and says what it got acknowledged.
pub(crate) fn fills_the_disk(arguments: &[String]) {
    let path = Path::new(&arguments[0]);
    let mut out = std::io::stdout();
    let log = match Log::open(path, settings()) {
        Ok((log, _)) => log,
        Err(error) => {
            assert!(matches!(error, LogError::Append { .. }), "{error:?}");
            assert_eq!(bytes_of(path), b"");
            writeln!(out, "refused").unwrap();
            return;
        }
    };
    let mut said = |number: u64, text: &str| {
        let id = number.to_string();
        let before = bytes_of(path);
        match log.append_all(&[call(&id, "t", "{}"), start(&id), end(&id, text)]) {
            Ok(_) => writeln!(out, "said: {number}").is_ok(),
            Err(error) => {
                assert!(matches!(error, LogError::Append { .. }), "{error:?}");
                assert!(error.to_string().contains("make room"), "{error}");
                assert_eq!(bytes_of(path), before, "half of it is left");
                false
            }
        }
    };
    let mut number = 1;
    while said(number, &"x".repeat(3_000)) {
        number += 1;
    }
    // The number of what was refused is free.
    while said(number, "short") {
        number += 1;
    }
}

//! What no crash leaves: such a log is read, named, and not written.

use std::path::Path;

use fumehood::{Flaw, Log, LogError, Replay};

use crate::events::{Home, bytes_of, call, end, put, settings, sound, start};

/// A small log, closed, as bytes; and where each line begins.
fn small(home: &Home) -> (Vec<u8>, Vec<usize>) {
    let (log, _) = home.open();
    log.append(call("1", "t", "{\"a\":[1,2.5,\"é\"]}")).unwrap();
    log.append_all(&[start("1"), end("1", "well")]).unwrap();
    drop(log);
    sound(&home.log());
    let bytes = bytes_of(&home.log());
    let feeds = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let starts = std::iter::once(0).chain(feeds).collect();
    (bytes, starts)
}

fn flaws(bytes: &[u8]) -> Vec<(u64, Flaw)> {
    let entries = Replay::new(bytes).map(|entry| entry.unwrap());
    entries.flat_map(|entry| entry.flaws.into_iter().map(move |flaw| (entry.line, flaw))).collect()
}

/// The first flaw, and what opening says of it. Such a log stays as it is.
fn refused(path: &Path, bytes: &[u8]) -> (u64, Flaw) {
    put(path, bytes);
    let first = flaws(bytes).into_iter().next().unwrap();
    match Log::open(path, settings()).unwrap_err() {
        error @ (LogError::Damaged { .. } | LogError::NewerForm { .. }) => {
            let text = error.to_string();
            assert!(text.contains(&format!("line {}: {}", first.0, first.1)), "{text}");
            assert!(text.contains("in another file"), "{text}");
        }
        LogError::NotALog { .. } => assert_eq!(first.0, 1),
        error => panic!("{error:?}"),
    }
    assert_eq!(bytes_of(path), bytes);
    first
}

/// The digest of a line stands in the next one. So a change of the last line is found when there is a next one, or by its form:
/// until then it is the only line that could say something else.
pub(crate) fn a_change_of_any_byte_is_named() {
    let home = Home::new();
    let (bytes, starts) = small(&home);
    let last = starts[starts.len() - 2];
    for at in 0..bytes.len() {
        for change in [1, 0x20, 0x80] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            let line = starts.iter().take_while(|start| **start <= at).count() as u64;
            if at < last {
                let (named, flaw) = refused(&home.log(), &changed);
                assert!(named == line || (named == line + 1 && flaw == Flaw::Chain), "{at}: {named} {flaw}");
                assert_eq!(home.beside(), [""; 0]);
            } else {
                let found = flaws(&changed);
                assert!(found.iter().all(|(named, _)| *named >= line), "{at}: {found:?}");
                put(&home.log(), &changed);
                match Log::open(home.log(), settings()) {
                    Err(LogError::Damaged { line: named, .. }) => assert_eq!(named, line),
                    Err(error) => panic!("{error:?}"),
                    // As if it had been torn: what it was is kept.
                    Ok((_, opened)) if !opened.torn.is_empty() => {
                        assert_eq!(bytes_of(&opened.torn[0].file), &changed[last..]);
                        std::fs::remove_file(&opened.torn[0].file).unwrap();
                    }
                    // It says something else, and the line that was written next holds to that.
                    Ok(_) => {
                        let mut restored = bytes_of(&home.log());
                        restored[at] ^= change;
                        assert!(flaws(&restored).contains(&(line + 1, Flaw::Chain)), "{at}");
                    }
                }
            }
        }
    }
}

pub(crate) fn a_line_that_is_gone_or_twice_is_named() {
    let home = Home::new();
    let (bytes, starts) = small(&home);
    let line = |at: usize| &bytes[starts[at]..starts[at + 1]];
    let lines = starts.len() - 1;
    for at in 0..lines - 1 {
        let without = [&bytes[..starts[at]], &bytes[starts[at + 1]..]].concat();
        let (named, flaw) = refused(&home.log(), &without);
        let number = at as u64;
        assert_eq!((named, flaw), (number + 1, Flaw::Number { expected: number, found: number + 1 }));
        let twice = [&bytes[..starts[at + 1]], line(at), &bytes[starts[at + 1]..]].concat();
        let (named, flaw) = refused(&home.log(), &twice);
        assert_eq!((named, flaw), (number + 2, Flaw::Number { expected: number + 1, found: number }));
        let swapped = [&bytes[..starts[at]], line(at + 1), line(at), &bytes[starts[at + 2]..]].concat();
        assert_eq!(refused(&home.log(), &swapped).0, number + 1);
        let empty = [&bytes[..starts[at]], b"\n", &bytes[starts[at]..]].concat();
        assert_eq!(refused(&home.log(), &empty), (number + 1, Flaw::NotJson { column: 0 }));
    }
    // Without its last line it is a log that ended earlier: nothing in it can say that there was more.
    put(&home.log(), &bytes[..starts[lines - 1]]);
    assert_eq!(home.open().1.events, lines as u64 - 1);
}

pub(crate) fn a_log_of_a_later_form_is_read_and_not_written() {
    let home = Home::new();
    let (bytes, _) = small(&home);
    let text = String::from_utf8(bytes.clone()).unwrap();
    let later = text.replace("\"form\":1", "\"form\":2");
    assert_eq!(refused(&home.log(), later.as_bytes()), (1, Flaw::NewerForm(2)));
    // Also where what it says of itself is no longer what we know.
    let other = r#"{"seq":0,"prev":null,"at":"x","event":"open","form":3,"writers":[]}"#.to_owned() + "\n";
    assert_eq!(flaws(other.as_bytes())[1], (1, Flaw::NewerForm(3)));
    put(&home.log(), &other);
    assert!(matches!(Log::open(home.log(), settings()).unwrap_err(), LogError::NewerForm { .. }));
    assert_eq!(bytes_of(&home.log()), other.as_bytes());
    // An event that we do not know: the lines around it are read, and it is not known what it did to calls.
    let unknown = text.replace("\"event\":\"start\"", "\"event\":\"pau\\u001b[31mse\"");
    let found = flaws(unknown.as_bytes());
    assert_eq!(found[0], (3, Flaw::UnknownEvent("pau\\u{1b}[31mse".to_owned())));
    assert_eq!(refused(&home.log(), unknown.as_bytes()).0, 3);
}

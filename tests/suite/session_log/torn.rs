//! What a killed writer leaves, at every byte.

use std::collections::BTreeSet;

use fumehood::{CallId, EndedAs, Event, LogRecord, NotRun, RepairEvent};

use crate::events::{Home, bytes_of, call, calls, end, put, sound, start};

fn repairs(records: &[LogRecord]) -> Vec<RepairEvent> {
    let repairs = records.iter().filter_map(|record| match &record.event {
        Event::Repair(repair) => Some(repair.clone()),
        _ => None,
    });
    repairs.collect()
}

/// Each file beside the log is announced once, with its size, and nothing else is.
fn announced(home: &Home, records: &[LogRecord]) {
    let mut named: Vec<_> =
        repairs(records).into_iter().filter_map(|repair| Some((repair.torn_file?, repair.torn_bytes?))).collect();
    named.sort();
    let found = home.beside().into_iter().map(|name| {
        let bytes = home.path().join(&name).metadata().unwrap().len();
        (name, bytes)
    });
    assert_eq!(named, found.collect::<Vec<_>>());
}

/// Each call that was asked for has one end.
fn closed(records: &[LogRecord]) {
    let mut open = BTreeSet::new();
    for record in records {
        match &record.event {
            Event::Call(call) => assert!(open.insert(call.call.clone()), "{}", call.call),
            Event::End(end) => assert!(open.remove(&end.call), "{}", end.call),
            _ => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

fn written(home: &Home) -> Vec<u8> {
    let (log, _) = home.open();
    log.append(call("1", "t", "{}")).unwrap();
    log.append(start("1")).unwrap();
    log.append(call("1.1", "u", "{\"ä\":\"\\u0000\"}")).unwrap();
    log.append(call("2", "t", "{}")).unwrap();
    log.append(start("1.1")).unwrap();
    log.append(end("1.1", "one")).unwrap();
    log.append(end("1", "both\nlines")).unwrap();
    bytes_of(&home.log())
}

/// Wherever a write is cut off: what was whole before it stays, byte for byte, and the rest is kept and named.
pub(crate) fn a_log_cut_anywhere_is_mended() {
    let bytes = written(&Home::new());
    for cut in 0..bytes.len() {
        let home = Home::new();
        put(&home.log(), &bytes[..cut]);
        let whole = bytes[..cut].iter().rposition(|byte| *byte == b'\n').map_or(0, |feed| feed + 1);
        let events = bytes[..whole].iter().filter(|byte| **byte == b'\n').count();
        let (log, opened) = home.open();
        assert_eq!(opened.events, events as u64, "{cut}");
        assert!(bytes_of(&home.log()).starts_with(&bytes[..whole]), "{cut}");
        let kept: Vec<_> = opened.torn.iter().map(|part| bytes_of(&part.file)).collect();
        assert_eq!(kept.concat(), &bytes[whole..cut], "{cut}");
        if cut > whole {
            assert_eq!(home.beside(), [format!("session.jsonl.torn-{events}")]);
            assert_eq!(opened.torn[0].bytes, (cut - whole) as u64);
        }
        // It goes on, and is then a log like any other.
        log.append_all(&[call("9", "t", "{}"), end("9", "after")]).unwrap();
        drop(log);
        let records = sound(&home.log());
        announced(&home, &records);
        closed(&records);
        let ended: Vec<_> = opened.closed.iter().map(|(call, _)| call.clone()).collect();
        assert_eq!(ended, repairs(&records).first().map_or(Vec::new(), |repair| repair.open_calls.clone()));
        let (_, again) = home.open();
        assert!(again.torn.is_empty() && again.closed.is_empty() && again.next_call == 10, "{again:?}");
    }
}

/// A power cut may leave the end of a line and not its middle. Only the last line can be such a one.
pub(crate) fn a_last_line_of_garbage_is_set_aside() {
    for garbage in ["\n", "\0\0\0\0\n", "{\"seq\":8,\"prev\0\0\0\0\0}}\n", "\0\0\0"] {
        let home = Home::new();
        let bytes = written(&home);
        put(&home.log(), [&bytes[..], garbage.as_bytes()].concat());
        let (_, opened) = home.open();
        assert_eq!(bytes_of(&opened.torn[0].file), garbage.as_bytes());
        announced(&home, &sound(&home.log()));
    }
}

pub(crate) fn calls_are_closed_from_the_inside() {
    let home = Home::new();
    let (log, _) = home.open();
    for id in ["1", "2", "2.1", "2.2", "2.2.1", "3", "10"] {
        log.append(call(id, "t", "{}")).unwrap();
    }
    for id in ["2", "2.1", "2.2", "10"] {
        log.append(start(id)).unwrap();
    }
    log.append(end("2.1", "done")).unwrap();
    drop(log);
    let (_, opened) = home.open();
    assert_eq!((opened.events, opened.next_call), (13, 11));
    let not_started = |id: &str| (id.parse::<CallId>().unwrap(), NotRun::NotStarted);
    let unknown = |id: &str| (id.parse::<CallId>().unwrap(), NotRun::OutcomeUnknown);
    let expected =
        [not_started("1"), not_started("2.2.1"), unknown("2.2"), unknown("2"), not_started("3"), unknown("10")];
    assert_eq!(opened.closed, expected);
    let records = sound(&home.log());
    closed(&records);
    // The opening first, then what it mended, then an end of each.
    assert!(matches!(&records[13].event, Event::Open(_)));
    let Event::Repair(repair) = &records[14].event else { panic!("{:?}", records[14]) };
    assert_eq!(repair.open_calls, expected.each_ref().map(|(call, _)| call.clone()));
    assert_eq!((repair.torn_bytes, &repair.torn_file), (None, &None));
    let ends = records[15..].iter().map(|record| {
        let Event::End(end) = &record.event else { panic!("{record:?}") };
        let EndedAs::Interrupted { state } = end.ended else { panic!("{end:?}") };
        let text = serde_json::to_string(&end.content).unwrap();
        let says = if state == NotRun::NotStarted { "NOT_STARTED: " } else { "OUTCOME_UNKNOWN: " };
        assert!(text.contains(says), "{text}");
        (end.call.clone(), state)
    });
    assert_eq!(ends.collect::<Vec<_>>(), expected);
}

/// A log that was torn twice, as it is while it is being opened: cut at every byte that this writes.
pub(crate) fn a_repair_cut_anywhere_is_repaired() {
    let torn = written(&Home::new());
    let torn = &torn[..torn.len() - 5];
    let mended = {
        let home = Home::new();
        put(&home.log(), torn);
        home.open();
        bytes_of(&home.log())
    };
    let whole = torn.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    assert_eq!(mended[..whole], torn[..whole]);
    for cut in whole..=mended.len() {
        let home = Home::new();
        put(&home.log(), torn);
        home.open();
        put(&home.log(), &mended[..cut]);
        home.open();
        let records = sound(&home.log());
        announced(&home, &records);
        closed(&records);
        assert_eq!(calls(&bytes_of(&home.log())).iter().filter(|call| call.is_open()).count(), 0);
    }
}

/// Killed while it copied what was torn, at every byte, with the log not cut yet.
pub(crate) fn a_piece_half_set_aside_is_set_aside_whole() {
    let torn = written(&Home::new());
    let torn = &torn[..torn.len() - 1];
    let whole = torn.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for copied in whole..=torn.len() {
        let home = Home::new();
        put(&home.log(), torn);
        std::fs::write(home.path().join("session.jsonl.torn-7"), &torn[whole..copied]).unwrap();
        let (_, opened) = home.open();
        assert_eq!(home.beside(), ["session.jsonl.torn-7"]);
        assert_eq!(bytes_of(&opened.torn[0].file), &torn[whole..]);
        announced(&home, &sound(&home.log()));
    }
}

pub(crate) fn a_foreign_file_in_its_place_stays() {
    let torn = written(&Home::new());
    let torn = &torn[..torn.len() - 1];
    let home = Home::new();
    put(&home.log(), torn);
    let taken = home.path().join("session.jsonl.torn-7");
    std::fs::write(&taken, "a letter").unwrap();
    std::os::unix::fs::symlink("letter", home.path().join("session.jsonl.torn-7-1")).unwrap();
    for other in ["session.jsonl.torn-3", "session.jsonl.torn-07", "session.jsonl.torn-7-x", "session.jsonl.torn-9"] {
        std::fs::write(home.path().join(other), "").unwrap();
    }
    let (_, opened) = home.open();
    let files: Vec<_> = opened.torn.iter().map(|part| part.file.file_name().unwrap().to_str().unwrap()).collect();
    // It may be a piece of this log, for all that anybody knows: it is named, and stays.
    assert_eq!(files, ["session.jsonl.torn-7", "session.jsonl.torn-7-2"]);
    assert_eq!(bytes_of(&taken), b"a letter");
    assert!(!home.path().join("letter").exists());
    assert!(bytes_of(&opened.torn[1].file).starts_with(b"{\"seq\":7,"));
    sound(&home.log());
}

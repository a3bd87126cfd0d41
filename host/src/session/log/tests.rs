use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::fd::OwnedFd;

use super::*;
use crate::session::event::CallEvent;

fn call(args: &str) -> Event {
    let call = CallId::top(1);
    let (tool, args) = ("t".to_owned(), args.to_owned());
    Event::Call(Box::new(CallEvent { call, tool, title: None, args, args_bytes: None, provider: None, card: None }))
}

fn settings(sync: LogSync) -> LogSettings {
    LogSettings { sync, values: false, clock: || SystemTime::UNIX_EPOCH }
}

/// A log over any file, as if it had been opened.
fn over(file: File, sync: LogSync) -> Log {
    let tail = Tail { number: 0, head: None, bytes: 0, broken: None };
    Log { path: "log".into(), file, settings: settings(sync), tail: Mutex::new(tail), synced: Mutex::new(0) }
}

fn assert_broken(log: &Log, why: &str) {
    for _ in 0..2 {
        let error = log.append(call("")).unwrap_err();
        assert!(matches!(&error, LogError::Broken { .. }), "{error:?}");
        assert!(error.to_string().contains(why) && error.to_string().contains("opening it again"), "{error}");
    }
}

/// A device that is always full, and cannot be cut either.
#[test]
fn a_write_that_cannot_be_taken_back_is_the_last() {
    let log = over(OpenOptions::new().write(true).open("/dev/full").unwrap(), LogSync::Never);
    assert_broken(&log, "a write failed");
}

/// A pipe takes every line, and there is no disk that it could be on.
#[test]
fn a_sync_that_fails_is_the_last() {
    let (mut reader, writer) = std::io::pipe().unwrap();
    let log = over(OwnedFd::from(writer).into(), LogSync::EachEvent);
    // Not waited for, it is no matter.
    log.append_unsynced(&[call("")]).unwrap();
    // Nor is it for what is only asked for.
    log.record(&[call("")]).unwrap();
    assert_broken(&log, "the disk did not take");
    drop(log);
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 3, "nothing is written after it: {text}");
}

#[test]
fn a_line_is_its_record_as_json() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("log");
    let (log, _) = Log::open(&path, settings(LogSync::Never)).unwrap();
    log.append(call("{\"a\": \"\u{0}\"}")).unwrap();
    let mut text = String::new();
    File::options().read(true).open(&path).unwrap().read_to_string(&mut text).unwrap();
    for line in text.lines() {
        let record: LogRecord = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&record).unwrap(), line);
    }
    assert!(text.contains(r#""at":"1970-01-01T00:00:00.000Z","#), "{text}");
}

#[test]
fn an_event_that_is_too_long_has_no_text() {
    let event = call(&"\u{1}".repeat(100));
    let whole = text(&event, usize::MAX).unwrap();
    assert_eq!(text(&event, whole.len()).as_ref(), Ok(&whole));
    let Unwritable(why) = text(&event, whole.len() - 1).unwrap_err();
    assert!(why.contains(&(whole.len() - 1).to_string()) && why.contains("`content-bytes`"), "{why}");
}

/// With the longest numbers there are.
#[test]
fn what_comes_before_an_event_fits() {
    let digest = Digest::of(b"");
    let head = format!(r#"{{"seq":{},"prev":"{digest}","at":"9999-12-31T23:59:59.000Z","#, u64::MAX);
    assert!(head.len() < HEAD);
}

#[test]
fn every_time_can_be_written() {
    let far = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40);
    let early = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
    for (time, expected) in [(far, "9999-12-31T23:59:59.000Z"), (early, "1970-01-01T00:00:00.000Z")] {
        assert_eq!(humantime::format_rfc3339_millis(writable(time)).to_string(), expected);
    }
}

#[test]
fn the_standard_waits_for_the_disk_and_records_no_values() {
    let LogSettings { sync, values, clock } = LogSettings::standard();
    assert_eq!((sync, values), (LogSync::EachEvent, false));
    assert!(clock() > SystemTime::UNIX_EPOCH);
}

//! Events to write, and logs to look at.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use fumehood::{Event, Log, LogRecord, LogSettings, LogSync, Opened, Passage, Replay, ReplayedCall, Transcript};
use serde_json::{Value, json};

/// 2026-01-02T03:04:05.678Z.
fn a_time() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(1_767_323_045_678)
}

/// What a log is written with here. A disk is waited for where a test is about that.
pub(crate) fn settings() -> LogSettings {
    LogSettings { sync: LogSync::Never, values: false, clock: a_time }
}

/// A directory for one log.
pub(crate) struct Home(tempfile::TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.0.path().join("session.jsonl")
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn open(&self) -> (Log, Opened) {
        Log::open(self.log(), settings()).unwrap()
    }

    /// The names in it, the log's own left out, in order.
    pub(crate) fn beside(&self) -> Vec<String> {
        let entries = self.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = entries.filter(|name| name != "session.jsonl").collect();
        names.sort();
        names
    }
}

/// A file for this user alone, as a log is, with these bytes.
pub(crate) fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path).unwrap();
    file.write_all(bytes.as_ref()).unwrap();
}

pub(crate) fn event(value: Value) -> Event {
    serde_json::from_value(value).unwrap()
}

pub(crate) fn call(id: &str, tool: &str, args: &str) -> Event {
    event(json!({ "event": "call", "call": id, "tool": tool, "args": args }))
}

pub(crate) fn start(id: &str) -> Event {
    event(json!({ "event": "start", "call": id }))
}

pub(crate) fn end(id: &str, text: &str) -> Event {
    event(json!({ "event": "end", "call": id, "outcome": "success", "content": [{ "type": "text", "text": text }],
        "usage": { "wall-clock-ms": 3 }, "millis": 4 }))
}

pub(crate) fn bytes_of(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/session-log.schema.json");
    let schema: Value = serde_json::from_slice(&bytes_of(Path::new(file))).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("{error}"));
    jsonschema::draft202012::options().build(&schema).unwrap()
});

/// Why a line is not as published.
pub(crate) fn against_the_schema(line: &Value) -> Result<(), String> {
    match SCHEMA.iter_errors(line).next() {
        None => Ok(()),
        Some(error) => Err(format!("{}: {error}", error.instance_path())),
    }
}

/// The records of a log that must have nothing wrong: each line is as published, is its record's JSON to the byte, and has no
/// flaw.
pub(crate) fn sound(path: &Path) -> Vec<LogRecord> {
    let bytes = bytes_of(path);
    let text = str::from_utf8(&bytes).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    let entries = Replay::new(&bytes[..]).map(|entry| entry.unwrap());
    let records: Vec<LogRecord> = entries
        .map(|entry| {
            assert_eq!(entry.flaws, [], "line {}", entry.line);
            entry.record.unwrap()
        })
        .collect();
    assert_eq!(records.len(), text.lines().count());
    for (line, record) in text.lines().zip(&records) {
        against_the_schema(&serde_json::from_str(line).unwrap()).unwrap_or_else(|why| panic!("{why}\n{line}"));
        assert_eq!(serde_json::to_string(record).unwrap(), line);
    }
    records
}

/// The calls of a log, in the order in which they are told.
pub(crate) fn calls(bytes: &[u8]) -> Vec<ReplayedCall> {
    let told = Transcript::new(bytes).filter_map(|passage| match passage.unwrap() {
        Passage::Call(call) => Some(*call),
        _ => None,
    });
    told.collect()
}

//! Writing a log. What [`Log::append`] has acknowledged is whole in the file, whatever happens next.

mod error;
mod mend;
mod place;

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use self::mend::Found;
use self::place::Place;
use super::Recorder;
use super::event::{CallId, Event, LogRecord, NotRun, OpenEvent, RepairEvent};
use super::interrupted::{closing_order, interrupted};
use crate::component::Digest;

pub use self::error::LogError;

/// How a log is written.
#[derive(Clone, Copy, Debug)]
pub struct LogSettings {
    /// When a line must be on the disk.
    pub sync: LogSync,
    /// Whether canonical values are recorded.
    pub values: bool,
    /// What time it is.
    pub clock: fn() -> SystemTime,
}

/// When a line must be on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogSync {
    /// Before [`Log::append`] returns: it is then there after a power cut.
    EachEvent,
    /// When the system pleases: it is then there after the end of this process, however that ends, and perhaps not after a
    /// power cut.
    Never,
}

impl LogSettings {
    /// Every line on the disk, no values, the system's clock.
    pub const fn standard() -> Self {
        #[expect(clippy::disallowed_methods, reason = "a log says when; tests have a clock of their own")]
        let clock = SystemTime::now;
        Self { sync: LogSync::EachEvent, values: false, clock }
    }
}

/// A log that is being written, by this writer alone.
///
/// Its functions wait for the disk: call them where waiting is allowed. Events of several threads wait together, with one
/// sync for all of them.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    settings: LogSettings,
    tail: Mutex<Tail>,
    /// How many events are on the disk. Locked before `tail`, never after it: others write while one of them waits for the disk.
    synced: Mutex<u64>,
}

/// The end of the file.
#[derive(Debug)]
struct Tail {
    /// The number of the next event.
    number: u64,
    /// The digest of the last line.
    head: Option<Digest>,
    /// Bytes of all whole lines.
    bytes: u64,
    /// Why nothing can be appended any more.
    broken: Option<String>,
}

/// What was found when a log was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opened {
    /// How many events it held.
    pub events: u64,
    /// The lowest number that no top-level call has.
    pub next_call: u64,
    /// What was being written when an earlier writer ended, and is now kept beside the log.
    pub torn: Vec<TornPart>,
    /// The calls that had no end, and have one now.
    pub closed: Vec<(CallId, NotRun)>,
}

/// A piece of a line that was cut off a log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TornPart {
    /// How long it is.
    pub bytes: u64,
    /// Where it is kept.
    pub file: PathBuf,
}

impl Opened {
    /// Whether the log holds no event yet.
    pub fn is_new(&self) -> bool {
        self.events == 0
    }
}

impl Log {
    /// Opens a log, or makes one, readable by this user alone. Its directory must exist.
    ///
    /// A log is read through first. What a writer left when it was killed is mended: a torn last line is moved to a file
    /// beside the log, `NAME.torn-NUMBER`, and calls without an end get one. Other damage is not mended.
    ///
    /// # Errors
    /// The file is something else, in use, damaged, or of a later form; or it cannot be read or written.
    pub fn open(path: impl AsRef<Path>, settings: LogSettings) -> Result<(Self, Opened), LogError> {
        let place = Place::open(path.as_ref(), settings.sync)?;
        let found = mend::read_through(&place)?;
        let torn = mend::set_aside(&place, &found)?;
        let calls = closing_order(found.open.keys());
        let (events, next_call) = (found.number, found.next_call);
        let closed: Vec<_> = calls.iter().map(|call| (call.clone(), found.open[call])).collect();
        let mended = mended(&torn, &closed);
        let log = Self::at_the_end_of(place, found, settings);
        let opened = OpenEvent {
            form: OpenEvent::FORM,
            host: concat!("fumehood ", env!("CARGO_PKG_VERSION")).to_owned(),
            values: settings.values,
        };
        let written = log.write(&[vec![Event::Open(opened)], mended].concat())?;
        log.settle(written.end)?;
        Ok((log, Opened { events, next_call, torn, closed }))
    }

    fn at_the_end_of(place: Place, found: Found, settings: LogSettings) -> Self {
        let tail = Tail { number: found.number, head: found.head, bytes: found.whole, broken: None };
        let Place { path, file, .. } = place;
        Self { path, file, settings, tail: Mutex::new(tail), synced: Mutex::new(0) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Append an event. When this returns, it is whole in the file, and on the disk if the settings say so.
    ///
    /// # Errors
    /// It is not in the log: see [`LogError`]. Only [`LogError::Broken`] leaves open whether it is.
    pub fn append(&self, event: Event) -> Result<u64, LogError> {
        Ok(self.append_all(&[event])?.start)
    }

    /// Append events that belong together, with one write and one sync. Says what numbers they have.
    ///
    /// # Errors
    /// None of them is in the log: see [`Log::append`].
    pub fn append_all(&self, events: &[Event]) -> Result<Range<u64>, LogError> {
        events.iter().try_for_each(|event| self.may_append(event))?;
        let written = self.write(events)?;
        self.settle(written.end)?;
        Ok(written)
    }

    /// Append events that the disk may learn of later, with the next that is synced. A [`Call`](Event::Call) is one: nothing
    /// has happened yet, and the [`Start`](Event::Start) or [`End`](Event::End) after it puts both on the disk.
    ///
    /// # Errors
    /// None of them is in the log: see [`Log::append`].
    pub fn append_unsynced(&self, events: &[Event]) -> Result<Range<u64>, LogError> {
        events.iter().try_for_each(|event| self.may_append(event))?;
        self.write(events)
    }

    fn may_append(&self, event: &Event) -> Result<(), LogError> {
        let refused = |why| Err(LogError::NotForThisLog { path: self.path.clone(), why });
        match event {
            Event::Open(_) | Event::Repair(_) => refused("the log itself writes `open` and `repair`"),
            Event::Call(call) if call.call.parent().is_some() && call.card.is_some() => {
                refused("a nested call has no card")
            }
            Event::End(end) if end.call.parent().is_some() && (end.card.is_some() || end.value.is_some()) => {
                refused("a nested call has neither card nor value")
            }
            Event::End(end) if end.value.is_some() && !self.settings.values => {
                refused("it holds a value, and this log was opened to record none")
            }
            _ => Ok(()),
        }
    }

    /// Puts lines at the end of the file: all of them or none.
    fn write(&self, events: &[Event]) -> Result<Range<u64>, LogError> {
        let texts = events.iter().map(|event| text(event, MAX_EVENT)).collect::<Result<Vec<_>, _>>();
        let texts = texts.map_err(|Unwritable(why)| LogError::Unwritable { path: self.path.clone(), why })?;
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        self.usable(&tail)?;
        let at = humantime::format_rfc3339_millis(writable((self.settings.clock)()));
        let mut lines = Vec::with_capacity(texts.iter().map(|text| text.len() + HEAD).sum());
        let (mut number, mut head) = (tail.number, tail.head);
        for text in &texts {
            let start = lines.len();
            let prev = head.map_or_else(|| "null".to_owned(), |digest| format!("\"{digest}\""));
            // What an event's own text begins with, an opening brace, makes way for the record's fields.
            lines.extend_from_slice(format!(r#"{{"seq":{number},"prev":{prev},"at":"{at}","#).as_bytes());
            lines.extend_from_slice(&text[1..]);
            head = Some(Digest::of(&lines[start..]));
            lines.push(b'\n');
            number += 1;
        }
        if let Err(source) = (&self.file).write_all(&lines) {
            if let Err(left) = self.file.set_len(tail.bytes) {
                tail.broken = Some(format!("a write failed ({source}), and so did taking back what it wrote ({left})"));
                self.usable(&tail)?;
            }
            return Err(LogError::Append { path: self.path.clone(), source });
        }
        let written = tail.number..number;
        *tail = Tail { number, head, bytes: tail.bytes + lines.len() as u64, broken: None };
        Ok(written)
    }

    /// Waits until the first `count` events are on the disk.
    fn settle(&self, count: u64) -> Result<(), LogError> {
        if self.settings.sync == LogSync::Never {
            return Ok(());
        }
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        if *synced >= count {
            return Ok(());
        }
        let written = {
            let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
            self.usable(&tail)?;
            tail.number
        };
        if let Err(source) = self.file.sync_data() {
            // The system may have dropped what it could not write, and a second sync then says nothing about the first.
            let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
            tail.broken = Some(format!("the disk did not take what was written ({source})"));
            self.usable(&tail)?;
        }
        *synced = written;
        Ok(())
    }

    fn usable(&self, tail: &Tail) -> Result<(), LogError> {
        match &tail.broken {
            Some(why) => Err(LogError::Broken { path: self.path.clone(), why: why.clone() }),
            None => Ok(()),
        }
    }
}

impl Recorder for Log {
    fn records_values(&self) -> bool {
        self.settings.values
    }

    /// Calls that are only asked for do not wait for the disk: nothing of them has happened.
    fn record(&self, events: &[Event]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if events.iter().all(|event| matches!(event, Event::Call(_))) {
            self.append_unsynced(events)?;
        } else {
            self.append_all(events)?;
        }
        Ok(())
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // A child that was forked meanwhile may hold the file for a moment longer, and with it the lock.
        let _best_effort = self.file.unlock();
    }
}

/// Room for `seq`, `prev` and `at`.
const HEAD: usize = 256;

/// The longest text of an event: with what comes before it, a line is no longer than any reader takes.
const MAX_EVENT: usize = LogRecord::MAX_BYTES as usize - HEAD;

/// Why an event has no text.
#[derive(Debug, PartialEq, Eq)]
struct Unwritable(String);

/// An event as JSON, and never more of it than `most` bytes.
fn text(event: &Event, most: usize) -> Result<Vec<u8>, Unwritable> {
    struct Bounded(Vec<u8>, usize);
    impl io::Write for Bounded {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if bytes.len() > self.1 - self.0.len() {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut text = Bounded(Vec::new(), most);
    match serde_json::to_writer(&mut text, event) {
        Ok(()) => Ok(text.0),
        Err(error) if error.io_error_kind() == Some(io::ErrorKind::FileTooLarge) => Err(Unwritable(format!(
            "it takes more than {most} bytes; lower `content-bytes` or `value-bytes` in the policy of its tool"
        ))),
        Err(error) => Err(Unwritable(error.to_string())),
    }
}

/// The nearest time that RFC 3339 can write.
fn writable(time: SystemTime) -> SystemTime {
    /// The last second of the year 9999.
    const LAST: Duration = Duration::from_secs(253_402_300_799);
    time.clamp(SystemTime::UNIX_EPOCH, SystemTime::UNIX_EPOCH + LAST)
}

/// The events that say what was mended. A repair has room for one torn part.
fn mended(torn: &[TornPart], closed: &[(CallId, NotRun)]) -> Vec<Event> {
    let name = |part: &TornPart| Some(part.file.file_name()?.to_string_lossy().into_owned());
    let part = |part: &TornPart| (Some(part.bytes), name(part));
    let mut repairs: Vec<_> = torn
        .iter()
        .map(part)
        .map(|(torn_bytes, torn_file)| RepairEvent { torn_bytes, torn_file, open_calls: Vec::new() })
        .collect();
    if repairs.is_empty() && !closed.is_empty() {
        repairs.push(RepairEvent { torn_bytes: None, torn_file: None, open_calls: Vec::new() });
    }
    if let Some(last) = repairs.last_mut() {
        last.open_calls = closed.iter().map(|(call, _)| call.clone()).collect();
    }
    let ends = closed.iter().map(|(call, state)| Event::End(Box::new(interrupted(call.clone(), *state))));
    repairs.into_iter().map(Event::Repair).chain(ends).collect()
}

#[cfg(test)]
mod tests;

//! Reading a log: any log, also a damaged one and one that is being written. Nothing is opened but what the caller opened.

use std::io::{self, BufRead};

use serde::Deserialize;

use super::event::{Event, LogRecord, OpenEvent};
use super::flaw::Flaw;
use super::lines::{Ending, Lines};
use crate::component::Digest;

/// How each event begins. Another one is of a later host.
pub(super) const EVENTS: [&str; 5] = ["open", "call", "start", "end", "repair"];

/// Reads a log line by line. What is wrong with a line is said and is no end: the lines after it are read.
///
/// It holds one line at a time, of at most [`LogRecord::MAX_BYTES`]. Lines may also end with CR LF: such a copy reads as the log
/// itself.
#[derive(Debug)]
pub struct Replay<R> {
    lines: Lines<R>,
    line: u64,
    /// Where the next line begins.
    offset: u64,
    /// The number of the next record.
    number: u64,
    before: Before,
    ended: bool,
}

/// What stands before a line.
#[derive(Clone, Copy, Debug)]
enum Before {
    Nothing,
    Line(Digest),
    /// A line that was too long to hold.
    Unknown,
}

/// One line of a log.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LogEntry {
    /// Counted from 1.
    pub line: u64,
    /// What it says. `None`: this host cannot read it, and `flaws` says why.
    pub record: Option<LogRecord>,
    /// What is wrong with it or with its place.
    pub flaws: Vec<Flaw>,
}

/// As much of a line as a later host's lines have in common with ours.
#[derive(Deserialize)]
struct Head {
    seq: u64,
    prev: Option<Digest>,
    event: String,
    #[serde(default)]
    form: u32,
}

impl<R: BufRead> Replay<R> {
    /// Read from the log's beginning.
    pub fn new(input: R) -> Self {
        let lines = Lines::new(input, LogRecord::MAX_BYTES);
        Self { lines, line: 0, offset: 0, number: 0, before: Before::Nothing, ended: false }
    }

    /// Where the next line begins: the bytes read until now.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The digest of the line last read.
    pub(super) fn head(&self) -> Option<Digest> {
        match self.before {
            Before::Line(digest) => Some(digest),
            Before::Nothing | Before::Unknown => None,
        }
    }

    /// Whether the line last read misses a part: systems show zeros in its place.
    pub(super) fn is_hollow(&self) -> bool {
        let line = self.lines.line();
        line.is_empty() || line.contains(&0)
    }

    fn entry(&mut self) -> io::Result<Option<LogEntry>> {
        let Some((ending, bytes)) = self.lines.next()? else { return Ok(None) };
        self.line += 1;
        self.offset += bytes;
        let (record, flaws) = match ending {
            Ending::Torn => {
                self.ended = true;
                (None, vec![Flaw::Torn { bytes }])
            }
            Ending::TooLong => {
                self.number += 1;
                self.before = Before::Unknown;
                (None, vec![Flaw::TooLong])
            }
            Ending::Whole => {
                let read = self.whole();
                self.before = Before::Line(Digest::of(self.lines.line()));
                read
            }
        };
        Ok(Some(LogEntry { line: self.line, record, flaws }))
    }

    fn whole(&mut self) -> (Option<LogRecord>, Vec<Flaw>) {
        let mut flaws = Vec::new();
        let read: Result<LogRecord, _> = serde_json::from_slice(self.lines.line());
        match read {
            Ok(record) => {
                let open = if let Event::Open(open) = &record.event { Some(open.form) } else { None };
                self.place(record.seq, record.prev, open, &mut flaws);
                (Some(record), flaws)
            }
            Err(error) => {
                match serde_json::from_slice::<Head>(self.lines.line()) {
                    Ok(Head { seq, prev, event, form }) => {
                        let known = EVENTS.contains(&event.as_str());
                        flaws.push(if known { Flaw::of(&error) } else { Flaw::unknown(&event) });
                        self.place(seq, prev, (event == EVENTS[0]).then_some(form), &mut flaws);
                    }
                    Err(_) => {
                        flaws.push(Flaw::of(&error));
                        self.number += 1;
                    }
                }
                (None, flaws)
            }
        }
    }

    /// Whether a line stands where it says.
    fn place(&mut self, number: u64, prev: Option<Digest>, form: Option<u32>, flaws: &mut Vec<Flaw>) {
        if number != self.number {
            flaws.push(Flaw::Number { expected: self.number, found: number });
        }
        self.number = number.saturating_add(1);
        let chained = match self.before {
            Before::Nothing => prev.is_none(),
            Before::Line(digest) => prev == Some(digest),
            // The line before has a flaw of its own.
            Before::Unknown => prev.is_some(),
        };
        if !chained {
            flaws.push(Flaw::Chain);
        }
        match form {
            Some(form) if form > OpenEvent::FORM => flaws.push(Flaw::NewerForm(form)),
            None if matches!(self.before, Before::Nothing) => flaws.push(Flaw::NoOpen),
            _ => {}
        }
    }
}

impl<R: BufRead> Iterator for Replay<R> {
    type Item = io::Result<LogEntry>;

    /// The next line. An error is the input's own, and the last item.
    fn next(&mut self) -> Option<io::Result<LogEntry>> {
        if self.ended {
            return None;
        }
        let entry = self.entry().transpose();
        self.ended |= !matches!(entry, Some(Ok(_)));
        entry
    }
}

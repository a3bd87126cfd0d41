//! What can be wrong with a log.

use super::event::{CallId, LogRecord, OpenEvent};

/// Enough of a reason to see what is wrong.
const MAX_REASON: usize = 200;

/// What is wrong with one line of a log, or with its place in it. A text of the log stands in one escaped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// No JSON.
    #[error("it is not JSON (column {column})")]
    NotJson {
        /// Counted in bytes, from 1. 0: nothing is there.
        column: usize,
    },
    /// JSON, and no event.
    #[error("it is no event of a log: {0}")]
    NotAnEvent(String),
    /// An event that a later host may know.
    #[error("it is an event that this program does not know: {0}")]
    UnknownEvent(String),
    /// Longer than any that a host writes.
    #[error("it has more than {} bytes, which no line of a log has", LogRecord::MAX_BYTES)]
    TooLong,
    /// A line is missing before it, or is there twice.
    #[error("its number is {found}, and {expected} was to come")]
    Number {
        /// What it should be.
        expected: u64,
        /// What it is.
        found: u64,
    },
    /// The line before it is not the one that it was written after.
    #[error("the line before it is not the one that it was written after")]
    Chain,
    /// Lines from here on may say what this host cannot read.
    #[error("its form is {0}, and this program reads forms up to {form}", form = OpenEvent::FORM)]
    NewerForm(u32),
    /// The first line says nothing of the log's form.
    #[error("it is the first line, and not the `open` that begins a log")]
    NoOpen,
    /// The last line has no end: it is being written, or was when its writer ended.
    #[error("it is not whole: {bytes} bytes without a line feed")]
    Torn {
        /// How much of it there is.
        bytes: u64,
    },
    /// It starts a call that is not open.
    #[error("it starts call {0}, which is not open")]
    NoSuchCall(CallId),
    /// It ends a call that is not open: one that nobody asked for, or that has an end.
    #[error("it ends call {0}, which is not open")]
    NotOpen(CallId),
    /// It asks for a call that is open.
    #[error("it asks again for call {0}, which is open")]
    AskedTwice(CallId),
}

impl Flaw {
    /// Of a line that is no record.
    pub(super) fn of(error: &serde_json::Error) -> Self {
        if error.is_data() { Self::NotAnEvent(reason(error)) } else { Self::NotJson { column: error.column() } }
    }

    pub(super) fn unknown(event: &str) -> Self {
        Self::UnknownEvent(escaped(event))
    }
}

fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // The caller names the line, and there is but one.
    let end = text.rfind(" at line ").unwrap_or(text.len());
    escaped(&text[..end])
}

/// Harmless on a terminal.
fn escaped(text: &str) -> String {
    let short = &text[..text.floor_char_boundary(MAX_REASON)];
    let mut safe = String::with_capacity(short.len());
    for character in short.chars() {
        match character {
            // Quotes harm nobody, and an escaped one is hard to read.
            '"' | '\'' => safe.push(character),
            _ => safe.extend(character.escape_debug()),
        }
    }
    if short.len() < text.len() {
        safe.push('…');
    }
    safe
}

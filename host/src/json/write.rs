//! The canonical text of a value: written, or found to be the very text that was read.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use serde_json::Value;

/// The canonical text of `value`, which was read from `read`.
///
/// Most tools write JSON as this does, so the text that was read is compared first, in place: a value of a megabyte
/// is not written a second time. From the first difference on, everything is written anew.
pub(super) fn canonical(value: &Value, read: Cow<'_, str>) -> String {
    let mut text = Text { read: &read, same: 0, written: None };
    text.value(value);
    let Text { same, written, .. } = text;
    written.unwrap_or_else(|| match read {
        Cow::Borrowed(read) => read[..same].to_owned(),
        Cow::Owned(mut read) => {
            // White space after the value.
            read.truncate(same);
            read
        }
    })
}

struct Text<'a> {
    read: &'a str,
    /// So many bytes of `read` are the canonical text's first.
    same: usize,
    /// The text from its first byte, once it differs from `read`.
    written: Option<String>,
}

impl Text<'_> {
    fn put(&mut self, part: &str) {
        match &mut self.written {
            Some(written) => written.push_str(part),
            None if self.read.as_bytes()[self.same..].starts_with(part.as_bytes()) => self.same += part.len(),
            None => {
                // As long as what was read, as a rule: one allocation.
                let mut written = String::with_capacity(self.read.len());
                written.push_str(&self.read[..self.same]);
                written.push_str(part);
                self.written = Some(written);
            }
        }
    }

    /// Recursion goes no deeper than [`JsonLimits::MAX_DEPTH`](super::JsonLimits::MAX_DEPTH).
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.put("null"),
            Value::Bool(true) => self.put("true"),
            Value::Bool(false) => self.put("false"),
            Value::Number(number) => write!(self, "{number}").expect("a `Text` takes every part"),
            Value::String(string) => self.string(string),
            Value::Array(items) => {
                self.put("[");
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.put(",");
                    }
                    self.value(item);
                }
                self.put("]");
            }
            Value::Object(members) => {
                self.put("{");
                for (index, (key, member)) in members.iter().enumerate() {
                    if index > 0 {
                        self.put(",");
                    }
                    self.string(key);
                    self.put(":");
                    self.value(member);
                }
                self.put("}");
            }
        }
    }

    fn string(&mut self, string: &str) {
        self.put("\"");
        let mut rest = string;
        loop {
            let (plain, other) = rest.split_at(plain_len(rest.as_bytes()));
            self.put(plain);
            let Some(&byte) = other.as_bytes().first() else { break };
            self.escape(byte);
            rest = &other[1..];
        }
        self.put("\"");
    }

    /// The shortest escape, as ECMAScript's `JSON.stringify` and `serde_json` write it.
    fn escape(&mut self, byte: u8) {
        match byte {
            b'"' => self.put("\\\""),
            b'\\' => self.put("\\\\"),
            b'\n' => self.put("\\n"),
            b'\r' => self.put("\\r"),
            b'\t' => self.put("\\t"),
            0x08 => self.put("\\b"),
            0x0c => self.put("\\f"),
            control => {
                let digit = |value: u8| char::from_digit(value.into(), 16).expect("four bits are one digit");
                let mut escape = String::from("\\u00");
                escape.extend([digit(control >> 4), digit(control & 15)]);
                self.put(&escape);
            }
        }
    }
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.put(part);
        Ok(())
    }
}

/// How many bytes come before the first that has to be escaped. Whole blocks go by without a branch inside, which the
/// compiler makes vector instructions of; `serde_json` looks at one byte after the other, some three times slower.
fn plain_len(bytes: &[u8]) -> usize {
    let (blocks, _) = bytes.as_chunks::<32>();
    let plain = blocks.iter().take_while(|block| !block.iter().fold(false, |found, &byte| found | escaped(byte)));
    let mut len = 32 * plain.count();
    let (words, tail) = bytes[len..].as_chunks::<8>();
    for word in words {
        match first_escaped(u64::from_le_bytes(*word)) {
            Some(at) => return len + at,
            None => len += 8,
        }
    }
    len + tail.iter().take_while(|&&byte| !escaped(byte)).count()
}

fn escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The first of eight bytes, lowest first, that [`escaped`] holds for. Subtracting `n` from each byte borrows into its
/// top bit where the byte is below `n`; a borrow can spoil the bytes above it, never the first.
fn first_escaped(word: u64) -> Option<usize> {
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    const TOP: u64 = EACH << 7;
    let below = |word: u64, n: u64| word.wrapping_sub(EACH * n) & !word & TOP;
    let equal = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
    let found = below(word, 0x20) | equal(b'"') | equal(b'\\');
    (found != 0).then_some(found.trailing_zeros() as usize / 8)
}

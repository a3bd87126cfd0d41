//! The JSON gate: text in, one bounded, lossless JSON value out.
//!
//! RFC 8259 leaves open what readers do with duplicate keys, large integers, deep nesting and lone surrogates. A
//! value that two readers understand differently cannot be the one truth behind a content block and a card, so
//! each of these is refused here. What passes keeps its key order, `-0.0` and `\u0000`, and its canonical text
//! ([`Json::text`]) is a fixed point: parsing it and writing it again gives the same bytes.

mod error;
mod integers;
mod parse;
mod pointer;
#[cfg(test)]
mod tests;
mod write;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

pub use error::JsonError;
pub(crate) use pointer::bounded_pointer;

/// How much JSON is too much. There is no default: whoever reads JSON says how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonLimits {
    /// UTF-8 bytes, of the text read and of the canonical text alike (`1e15` is written `1000000000000000.0`).
    pub bytes: u64,
    /// Nested arrays and objects: 0 for a scalar, 1 for `[1]`. More than [`JsonLimits::MAX_DEPTH`] means that.
    pub depth: u32,
    /// Values: each scalar, array and object counts one, keys count nothing. A node costs about 100 bytes of memory.
    pub nodes: u64,
}

impl JsonLimits {
    /// The deepest nesting that any [`depth`](Self::depth) can allow. `serde_json` itself stops at 128 levels, and
    /// everything that walks a value by recursion (writing, comparing, dropping) relies on this bound.
    pub const MAX_DEPTH: u32 = 127;

    fn max_depth(&self) -> u32 {
        self.depth.min(Self::MAX_DEPTH)
    }
}

/// How much JSON it was, in the units of [`JsonLimits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonUsage {
    /// Bytes of the text that was read; of the canonical text where there was none.
    pub bytes: u64,
    /// Nested arrays and objects.
    pub depth: u32,
    /// Values.
    pub nodes: u64,
}

/// A JSON value that passed the gate. Immutable and cheap to clone.
///
/// Two are equal when their canonical texts are: `1` and `1.0` differ, and so do two orders of the same keys.
#[derive(Clone)]
pub struct Json(Arc<Inner>);

struct Inner {
    text: String,
    value: Value,
    usage: JsonUsage,
}

impl Json {
    /// Reads one JSON text. White space around it is allowed, anything else is not. A `String` that already is the
    /// canonical text is kept as it is.
    ///
    /// # Errors
    ///
    /// The first thing found that [`JsonError`] lists.
    pub fn parse<'a>(text: impl Into<Cow<'a, str>>, limits: &JsonLimits) -> Result<Self, JsonError> {
        let text = text.into();
        within_bytes(text.len(), limits)?;
        let (value, depth, nodes) = parse::parse(&text, limits)?;
        Self::seal(value, Some(text), depth, nodes, limits)
    }

    /// Reads one JSON text from bytes, which have to be UTF-8.
    ///
    /// # Errors
    ///
    /// As [`Json::parse`], and [`JsonError::NotUtf8`]. The byte limit is checked first.
    pub fn from_slice(bytes: &[u8], limits: &JsonLimits) -> Result<Self, JsonError> {
        within_bytes(bytes.len(), limits)?;
        let text =
            std::str::from_utf8(bytes).map_err(|error| JsonError::NotUtf8 { offset: error.valid_up_to() as u64 })?;
        Self::parse(text, limits)
    }

    /// Takes a value that the host made, under the same limits.
    ///
    /// # Errors
    ///
    /// [`JsonError::TooDeep`], [`JsonError::TooManyNodes`] or [`JsonError::TooLarge`]; a [`Value`] cannot be wrong
    /// in any other way.
    pub fn from_value(value: Value, limits: &JsonLimits) -> Result<Self, JsonError> {
        let (value, depth, nodes) = parse::measure(value, limits)?;
        Self::seal(value, None, depth, nodes, limits)
    }

    fn seal(
        value: Value,
        read: Option<Cow<'_, str>>,
        depth: u32,
        nodes: u64,
        limits: &JsonLimits,
    ) -> Result<Self, JsonError> {
        let read_len = read.as_ref().map(|read| read.len());
        let text = write::canonical(&value, read.unwrap_or_default());
        within_bytes(text.len(), limits)?;
        let bytes = read_len.unwrap_or(text.len()) as u64;
        Ok(Self(Arc::new(Inner { text, value, usage: JsonUsage { bytes, depth, nodes } })))
    }

    /// The canonical text: no white space, keys in the order they came, shortest escapes and shortest numbers.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The value.
    pub fn value(&self) -> &Value {
        &self.0.value
    }

    /// How much it was.
    pub fn usage(&self) -> JsonUsage {
        self.0.usage
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.0.text == other.0.text
    }
}

impl Eq for Json {}

/// Says how much, never what: values end up in no log by accident.
impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Json").field("usage", &self.0.usage).finish_non_exhaustive()
    }
}

fn within_bytes(used: usize, limits: &JsonLimits) -> Result<(), JsonError> {
    let used = used as u64;
    if used > limits.bytes { Err(JsonError::TooLarge { limit: limits.bytes, used }) } else { Ok(()) }
}

//! Why a text is refused.

use thiserror::Error;

/// Why a text did not pass the JSON gate.
///
/// Pointers are JSON pointers (RFC 6901) to the value concerned, empty for the root. They are for reading: a
/// segment over 64 bytes and a pointer over 512 are cut at `…`, and control characters are written `\u{…}`.
/// No message repeats anything else of the data.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named in each variant's text")]
pub enum JsonError {
    /// Over [`JsonLimits::bytes`](super::JsonLimits::bytes).
    #[error("{used} bytes of JSON where {limit} are allowed; write less, or in several values")]
    TooLarge { limit: u64, used: u64 },
    /// Over [`JsonLimits::depth`](super::JsonLimits::depth). The text was not read further, so `at_least` is one
    /// more than the limit.
    #[error("at `{pointer}`: nested {at_least} deep where {limit} is allowed; flatten the value")]
    TooDeep { pointer: String, limit: u32, at_least: u32 },
    /// Over [`JsonLimits::nodes`](super::JsonLimits::nodes). The text was not read further, so `at_least` is one
    /// more than the limit.
    #[error("at `{pointer}`: at least {at_least} values where {limit} are allowed; write fewer")]
    TooManyNodes { pointer: String, limit: u64, at_least: u64 },
    /// Not UTF-8.
    #[error("byte {offset} is not UTF-8; encode the text as UTF-8")]
    NotUtf8 { offset: u64 },
    /// U+FEFF at the start (RFC 8259 section 8.1).
    #[error("the text starts with a byte order mark; leave it out")]
    ByteOrderMark,
    /// Nothing, or white space only.
    #[error("the text is empty; write a JSON value, `null` for none")]
    Empty,
    /// Not JSON: `reason` is the parser's, `line` and `column` count from 1.
    #[error("at `{pointer}`, line {line} column {column}: {reason}; write one JSON value (RFC 8259)")]
    Syntax { pointer: String, line: u64, column: u64, reason: String },
    /// A key that its object already has, escapes resolved.
    #[error("`{pointer}` appears twice; write each key once")]
    DuplicateKey { pointer: String },
    /// An integer that neither `i64` nor `u64` holds: one reader rounds it, another does not.
    #[error("at `{pointer}`: an integer outside -2^63 to 2^64-1; write it as a string, or with an exponent")]
    IntegerOutOfRange { pointer: String },
    /// A number over the largest `f64`.
    #[error("at `{pointer}`: a number beyond the largest 64-bit float; write a smaller number, or a string")]
    NotFinite { pointer: String },
}

impl JsonError {
    /// The rule that was broken, `json/name`, stable between versions.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "json/too-large",
            Self::TooDeep { .. } => "json/too-deep",
            Self::TooManyNodes { .. } => "json/too-many-nodes",
            Self::NotUtf8 { .. } => "json/not-utf8",
            Self::ByteOrderMark => "json/byte-order-mark",
            Self::Empty => "json/empty",
            Self::Syntax { .. } => "json/syntax",
            Self::DuplicateKey { .. } => "json/duplicate-key",
            Self::IntegerOutOfRange { .. } => "json/integer-out-of-range",
            Self::NotFinite { .. } => "json/not-finite",
        }
    }

    /// Where: empty for the root and for what concerns the whole text.
    pub fn pointer(&self) -> &str {
        match self {
            Self::TooDeep { pointer, .. }
            | Self::TooManyNodes { pointer, .. }
            | Self::Syntax { pointer, .. }
            | Self::DuplicateKey { pointer }
            | Self::IntegerOutOfRange { pointer }
            | Self::NotFinite { pointer } => pointer,
            Self::TooLarge { .. } | Self::NotUtf8 { .. } | Self::ByteOrderMark | Self::Empty => "",
        }
    }
}

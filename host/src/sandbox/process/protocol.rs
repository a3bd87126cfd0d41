//! What a host and the supervisor of a program say to each other: one request, one answer, over the supervisor's standard
//! streams.
//!
//! Each is a length (four bytes, little-endian), that much JSON, and then plain bytes. The host keeps the supervisor's
//! input open after the request: its end says that nobody waits for the program any more.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Both sides are one program, except after an update of its file: they must agree.
pub(super) const VERSION: &str = concat!("fumehood ", env!("CARGO_PKG_VERSION"), " process 1");

/// The longest head of a request: the most that a tool can hand over in one call, escaped.
pub(super) const REQUEST_BYTES: u32 = 128 << 20;
/// The longest head of an answer: a reason, or a few numbers.
pub(super) const ANSWER_BYTES: u32 = 64 << 10;

/// Precedes the bytes of the program's standard input.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) version: String,
    pub(super) path: PathBuf,
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    /// Nothing: the program reads from `/dev/null`.
    pub(super) stdin_bytes: Option<u64>,
    /// Of each stream, what is kept.
    pub(super) output_bytes: u64,
    pub(super) time_limit_ms: Option<u64>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Exit {
    Code(i32),
    Signal(i32),
}

/// One stream of output: its bytes follow the answer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Stream {
    pub(super) bytes: u64,
    pub(super) truncated: bool,
}

/// Precedes standard output and standard error.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Answer {
    /// It ran, and nothing of it is left.
    Ended { exit: Exit, timed_out: bool, stdout: Stream, stderr: Stream },
    /// It did not run: why, without a path of the host.
    NotStarted(String),
}

/// The length and the JSON.
pub(super) fn head(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(message).map_err(io::Error::other)?;
    let length = u32::try_from(json.len()).map_err(io::Error::other)?;
    let mut out = length.to_le_bytes().to_vec();
    out.extend(json);
    Ok(out)
}

/// How long the JSON is, if no longer than `most`.
pub(super) fn length(bytes: [u8; 4], most: u32) -> io::Result<usize> {
    let length = u32::from_le_bytes(bytes);
    if length > most {
        return Err(io::Error::other(format!("a message of {length} bytes, {most} expected at most")));
    }
    usize::try_from(length).map_err(io::Error::other)
}

/// Reads a head.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl Read, most: u32) -> io::Result<T> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    let mut json = vec![0; length(bytes, most)?];
    from.read_exact(&mut json)?;
    serde_json::from_slice(&json).map_err(io::Error::other)
}

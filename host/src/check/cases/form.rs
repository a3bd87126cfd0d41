//! What a file of cases holds.

use std::collections::BTreeMap;

use base64::Engine as _;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Access, Card, ContentBlock};

/// The most bytes that one file of a case may come to, and one answer of its server: several times what a tool's value may
/// be, so that a case can be about what is too large.
const MAX_BYTES: usize = 64 << 20;

/// A world, and the calls made in it, one after the other.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    #[expect(dead_code, reason = "a case says what it is about; reports read it before its server has an address")]
    about: String,
    #[serde(default)]
    pub(super) files: BTreeMap<String, File>,
    /// The folder of these files is granted, so far.
    #[serde(default)]
    pub(super) mount: Option<Access>,
    /// More grants, in their short form.
    #[serde(default)]
    pub(super) grants: Vec<String>,
    /// What a server on this machine answers, by path and query. `{server}` anywhere in the case is its URL, without a
    /// path.
    #[serde(default)]
    pub(super) server: BTreeMap<String, Answer>,
    /// Limits of the operator's, by name.
    #[serde(default)]
    pub(super) limits: BTreeMap<String, u64>,
    pub(super) calls: Vec<Step>,
    /// The paths that the server must have been asked for, in order.
    #[serde(default)]
    pub(super) asked: Option<Vec<String>>,
    /// Files that must then hold this; `null`: must not exist.
    #[serde(default)]
    pub(super) after: BTreeMap<String, Option<File>>,
}

/// What the server says to one path.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    pub(super) status: u16,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: File,
}

/// The bytes of a file.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(super) enum File {
    Text(String),
    Base64 { base64: String },
    Repeat { repeat: String, times: usize },
}

/// One call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) tool: String,
    pub(super) args: Value,
    #[serde(default)]
    pub(super) expect: Option<Expect>,
}

/// What must come of a call. What is left out is not compared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    pub(super) value: Option<Value>,
    pub(super) content: Option<Vec<ContentBlock>>,
    pub(super) card: Option<Card>,
    pub(super) failure: Option<Map<String, Value>>,
}

impl File {
    /// # Errors
    /// It is no base64, or too large.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, String> {
        let bytes = match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Base64 { base64 } => base64::engine::general_purpose::STANDARD
                .decode(base64)
                .map_err(|error| format!("a file's base64 cannot be read: {error}"))?,
            Self::Repeat { repeat, times } if repeat.len().saturating_mul(*times) > MAX_BYTES => Vec::new(),
            Self::Repeat { repeat, times } => repeat.repeat(*times).into_bytes(),
        };
        let length = match self {
            Self::Repeat { repeat, times } => repeat.len().saturating_mul(*times),
            _ => bytes.len(),
        };
        if length > MAX_BYTES {
            return Err(format!("a file has {length} bytes; {MAX_BYTES} are allowed"));
        }
        Ok(bytes)
    }
}

impl Answer {
    /// As it goes over the wire.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, String> {
        let Self { status, headers, body } = self;
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let body = body.bytes()?;
        let head =
            format!("HTTP/1.1 {status} \r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
        Ok([head.into_bytes(), body].concat())
    }
}

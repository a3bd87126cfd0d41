//! What a server sent, as text.

use std::iter::Peekable;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::outside::Response;

// A body as the value keeps it.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Body {
    /// What the server says it is; binary is all that is no text.
    pub kind: Kind,
    /// The body as it was sent, at most its first 1 MiB. Empty for binary.
    pub content: String,
    /// What the server calls a binary body. Absent for other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Html,
    Json,
    Text,
    Binary,
}

impl Body {
    pub fn of(response: &Response) -> Self {
        let (media_type, charset) = media_type(response.content_type.as_deref().unwrap_or_default());
        let bytes = response.body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&response.body);
        let kind = kind(&media_type, bytes);
        if kind == Kind::Binary {
            return Self { kind, content: String::new(), media_type: Some(media_type).filter(|name| !name.is_empty()) };
        }
        let charset = charset.or_else(|| if kind == Kind::Html { declared(bytes) } else { None });
        Self { kind, content: decode(bytes, charset.as_deref(), response.truncated), media_type: None }
    }
}

/// `text/html` and the charset of `Text/HTML; charset="UTF-8"`, in lower case.
fn media_type(header: &str) -> (String, Option<String>) {
    /// The longest name there may be: 127 characters on each side (RFC 6838, section 4.2).
    const NAME: usize = 255;
    let mut parts = header.split(';').map(|part| part.trim().to_ascii_lowercase());
    let name = parts.next().unwrap_or_default().chars().take(NAME).collect();
    let charset = parts.find_map(|part| Some(part.strip_prefix("charset=")?.trim_matches('"').to_owned()));
    (name, charset)
}

fn kind(media_type: &str, bytes: &[u8]) -> Kind {
    let named = match media_type {
        "text/html" | "application/xhtml+xml" => Kind::Html,
        "application/json" => Kind::Json,
        name if name.ends_with("+json") => Kind::Json,
        "application/xml"
        | "application/javascript"
        | "application/x-ndjson"
        | "application/yaml"
        | "application/toml" => Kind::Text,
        name if name.starts_with("text/") || name.ends_with("+xml") => Kind::Text,
        "" if looks_like_html(bytes) => Kind::Html,
        "" => Kind::Text,
        _ => Kind::Binary,
    };
    // No text holds a zero, whatever the server says.
    if bytes.contains(&0) { Kind::Binary } else { named }
}

fn looks_like_html(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    ["<!doctype html", "<html"]
        .iter()
        .any(|tag| start.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes())))
}

/// What `<meta charset>` says, in either of its forms, within the bytes where browsers look for it.
fn declared(bytes: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).to_ascii_lowercase();
    let (_, after) = start.split_once("charset=")?;
    let name = |c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c));
    after.trim_start_matches(['"', '\'']).split(name).next().map(str::to_owned)
}

/// UTF-8, or windows-1252 where that is declared or where nothing is and it is no UTF-8. Other bytes read as U+FFFD.
fn decode(bytes: &[u8], charset: Option<&str>, truncated: bool) -> String {
    let western = match charset {
        // By these names the web means windows-1252 (https://encoding.spec.whatwg.org/#names-and-labels).
        Some(name) => ["iso-8859-1", "iso8859-1", "latin1", "windows-1252", "cp1252"].contains(&name),
        None => std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_some()),
    };
    if western {
        return bytes.iter().copied().map(windows_1252).collect();
    }
    let mut text = String::with_capacity(bytes.len());
    let mut chunks: Peekable<_> = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        text.push_str(chunk.valid());
        // Cut by our own bound, a character is not broken.
        let cut = truncated && chunks.peek().is_none();
        if !chunk.invalid().is_empty() && !cut {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text
}

/// One byte of <https://encoding.spec.whatwg.org/index-windows-1252.txt>.
pub fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_charsets() {
        let check = |content_type: Option<&str>, bytes: &[u8], kind: Kind, content: &str| {
            let content_type = content_type.map(str::to_owned);
            let response = Response { content_type, body: bytes.to_vec(), ..Response::default() };
            let body = Body::of(&response);
            assert_eq!((body.kind, body.content.as_str()), (kind, content), "{response:?}");
        };
        check(Some("text/html"), "<p>é".as_bytes(), Kind::Html, "<p>é");
        check(Some("Text/HTML; Charset=\"ISO-8859-1\""), b"caf\xe9 \x80", Kind::Html, "café €");
        check(Some("text/html"), b"<meta charset='latin1'>\xe9", Kind::Html, "<meta charset='latin1'>é");
        check(Some("text/html"), b"<meta charset=utf-8>\xe9!", Kind::Html, "<meta charset=utf-8>\u{fffd}!");
        check(Some("text/plain"), b"\x93quoted\x94", Kind::Text, "“quoted”");
        check(Some("text/plain; charset=utf-8"), b"\xef\xbb\xbfa\xff", Kind::Text, "a\u{fffd}");
        check(Some("application/problem+json"), b"{}", Kind::Json, "{}");
        check(Some("image/svg+xml"), b"<svg/>", Kind::Text, "<svg/>");
        check(None, b"\n<!DOCTYPE HTML>", Kind::Html, "\n<!DOCTYPE HTML>");
        check(None, b"plain", Kind::Text, "plain");
        check(None, b"", Kind::Text, "");
        check(Some("text/plain"), b"a\0b", Kind::Binary, "");
        check(Some("image/png"), b"\x89PNG", Kind::Binary, "");
    }

    #[test]
    fn what_was_left_out_has_a_name() {
        let response = Response { content_type: Some("Image/PNG; x=y".into()), ..Response::default() };
        assert_eq!(Body::of(&response).media_type.as_deref(), Some("image/png"));
    }

    #[test]
    fn a_bound_breaks_no_character() {
        let bytes = &"a😀".as_bytes()[..3];
        let check = |truncated, expect: &str| {
            let response = Response {
                body: bytes.to_vec(),
                content_type: Some("text/plain".into()),
                truncated,
                ..Response::default()
            };
            assert_eq!(Body::of(&response).content, expect);
        };
        check(true, "a");
        check(false, "a\u{fffd}");
    }
}

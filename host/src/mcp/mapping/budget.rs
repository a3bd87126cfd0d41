//! How many bytes one result may take on the wire, and how a text is cut to fit.

/// What the parts of one result may take, in bytes as sent: JSON escapes and base64 included.
///
/// Together a megabyte (10^6), which leaves 48 KiB for envelope, links and annotations: Claude Desktop drops a result
/// over 1 MiB (2^20).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mcp) struct Budget {
    /// All text that a model reads. Claude Code cuts a result at 25,000 tokens, and a token of English or code is about
    /// four bytes.
    pub(in crate::mcp) text: usize,
    /// `structuredContent`. It is whole or absent, never cut, and clients that show it to a model do not cut it either:
    /// twice the text, a quarter of a context of 200,000 tokens.
    pub(in crate::mcp) value: usize,
    /// All pictures, sounds and blobs. A picture near 700 KB is the largest that got through every client seen; what the
    /// other parts may take comes off that.
    pub(in crate::mcp) media: usize,
    /// The card. It never reaches a model, but counts for the client's limit.
    pub(in crate::mcp) card: usize,
}

impl Budget {
    /// What serves every known client.
    pub(in crate::mcp) const STANDARD: Self = Self { text: 100_000, value: 200_000, media: 600_000, card: 100_000 };

    /// The least text that a cut can be made to: two markers, and something to read.
    pub(in crate::mcp) const LEAST_TEXT: usize = 2_000;
}

/// Bytes of a text between its quotes in JSON, as `serde_json` writes it.
pub(super) fn sent_len(text: &str) -> usize {
    text.bytes().map(sent_byte).sum()
}

fn sent_byte(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    }
}

/// Bytes of base64, padded.
pub(super) fn encoded_len(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

/// The beginning and the end of a text that is over `limit` bytes as sent, with what `marker` makes of the number of bytes
/// left out between them. Two thirds are the beginning. The marker alone where nothing else fits; it is never cut.
pub(super) fn cut(text: &str, limit: usize, marker: impl Fn(usize) -> String) -> String {
    // No marker is longer than the one that names the largest number.
    let room = limit.saturating_sub(sent_len(&marker(text.len())) + 2 * sent_len("\n"));
    let head = fitting(text.char_indices(), room - room / 3);
    let rest = &text[head..];
    let tail = fitting(rest.char_indices().rev(), room / 3);
    let tail = &rest[rest.len() - tail..];
    let marker = marker(rest.len() - tail.len());
    match (head, tail) {
        (0, "") => marker,
        _ => format!("{}\n{marker}\n{tail}", &text[..head]),
    }
}

/// Bytes of the characters, one after the other, that fit in `room` bytes as sent.
fn fitting(chars: impl Iterator<Item = (usize, char)>, room: usize) -> usize {
    let (mut bytes, mut sent) = (0, 0);
    for (_, c) in chars {
        sent += if c.is_ascii() { sent_byte(c as u8) } else { c.len_utf8() };
        if sent > room {
            break;
        }
        bytes += c.len_utf8();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_is_sent() {
        for text in ["", "plain", "\"q\"\\", "a\nb\r\t\u{8}\u{c}", "\u{0}\u{1f}\u{7f}", "é€𝄞\u{2028}"] {
            assert_eq!(sent_len(text) + 2, serde_json::to_string(text).unwrap().len(), "{text:?}");
        }
        for bytes in 0..10 {
            use base64::Engine as _;
            let encoded = base64::engine::general_purpose::STANDARD.encode(vec![0; bytes]);
            assert_eq!(encoded_len(bytes), encoded.len());
        }
    }

    #[test]
    fn the_parts_are_a_megabyte() {
        let Budget { text, value, media, card } = Budget::STANDARD;
        assert_eq!(text + value + media + card, 1_000_000);
        assert!(text >= Budget::LEAST_TEXT);
    }

    #[test]
    fn a_cut_keeps_both_ends_and_never_exceeds() {
        let marker = |bytes: usize| format!("[… {bytes} bytes left out …]");
        let texts = ["x".repeat(5_000), "é".repeat(3_000), "𝄞\n".repeat(1_000), "\u{1}\"\\".repeat(1_000)];
        for text in &texts {
            for limit in [40, 41, 42, 43, 50, 100, 999, 2_000] {
                let cut = cut(text, limit, marker);
                assert!(sent_len(&cut) <= limit, "{limit}: {}", sent_len(&cut));
                let (head, rest) = cut.split_once("[… ").unwrap();
                let (number, tail) = rest.split_once(" bytes left out …]").unwrap();
                let (head, tail) = (head.trim_end_matches('\n'), tail.trim_start_matches('\n'));
                assert!(text.starts_with(head) && text.ends_with(tail));
                if limit >= 999 {
                    assert!(!head.is_empty() && !tail.is_empty());
                    let left_out: usize = number.parse().unwrap();
                    assert!(left_out + head.len() + tail.len() <= text.len(), "{limit}");
                    assert!(left_out > 0);
                }
            }
        }
        assert_eq!(cut(&"x".repeat(100), 32, marker), "[… 100 bytes left out …]");
        assert_eq!(cut(&"x".repeat(30), 44, marker), "xxxxxxxxx\n[… 17 bytes left out …]\nxxxx");
    }
}

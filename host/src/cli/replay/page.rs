//! The page of `fumehood replay --html`: one file that shows a log, needs no network, and runs no script but its own.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fumehood::LogRecord;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};
use sha2::{Digest as _, Sha256};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = concat!(include_str!("../../view/draw.css"), include_str!("page.css"));
const SCRIPT: &str = concat!(include_str!("../../view/draw.js"), include_str!("page.js"));

/// The log stands in blocks of about this many bytes. A browser reads and drops one after the other; a tenth of a second of
/// its time is some ten of them.
const BLOCK: usize = 1 << 20;
/// Of a type that no browser runs.
const OPEN: &str = "<script type=\"application/x-ndjson\">\n";
const CLOSE: &str = "</script>\n";

/// A page that is being written. It is whole once [`Page::end`] has returned.
pub(super) struct Page<W> {
    out: W,
    line: Vec<u8>,
    block: usize,
    items: u64,
}

impl<W: Write> Page<W> {
    /// Begin a page. `title` is what it shows as its name.
    pub(super) fn begin(mut out: W, title: &str) -> io::Result<Self> {
        let (head, _) = halves();
        let head = head
            .replace("{{style-hash}}", &source_of(STYLE))
            .replace("{{script-hash}}", &source_of(SCRIPT))
            .replace("{{style}}", STYLE)
            .replace("{{script}}", SCRIPT);
        out.write_all(head.as_bytes())?;
        out.write_all(OPEN.as_bytes())?;
        let mut page = Self { out, line: Vec::new(), block: 0, items: 0 };
        page.line(&Title { title })?;
        Ok(page)
    }

    /// Add one event of the log.
    pub(super) fn record(&mut self, record: &LogRecord) -> io::Result<()> {
        self.items += 1;
        self.line(record)
    }

    /// Say that a line of the log, counted from 1, is not shown, and why.
    pub(super) fn note(&mut self, line: u64, why: &str) -> io::Result<()> {
        self.items += 1;
        self.line(&Note { line, why })
    }

    /// End the page.
    pub(super) fn end(mut self) -> io::Result<W> {
        let items = self.items;
        // A page without this line was cut off, and says so.
        self.line(&End { items })?;
        self.out.write_all(CLOSE.as_bytes())?;
        self.out.write_all(halves().1.as_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn line(&mut self, item: &impl Serialize) -> io::Result<()> {
        if self.block >= BLOCK {
            self.out.write_all(CLOSE.as_bytes())?;
            self.out.write_all(OPEN.as_bytes())?;
            self.block = 0;
        }
        self.line.clear();
        item.serialize(&mut serde_json::Serializer::with_formatter(&mut self.line, Inert))?;
        self.line.push(b'\n');
        self.block += self.line.len();
        self.out.write_all(&self.line)
    }
}

#[derive(Serialize)]
struct Title<'a> {
    title: &'a str,
}

#[derive(Serialize)]
struct Note<'a> {
    line: u64,
    why: &'a str,
}

#[derive(Serialize)]
struct End {
    items: u64,
}

/// What stands before the log, and after it.
fn halves() -> (&'static str, &'static str) {
    TEMPLATE.split_once("{{log}}\n").unwrap_or((TEMPLATE, ""))
}

/// How a Content Security Policy names an inline script or style: <https://www.w3.org/TR/CSP3/#grammardef-hash-source>.
fn source_of(inline: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(inline)))
}

/// JSON that cannot end the script element that holds it, whatever its texts say: the same texts, some characters spelled
/// otherwise. Source: <https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements>.
struct Inert;

impl Formatter for Inert {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // `<` is nowhere in JSON but in texts. The separators end a line for some readers of lines.
        for piece in fragment.split_inclusive(['<', '\u{2028}', '\u{2029}']) {
            let (plain, spelled) = match piece.chars().next_back() {
                Some('<') => (&piece[..piece.len() - 1], "\\u003c"),
                Some('\u{2028}') => (&piece[..piece.len() - 3], "\\u2028"),
                Some('\u{2029}') => (&piece[..piece.len() - 3], "\\u2029"),
                _ => (piece, ""),
            };
            CompactFormatter.write_string_fragment(writer, plain)?;
            writer.write_all(spelled.as_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The lines of the log in a page, block by block.
    fn blocks(page: &str) -> Vec<Vec<Value>> {
        let lines = |rest: &str| -> Vec<Value> {
            let (block, _) = rest.split_once("</script").unwrap();
            block.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        page.split(OPEN).skip(1).map(lines).collect()
    }

    fn page(title: &str, records: &[LogRecord]) -> String {
        let mut page = Page::begin(Vec::new(), title).unwrap();
        records.iter().for_each(|record| page.record(record).unwrap());
        String::from_utf8(page.end().unwrap()).unwrap()
    }

    fn call(args: &str) -> LogRecord {
        let at = "2026-11-30T10:00:00.000Z";
        serde_json::from_value(
            json!({ "seq": 0, "prev": null, "at": at, "event": "call", "call": "1", "tool": "t", "args": args }),
        )
        .unwrap()
    }

    #[test]
    fn no_text_ends_the_block_it_is_in_and_each_reads_as_it_was() {
        for hostile in
            ["</script><script>alert(1)</script>", "<!--<script>", "a\u{2028}b\u{2029}c<", "<<", "\0\u{feff}é🎉", ""]
        {
            let text = page(hostile, &[call(hostile)]);
            let found = blocks(&text);
            assert_eq!(found.len(), 1);
            assert_eq!(found[0][0], json!({ "title": hostile }));
            assert_eq!(found[0][1]["args"], *hostile);
            assert_eq!(text.matches("</script").count(), 2, "one ends the page's script, one the block");
            let data = text.split_once(OPEN).unwrap().1.split_once("</script").unwrap().0;
            assert!(!data.contains(['<', '\u{2028}', '\u{2029}']), "{data}");
        }
    }

    #[test]
    fn a_long_log_stands_in_several_blocks_and_says_how_much_it_is() {
        let long = "x".repeat(BLOCK / 2);
        let found = blocks(&page("t", &[call(&long), call(&long), call(&long), call("{}")]));
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
        assert_eq!(found[1][2], json!({ "items": 4 }));
    }

    #[test]
    fn a_line_that_cannot_be_read_is_in_its_place() {
        let mut page = Page::begin(Vec::new(), "t").unwrap();
        page.record(&call("{}")).unwrap();
        page.note(2, "it is <torn>").unwrap();
        let found = blocks(&String::from_utf8(page.end().unwrap()).unwrap());
        assert_eq!(found[0][2], json!({ "line": 2, "why": "it is <torn>" }));
    }

    #[test]
    fn the_policy_admits_the_pages_own_script_and_style_alone() {
        let text = page("t", &[]);
        let inside = |open: &str, close: &str| text.split_once(open).unwrap().1.split_once(close).unwrap().0;
        let policy = inside("Content-Security-Policy\" content=\"", "\"");
        assert!(
            policy.contains(&format!("script-src '{}';", source_of(inside("<script type=\"module\">", "</script>"))))
        );
        assert!(policy.contains(&format!("style-src '{}';", source_of(inside("<style>", "</style>")))));
        assert!(policy.starts_with("default-src 'none';"));
        assert!(!text.contains("{{"), "something was not filled in");
    }
}

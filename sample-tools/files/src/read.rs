//! `read`: a window of a text file.

use fumehood_tool::{Card, Code, Concurrency, Content, Context, ReadCard, Tool, ToolAnnotations, ToolError, ToolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::root::{Root, normal, shown};
use crate::text::{VALUE_BYTES, json_len, pieces, preview, quantity};
use crate::tool::looking;

pub struct Read;

#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// The file to read. Relative to the root of the granted directories, parted by `/`.
    #[schemars(length(min = 1))]
    path: String,
    /// The first line to read, counted from 1.
    #[schemars(range(min = 1), extend("default" = 1))]
    offset: Option<u64>,
    /// How many lines to read at most.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = LIMIT_MOST))]
    limit: u64,
}

/// A window this long holds most source files whole.
fn limit() -> u64 {
    2000
}

/// How many lines one window may have.
const LIMIT_MOST: u64 = 10_000;

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Value {
    /// The path as asked for, in its one spelling: no leading `/`, no `.` or `..`.
    #[schemars(length(min = 1))]
    path: String,
    /// The first line asked for.
    #[schemars(range(min = 1))]
    offset: u64,
    /// The lines of the window, whole. Fewer than the limit where the file ends, or where the value would be over 2 MiB.
    #[schemars(length(max = LIMIT_MOST))]
    lines: Vec<Line>,
    /// Lines of the whole file; a newline at its end starts no further one.
    total_lines: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Counted from 1.
    #[schemars(range(min = 1))]
    number: u64,
    /// Without its line ending, LF or CR LF.
    text: String,
}

const LINE_TOO_LONG: Code = Code::new("LINE_TOO_LONG");

impl Value {
    /// Whether its lines are those of a window: the first is `offset`, each is the next, and the last is within the file.
    /// No schema can say that. `run` returns no other, but a log may hold what another version returned.
    fn is_window(&self) -> bool {
        let window = (self.offset..=self.total_lines).take(self.lines.len());
        self.lines.is_empty() == (self.total_lines == 0) && self.lines.iter().map(|line| line.number).eq(window)
    }
}

impl Read {
    fn run(root: &Root, args: Args) -> Result<Value, ToolError> {
        let path = normal(&args.path)?;
        let offset = args.offset.unwrap_or(1);
        let mut window = Window { offset, limit: args.limit, ..Window::default() };
        pieces(root, &path, |piece| {
            window.take(piece);
            Ok(())
        })?;
        let (lines, total_lines, cut) = window.finish();
        if cut && lines.is_empty() {
            return Err(ToolError::failed(
                LINE_TOO_LONG,
                format!("line {offset} of `{path}` alone is over {VALUE_BYTES} bytes; search it with grep"),
            ));
        }
        // An empty file has no line 1, but reading it from the start is no mistake.
        if offset > total_lines.max(1) {
            return Err(ToolError::NotFound(format!(
                "line {offset} is past the end of `{path}`, which has {}",
                quantity(total_lines, "line")
            )));
        }
        Ok(Value { path, offset, lines, total_lines })
    }

    fn pending(args: &Args) -> Card {
        let path = normal(&args.path).unwrap_or_else(|_| args.path.clone());
        let line = args.offset.and_then(|offset| u32::try_from(offset).ok());
        looking(format!("Read {}", shown(&path)), ToolKind::Read).location(path, line).into()
    }

    fn finished(args: &Args, value: &Value) -> Card {
        if !value.is_window() {
            let card = looking(format!("Read {}", value.path), ToolKind::Read).location(value.path.as_str(), None);
            return card.body(Self::render(args, value)).into();
        }
        let lines = value.lines.iter().map(|line| (line.number, line.text.as_str()));
        let card = ReadCard::new(format!("Read {}", value.path), value.path.as_str(), value.total_lines);
        let card = ReadCard { language: language(&value.path).map(str::to_owned), ..card };
        card.offset(value.offset).lines(lines).into()
    }
}

impl Tool for Read {
    type Args = Args;
    type Value = Value;

    const NAME: &str = "read";
    const TITLE: Option<&str> = Some("Read file");
    const DESCRIPTION: &str = "Read a text file, or a window of it, as numbered lines. The text ends by saying how \
                               many lines the file has and with which offset to go on. Fails on a directory, on a \
                               file that is not UTF-8 text, and on an offset past the end.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    const CONCURRENCY: Concurrency = Concurrency::Parallel;
    const TIME_LIMIT_MS: Option<u32> = Some(10000);

    fn execute(args: Args, _context: &Context) -> Result<Value, ToolError> {
        Self::run(&Root::granted(), args)
    }

    fn render(_args: &Args, value: &Value) -> Content {
        /// About 12,000 tokens: enough to work with, and no single file fills a model's context.
        const TEXT_BYTES: usize = 50 << 10;
        /// Longer lines are data or generated code, of which the start says what it is.
        const LINE_CHARACTERS: usize = 2000;

        if value.total_lines == 0 && value.is_window() {
            return format!("{} is empty.", value.path).into();
        }
        let mut text = String::new();
        let mut last = value.offset - 1;
        for line in &value.lines {
            let shown = format!("{}: {}\n", line.number, preview(&line.text, LINE_CHARACTERS));
            if text.len() + shown.len() > TEXT_BYTES {
                break;
            }
            text += &shown;
            last = line.number;
        }
        let Value { offset, total_lines, .. } = *value;
        text += &match last {
            _ if !value.is_window() => {
                format!(
                    "\n(these are not the lines of a file of {} from line {offset} on)",
                    quantity(total_lines, "line")
                )
            }
            _ if last == total_lines => format!("\n(end of file, {})", quantity(total_lines, "line")),
            _ => format!("\n(lines {offset} to {last} of {total_lines}; go on with offset {})", last + 1),
        };
        text.into()
    }

    fn present(args: &Args, value: Option<&Value>) -> Option<Card> {
        Some(value.map_or_else(|| Self::pending(args), |value| Self::finished(args, value)))
    }
}

/// Counts every line and keeps those asked for, as long as a value has room.
#[derive(Default)]
struct Window {
    offset: u64,
    limit: u64,
    lines: Vec<Line>,
    /// Lines begun and ended so far.
    ended: u64,
    /// The text of a line that has begun; `None` when it is not wanted.
    open: Option<String>,
    begun: bool,
    /// Bytes of JSON that `lines` will take.
    used: usize,
    /// Whether a line asked for had no room.
    cut: bool,
}

impl Window {
    fn take(&mut self, piece: &str) {
        for part in piece.split_inclusive('\n') {
            if !self.begun {
                self.begun = true;
                let number = self.ended + 1;
                let wanted = number >= self.offset && number - self.offset < self.limit && !self.cut;
                self.open = wanted.then(String::new);
            }
            if let Some(text) = &mut self.open {
                text.push_str(part);
                if self.used + text.len() > VALUE_BYTES {
                    (self.open, self.cut) = (None, true);
                }
            }
            if part.ends_with('\n') {
                self.end();
            }
        }
    }

    fn end(&mut self) {
        (self.begun, self.ended) = (false, self.ended + 1);
        let Some(mut text) = self.open.take() else { return };
        if text.ends_with('\n') {
            text.pop();
            if text.ends_with('\r') {
                text.pop();
            }
        }
        // `{"number":…,"text":…},` with a number of up to 20 digits.
        let cost = json_len(&text) + 40;
        if self.used + cost > VALUE_BYTES {
            self.cut = true;
            return;
        }
        self.used += cost;
        self.lines.push(Line { number: self.ended, text });
    }

    fn finish(mut self) -> (Vec<Line>, u64, bool) {
        if self.begun {
            self.end();
        }
        (self.lines, self.ended, self.cut)
    }
}

/// For highlighting; a name where the file's ending leaves no doubt.
fn language(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next()?;
    Some(match name.rsplit_once('.').map_or(name, |(_, ending)| ending) {
        "c" | "h" => "c",
        "cc" | "cpp" | "hpp" => "cpp",
        "css" => "css",
        "go" => "go",
        "html" => "html",
        "java" => "java",
        "js" | "mjs" | "cjs" => "javascript",
        "json" => "json",
        "md" => "markdown",
        "py" => "python",
        "rs" => "rust",
        "sh" => "shell",
        "sql" => "sql",
        "toml" => "toml",
        "ts" | "mts" => "typescript",
        "tsx" => "tsx",
        "wit" => "wit",
        "xml" => "xml",
        "yaml" | "yml" => "yaml",
        "Dockerfile" => "dockerfile",
        "Makefile" => "makefile",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(bytes: &[u8], offset: u64, limit: u64) -> Result<Value, ToolError> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.txt"), bytes).unwrap();
        let root = Root::new(directory.path(), ["/".to_owned()]);
        Read::run(&root, Args { path: "a.txt".into(), offset: Some(offset), limit })
    }

    fn check(bytes: &[u8], (offset, limit): (u64, u64), lines: &[(u64, &str)], total: u64) {
        let value = run(bytes, offset, limit).unwrap();
        let found: Vec<_> = value.lines.iter().map(|line| (line.number, line.text.as_str())).collect();
        assert_eq!((found.as_slice(), value.total_lines), (lines, total), "{bytes:?}");
    }

    #[test]
    fn lines() {
        check(b"", (1, 9), &[], 0);
        check(b"\n", (1, 9), &[(1, "")], 1);
        check(b"one", (1, 9), &[(1, "one")], 1);
        check(b"one\r\ntwo\r\n", (1, 9), &[(1, "one"), (2, "two")], 2);
        check(b"a\rb\r", (1, 9), &[(1, "a\rb\r")], 1);
        check(b"1\n2\n3\n4", (2, 2), &[(2, "2"), (3, "3")], 4);
        check(b"1\n2\n3\n4", (4, 9), &[(4, "4")], 4);
    }

    #[test]
    fn past_the_end() {
        for (text, offset) in [("", 2), ("1\n2\n", 3)] {
            assert!(matches!(run(text.as_bytes(), offset, 1), Err(ToolError::NotFound(_))), "{text:?}");
        }
    }

    #[test]
    fn a_value_stays_under_its_bound_and_totals_stay_exact() {
        // Control characters take six bytes each in JSON.
        let text = format!("{}\n", "\u{1}".repeat(1000)).repeat(1000);
        let value = run(text.as_bytes(), 1, 10_000).unwrap();
        assert!(serde_json::to_string(&value).unwrap().len() < VALUE_BYTES + 200);
        assert_eq!((value.lines.len(), value.total_lines), (347, 1000));

        let long = "x".repeat(VALUE_BYTES + 1);
        let Err(ToolError::Failed(failure)) = run(long.as_bytes(), 1, 1) else { panic!("took a line without end") };
        assert_eq!(failure.code, "LINE_TOO_LONG");
        let value = run(format!("{long}\nafter").as_bytes(), 2, 1).unwrap();
        assert_eq!((value.lines[0].text.as_str(), value.total_lines), ("after", 2));
    }

    #[test]
    fn the_footer_names_the_next_line() {
        let check = |bytes: &[u8], window: (u64, u64), expect: &str| {
            let args = Args { path: "a.txt".into(), offset: None, limit: limit() };
            assert_eq!(Read::render(&args, &run(bytes, window.0, window.1).unwrap()).as_text(), Some(expect));
        };
        check(b"1\n2\n3\n", (1, 2), "1: 1\n2: 2\n\n(lines 1 to 2 of 3; go on with offset 3)");
        check(b"1\n2\n3\n", (3, 2), "3: 3\n\n(end of file, 3 lines)");
        let cut = format!("1: {}… (9000 characters in all)\n\n(end of file, 1 line)", "y".repeat(2000));
        check("y".repeat(9000).as_bytes(), (1, 2), &cut);
    }

    #[test]
    fn what_is_no_window_is_shown_and_said_to_be_none() {
        let args = Args { path: "a.txt".into(), offset: None, limit: limit() };
        let value = |offset, numbers: &[u64], total_lines| {
            let lines = numbers.iter().map(|number| Line { number: *number, text: "x".into() }).collect();
            Value { path: "a.txt".into(), offset, lines, total_lines }
        };
        for (offset, numbers, total) in
            [(1, &[][..], 0), (1, &[1], 1), (2, &[2, 3], 4), (u64::MAX, &[u64::MAX], u64::MAX)]
        {
            let value = value(offset, numbers, total);
            assert!(matches!(Read::finished(&args, &value), Card::Read(_)), "{value:?}");
        }
        for (offset, numbers, total) in [
            (1, &[1][..], 0),
            (1, &[2, 1], 2),
            (1, &[1, 1], 2),
            (1, &[1, 3], 3),
            (1, &[1, 2], 1),
            (2, &[1], 1),
            (1, &[], 1),
        ] {
            let value = value(offset, numbers, total);
            let Card::Generic(card) = Read::finished(&args, &value) else { panic!("{value:?}") };
            assert_eq!((card.body.len(), card.locations.len()), (1, 1), "{value:?}");
            let text = Read::render(&args, &value);
            let text = text.as_text().unwrap();
            let shown: String = numbers.iter().map(|number| format!("{number}: x\n")).collect();
            let lines = quantity(total, "line");
            assert_eq!(text, format!("{shown}\n(these are not the lines of a file of {lines} from line {offset} on)"));
        }
    }
}

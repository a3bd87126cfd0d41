//! `grep`: the lines that match a regular expression.

use std::io::{self, BufRead, BufReader, Read as _};

use fumehood_tool::{
    Card, Code, Concurrency, Content, Context, FileMatches, LineMatch, SearchCard, Tool, ToolAnnotations, ToolError,
    ToolKind,
};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pattern::Pattern;
use crate::root::{Kind, Root, failed, normal};
use crate::text::{VALUE_BYTES, VALUE_ENTRIES, json_len, preview, quantity};
use crate::tool::{CARD_BYTES, footer, looking_at, page, root};
use crate::walk::Walk;

pub struct Grep;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// A regular expression (Rust's regex syntax: no look-around, no back-references).
    pattern: String,
    /// The directory or the one file to search. Relative to the root of the granted directories, parted by `/`.
    #[serde(default = "root")]
    path: String,
    /// Search only files that match this glob pattern; without a `/` it speaks of names at any depth: `*.{ts,tsx}`.
    #[schemars(length(min = 1))]
    include: Option<String>,
    /// Take upper and lower case for the same.
    #[serde(default)]
    ignore_case: bool,
    /// Search what .gitignore files exclude, too.
    #[serde(default)]
    ignored: bool,
    /// How many matches the text leaves out at its start, to see the next page.
    #[serde(default)]
    skip: u64,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// The matching lines; at most 10,000 and 2 MiB.
    #[schemars(length(max = VALUE_ENTRIES))]
    matches: Vec<Match>,
    /// How many there are. Present only where the list had no room for all matches: it then holds the first ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    total: Option<u64>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Match {
    /// The file, as `read` takes it.
    #[schemars(length(min = 1))]
    path: String,
    /// Counted from 1.
    #[schemars(range(min = 1))]
    line_number: u64,
    /// The whole line without its ending. Bytes that are not UTF-8 read as U+FFFD.
    line: String,
}

const INVALID_PATTERN: Code = Code::new("INVALID_PATTERN");

/// What a longer line shows of itself; its match may lie behind that, which the number of characters says.
const LINE_CHARACTERS: usize = 500;

impl Value {
    /// Never under what is listed, which no schema can say of `total`.
    fn total(&self) -> u64 {
        self.total.unwrap_or_default().max(self.matches.len() as u64)
    }
}

impl Grep {
    fn run(root: &Root, args: Args, context: &Context) -> Result<Value, ToolError> {
        let start = normal(&args.path)?;
        let pattern = RegexBuilder::new(&args.pattern)
            .case_insensitive(args.ignore_case)
            .build()
            .map_err(|error| ToolError::failed(INVALID_PATTERN, error.to_string()))?;
        let include = args.include.as_deref().map(included).transpose()?;
        let paths = match root.kind(&start)? {
            Kind::Directory => {
                let paths = Walk { root, ignore: !args.ignored, links: false, enter: &|_| true }.files(&start)?;
                let below = |path: &str| path[start.len()..].trim_start_matches('/').to_owned();
                let wanted = |path: &String| include.as_ref().is_none_or(|include| include.matches(&below(path)));
                paths.into_iter().filter(wanted).collect()
            }
            _ => vec![start.clone()],
        };
        let mut found = Found::default();
        for (done, path) in paths.iter().enumerate() {
            match found.search(root, path, &pattern) {
                // A file that a search meets on its way may be gone, or closed to it; one that was named may not.
                Err(error) if *path == start => return Err(error),
                _ => {}
            }
            // Often enough for a person, too seldom to cost anything.
            if done % 256 == 255 {
                context.progress(done as u64 + 1, Some(paths.len() as u64), None);
            }
        }
        Ok(found.value())
    }

    fn pending(args: &Args) -> Card {
        looking_at(format!("Grep {}", args.pattern), ToolKind::Search, &args.path)
    }

    fn finished(args: &Args, value: &Value) -> Card {
        let total = value.total();
        let (mut files, mut listed, mut used) = (Vec::<FileMatches>::new(), 0, 0);
        for found in &value.matches {
            let line = preview(&found.line, LINE_CHARACTERS);
            used += found.path.len() + line.len();
            // One entry at least: a card that lists nothing says nothing.
            if used > CARD_BYTES && listed > 0 {
                break;
            }
            listed += 1;
            let matched = LineMatch { line_number: found.line_number, line };
            match files.last_mut() {
                Some(file) if file.path == found.path => file.matches.push(matched),
                _ => files.push(FileMatches { path: found.path.clone(), matches: vec![matched] }),
            }
        }
        SearchCard::matches(format!("Grep {}: {}", args.pattern, quantity(total, "match")), files).total(total).into()
    }
}

impl Tool for Grep {
    type Args = Args;
    type Value = Value;

    const NAME: &str = "grep";
    const TITLE: Option<&str> = Some("Search in files");
    const DESCRIPTION: &str = "Find the lines that match a regular expression, in the order of paths and lines. \
                               Each line is searched by itself. What .gitignore files exclude is left out unless \
                               `ignored` is set; binary files, symbolic links, and what lies in .git and its like \
                               always are.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    const CONCURRENCY: Concurrency = Concurrency::Parallel;
    const TIME_LIMIT_MS: Option<u32> = Some(30000);

    fn execute(args: Args, context: &Context) -> Result<Value, ToolError> {
        Self::run(&Root::granted(), args, context)
    }

    fn render(args: &Args, value: &Value) -> Content {
        /// Some 10,000 tokens of ordinary lines; the next page is one call away.
        const PAGE: usize = 250;
        let (total, listed) = (value.total(), value.matches.len());
        if listed == 0 {
            return match total {
                0 => "No matches found.".into(),
                _ => format!(
                    "Found {}, none of which fits into a value: narrow the search to other files.",
                    quantity(total, "match")
                )
                .into(),
            };
        }
        let shown = page(listed, args.skip, PAGE);
        let mut text = format!("Found {}.", quantity(total, "match"));
        let mut path = "";
        for found in &value.matches[shown.clone()] {
            if found.path != path {
                path = &found.path;
                text += &format!("\n\n{path}");
            }
            text += &format!("\n  {}: {}", found.line_number, preview(&found.line, LINE_CHARACTERS));
        }
        if (shown.len() as u64) < total {
            text += &footer(&shown, listed, total, "match");
        }
        text.into()
    }

    fn present(args: &Args, value: Option<&Value>) -> Option<Card> {
        Some(value.map_or_else(|| Self::pending(args), |value| Self::finished(args, value)))
    }
}

/// Without a `/` the pattern speaks of file names at any depth.
fn included(include: &str) -> Result<Pattern, ToolError> {
    let anywhere = if include.contains('/') { "" } else { "**/" };
    Pattern::new(&format!("{anywhere}{include}")).map_err(|error| ToolError::InvalidArgs(format!("include: {error}")))
}

/// Counts every match and keeps the first ones, as long as a value has room.
#[derive(Default)]
struct Found {
    matches: Vec<Match>,
    total: u64,
    /// Bytes of JSON that `matches` will take.
    used: usize,
}

impl Found {
    /// Looks through one file. A binary file has no matches: one with U+0000 near its start, or a line of more
    /// than 16 MiB. In other files, bytes that are not UTF-8 read as U+FFFD.
    fn search(&mut self, root: &Root, path: &str, pattern: &Regex) -> Result<(), ToolError> {
        /// A binary file that has no zero byte here is a rarity.
        const START: usize = 64 << 10;
        /// Longer than a line of any text, and small beside the memory of a sandbox.
        const LINE_BYTES: u64 = 16 << 20;

        let broken = |error: io::Error| failed(&error, path);
        let mut file = BufReader::with_capacity(START, root.open(path)?);
        if file.fill_buf().map_err(broken)?.contains(&0) {
            return Ok(());
        }
        let before = (self.matches.len(), self.total, self.used);
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let read = (&mut file).take(LINE_BYTES).read_until(b'\n', &mut line).map_err(broken)?;
            if read == 0 {
                break;
            }
            if read as u64 == LINE_BYTES && line.last() != Some(&b'\n') {
                self.matches.truncate(before.0);
                (self.total, self.used) = (before.1, before.2);
                break;
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.strip_suffix('\n').map_or(&*text, |text| text.strip_suffix('\r').unwrap_or(text));
            if pattern.is_match(text) {
                self.push(path, number, text);
            }
        }
        Ok(())
    }

    /// Keeps nothing after the first that had no room: what is kept is a beginning, not a choice.
    fn push(&mut self, path: &str, line_number: u64, line: &str) {
        // `{"path":…,"lineNumber":…,"line":…},` with a number of up to 20 digits.
        let cost = json_len(path) + json_len(line) + 60;
        let room = self.matches.len() as u64 == self.total
            && self.matches.len() < VALUE_ENTRIES
            && self.used + cost <= VALUE_BYTES;
        self.total += 1;
        if room {
            self.used += cost;
            self.matches.push(Match { path: path.to_owned(), line_number, line: line.to_owned() });
        }
    }

    fn value(self) -> Value {
        let total = (self.total > self.matches.len() as u64).then_some(self.total);
        Value { matches: self.matches, total }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fumehood_tool::SearchResults;

    use super::*;

    fn args(pattern: &str) -> Args {
        let path = String::new();
        Args { pattern: pattern.into(), path, include: None, ignore_case: false, ignored: false, skip: 0 }
    }

    fn tree(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Root) {
        let directory = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let root = Root::new(directory.path(), ["/".to_owned()]);
        (directory, root)
    }

    #[test]
    fn greps() {
        let (_directory, root) = tree(&[
            ("a.rs", b"fn one()\r\nfn two()\r\n"),
            ("b/c.md", b"# One\none"),
            ("latin", b"caf\xe9 one"),
            ("binary", b"one\0one"),
            (".gitignore", b"target/"),
            ("target/x.rs", b"one"),
            (".git/x", b"one"),
        ]);
        let check = |args: Args, expect: &[(&str, u64, &str)]| {
            let value = Grep::run(&root, args, &Context::for_test()).unwrap();
            let found: Vec<_> = value
                .matches
                .iter()
                .map(|found| (found.path.as_str(), found.line_number, found.line.as_str()))
                .collect();
            assert_eq!((found.as_slice(), value.total), (expect, None));
        };
        let (one, c, latin) = (("a.rs", 1, "fn one()"), ("b/c.md", 2, "one"), ("latin", 1, "caf\u{fffd} one"));
        check(args("one"), &[one, c, latin]);
        check(args("^one$"), &[c]);
        check(Args { ignore_case: true, include: Some("*.md".into()), ..args("ONE") }, &[("b/c.md", 1, "# One"), c]);
        check(Args { include: Some("b/*".into()), ..args("one") }, &[c]);
        check(Args { path: "b".into(), include: Some("*.{rs,md}".into()), ..args("one") }, &[c]);
        check(Args { path: "a.rs".into(), ..args(r"\)$") }, &[one, ("a.rs", 2, "fn two()")]);
        check(Args { ignored: true, include: Some("x.rs".into()), ..args("one") }, &[("target/x.rs", 1, "one")]);
        check(args("nothing"), &[]);
        let Err(ToolError::Failed(failure)) = Grep::run(&root, args("("), &Context::for_test()) else {
            panic!("took `(`")
        };
        assert_eq!(failure.code, "INVALID_PATTERN");
        assert!(matches!(
            Grep::run(&root, Args { path: "no".into(), ..args("") }, &Context::for_test()),
            Err(ToolError::NotFound(_))
        ));
    }

    #[test]
    fn a_million_matches_are_counted_and_the_first_are_kept() {
        let (_directory, root) = tree(&[("a", "x\n".repeat(999_999).as_bytes()), ("b", b"x")]);
        let value = Grep::run(&root, args("x"), &Context::for_test()).unwrap();
        assert_eq!((value.matches.len(), value.total), (VALUE_ENTRIES, Some(1_000_000)));
        assert!(serde_json::to_string(&value).unwrap().len() < VALUE_BYTES);
        let Card::Search(card) = Grep::finished(&args("x"), &value) else { panic!("no search card") };
        let SearchResults::Matches(results) = card.results else { panic!("no matches") };
        assert_eq!((results.truncated, results.total), (true, 1_000_000));
    }

    #[test]
    fn a_long_matching_line_is_counted_and_not_kept() {
        let long = format!("x{}\nx\n", "y".repeat(VALUE_BYTES));
        let (_directory, root) = tree(&[("a", long.as_bytes())]);
        let value = Grep::run(&root, args("x"), &Context::for_test()).unwrap();
        assert_eq!((value.matches.len(), value.total), (0, Some(2)));
        assert_eq!(
            Grep::render(&args("x"), &value).as_text(),
            Some("Found 2 matches, none of which fits into a value: narrow the search to other files.")
        );
    }

    #[test]
    fn the_text_is_grouped_by_file_and_paged() {
        let found = |path: &str, line_number, line: &str| Match { path: path.into(), line_number, line: line.into() };
        let value = Value { matches: vec![found("a", 1, "x"), found("a", 3, "y"), found("b", 2, "z")], total: None };
        let text = Grep::render(&args(""), &value);
        assert_eq!(text.as_text(), Some("Found 3 matches.\n\na\n  1: x\n  3: y\n\nb\n  2: z"));
        // The other total is one that the schema takes, and `run` never returns.
        for total in [None, Some(7)] {
            let value = Value { matches: (1..=251).map(|line| found("a", line, "x")).collect(), total };
            let text = Grep::render(&args(""), &value);
            let text = text.as_text().unwrap();
            assert!(text.ends_with("\n  250: x\n\n(matches 1 to 250 of 251; go on with skip 250)"), "{text}");
            assert!(text.starts_with("Found 251 matches."), "{text}");
        }
    }
}

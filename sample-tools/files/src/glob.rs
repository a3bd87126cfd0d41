//! `glob`: the files whose paths match a pattern.

use fumehood_tool::{Card, Concurrency, Content, Context, SearchCard, Tool, ToolAnnotations, ToolError, ToolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pattern::Pattern;
use crate::root::{Kind, Root, normal, shown};
use crate::text::{VALUE_BYTES, VALUE_ENTRIES, json_len, quantity};
use crate::tool::{CARD_BYTES, footer, looking_at, page, root};
use crate::walk::Walk;

pub struct Glob;

#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// The pattern, relative to `path`: `*`, `?`, `**`, `[a-z]`, `[!a-z]`, `{a,b}`; `\` before a character that is meant as
    /// it is.
    #[schemars(length(min = 1))]
    pattern: String,
    /// The directory to search. Relative to the root of the granted directories, parted by `/`.
    #[serde(default = "root")]
    path: String,
    /// How many paths the text leaves out at its start, to see the next page.
    #[serde(default)]
    skip: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// The directory that was searched; `.` is the root.
    #[schemars(length(min = 1))]
    root: String,
    /// Paths as `read` takes them, sorted byte by byte; at most 10,000 and 2 MiB.
    #[schemars(length(max = VALUE_ENTRIES), inner(length(min = 1)))]
    paths: Vec<String>,
    /// How many there are. Present only where the list had no room for all paths: it then holds the first ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    total: Option<u64>,
}

impl Value {
    /// Never under what is listed, which no schema can say of `total`.
    fn total(&self) -> u64 {
        self.total.unwrap_or_default().max(self.paths.len() as u64)
    }
}

impl Glob {
    fn run(root: &Root, args: Args) -> Result<Value, ToolError> {
        let start = normal(&args.path)?;
        let pattern =
            Pattern::new(&args.pattern).map_err(|error| ToolError::InvalidArgs(format!("pattern: {error}")))?;
        if root.kind(&start)? != Kind::Directory {
            return Err(ToolError::InvalidArgs(format!("`{start}` is a file; path names the directory to search")));
        }
        let below = |path: &str| path[start.len()..].trim_start_matches('/').to_owned();
        let enter = |path: &str| pattern.reaches(&below(path));
        let mut paths = Walk { root, ignore: false, links: true, enter: &enter }.files(&start)?;
        paths.retain(|path| pattern.matches(&below(path)));

        let total = paths.len();
        let mut used = 0;
        let fitting = paths.iter().take(VALUE_ENTRIES).take_while(|path| {
            used += json_len(path) + 1;
            used <= VALUE_BYTES
        });
        paths.truncate(fitting.count());
        let total = (paths.len() < total).then_some(total as u64);
        Ok(Value { root: shown(&start).to_owned(), paths, total })
    }

    fn pending(args: &Args) -> Card {
        looking_at(format!("Glob {}", args.pattern), ToolKind::Search, &args.path)
    }

    fn finished(args: &Args, value: &Value) -> Card {
        let total = value.total();
        let mut used = 0;
        let fitting = value.paths.iter().take_while(|path| {
            used += path.len();
            used <= CARD_BYTES
        });
        // One entry at least: a card that lists nothing says nothing.
        let fitting = fitting.count().max(1);
        let title = format!("Glob {}: {}", args.pattern, quantity(total, "file"));
        SearchCard::paths(title, value.paths.iter().take(fitting)).total(total).into()
    }
}

impl Tool for Glob {
    type Args = Args;
    type Value = Value;

    const NAME: &str = "glob";
    const TITLE: Option<&str> = Some("Find files");
    const DESCRIPTION: &str = "List the files whose paths match a pattern, sorted. `*` and `?` stay within a name, \
                               `**` stands for any directories: `*.rs` is the files right in `path`, `**/*.rs` \
                               those at any depth. Hidden and ignored files are found too; directories, and what \
                               lies in .git and its like, are not.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    const CONCURRENCY: Concurrency = Concurrency::Parallel;
    const TIME_LIMIT_MS: Option<u32> = Some(30000);

    fn execute(args: Args, _context: &Context) -> Result<Value, ToolError> {
        Self::run(&Root::granted(), args)
    }

    fn render(args: &Args, value: &Value) -> Content {
        /// A screen or two; the next page is one call away.
        const PAGE: usize = 100;
        if value.paths.is_empty() {
            let place = if value.root == "." { String::new() } else { format!(" in {}", value.root) };
            return format!("No files match {}{place}.", args.pattern).into();
        }
        let (total, listed) = (value.total(), value.paths.len());
        let shown = page(listed, args.skip, PAGE);
        let mut text = value.paths[shown.clone()].join("\n");
        if (shown.len() as u64) < total {
            text += &footer(&shown, listed, total, "path");
        }
        text.into()
    }

    fn present(args: &Args, value: Option<&Value>) -> Option<Card> {
        Some(value.map_or_else(|| Self::pending(args), |value| Self::finished(args, value)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fumehood_tool::SearchResults;

    use super::*;

    fn args(pattern: &str, path: &str, skip: u64) -> Args {
        Args { pattern: pattern.into(), path: path.into(), skip }
    }

    #[test]
    fn globs() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir_all(directory.path().join("src/deep")).unwrap();
        for path in ["src/a.rs", "src/deep/b.rs", "c.rs"] {
            fs::write(directory.path().join(path), "").unwrap();
        }
        let root = Root::new(directory.path(), ["/".to_owned()]);
        let check = |pattern: &str, path: &str, expect: &[&str]| {
            let value = Glob::run(&root, args(pattern, path, 0)).unwrap();
            assert_eq!((value.paths, value.total), (expect.iter().map(|p| p.to_string()).collect(), None), "{pattern}");
        };
        check("*.rs", "", &["c.rs"]);
        check("**/*.rs", "", &["c.rs", "src/a.rs", "src/deep/b.rs"]);
        check("*.rs", "src", &["src/a.rs"]);
        check("deep/*", "/src/", &["src/deep/b.rs"]);
        check("*.txt", "", &[]);
        assert!(matches!(Glob::run(&root, args("*", "none", 0)), Err(ToolError::NotFound(_))));
        assert!(matches!(Glob::run(&root, args("*", "c.rs", 0)), Err(ToolError::InvalidArgs(_))));
        assert!(matches!(Glob::run(&root, args("[", "", 0)), Err(ToolError::InvalidArgs(_))));
    }

    #[test]
    fn pages_and_totals() {
        let value = |count: usize, total| Value {
            root: ".".into(),
            paths: (0..count).map(|number| format!("{number:05}")).collect(),
            total,
        };
        let check = |value: Value, skip: u64, last: &str| {
            let text = Glob::render(&args("*", "", skip), &value);
            assert_eq!(text.as_text().unwrap().lines().last(), Some(last));
        };
        check(value(2, None), 0, "00001");
        check(value(101, None), 0, "(paths 1 to 100 of 101; go on with skip 100)");
        check(value(101, None), 100, "(paths 101 to 101 of 101)");
        check(value(101, None), 500, "(skip leaves nothing of 101 paths)");
        check(
            value(10_000, Some(12_345)),
            9_900,
            "(paths 9901 to 10000 of 12345; the rest was not kept: narrow the search)",
        );
        // What the schema takes, and `run` never returns.
        check(value(101, Some(7)), 0, "(paths 1 to 100 of 101; go on with skip 100)");
        let Card::Search(card) = Glob::finished(&args("*", "", 0), &value(20_000, None)) else {
            panic!("no search card")
        };
        let SearchResults::Paths(results) = card.results else { panic!("no paths") };
        assert_eq!((results.paths.len(), results.truncated, results.total), (CARD_BYTES / 5, true, 20_000));
    }
}

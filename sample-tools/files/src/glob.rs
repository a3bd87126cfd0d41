//! `glob`: the files whose paths match a pattern.

use serde::{Deserialize, Serialize};

use crate::fumehood::tool::types::{Card, Location, PathResults, SearchCard, SearchResults, ToolError, ToolKind};
use crate::pattern::Pattern;
use crate::root::{Kind, Root, normal, shown};
use crate::text::{VALUE_BYTES, VALUE_ENTRIES, json_len, quantity};
use crate::tool::{CARD_BYTES, Tool, footer, looking, page};
use crate::walk::Walk;

pub struct Glob;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Args {
    pattern: String,
    #[serde(default)]
    path: String,
    #[serde(default)]
    skip: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    root: String,
    paths: Vec<String>,
    /// Only where `paths` had no room for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
}

impl Value {
    fn total(&self) -> u64 {
        self.total.unwrap_or(self.paths.len() as u64)
    }
}

impl Tool for Glob {
    type Args = Args;
    type Value = Value;

    fn execute(root: &Root, args: Args) -> Result<Value, ToolError> {
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

    fn render(args: Args, value: Value) -> String {
        /// A screen or two; the next page is one call away.
        const PAGE: usize = 100;
        if value.paths.is_empty() {
            let place = if value.root == "." { String::new() } else { format!(" in {}", value.root) };
            return format!("No files match {}{place}.", args.pattern);
        }
        let (total, listed) = (value.total(), value.paths.len());
        let shown = page(listed, args.skip, PAGE);
        let mut text = value.paths[shown.clone()].join("\n");
        if shown.len() < total as usize {
            text += &footer(&shown, listed, total, "path");
        }
        text
    }

    fn pending(args: Args) -> Card {
        let locations = match normal(&args.path) {
            Ok(path) if !path.is_empty() => vec![Location { path, line: None }],
            _ => vec![],
        };
        looking(format!("Glob {}", args.pattern), ToolKind::Search, locations)
    }

    fn finished(args: Args, value: Value) -> Card {
        let total = value.total();
        let mut used = 0;
        let mut paths = value.paths;
        let fitting = paths.iter().take_while(|path| {
            used += path.len();
            used <= CARD_BYTES
        });
        // One entry at least: a card that lists nothing says nothing.
        let fitting = fitting.count().max(1);
        paths.truncate(fitting);
        let truncated = (paths.len() as u64) < total;
        Card::Search(SearchCard {
            title: format!("Glob {}: {}", args.pattern, quantity(total, "file")),
            results: SearchResults::Paths(PathResults { paths, truncated, total }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
            let value = Glob::execute(&root, args(pattern, path, 0)).unwrap();
            assert_eq!((value.paths, value.total), (expect.iter().map(|p| p.to_string()).collect(), None), "{pattern}");
        };
        check("*.rs", "", &["c.rs"]);
        check("**/*.rs", "", &["c.rs", "src/a.rs", "src/deep/b.rs"]);
        check("*.rs", "src", &["src/a.rs"]);
        check("deep/*", "/src/", &["src/deep/b.rs"]);
        check("*.txt", "", &[]);
        assert!(matches!(Glob::execute(&root, args("*", "none", 0)), Err(ToolError::NotFound(_))));
        assert!(matches!(Glob::execute(&root, args("*", "c.rs", 0)), Err(ToolError::InvalidArgs(_))));
        assert!(matches!(Glob::execute(&root, args("[", "", 0)), Err(ToolError::InvalidArgs(_))));
    }

    #[test]
    fn pages_and_totals() {
        let value = |count: usize, total| Value {
            root: ".".into(),
            paths: (0..count).map(|number| format!("{number:05}")).collect(),
            total,
        };
        let check = |value: Value, skip: u64, last: &str| {
            assert_eq!(Glob::render(args("*", "", skip), value).lines().last(), Some(last));
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
        let Card::Search(card) = Glob::finished(args("*", "", 0), value(20_000, None)) else {
            panic!("no search card")
        };
        let SearchResults::Paths(results) = card.results else { panic!("no paths") };
        assert_eq!((results.paths.len(), results.truncated, results.total), (CARD_BYTES / 5, true, 20_000));
    }
}

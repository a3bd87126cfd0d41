//! Cards of ten megabytes (of some, where a byte or two are a row), folded. What is counted is what is drawn; that little is
//! laid out for it is counted in the canvas's own tests.

use fumehood::{
    Card, ContentBlock, FileDiff, FileMatches, LineMatch, Location, NumberedLine, SearchResults, WebResults, WebSource,
};
use serde_json::json;

use super::super::{Screen, draw};
use super::strict::text_of;
use super::terminal;

const SIZE: usize = 10 << 20;

fn long_lines() -> String {
    (0..)
        .map(|at| format!("line {at} of many, and of a few words\n"))
        .scan(0, |bytes, line| {
            *bytes += line.len();
            (*bytes < SIZE).then_some(line)
        })
        .collect()
}

fn command(output: String) -> Card {
    Card::Terminal { title: "cat".into(), description: None, cwd: None, output, exit: None, timed_out: false }
}

fn diff(path: &str, old: Option<String>, new: String) -> Card {
    Card::Diff { title: "Edit".into(), diffs: vec![FileDiff { path: path.into(), old, new }] }
}

pub(super) fn long_cards() -> Vec<(&'static str, Card)> {
    let lines = long_lines();
    let numbered = |number, text: &str| NumberedLine { number, text: text.into() };
    let found = |number, line: &str| LineMatch { line_number: number, line: line.into() };
    let generic = |input, body, locations| Card::Generic { title: "Any".into(), kind: None, input, body, locations };
    let matches = |files| Card::Search {
        title: "Grep".into(),
        results: SearchResults::Matches { files, truncated: true, total: 1 << 40 },
    };
    let source = WebSource {
        url: format!("https://example.com/{}", "a".repeat(80)),
        title: Some("title ".repeat(20)),
        snippet: Some("x".repeat(1_000)),
        published: None,
    };
    let each = |text: &str| (1u64..).zip(text.lines()).map(|(at, line)| numbered(at, line)).collect::<Vec<_>>();
    vec![
        ("command of many lines", command(lines.clone())),
        ("command of one line", command("x".repeat(SIZE))),
        ("command of blank lines", command("\n".repeat(SIZE / 4))),
        ("command of escapes", command("\x1b[".repeat(SIZE / 8))),
        ("command of colours", command("\x1b[1m".repeat(SIZE / 16))),
        ("diff of a new file", diff("a.rs", None, lines.clone())),
        ("diff of a long file", diff("a.rs", Some(lines.clone()), lines.replace("999", "000"))),
        ("diff of one line", diff("a.rs", Some("x ".repeat(SIZE / 4)), "x y".repeat(SIZE / 6))),
        (
            "diff of many files",
            Card::Diff {
                title: "Edit".into(),
                diffs: (0..20_000)
                    .map(|at| FileDiff {
                        path: format!("{at}.rs"),
                        old: Some("a\n".repeat(250)),
                        new: "b\n".repeat(250),
                    })
                    .collect(),
            },
        ),
        (
            "read",
            Card::Read {
                title: "Read".into(),
                path: "a.rs".into(),
                offset: 1,
                total_lines: 1 << 40,
                lines: each(&lines),
                language: None,
            },
        ),
        (
            "read of one line",
            Card::Read {
                title: "Read".into(),
                path: "a.js".into(),
                offset: 1,
                total_lines: 1,
                lines: vec![numbered(1, &"(".repeat(SIZE))],
                language: None,
            },
        ),
        (
            "search in one file",
            matches(vec![FileMatches {
                path: "a".into(),
                matches: (1..).zip(lines.lines()).map(|(at, line)| found(at, line)).collect(),
            }]),
        ),
        (
            "search in many files",
            matches(
                lines.lines().map(|line| FileMatches { path: line.into(), matches: vec![found(1, "x")] }).collect(),
            ),
        ),
        (
            "web",
            Card::Web {
                title: "Search".into(),
                results: WebResults::Search {
                    sources: vec![source; 8_000],
                    answer: Some(lines.clone()),
                    truncated: true,
                },
            },
        ),
        ("generic of text", generic(None, vec![ContentBlock::text(lines.clone())], Vec::new())),
        ("generic of fences", generic(None, vec![ContentBlock::text("```rs\n(\n```\n".repeat(SIZE / 48))], Vec::new())),
        ("generic of blocks", generic(None, vec![ContentBlock::text("x\n".repeat(500)); SIZE / 1_000], Vec::new())),
        (
            "generic of input",
            generic(Some(json!({ "lines": lines.lines().collect::<Vec<_>>() })), Vec::new(), Vec::new()),
        ),
        (
            "generic of places",
            generic(None, Vec::new(), vec![Location { path: "a".repeat(100), line: None }; SIZE / 100]),
        ),
        (
            "title",
            Card::Web {
                title: "long ".repeat(SIZE / 5),
                results: WebResults::Fetch { url: "x".repeat(SIZE), status: 200, truncated: false },
            },
        ),
        ("title of many lines", command(String::new()).with_title("a\n".repeat(SIZE / 16))),
    ]
}

trait WithTitle {
    fn with_title(self, title: String) -> Self;
}

impl WithTitle for Card {
    fn with_title(mut self, text: String) -> Self {
        if let Self::Terminal { title, .. } = &mut self {
            *title = text;
        }
        self
    }
}

#[test]
fn ten_megabytes_are_a_screen_or_some() {
    for (name, card) in long_cards() {
        let drawn = draw(&card, None, &terminal(80, true));
        let rows = text_of(&drawn).lines().count();
        // Of many items 20 are drawn, each of which may be folded.
        assert!(rows <= 20 * 50, "{name} takes {rows} rows");
        assert!(drawn.contains("not shown") || drawn.contains("more bytes"), "{name} says that something is missing");
        assert!(drawn.len() < 200_000, "{name} takes {} bytes", drawn.len());
    }
}

#[test]
fn asked_for_all_of_it_nothing_is_missing() {
    let card = command(long_lines());
    let full = Screen { fold: None, ..terminal(80, false) };
    assert_eq!(draw(&card, None, &full).lines().count(), long_lines().lines().count() + 3);
    let pipe = draw(&card, None, &Screen::plain());
    assert!(pipe.contains(&long_lines()), "each line is in the pipe");
}

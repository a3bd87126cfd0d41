//! Cards to draw.

use fumehood::{
    Bytes, Card, ContentBlock, EmbeddedResource, ExitStatus, FileDiff, FileMatches, LineMatch, Location, NumberedLine,
    ResourceBody, SearchResults, ToolKind, WebResults, WebSource,
};
use serde_json::json;

/// How often a text is drawn of each card of [`of_text`]: each field once, but for the language of a file, which chooses
/// colours; the file's path, which its title holds; and the address of a fetched page.
pub(super) const TEXTS: [usize; 9] = [15, 4, 4, 4, 2, 3, 2, 6, 2];

/// Each card, whose every text is this one.
pub(super) fn of_text(text: &str) -> Vec<Card> {
    let title = || text.to_owned();
    vec![
        Card::Generic {
            title: title(),
            kind: Some(ToolKind::Other),
            input: Some(json!({ text: [text] })),
            body: blocks(text),
            locations: vec![Location { path: title(), line: Some(7) }],
        },
        Card::Terminal {
            title: title(),
            description: Some(title()),
            cwd: Some(title()),
            // Its colours are taken out.
            output: title(),
            exit: None,
            timed_out: true,
        },
        Card::Terminal {
            title: title(),
            description: None,
            cwd: None,
            output: format!("{text}\n{text}"),
            exit: Some(ExitStatus::Signal(title())),
            timed_out: false,
        },
        Card::Diff {
            title: title(),
            diffs: vec![FileDiff { path: title(), old: Some(format!("{text}\n")), new: format!("{text} b\n") }],
        },
        Card::Diff {
            title: title(),
            diffs: vec![FileDiff { path: format!("{text}.rs"), old: None, new: String::new() }],
        },
        Card::Read {
            title: title(),
            path: format!("{text}.rs"),
            offset: 1,
            lines: vec![NumberedLine { number: 1, text: title() }],
            total_lines: 1,
            language: Some(title()),
        },
        Card::Search {
            title: title(),
            results: SearchResults::Paths { paths: vec![title()], truncated: false, total: 1 },
        },
        Card::Web {
            title: title(),
            results: WebResults::Search {
                sources: vec![WebSource {
                    url: format!("https://example.com/{text}"),
                    title: Some(title()),
                    snippet: Some(title()),
                    published: Some(title()),
                }],
                answer: Some(title()),
                truncated: true,
            },
        },
        Card::Web {
            title: title(),
            results: WebResults::Fetch { url: format!("https://{text}"), status: 200, truncated: true },
        },
    ]
}

/// Each block, whose every text is this one.
pub(super) fn blocks(text: &str) -> Vec<ContentBlock> {
    let of = || text.to_owned();
    let resource = |body| ContentBlock::Resource {
        resource: EmbeddedResource { uri: of(), mime_type: Some(of()), body },
        annotations: None,
    };
    vec![
        ContentBlock::text(text),
        ContentBlock::text(format!("```rust\n{text}\n```\n")),
        ContentBlock::Image { data: Bytes(vec![0; 1234]), mime_type: of(), annotations: None },
        ContentBlock::ResourceLink {
            uri: of(),
            name: of(),
            title: None,
            description: Some(of()),
            mime_type: None,
            size: Some(1),
            annotations: None,
        },
        resource(ResourceBody::Text(of())),
        resource(ResourceBody::Blob(Bytes(vec![0]))),
    ]
}

const CODE: &str = "use std::io;\n\n/// Says how much.\nfn count(text: &str) -> usize {\n    // Not bytes: 漢字 are two.\n    \
                    text.chars().filter(|c| !c.is_whitespace()).count() + 0\n}\n";

/// Cards as tools make them, by name.
pub(super) fn named() -> Vec<(&'static str, Card)> {
    let terminal = |title: &str, output: &str, exit: Option<ExitStatus>, timed_out: bool| Card::Terminal {
        title: title.into(),
        description: Some("Run the tests of one package".into()),
        cwd: Some("/work".into()),
        output: output.into(),
        exit,
        timed_out,
    };
    let read = CODE.lines().enumerate();
    let read = read.map(|(at, text)| NumberedLine { number: at as u64 + 98, text: text.into() }).collect();
    vec![
        ("generic", generic()),
        (
            "terminal",
            terminal(
                "cargo test \\\n  --package count",
                "running 2 tests\n\ntest a ... ok\ntest b ... \x1b[32mok\x1b[0m\n",
                Some(ExitStatus::Code(0)),
                false,
            ),
        ),
        ("terminal-failed", terminal("make", "make: *** No targets.  Stop.\n", Some(ExitStatus::Code(2)), false)),
        ("terminal-running", terminal("make", "", None, false)),
        ("terminal-timed-out", terminal("sleep 60", "", Some(ExitStatus::Signal("SIGKILL".into())), true)),
        ("diff", diff()),
        (
            "read",
            Card::Read {
                title: "Read src/count.rs".into(),
                path: "src/count.rs".into(),
                offset: 98,
                lines: read,
                total_lines: 1204,
                language: None,
            },
        ),
        ("search", matches()),
        (
            "search-paths",
            Card::Search {
                title: "Files named *.rs".into(),
                results: SearchResults::Paths {
                    paths: vec!["src/count.rs".into(), "src/漢字.rs".into()],
                    truncated: false,
                    total: 2,
                },
            },
        ),
        (
            "search-nothing",
            Card::Search {
                title: "Grep nothing".into(),
                results: SearchResults::Matches { files: Vec::new(), truncated: false, total: 0 },
            },
        ),
        ("web-search", web()),
        (
            "web-fetch",
            Card::Web {
                title: "Fetch a page".into(),
                results: WebResults::Fetch { url: "https://example.com/a?b=c".into(), status: 404, truncated: true },
            },
        ),
    ]
}

pub(super) fn all() -> Vec<Card> {
    named().into_iter().map(|(_, card)| card).collect()
}

fn generic() -> Card {
    Card::Generic {
        title: "Word count: 6".into(),
        kind: Some(ToolKind::Read),
        input: Some(json!({ "text": "to be or not to be", "limits": [1, -2.5e3, null, true] })),
        body: vec![
            ContentBlock::text(format!(
                "1 line, 6 words, 18 characters, 18 bytes; the longest word is “not”, and this is long enough to be \
                 wrapped.\n\n```rust\n{CODE}```\n"
            )),
            ContentBlock::Image { data: Bytes(vec![0; 12_345]), mime_type: "image/png".into(), annotations: None },
            ContentBlock::ResourceLink {
                uri: "https://example.com/report".into(),
                name: "report".into(),
                title: Some("The report".into()),
                description: Some("All that was counted.".into()),
                mime_type: Some("text/html".into()),
                size: Some(2_048),
                annotations: None,
            },
            ContentBlock::ResourceLink {
                uri: "javascript:alert(1)".into(),
                name: "not a link".into(),
                title: None,
                description: None,
                mime_type: None,
                size: None,
                annotations: None,
            },
            ContentBlock::Resource {
                resource: EmbeddedResource {
                    uri: "file:///count.json".into(),
                    mime_type: Some("application/json".into()),
                    body: ResourceBody::Text("{ \"words\": 6 }\n".into()),
                },
                annotations: None,
            },
        ],
        locations: vec![Location { path: "notes/to-be.txt".into(), line: Some(3) }],
    }
}

fn diff() -> Card {
    let new = CODE.replace("count() + 0", "count()").replace("Says how much.", "How many characters are seen.\r");
    Card::Diff {
        title: "Edit two files".into(),
        diffs: vec![
            FileDiff {
                path: "src/count.rs".into(),
                old: Some(CODE.into()),
                new: format!("{new}\nconst LAST: u8 = 1;"),
            },
            FileDiff { path: "src/new.rs".into(), old: None, new: "fn main() {\n    println!(\"new\");\n}\n".into() },
        ],
    }
}

fn matches() -> Card {
    let found = |line_number, line: &str| LineMatch { line_number, line: line.into() };
    Card::Search {
        title: "Grep fn".into(),
        results: SearchResults::Matches {
            files: vec![
                FileMatches {
                    path: "src/count.rs".into(),
                    matches: vec![found(4, "fn count(text: &str) -> usize {"), found(1204, "\tfn last() {}")],
                },
                FileMatches {
                    path: "src/漢字.rs".into(),
                    matches: vec![found(1, "fn 漢字() { /* 漢字漢字漢字漢字漢字漢字 */ }")],
                },
            ],
            truncated: true,
            total: 1_234,
        },
    }
}

fn web() -> Card {
    let source = |url: &str, title: Option<&str>, snippet: Option<&str>| WebSource {
        url: url.into(),
        title: title.map(str::to_owned),
        snippet: snippet.map(str::to_owned),
        published: title.map(|_| "2026-03-01".to_owned()),
    };
    Card::Web {
        title: "Search the web for component model".into(),
        results: WebResults::Search {
            sources: vec![
                source(
                    "https://component-model.bytecodealliance.org/introduction.html",
                    Some("The WebAssembly Component Model"),
                    Some("An introduction, and what components, worlds and interfaces are."),
                ),
                source("https://user@evil.example/", None, None),
            ],
            answer: Some("A component is a WebAssembly binary that says in WIT what it imports and exports.".into()),
            truncated: false,
        },
    }
}

//! `docs/tool-authors/refused.md` knows every rule and every code, quotes what is said, and gives examples that are true.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fumehood::{Finding, LimitName, Manifest, Package, Schema, Severity, Use};
use serde_json::{Value, json};

use super::repository;

fn page() -> String {
    std::fs::read_to_string(repository().join("docs/tool-authors/refused.md")).unwrap()
}

/// The library's code, and that of the crate for tools: each file's path from its root, and its text as it is printed.
struct Sources {
    host: Vec<(String, String)>,
    kit: Vec<(String, String)>,
}

impl Sources {
    fn read() -> Self {
        let root = repository();
        let (mut host, mut kit) = (Vec::new(), Vec::new());
        read(&root.join("host/src"), "", &mut host);
        read(&root.join("wit/bindings/rust/src"), "", &mut kit);
        assert!(host.len() > 100 && kit.len() > 10, "{} and {} files", host.len(), kit.len());
        Self { host, kit }
    }

    /// What is written like a rule, by name: the parts of the library that have it.
    fn rules(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut rules: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (path, text) in &self.host {
            for rule in literals(text).filter(|literal| is_rule(literal)) {
                rules.entry(rule).or_default().insert(part(path));
            }
        }
        rules
    }

    fn of_host(&self, path: &str) -> &str {
        &self.host.iter().find(|(known, _)| known == path).unwrap_or_else(|| panic!("no host/src/{path}")).1
    }
}

/// All but the tests, whose rules are expectations.
fn read(folder: &Path, at: &str, into: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if at.is_empty() { name.clone() } else { format!("{at}/{name}") };
        if entry.file_type().unwrap().is_dir() {
            if name != "tests" {
                read(&entry.path(), &path, into);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            into.push((path, printed(code)));
        }
    }
}

/// Source text with string literals as they are printed: lines that go on joined, quotes and braces without their escapes.
fn printed(code: &str) -> String {
    let mut joined = String::new();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        match joined.strip_suffix('\\').map(str::len) {
            Some(length) => {
                joined.truncate(length);
                joined.push_str(line.trim_start());
            }
            None => {
                joined.push('\n');
                joined.push_str(line);
            }
        }
    }
    joined.replace("{{", "{").replace("}}", "}").replace("\\\"", "\"")
}

/// What stands between two quotes, and by that every string literal that holds none.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('"').filter_map(|(at, _)| text[at + 1..].split_once('"')).map(|(literal, _)| literal)
}

/// The module of a file: `manifest` for `manifest/walk.rs`.
fn part(path: &str) -> &str {
    path.split(['/', '.']).next().unwrap()
}

/// Areas of names that are written like rules: media types, methods and keys of the Model Context Protocol, and the checks
/// of the conformance kit, which have a page of their own.
const OTHER_AREAS: [&str; 10] = [
    "application",
    "audio",
    "check",
    "fumehood",
    "image",
    "notifications",
    "resources",
    "server",
    "subscriptions",
    "tools",
];
const OTHER_TEXTS: [&str; 4] = ["text/css", "text/event-stream", "text/html", "text/plain"];

fn is_rule(literal: &str) -> bool {
    let Some((area, name)) = literal.split_once('/') else { return false };
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !area.is_empty()
        && !name.is_empty()
        && area.bytes().all(|byte| byte.is_ascii_lowercase())
        && name.bytes().all(plain)
        && !OTHER_AREAS.contains(&area)
        && !OTHER_TEXTS.contains(&literal)
}

/// `INVALID_ARGS`: the codes of a call, from the one function that spells them, and those of the crate for tools.
fn codes(sources: &Sources) -> BTreeSet<&str> {
    let spelled =
        sources.of_host("outcome.rs").split("as_str(self)").nth(2).unwrap().split("kind(self)").next().unwrap();
    let of_host =
        literals(spelled).filter(|literal| literal.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'));
    let kit = sources.kit.iter().flat_map(|(_, text)| text.split("Code::new(\"").skip(1));
    let codes: BTreeSet<_> = of_host.chain(kit.filter_map(|rest| rest.split('"').next())).collect();
    assert!(codes.contains("TOOL_TRAPPED") && codes.contains("BAD_VALUE") && codes.len() > 12, "{codes:?}");
    codes
}

/// A row of a table that quotes messages.
struct Row<'a> {
    first: &'a str,
    quotes: Vec<&'a str>,
    line: &'a str,
}

fn rows(page: &str) -> Vec<Row<'_>> {
    let (mut rows, mut says) = (Vec::new(), None);
    for line in page.lines() {
        if !line.starts_with('|') {
            says = None;
            continue;
        }
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        match says {
            None => says = Some(cells.iter().position(|cell| *cell == "it says")),
            Some(Some(column)) if !line.starts_with("|---") => {
                let quotes = spans(cells.get(column).unwrap_or_else(|| panic!("no message: {line}")));
                assert!(!quotes.is_empty(), "no message: {line}");
                rows.push(Row { first: cells[0], quotes, line });
            }
            Some(_) => {}
        }
    }
    assert!(rows.len() > 150, "{} rows", rows.len());
    rows
}

/// The code spans of a cell: as many backticks as open one close it.
fn spans(mut text: &str) -> Vec<&str> {
    let mut spans = Vec::new();
    while let Some(start) = text.find('`') {
        text = &text[start..];
        let fence = &text[..text.len() - text.trim_start_matches('`').len()];
        text = &text[fence.len()..];
        let mut runs = text.match_indices(fence);
        let closes = |at: usize| !text[..at].ends_with('`') && !text[at + fence.len()..].starts_with('`');
        let Some((end, _)) = runs.find(|(at, _)| closes(*at)) else { panic!("a code span that does not end: {text}") };
        spans.push(text[..end].trim());
        text = &text[end + fence.len()..];
    }
    spans
}

/// The anchors that are written out, with what follows each.
fn anchors(page: &str) -> Vec<(&str, &str)> {
    page.split("<a id=\"").skip(1).map(|rest| rest.split_once("\"></a>").unwrap()).collect()
}

#[test]
fn every_rule_has_a_row_and_every_row_a_rule() {
    let (page, sources) = (page(), Sources::read());
    let mut listed = BTreeSet::new();
    for (anchor, rest) in anchors(&page) {
        let Some(name) = rest.strip_prefix('`').and_then(|rest| rest.split('`').next()) else { continue };
        if name.contains('/') {
            assert_eq!(anchor, name.replace('/', "-"));
            assert!(listed.insert(name), "{name} stands there twice");
        }
    }
    let rules: BTreeSet<_> = sources.rules().into_keys().collect();
    assert!(rules.len() > 100, "{rules:?}");
    let missing: Vec<_> = rules.difference(&listed).collect();
    assert!(missing.is_empty(), "docs/tool-authors/refused.md says nothing of {missing:?}");
    let unknown: Vec<_> = listed.difference(&rules).collect();
    assert!(unknown.is_empty(), "docs/tool-authors/refused.md has rules that there are not: {unknown:?}");
}

#[test]
fn every_code_has_a_place() {
    let (page, sources) = (page(), Sources::read());
    let mut listed = BTreeSet::new();
    for (anchor, rest) in anchors(&page) {
        let name = rest.trim_start_matches('`').split(['`', '\n']).next().unwrap();
        if !name.contains('/') {
            assert_eq!(anchor, name.to_lowercase().replace('_', "-"));
            assert!(listed.insert(name), "{name} stands there twice");
        }
    }
    assert_eq!(listed, codes(&sources));
}

#[test]
fn every_limit_is_named() {
    let page = page();
    for name in LimitName::ALL {
        assert!(page.contains(&format!("`{}`", name.key())), "{}", name.key());
    }
}

/// How far apart two pieces of one message may stand in the source: the arguments of a long format string lie between.
const APART: usize = 200;

/// Whether a quotation occurs: its pieces, `…` standing for whatever a message fills in, one after the other.
fn occurs(quote: &str, text: &str) -> bool {
    let mut pieces = quote.split('…').map(str::trim).filter(|piece| !piece.is_empty());
    let Some(first) = pieces.next() else { return false };
    let pieces: Vec<_> = pieces.collect();
    text.match_indices(first).any(|(at, _)| {
        let mut rest = &text[at + first.len()..];
        pieces.iter().all(|piece| {
            let near = &rest[..rest.floor_char_boundary(APART.min(rest.len()))];
            near.find(piece).map(|found| rest = &rest[found + piece.len()..]).is_some()
        })
    })
}

#[test]
fn what_is_quoted_is_what_is_said() {
    let (page, sources) = (page(), Sources::read());
    let rules = sources.rules();
    let mut wrong = Vec::new();
    for Row { first, quotes, line } in rows(&page) {
        let rule = first.strip_prefix("<a id=\"").and_then(|rest| rest.split('`').nth(1));
        let parts = rule.and_then(|rule| rules.get(rule));
        for (index, quote) in quotes.iter().enumerate() {
            assert!(quote.replace('…', "").trim().len() >= 7, "too short to be found: {line}");
            // A rule's message stands where the rule does.
            let near = |path: &str| index > 0 || parts.is_none_or(|parts| parts.contains(part(path)));
            let host = sources.host.iter().any(|(path, text)| near(path) && occurs(quote, text));
            let kit = parts.is_none() && sources.kit.iter().any(|(_, text)| occurs(quote, text));
            if !host && !kit {
                wrong.push(format!("{}: {quote}", rule.unwrap_or("-")));
            }
        }
    }
    assert!(wrong.is_empty(), "nothing says:\n{}", wrong.join("\n"));
}

#[test]
fn a_quotation_has_to_be_there() {
    let check = |quote: &str, expect: bool| {
        let text = printed("format!(\n    \"there is no {} here, \\\n     of {{all}}\"\n)");
        assert_eq!(occurs(quote, &text), expect, "{quote}");
    };
    check("there is no … here", true);
    check("here, of {all}", true);
    check("there is no tool here", false);
    check("here … there is no", false);
    check("…", false);
    assert_eq!(spans("`a b` · `` c `d` `` and `e`"), ["a b", "c `d`", "e"]);
}

#[test]
fn whatever_is_no_component_is_listed() {
    let (page, sources) = (page(), Sources::read());
    let text = sources.of_host("component.rs");
    let errors = text.split("pub enum ComponentError").nth(1).unwrap().split("\n}").next().unwrap();
    let quotes: Vec<_> = rows(&page).into_iter().flat_map(|row| row.quotes).collect();
    let messages: Vec<_> = errors.split("#[error(").skip(1).map(|rest| literals(rest).next().unwrap()).collect();
    assert!(messages.len() > 7, "{messages:?}");
    for message in messages {
        assert!(quotes.iter().any(|quote| message.starts_with(quote)), "not listed: {message}");
    }
}

#[test]
fn every_rule_of_a_projection_is_listed() {
    let (page, sources) = (page(), Sources::read());
    let quotes: Vec<_> = rows(&page).into_iter().flat_map(|row| row.quotes).collect();
    let rules: BTreeSet<_> = literals(sources.of_host("sandbox/convert.rs"))
        .filter(|literal| ["is ", "does "].iter().any(|begin| literal.starts_with(begin)) && !literal.contains('\n'))
        .collect();
    assert!(rules.len() > 10, "{rules:?}");
    for rule in rules {
        assert!(quotes.contains(&rule), "not listed: {rule}");
    }
}

/// The fenced blocks of a language, each with the word after it.
fn examples<'a>(page: &'a str, language: &str) -> Vec<(&'a str, &'a str)> {
    let fence = format!("\n```{language}");
    let blocks = page.split(&fence as &str).skip(1);
    blocks
        .map(|rest| rest.split_once('\n').unwrap())
        .map(|(word, rest)| (word.trim(), rest.split("\n```").next().unwrap()))
        .collect()
}

fn refusals(schema: &Value) -> Vec<&'static str> {
    let findings: Vec<Finding> = Schema::admit(schema, Use::Output).err().unwrap_or_default();
    findings.iter().filter(|finding| finding.severity == Severity::Refusal).map(|finding| finding.rule).collect()
}

#[test]
fn examples_are_refused_and_what_to_write_instead_is_not() {
    let page = page();
    let mut seen = 0;
    for (word, text) in examples(&page, "json") {
        seen += 1;
        let json: Value = serde_json::from_str(text).unwrap();
        match word {
            "capabilities" => {
                let schema = json!({ "type": "object" });
                let tool = json!({ "name": "a", "description": "a", "inputSchema": schema, "outputSchema": schema });
                let manifest = json!({ "name": "a", "version": "0.1.0", "description": "a", "tools": [tool], "capabilities": json });
                let manifest = Manifest::parse(manifest.to_string().as_bytes()).unwrap();
                assert!(manifest.capabilities.len() > 7, "one of each");
            }
            "instead" => assert_eq!(refusals(&json), [""; 0], "{text}"),
            rule => assert_eq!(refusals(&json), [rule], "{text}"),
        }
    }
    assert!(seen > 8, "{seen} examples");
    for (_, text) in examples(&page, "toml") {
        Package::from_cargo(text).unwrap();
    }
}

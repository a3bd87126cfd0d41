//! Code in colours: the grammars of Sublime Text, as `syntect` carries them, and what their scopes are drawn with.

mod aside;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::canvas::Ink;
use aside::Aside;

/// A line in parts, each up to a byte of it.
pub(super) type Parts = Vec<(usize, Ink)>;

/// Bytes of a line that is highlighted: grammars look ahead from each position, so that a line takes time that grows at
/// least with the square of its length. Lines that people write are shorter.
const MOST_LINE: usize = 500;

/// How much code of one card is highlighted. What is past it is drawn plain.
#[derive(Debug)]
pub(super) struct Budget {
    lines: usize,
    bytes: usize,
    patience: Duration,
    /// When it is over, from its first use on.
    until: Option<Instant>,
}

impl Budget {
    /// Far more than a folded card shows: what comes before a line says what it is.
    pub(super) const fn of_a_card(patience: Duration) -> Self {
        Self { lines: 1_000, bytes: 64 << 10, patience, until: None }
    }

    /// The first lines, as many as are within it. What is spent stays spent.
    fn take<'l>(&mut self, lines: impl IntoIterator<Item = &'l str>) -> Vec<String> {
        let within = |line: &&str| {
            let bytes = line.len().min(MOST_LINE);
            let enough = self.lines > 0 && self.bytes >= bytes;
            self.lines = if enough { self.lines - 1 } else { 0 };
            self.bytes = self.bytes.saturating_sub(bytes);
            enough
        };
        // Of a line that is too long, nothing is looked at.
        let short = |line: &str| if line.len() > MOST_LINE { String::new() } else { format!("{line}\n") };
        lines.into_iter().take_while(within).map(short).collect()
    }

    fn until(&mut self) -> Instant {
        *self.until.get_or_insert_with(|| Instant::now() + self.patience)
    }
}

static ASIDE: Aside = Aside::new();

/// Unpacking them takes some milliseconds: once, and only where code is drawn in colour.
static GRAMMARS: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// Scopes by their beginning, the more special first, as Sublime Text names them
/// (<https://www.sublimetext.com/docs/scope_naming.html>).
static INKS: LazyLock<Vec<(Scope, Ink)>> = LazyLock::new(|| {
    [
        ("comment", Ink::Faint),
        ("string", Ink::Quoted),
        ("constant", Ink::Constant),
        ("keyword.operator", Ink::Plain),
        ("keyword", Ink::Keyword),
        ("storage", Ink::Keyword),
        ("entity.name.tag", Ink::Keyword),
        ("entity.name", Ink::Name),
        ("entity.other.attribute-name", Ink::Constant),
        ("support.type", Ink::Constant),
        ("variable.language", Ink::Constant),
        ("markup.heading", Ink::Name),
        ("markup.bold", Ink::Name),
        ("markup.raw", Ink::Quoted),
    ]
    .into_iter()
    .filter_map(|(name, ink)| Some((Scope::new(name).ok()?, ink)))
    .collect()
});

/// The parts of the first lines, as many as the budget allows. `name`: of a language, a file, or an address. Unknown: none.
pub(super) fn highlight<'l>(name: &str, lines: impl IntoIterator<Item = &'l str>, budget: &mut Budget) -> Vec<Parts> {
    let Some(grammar) = grammar(name) else {
        return Vec::new();
    };
    let lines = budget.take(lines);
    if lines.is_empty() {
        return Vec::new();
    }
    ASIDE.collect(budget.until(), move |give| {
        let (mut state, mut scopes) = (ParseState::new(grammar), ScopeStack::new());
        lines.iter().try_for_each(|line| give(line_parts(line, &mut state, &mut scopes)));
    })
}

/// `line`: with its line feed, or empty where it is not looked at.
fn line_parts(line: &str, state: &mut ParseState, scopes: &mut ScopeStack) -> Parts {
    let mut parts = Parts::new();
    let Some(text) = line.strip_suffix('\n') else {
        return parts;
    };
    for (end, operation) in state.parse_line(line, &GRAMMARS).unwrap_or_default() {
        // Up to the operation, the scopes before it hold.
        push(&mut parts, end.min(text.len()), ink(scopes));
        if scopes.apply(&operation).is_err() {
            return Parts::new();
        }
    }
    push(&mut parts, text.len(), ink(scopes));
    parts
}

fn push(parts: &mut Parts, end: usize, ink: Ink) {
    match parts.last_mut() {
        Some((last, _)) if *last >= end => {}
        Some((last, same)) if *same == ink => *last = end,
        _ if end > 0 => parts.push((end, ink)),
        _ => {}
    }
}

/// The innermost scope that is drawn in a way of its own.
fn ink(scopes: &ScopeStack) -> Ink {
    let of = |scope: &Scope| INKS.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, ink)| *ink);
    scopes.as_slice().iter().rev().find_map(of).unwrap_or_default()
}

fn grammar(name: &str) -> Option<&'static SyntaxReference> {
    // A language name or an extension is short; a path is judged by its last part.
    let file = name.rsplit(['/', '\\']).next()?;
    let extension = file.rsplit('.').next()?.to_ascii_lowercase();
    let known = match extension.as_str() {
        // Near enough: there is no grammar for them here.
        "typescript" | "ts" | "tsx" | "jsx" | "mjs" | "cjs" | "mts" | "cts" => "js",
        "jsonc" | "json5" | "jsonl" => "json",
        "shell" | "console" => "sh",
        "" => return None,
        other => other,
    };
    if known.len() > 64 {
        return None;
    }
    let plain = |grammar: &&SyntaxReference| grammar.name != "Plain Text";
    GRAMMARS.find_syntax_by_token(file).or_else(|| GRAMMARS.find_syntax_by_token(known)).filter(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Budget {
        Budget::of_a_card(Duration::from_secs(600))
    }

    fn inks(name: &str, line: &str) -> Vec<(String, Ink)> {
        let mut from = 0;
        let parts = highlight(name, [line], &mut whole());
        let parts = parts.first().cloned().unwrap_or_default();
        let text = |(end, ink)| (line[std::mem::replace(&mut from, end)..end].to_owned(), ink);
        parts.into_iter().map(text).filter(|(text, _)| !text.trim().is_empty()).collect()
    }

    #[test]
    fn a_language_a_file_or_an_extension_names_a_grammar() {
        for name in ["rust", "Rust", "rs", "src/main.rs", "file:///src/main.rs", "C:\\src\\main.rs"] {
            assert_eq!(grammar(name).map(|grammar| grammar.name.as_str()), Some("Rust"), "{name}");
        }
        for name in ["", "txt", "no-such-language", "src/", "...", "a.\u{1b}[31m"] {
            assert_eq!(grammar(name).map(|grammar| grammar.name.as_str()), None, "{name}");
        }
        assert_eq!(grammar("a.ts").map(|grammar| grammar.name.as_str()), Some("JavaScript"));
        assert_eq!(grammar("Makefile").map(|grammar| grammar.name.as_str()), Some("Makefile"));
    }

    #[test]
    fn scopes_become_inks() {
        let drawn = inks("rs", "fn main() { let a = \"b\"; } // c");
        let has = |text: &str, ink: Ink| assert!(drawn.iter().any(|one| *one == (text.into(), ink)), "{drawn:?}");
        has("fn", Ink::Keyword);
        has("main", Ink::Name);
        has("\"b\"", Ink::Quoted);
        has("// c", Ink::Faint);
    }

    #[test]
    fn a_string_of_several_lines_is_one() {
        let parts = highlight("py", ["a = '''", "b", "'''"], &mut whole());
        assert_eq!(parts[1], [(1, Ink::Quoted)]);
    }

    #[test]
    fn what_is_past_the_budget_is_plain() {
        let mut budget = Budget { lines: 3, bytes: 20, ..whole() };
        assert_eq!(highlight("rs", ["fn a", "fn b", "fn c", "fn d"], &mut budget).len(), 3);
        assert_eq!(highlight("rs", ["fn e"], &mut budget).len(), 0);
        let mut budget = Budget { lines: 9, bytes: 6, ..whole() };
        assert_eq!(highlight("rs", ["fn a", "fn b", "x"], &mut budget).len(), 1);
        let long = format!("fn {}", "a".repeat(MOST_LINE));
        let parts = highlight("rs", [long.as_str(), "fn a"], &mut whole());
        assert!(parts[0].is_empty() && !parts[1].is_empty(), "{parts:?}");
    }
}

//! Strings: what people write, what breaks those who print it, and what the schema demands of it.

use std::sync::LazyLock;

use base64::Engine as _;
use serde_json::Value;

use super::Purpose;
use super::format;
use super::hand::{Hand, How, Stuck};
use super::shape::Shape;

/// What people write.
const PLAIN: &[&str] = &[
    "a",
    "word",
    "Hello, world",
    "main",
    "src/lib.rs",
    "The quick brown fox jumps over the lazy dog.",
    "one\ntwo\nthree",
    "https://example.org/a?b=c&d=e#f",
    "2024-02-29",
    "42",
];

/// What breaks those who print, count, cut, quote or nest it.
const NASTY: &[&str] = &[
    " ",
    "\n",
    "\r\n",
    "tab\tand\u{b}\u{c}",
    "trailing \n\n\n",
    // Controls: C0, delete, C1, and what a terminal would obey.
    "\0",
    "a\0b",
    "\u{1}\u{8}\u{7f}\u{85}\u{9b}31m",
    "\u{1b}[31mred\u{1b}[0m\u{1b}[2J",
    "\u{1b}]0;title\u{7}",
    // What reorders and hides text.
    "\u{202e}gpj.exe",
    "\u{2066}\u{2067}isolated\u{2069}",
    "zero\u{200b}width\u{200d}\u{2060}",
    "\u{feff}mark",
    "a\u{2028}b\u{2029}c",
    // More than one code point to a character, more than one UTF-16 unit to a code point.
    "e\u{301}a\u{300}\u{301}\u{302}\u{303}",
    "\u{301}begins with a mark",
    "👩‍👩‍👧‍👦 🇩🇪 🏳️‍🌈",
    "𝒳𝒴𝒵",
    "\u{10ffff}\u{fffe}\u{ffff}\u{fdd0}",
    // Changes its length with its case.
    "İıſßΐﬃ",
    "日本語のテキスト",
    "مرحبا بالعالم",
    "﷽",
    // Quotes and escapes.
    "\"double\" 'single' `back`",
    "back\\slash \\n \\u0000 \\",
    "%s %n {} {0} ${x} $(id) `id`",
    "</script><script>alert(1)</script>",
    "<!-- ]]> &amp; &#0;",
    "'; DROP TABLE t; --",
    // Markdown.
    "# Heading\n\n* item\n  * item\n\n```\ncode\n```",
    "```",
    "[link](javascript:alert(1)) ![image](https://example.org/x.png)",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "---\nkey: value\n---",
    // Paths.
    "../../etc/passwd",
    "C:\\Windows\\System32",
    "/",
    // Texts that read as something else.
    "null",
    "true",
    "NaN",
    "-0",
    "1e999",
    "{\"a\":1}",
    "[]",
];

/// Kilobytes: one very long word, many lines, many marks on one letter, deep brackets, wide characters, a wide table.
static LONG: LazyLock<Vec<String>> = LazyLock::new(|| {
    vec![
        "w".repeat(5_000),
        "line of text\n".repeat(400),
        "\n".repeat(3_000),
        format!("a{}", "\u{301}".repeat(1_500)),
        format!("{}{}", "[".repeat(1_000), "]".repeat(1_000)),
        "漢字".repeat(800),
        "👍".repeat(1_000),
        format!("{}\n", "| cell ".repeat(300)).repeat(2),
        "> ".repeat(1_500),
        "\0".repeat(1_024),
    ]
});

/// Names that surprise those who index by them, print them or write them into a pointer.
const NAMES: &[&str] = &[
    "extra",
    "x",
    "0",
    "",
    "a b",
    "a/b~c",
    "é",
    "__proto__",
    "constructor",
    "toString",
    "$ref",
    "type",
    "日本語",
    "\u{1b}[1m",
    "\"",
    "a.b",
    "\n",
];

/// The longest string drawn because the schema names its length.
const LONGEST: usize = 8 << 10;

/// Tries at a string that fits all of several rules.
const TRIES: usize = 24;

pub(super) fn text<'a>(shape: &Shape<'a>, hand: &mut Hand<'a>) -> Result<String, Stuck> {
    let least = shape.at_least("minLength");
    let most = shape.at_most("maxLength").unwrap_or(usize::MAX);
    if least > most || least > LONGEST {
        let why = format!("a string there has to be {least} characters long, which is more than are allowed or drawn");
        return Err(hand.stuck(shape.at, why));
    }
    let patterns: Vec<&'a str> = shape.each("pattern").filter_map(Value::as_str).collect();
    let formats: Vec<&'a str> =
        shape.each("format").filter_map(Value::as_str).filter(|format| format::known(format)).collect();
    let base64 = shape.each("contentEncoding").any(|encoding| encoding == "base64")
        && (hand.purpose() == Purpose::Value || !hand.choices.once_in(4));
    for _ in 0..TRIES {
        let drawn = match (formats.first(), patterns.first()) {
            (Some(format), _) => format::draw(format, hand),
            (None, Some(pattern)) => match hand.plan.pattern(pattern).and_then(|it| it.draw(hand, least, most)) {
                Some(drawn) => drawn,
                None => continue,
            },
            (None, None) if base64 => encoded(least, most, hand),
            (None, None) => free(least, most, hand),
        };
        let length = drawn.chars().count();
        let fits = |pattern: &&str| hand.plan.pattern(pattern).is_some_and(|pattern| pattern.matches(&drawn));
        if (least..=most).contains(&length) && patterns.iter().all(fits) {
            hand.text_left = hand.text_left.saturating_sub(length);
            return Ok(drawn);
        }
    }
    let rule = formats.first().copied().map(|format| format!("the format {format:?}"));
    let rule = rule.or_else(|| patterns.first().map(|pattern| format!("the pattern {pattern:?}")));
    Err(hand.stuck(shape.at, format!("no string was found that fits {}", rule.unwrap_or_else(|| "its length".into()))))
}

/// A text that only its length binds.
fn free(least: usize, most: usize, hand: &mut Hand<'_>) -> String {
    if hand.how == How::Least {
        return "a".repeat(least);
    }
    let text = match hand.choices.below(12) {
        0 => String::new(),
        1..4 => hand.choices.one_of(PLAIN).map(ToString::to_string).unwrap_or_default(),
        4..8 => hand.choices.one_of(NASTY).map(ToString::to_string).unwrap_or_default(),
        8 if !hand.short() && hand.text_left > 0 => hand.choices.one_of(&LONG).cloned().unwrap_or_default(),
        9 => format!(
            "{}{}",
            hand.choices.one_of(PLAIN).copied().unwrap_or_default(),
            hand.choices.one_of(NASTY).copied().unwrap_or_default()
        ),
        10 if least > 0 || most <= LONGEST => {
            let length = if hand.choices.once_in(2) && most <= LONGEST { most } else { least };
            return fitted("", length, length);
        }
        _ => (0..hand.choices.below(12)).map(|_| character(hand)).collect(),
    };
    fitted(&text, least, most)
}

/// As much of a text as is allowed, repeated until it is enough.
fn fitted(text: &str, least: usize, most: usize) -> String {
    let length = text.chars().count().clamp(least, most.max(least));
    let alphabet = if text.is_empty() { "abcdefghij" } else { text };
    alphabet.chars().cycle().take(length).collect()
}

/// A character of any plane that UTF-8 has.
fn character(hand: &mut Hand<'_>) -> char {
    let end = [0x80, 0x250, 0x3000, 0xd800, 0x1_f700, 0x11_0000][hand.choices.below(6)];
    u32::try_from(hand.choices.below(end)).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
}

fn encoded(least: usize, most: usize, hand: &mut Hand<'_>) -> String {
    let few = least.div_ceil(4) * 3;
    let many = (most / 4 * 3).min(few + 200);
    let count = if hand.how == How::Least { few } else { few + hand.choices.below(many.saturating_sub(few) + 1) };
    let bytes: Vec<u8> = (0..count).map(|_| u8::try_from(hand.choices.below(256)).unwrap_or(0)).collect();
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// The name of a property that no schema lists.
pub(super) fn name(hand: &mut Hand<'_>) -> String {
    match hand.choices.below(8) {
        0 => (0..hand.choices.below(6)).map(|_| character(hand)).collect(),
        1 => "k".repeat(1 + hand.choices.below(300)),
        2..4 => format!("key{}", hand.choices.below(100)),
        _ => hand.choices.one_of(NAMES).map(ToString::to_string).unwrap_or_default(),
    }
}

/// Text around what an open pattern demands.
pub(super) fn around(hand: &mut Hand<'_>) -> &'static str {
    if hand.how == How::Least || !hand.choices.once_in(3) {
        return "";
    }
    let list = if hand.choices.once_in(2) { PLAIN } else { NASTY };
    hand.choices.one_of(list).copied().unwrap_or_default()
}

//! What the tool knows: plain Rust, tested natively.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// The text to count. It may be empty.
    pub text: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Lines; a newline at the very end starts no further one.
    pub lines: u64,
    /// Runs of characters other than white space.
    pub words: u64,
    /// Unicode scalar values: an accented letter may be one or two.
    pub characters: u64,
    /// Bytes of the UTF-8 encoding.
    pub bytes: u64,
    /// The word with the most characters, the first of equals. Absent where the text has no word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_word: Option<String>,
}

pub fn count(text: &str) -> Counts {
    let mut words = 0;
    let mut longest = ("", 0);
    for word in text.split_whitespace() {
        words += 1;
        // A word has at most as many characters as bytes: most need no second look.
        if word.len() > longest.1 {
            let characters = word.chars().count();
            if characters > longest.1 {
                longest = (word, characters);
            }
        }
    }
    Counts {
        lines: text.lines().count() as u64,
        words,
        characters: text.chars().count() as u64,
        bytes: text.len() as u64,
        longest_word: (words > 0).then(|| longest.0.to_owned()),
    }
}

/// One sentence for a model. A long word is cut here and not in the value: the value stays whole.
pub fn sentence(counts: &Counts) -> String {
    let mut text = format!(
        "{}, {}, {}, {}",
        quantity(counts.lines, "line"),
        quantity(counts.words, "word"),
        quantity(counts.characters, "character"),
        quantity(counts.bytes, "byte")
    );
    if let Some(word) = &counts.longest_word {
        /// A line of a terminal, less the words around it.
        const SHOWN: usize = 60;
        let (shown, dots) = match word.char_indices().nth(SHOWN) {
            Some((end, _)) => (&word[..end], "…"),
            None => (word.as_str(), ""),
        };
        text += &format!("; longest word: {shown}{dots}");
    }
    text + "."
}

fn quantity(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: (u64, u64, u64, u64, Option<&str>)) {
        let (lines, words, characters, bytes, longest) = expect;
        let expect = Counts { lines, words, characters, bytes, longest_word: longest.map(str::to_owned) };
        assert_eq!(count(text), expect, "{text:?}");
    }

    #[test]
    fn counts() {
        check("", (0, 0, 0, 0, None));
        check("\n", (1, 0, 1, 1, None));
        check("one", (1, 1, 3, 3, Some("one")));
        check("one two\nthree\n", (2, 3, 14, 14, Some("three")));
        check("one\r\n\r\ntwo", (3, 2, 10, 10, Some("one")));
        // Em space (U+2003) parts words; "ééé" has more bytes than "abcd" and fewer characters.
        check("ééé\u{2003}abcd", (1, 2, 8, 13, Some("abcd")));
    }

    #[test]
    fn sentences() {
        assert_eq!(sentence(&count("")), "0 lines, 0 words, 0 characters, 0 bytes.");
        assert_eq!(sentence(&count("a")), "1 line, 1 word, 1 character, 1 byte; longest word: a.");
        let long = "x".repeat(61);
        assert!(sentence(&count(&long)).ends_with(&format!("longest word: {}….", "x".repeat(60))));
    }
}

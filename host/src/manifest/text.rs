//! Which characters a text may hold. What is refused can hide text from a reviewer, or make it read otherwise than a
//! model or a program does. Source: Unicode Technical Standard 39 and Unicode Technical Report 36.

/// Where a text may break lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// Nowhere.
    One,
    /// At U+000A, which is how paragraphs are written.
    Many,
    /// Anywhere: JSON Schemas hold data (`const`, `pattern`), which may be any white space.
    Data,
}

/// Finds the first character that is refused: its byte offset, and what it is.
pub(super) fn hidden(text: &str, lines: Lines) -> Option<(usize, char, &'static str)> {
    let mut before = ' ';
    for (offset, character) in text.char_indices() {
        if let Some(what) = class(character, before, lines) {
            return Some((offset, character, what));
        }
        before = character;
    }
    None
}

/// What a character is that one line of text may not hold.
pub(crate) fn hides(character: char) -> Option<&'static str> {
    class(character, ' ', Lines::One)
}

fn class(character: char, before: char, lines: Lines) -> Option<&'static str> {
    match character {
        '\n' if lines != Lines::One => None,
        '\t' | '\r' if lines == Lines::Data => None,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some("a control character"),
        '\u{2028}' | '\u{2029}' if lines != Lines::Data => Some("a line separator"),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => {
            Some("a character that changes the direction of text")
        }
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0e}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => Some("an invisible character"),
        // U+FE0F once makes an emoji of the character before it; in a row it can spell hidden text.
        '\u{fe0f}' if before == ' ' || before == '\u{fe0f}' => Some("an invisible character"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, lines: Lines, expect: Option<(usize, &str)>) {
        let found = hidden(text, lines).map(|(offset, _, what)| (offset, what));
        assert_eq!(found, expect, "{text:?}");
    }

    #[test]
    fn finds_what_a_reviewer_cannot_see() {
        check("Count words: naïve, 日本語, ☎\u{fe0f}.", Lines::One, None);
        check("a\nb", Lines::Many, None);
        check("a\tb\r\n", Lines::Data, None);
        check("a\nb", Lines::One, Some((1, "a control character")));
        check("a\tb", Lines::Many, Some((1, "a control character")));
        check("a\u{1b}[31m", Lines::Data, Some((1, "a control character")));
        check("é\u{202e}txt", Lines::Data, Some((2, "a character that changes the direction of text")));
        check("a\u{200b}b", Lines::Data, Some((1, "an invisible character")));
        check("a\u{e0061}", Lines::One, Some((1, "an invisible character")));
        check("a\u{fe0f}\u{fe0f}", Lines::One, Some((4, "an invisible character")));
        check("a\u{2028}b", Lines::Many, Some((1, "a line separator")));
    }
}

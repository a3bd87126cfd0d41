//! Text with everything written out that a terminal acts on, or that reorders or hides text.

use std::borrow::Cow;

/// Marks on one character. More would reach over the lines above and below; no script needs more (the card view draws the
/// line in the same place).
const MOST_MARKS: usize = 4;

/// Text in which every such character is written out, as `\u{1b}`. Line feeds and tabs stay.
pub(in crate::cli) fn harmless(text: &str) -> Cow<'_, str> {
    if pieces(text).all(|(_, spelled)| !spelled) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for (c, spelled) in pieces(text) {
        if spelled { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// The characters of a text, and of each whether it must be written out.
pub(in crate::cli) fn pieces(text: &str) -> impl Iterator<Item = (char, bool)> + '_ {
    let (mut before, mut marks) = ('\n', 0);
    text.chars().map(move |c| {
        if (' '..='~').contains(&c) {
            (before, marks) = (c, 0);
            return (c, false);
        }
        let mark = c != '\n' && c != '\t' && width(c) == 0;
        marks = if mark { marks + 1 } else { 0 };
        // With nothing before it, a mark would stand on what this program draws there.
        let spelled = acts(before, c) || marks > MOST_MARKS || (mark && before == '\n');
        // On what is written out, nothing can stand either.
        before = if spelled { '\n' } else { c };
        (c, spelled)
    })
}

/// The columns of one character that is not written out.
pub(in crate::cli) fn width(c: char) -> usize {
    if (' '..='~').contains(&c) { 1 } else { console::measure_text_width(c.encode_utf8(&mut [0; 4])) }
}

/// A superset of what a manifest's texts may not hold. `before` is the character before, `'\n'` where there is none.
fn acts(before: char, c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // C0 (escape, bell, backspace, carriage return), DEL, C1.
        c if c.is_control() => true,
        // Direction: marks, embeddings, overrides, isolates. Line and paragraph separators.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => true,
        // Nothing is drawn: fillers, joiners, selectors, blanks that are letters, tags.
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' => true,
        '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        // It makes an emoji of the sign before it; anywhere else it can spell hidden text.
        '\u{fe0f}' if before.is_ascii() => !matches!(before, '0'..='9' | '#' | '*'),
        '\u{fe0f}' => before.is_alphanumeric() || before.is_whitespace() || before == '\u{fe0f}',
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_a_terminal_that_it_would_act_on() {
        let check = |text: &str, shown: &str| assert_eq!(harmless(text), shown);
        check("plain\ttext\nä 漢 🎉", "plain\ttext\nä 漢 🎉");
        check("\x1b[31mred", "\\u{1b}[31mred");
        check("a\rb\x08c\x7f", "a\\u{d}b\\u{8}c\\u{7f}");
        check("\u{9b}31m", "\\u{9b}31m");
        check("a\u{202e}b\u{2066}c\u{200b}d\u{e0041}", "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{e0041}");
        check("a\u{2028}b\u{2800}c\u{115f}", "a\\u{2028}b\\u{2800}c\\u{115f}");
    }

    #[test]
    fn a_selector_stays_where_it_makes_an_emoji() {
        let check = |text: &str, shown: &str| assert_eq!(harmless(text), shown);
        check("❤\u{fe0f} 1\u{fe0f}\u{20e3}", "❤\u{fe0f} 1\u{fe0f}\u{20e3}");
        check("a\u{fe0f}.\u{fe0f}ä\u{fe0f}", "a\\u{fe0f}.\\u{fe0f}ä\\u{fe0f}");
        check("\u{200b}\u{fe0f}", "\\u{200b}\\u{fe0f}");
        check("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\\u{fe0f}");
    }

    #[test]
    fn marks_stand_on_a_character_and_not_on_each_other() {
        let check = |text: &str, shown: &str| assert_eq!(harmless(text), shown);
        check("e\u{301}", "e\u{301}");
        check("\u{301}e", "\\u{301}e");
        check("z\u{300}\u{301}\u{302}\u{303}\u{304}", "z\u{300}\u{301}\u{302}\u{303}\\u{304}");
    }
}

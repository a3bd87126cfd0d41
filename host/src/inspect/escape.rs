//! Text of a binary that no gate has looked at, made fit to be shown.

use crate::manifest::hides;

/// At most so many bytes of a text, with every character written out that a terminal acts on, that hides text, or that
/// changes its direction; line breaks too. `…` where something was cut.
pub(super) fn escaped(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for character in text.chars() {
        let before = shown.len();
        if hides(character).is_some() {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
        if shown.len() > most {
            shown.truncate(before);
            shown.push('…');
            break;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn shows_what_is_there_and_no_more() {
        let check = |text: &str, expect: &str| assert_eq!(escaped(text, 20), expect);
        check("rustc 1.95 (naïve)", "rustc 1.95 (naïve)");
        check("\x1b[2J", "\\u{1b}[2J");
        check("a\nb\tc", "a\\u{a}b\\u{9}c");
        check("\u{202e}a\u{200b}", "\\u{202e}a\\u{200b}");
        check("0123456789012345678901", "01234567890123456789…");
        // An escape is not cut in two.
        check("0123456789012345678\x1b", "0123456789012345678…");
    }
}

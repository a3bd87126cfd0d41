//! The escape sequences that this program writes itself, and the check that a terminal gets no other.
//!
//! The drawing of cards spells out what a tool sends; this holds should that ever fail.

use std::borrow::Cow;

use super::harmless::harmless;

/// What follows the address of a link.
const END: &str = "\x1b\\";

/// Text with everything written out that a terminal acts on, but for our own colours and links.
pub(super) fn only_ours(text: &str) -> Cow<'_, str> {
    if !text.contains('\x1b') {
        return harmless(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        shown.push_str(&harmless(&rest[..at]));
        rest = &rest[at..];
        // Not one of ours: the escape character alone is written out, what follows is text.
        let ours = colour(rest).or_else(|| link(rest));
        let length = ours.unwrap_or(1);
        if ours.is_some() {
            shown.push_str(&rest[..length])
        } else {
            shown.push_str("\\u{1b}")
        }
        rest = &rest[length..];
    }
    shown.push_str(&harmless(rest));
    Cow::Owned(shown)
}

/// The length of `ESC [ 1 ; 31 m`: digits and semicolons.
fn colour(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("\x1b[")?;
    let length = inside.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    (inside.as_bytes().get(length) == Some(&b'm')).then_some(2 + length + 1)
}

/// The length of `ESC ] 8 ; id=7 ; https://… ESC \`, or of the same without id and address, which ends a link.
fn link(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("\x1b]8;")?;
    let (id, address) = inside.split_once(';')?;
    let address = &address[..address.find(END)?];
    let graphic = address.bytes().all(|byte| byte.is_ascii_graphic());
    let web = address.starts_with("http://") || address.starts_with("https://");
    let number = id.strip_prefix("id=").is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_digit()));
    let ours = graphic && ((web && number) || (address.is_empty() && id.is_empty()));
    ours.then_some(text.len() - inside.len() + id.len() + 1 + address.len() + END.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_sequences_pass_and_no_other() {
        let same = |text: &str| assert_eq!(only_ours(text), text);
        same("\x1b[1;31mred\x1b[0m");
        same("\x1b]8;id=1;https://example.com/a?b\x1b\\text\x1b]8;;\x1b\\");
        let check = |text: &str, shown: &str| assert_eq!(only_ours(text), shown);
        check("\x1b[2J", "\\u{1b}[2J");
        check("\x1b[31", "\\u{1b}[31");
        check("\x1b[?25l\x1b[1mx", "\\u{1b}[?25l\x1b[1mx");
        check("\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}");
        check("\x1b]8;id=1;file:///etc\x1b\\", "\\u{1b}]8;id=1;file:///etc\\u{1b}\\");
        check("\x1b]8;id=1;https://a b\x1b\\", "\\u{1b}]8;id=1;https://a b\\u{1b}\\");
        check("\x1b]8;id=x;https://a\x1b\\", "\\u{1b}]8;id=x;https://a\\u{1b}\\");
        check("\x1b", "\\u{1b}");
        check("\u{9b}31m\x1b[0m\u{202e}", "\\u{9b}31m\x1b[0m\\u{202e}");
    }
}

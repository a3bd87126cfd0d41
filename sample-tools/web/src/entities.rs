//! `&eacute;`, `&#233;` and `&#xe9;` as the characters they stand for.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::body::windows_1252;

/// The entities of HTML 4, and `apos`: HTML 5 has two thousand, which hardly any page uses. Name and code point a line.
static NAMED: LazyLock<BTreeMap<&str, char>> = LazyLock::new(|| {
    let lines = include_str!("entities.txt").lines();
    let entity = |line: &'static str| {
        let (name, code) = line.split_once(' ')?;
        Some((name, char::from_u32(u32::from_str_radix(code, 16).ok()?)?))
    };
    lines.filter_map(entity).collect()
});

/// The longest is `&thetasym;`; a number may have zeros in front.
const LONGEST: usize = 16;

/// What is no reference stays as it is.
pub fn decode(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('&') else { return text.into() };
    let mut decoded = String::with_capacity(text.len());
    decoded += &text[..first];
    let mut rest = &text[first..];
    while let Some(after) = rest.strip_prefix('&') {
        match reference(after) {
            Some((character, length)) => {
                decoded.push(character);
                rest = &after[length..];
            }
            None => {
                decoded.push('&');
                rest = after;
            }
        }
        let next = rest.find('&').unwrap_or(rest.len());
        decoded += &rest[..next];
        rest = &rest[next..];
    }
    decoded.into()
}

/// The character, and the bytes that stood for it, semicolon included.
fn reference(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = text.get(..end)?;
    let character = match name.strip_prefix('#') {
        None => *NAMED.get(name)?,
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            match code.ok()? {
                0 => char::REPLACEMENT_CHARACTER,
                // Numbers of windows-1252 are taken for what they mean there, as browsers do.
                code @ 0x80..=0x9f => windows_1252(u8::try_from(code).ok()?),
                code => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
            }
        }
    };
    Some((character, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        let check = |text: &str, expect: &str| assert_eq!(decode(text), expect, "{text}");
        check("plain", "plain");
        check("&lt;a&gt; &amp;amp; &quot;&apos;", "<a> &amp; \"'");
        check("caf&eacute;&nbsp;&Eacute;&thetasym;", "café\u{a0}Éϑ");
        check("&#233;&#xE9;&#X1F600;&#0000065;", "éé😀A");
        check("&#151;&#0;&#xD800;&#x110000;", "—\u{fffd}\u{fffd}\u{fffd}");
        check(
            "a & b &; &nosuch; &amp &#; &#x; &#99999999999; &é;",
            "a & b &; &nosuch; &amp &#; &#x; &#99999999999; &é;",
        );
        check("&&&amp;&", "&&&&");
        assert_eq!(NAMED.len(), 253);
    }
}

//! JSON pointers for messages. Keys come from whoever wrote the data: they are escaped and bounded.

/// Bytes of one segment. Longer than any key a person would name, short enough for one line.
const SEGMENT: usize = 64;

/// Bytes of a whole pointer, for the same reason.
const POINTER: usize = 512;

/// `/a/0/b` from raw keys and indices. See [`super::JsonError`] for the cuts.
pub(crate) fn bounded_pointer<'a>(segments: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for segment in segments {
        if out.len() + SEGMENT > POINTER {
            out.push_str("/…");
            break;
        }
        out.push('/');
        let start = out.len();
        for c in segment.chars() {
            if out.len() - start >= SEGMENT {
                out.push('…');
                break;
            }
            match c {
                '~' => out.push_str("~0"),
                '/' => out.push_str("~1"),
                c if deceives(c) => out.extend(c.escape_unicode()),
                c => out.push(c),
            }
        }
    }
    out
}

/// Control characters, and those that reorder or hide the text around them on a terminal.
fn deceives(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::bounded_pointer;

    #[test]
    fn escapes_and_cuts() {
        let check = |segments: &[&str], expect: &str| assert_eq!(bounded_pointer(segments.iter().copied()), expect);
        check(&[], "");
        check(&["a", "0", ""], "/a/0/");
        check(&["a/b~c"], "/a~1b~0c");
        check(&["\u{1b}[31m\n\u{202e}"], "/\\u{1b}[31m\\u{a}\\u{202e}");
        check(&["x".repeat(64).as_str()], &format!("/{}", "x".repeat(64)));
        check(&["x".repeat(9_000).as_str()], &format!("/{}…", "x".repeat(64)));
        let deep = bounded_pointer(std::iter::repeat_n("segment", 1_000));
        assert!(deep.len() <= 520 && deep.ends_with("/…"), "{deep}");
    }
}

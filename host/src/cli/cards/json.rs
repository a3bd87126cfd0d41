//! JSON, indented and in colours.

use serde_json::Value;

use super::canvas::{Canvas, Fit, Ink, Line};
use super::code::Parts;

pub(super) fn draw(value: &Value, canvas: &mut Canvas<'_>) {
    let text = format!("{value:#}");
    let lines: Vec<_> = text.lines().collect();
    canvas.lines(lines.len(), |at| Line::parts(lines[at], &parts(lines[at])).fit(Fit::Columns(4)));
}

/// The parts of one line of indented JSON. A token never takes two lines, so no grammar is needed, and no budget: what is
/// not shown is not looked at.
fn parts(line: &str) -> Parts {
    let mut parts = Parts::new();
    let mut at = 0;
    while let Some(first) = line[at..].chars().next() {
        let rest = &line[at..];
        let (length, ink) = match first {
            '"' => {
                let length = string(rest);
                let key = rest[length..].starts_with(':');
                (length, if key { Ink::Name } else { Ink::Quoted })
            }
            '-' | '0'..='9' | 'a'..='z' => {
                let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
                (rest.find(|c: char| !inside(c)).unwrap_or(rest.len()), Ink::Constant)
            }
            other => (other.len_utf8(), Ink::Plain),
        };
        at += length;
        match parts.last_mut() {
            Some((end, last)) if *last == ink => *end = at,
            _ => parts.push((at, ink)),
        }
    }
    parts
}

/// The length of a string with its quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let end = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        end
    });
    end.map_or(text.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_json_in_parts() {
        let check = |line: &str, expect: &[(usize, Ink)]| assert_eq!(parts(line), expect, "{line}");
        check("", &[]);
        check("{", &[(1, Ink::Plain)]);
        check(
            r#"  "a": "b","#,
            &[(2, Ink::Plain), (5, Ink::Name), (7, Ink::Plain), (10, Ink::Quoted), (11, Ink::Plain)],
        );
        check(r#""a\":\\": -1.5e+3"#, &[(8, Ink::Name), (10, Ink::Plain), (17, Ink::Constant)]);
        check("null,", &[(4, Ink::Constant), (5, Ink::Plain)]);
        check(r#""ä漢""#, &[(7, Ink::Quoted)]);
    }
}

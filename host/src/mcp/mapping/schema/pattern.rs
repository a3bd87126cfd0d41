//! Whether every reader of a schema understands a pattern alike.
//!
//! The host runs patterns on Rust's engine. Clients written in JavaScript compile them with the `u` flag, and one
//! that does not compile costs them the whole tool list; clients in Python use `re`. What this accepts means the same
//! in all three, except that `$` and `\s` differ in characters that no schema is written for.

use std::iter::Peekable;
use std::str::Chars;

/// What an escape stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    Character,
    /// `\d`: cannot end a range.
    Class,
}

pub(super) fn portable(pattern: &str) -> bool {
    let mut chars = pattern.chars().peekable();
    // Whether a quantifier may come next.
    let mut repeatable = false;
    while let Some(c) = chars.next() {
        repeatable = match c {
            '\\' if escape(&mut chars, false).is_some() => true,
            '[' if class(&mut chars) => true,
            '(' if chars.next_if_eq(&'?').is_none() || chars.next() == Some(':') => false,
            ')' => true,
            '|' | '^' | '$' => false,
            '*' | '+' | '?' if repeatable => {
                chars.next_if_eq(&'?');
                false
            }
            '{' if repeatable && count(&mut chars) => {
                chars.next_if_eq(&'?');
                false
            }
            '\\' | '[' | '(' | '*' | '+' | '?' | '{' | '}' | ']' => return false,
            _ => true,
        };
    }
    true
}

/// The rest of `{2}`, `{2,}` or `{2,3}`.
fn count(chars: &mut Peekable<Chars<'_>>) -> bool {
    let number = |chars: &mut Peekable<Chars<'_>>| {
        let mut digits = 0;
        while chars.next_if(char::is_ascii_digit).is_some() {
            digits += 1;
        }
        digits
    };
    if number(chars) == 0 {
        return false;
    }
    if chars.next_if_eq(&',').is_some() {
        number(chars);
    }
    chars.next() == Some('}')
}

/// What follows a backslash. `\D`, `\W` and `\b` are not among it: Python takes letters and digits of every script into
/// account, so its complement is smaller.
fn escape(chars: &mut Peekable<Chars<'_>>, in_class: bool) -> Option<Escape> {
    match chars.next()? {
        'd' | 'w' | 's' | 'S' => Some(Escape::Class),
        'n' | 'r' | 't' | 'f' | 'v' => Some(Escape::Character),
        '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' => {
            Some(Escape::Character)
        }
        '-' if in_class => Some(Escape::Character),
        'x' => hex(chars, 2),
        'u' => hex(chars, 4),
        _ => None,
    }
}

fn hex(chars: &mut Peekable<Chars<'_>>, digits: u32) -> Option<Escape> {
    let mut value = 0;
    for _ in 0..digits {
        value = value * 16 + chars.next()?.to_digit(16)?;
    }
    char::from_u32(value).map(|_| Escape::Character)
}

/// The rest of a class, without what other engines read as set operations or nested classes.
fn class(chars: &mut Peekable<Chars<'_>>) -> bool {
    #[derive(PartialEq)]
    enum Before {
        Start,
        Character,
        Class,
        Range,
    }
    chars.next_if_eq(&'^');
    let mut before = Before::Start;
    while let Some(c) = chars.next() {
        before = match c {
            ']' => return before != Before::Start,
            '[' => return false,
            '&' | '~' | '-' if chars.peek() == Some(&c) => return false,
            '-' if before == Before::Start || chars.peek() == Some(&']') => Before::Character,
            '-' if before == Before::Character => match chars.next() {
                None | Some('[') => return false,
                Some('\\') if escape(chars, true) == Some(Escape::Character) => Before::Range,
                Some('\\') => return false,
                Some(_) => Before::Range,
            },
            '-' => return false,
            '\\' => match escape(chars, true) {
                Some(Escape::Character) => Before::Character,
                Some(Escape::Class) => Before::Class,
                None => return false,
            },
            _ => Before::Character,
        };
    }
    false
}

#[cfg(test)]
mod tests {
    use super::portable;

    #[test]
    fn takes_what_three_engines_read_alike_and_nothing_else() {
        let alike = [
            "",
            "abc",
            "^[a-z0-9._-]{1,64}$",
            "^(?:a|b)+?$",
            "^\\d{4}-\\d{2}$",
            "a\\.b\\/c",
            "[^\\]\\\\]*",
            "é+",
            "[\\w.-]+",
            "\\u00e9\\x41",
            "(a(b)c){2,}",
            "^\\S+$",
            "[+-]",
            "[a^&~]",
        ];
        for pattern in alike {
            assert!(portable(pattern), "{pattern}");
        }
        let apart = [
            "\\p{L}",
            "(?i)a",
            "(?P<n>a)",
            "(?<n>a)",
            "(?=a)",
            "\\A",
            "\\z",
            "\\D",
            "\\W",
            "\\bfoo",
            "\\1",
            "\\-",
            "\\_",
            "[[:alpha:]]",
            "[a&&b]",
            "[a--b]",
            "[]a]",
            "[^]a]",
            "[\\w-z]",
            "[a-\\d]",
            "[a-c-e]",
            "[\\b]",
            "[a",
            "a{",
            "a{,2}",
            "a{x}",
            "a}",
            "a]",
            "*",
            "a**",
            "^*",
            "a{2}{3}",
            "(?",
            "\\",
            "\\u{41}",
            "\\ud800",
            "\\x4",
            "|?",
        ];
        for pattern in apart {
            assert!(!portable(pattern), "{pattern}");
        }
    }
}

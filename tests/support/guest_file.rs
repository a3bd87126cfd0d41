//! Guests in files: `guest.wat` of `tests/guests` and of `tests/guests-review`.
//!
//! A file is one of four things:
//!
//! - `(component …)`: a component's text, taken as it is;
//! - `(module …)`: a core module that brings its own memory, allocator and exports;
//! - the parts of a [`ReviewGuest`], where the file lies in `tests/guests-review`: `(review …)` is the body of its export;
//! - anything else: the parts of a [`Guest`], in any order. `(execute …)`, `(render …)` and `(present …)` are the bodies
//!   of the three exports, `(import …)` and every other form is a field of the module.
//!
//! In parts, `(string "…")` stands for a pointer and a length: `(call $ok (string "{}"))`. Its bytes lie between
//! 1,024 and 32,767; memory from there to 65,535 is free for `(data …)`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Guest, ReviewGuest};

/// What a file holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum GuestFile {
    /// The text of a component.
    Component(String),
    /// The text of a core module.
    Module(String),
}

const STRINGS: usize = 1_024;
const STRINGS_END: usize = 32_768;

impl GuestFile {
    /// Reads the text of a file, or says what it cannot make sense of.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let forms = forms(text)?;
        match forms.as_slice() {
            [one] if head(one) == "component" => return Ok(Self::Component(text.to_owned())),
            [one] if head(one) == "module" => return Ok(Self::Module(text.to_owned())),
            _ => {}
        }
        Ok(Self::Module(Parts::of(forms, &["execute", "render", "present"])?.wat()))
    }

    /// Reads the text of a file that holds a reviewer: the core module.
    pub(crate) fn reviewer(text: &str) -> Result<String, String> {
        let parts = Parts::of(forms(text)?, &["review"])?;
        let echo = ReviewGuest::default();
        let review = parts.bodies.get("review").map_or(echo.review, String::as_str);
        Ok(ReviewGuest { imports: &parts.imports, items: &parts.items, review }.wat())
    }
}

/// The parts of a guest, each body by the name of its form.
#[derive(Default)]
struct Parts {
    imports: String,
    items: String,
    bodies: BTreeMap<&'static str, String>,
}

impl Parts {
    fn of(forms: Vec<&str>, bodies: &[&'static str]) -> Result<Self, String> {
        let mut strings = Strings { data: String::new(), end: STRINGS };
        let mut parts = Self::default();
        for form in forms {
            let form = strings.lay_out(form)?;
            if let Some(name) = bodies.iter().find(|name| **name == head(&form)) {
                let body = form[1..form.len() - 1].trim_start()[name.len()..].to_owned();
                if parts.bodies.insert(name, body).is_some() {
                    return Err(format!("`({name} …)` appears twice"));
                }
            } else if head(&form) == "import" {
                parts.imports.push_str(&form);
            } else {
                parts.items.push_str(&form);
            }
        }
        parts.items.push_str(&strings.data);
        Ok(parts)
    }

    fn wat(&self) -> String {
        let echo = Guest::default();
        let body = |name, echo| self.bodies.get(name).map_or(echo, String::as_str);
        Guest {
            imports: &self.imports,
            items: &self.items,
            execute: body("execute", echo.execute),
            render: body("render", echo.render),
            present: body("present", echo.present),
        }
        .wat()
    }
}

/// The word after a form's parenthesis.
fn head(form: &str) -> &str {
    let inside = form.trim_start_matches('(').trim_start();
    inside.split(|c: char| c.is_whitespace() || "()\";".contains(c)).next().unwrap_or_default()
}

/// Where the string literal at the start of `text` ends, both quotes included.
fn literal_end(text: &str) -> Result<usize, String> {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Ok(index + 1),
            _ => {}
        }
    }
    Err("a string is not closed".to_owned())
}

/// The top-level forms of a text.
fn forms(text: &str) -> Result<Vec<&str>, String> {
    let (mut forms, mut depth, mut start, mut at) = (Vec::new(), 0usize, 0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        at += match rest.as_bytes()[0] {
            b'"' => literal_end(rest)?,
            b';' if rest.starts_with(";;") => rest.find('\n').unwrap_or(rest.len()),
            b'(' if rest.starts_with("(;") => rest.find(";)").ok_or("a comment is not closed")? + 2,
            b'(' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
                1
            }
            b')' => {
                depth = depth.checked_sub(1).ok_or("one `)` too many")?;
                if depth == 0 {
                    forms.push(&text[start..=at]);
                }
                1
            }
            byte if depth > 0 || byte.is_ascii_whitespace() => rest.chars().next().map_or(1, char::len_utf8),
            _ => return Err(format!("{:?} stands outside of every form", rest.lines().next().unwrap_or_default())),
        };
    }
    if depth == 0 { Ok(forms) } else { Err("a `)` is missing".to_owned()) }
}

/// Gives every `(string "…")` its place in memory.
struct Strings {
    data: String,
    end: usize,
}

impl Strings {
    fn lay_out(&mut self, form: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = form;
        while let Some(at) = rest.find("(string \"") {
            let literal = &rest[at + "(string ".len()..];
            let end = literal_end(literal)?;
            let close = literal[end..].strip_prefix(')').ok_or("`(string \"…\")` takes one literal")?;
            let length = byte_length(&literal[1..end - 1])?;
            let _ = write!(out, "{}(i32.const {}) (i32.const {length})", &rest[..at], self.end);
            let _ = write!(self.data, "(data (i32.const {}) {})", self.end, &literal[..end]);
            self.end += length;
            if self.end > STRINGS_END {
                return Err(format!("the strings end at {}, past {STRINGS_END}", self.end));
            }
            rest = close;
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// Bytes of a literal's inside. Escapes: `\t \n \r \" \' \\`, `\hh` for one byte, `\u{…}` for a character.
fn byte_length(inside: &str) -> Result<usize, String> {
    let mut length = 0;
    let mut rest = inside;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != '\\' {
            length += c.len_utf8();
            continue;
        }
        if let Some(code) = rest.strip_prefix("u{") {
            let (code, after) = code.split_once('}').ok_or("`\\u{` is not closed")?;
            let c = u32::from_str_radix(code, 16).ok().and_then(char::from_u32).ok_or("no such character")?;
            length += c.len_utf8();
            rest = after;
        } else {
            let width = if rest.starts_with(['t', 'n', 'r', '"', '\'', '\\']) { 1 } else { 2 };
            rest = rest.get(width..).ok_or("an escape is cut short")?;
            length += 1;
        }
    }
    Ok(length)
}

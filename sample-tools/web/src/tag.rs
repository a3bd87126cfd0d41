//! HTML taken apart: tags and the text between them. Every text is HTML of some sort, so this never fails.

use std::borrow::Cow;

use crate::entities::decode;

#[derive(Debug, PartialEq)]
pub enum Token<'a> {
    /// References in it are not decoded.
    Text(&'a str),
    Open(Tag<'a>),
    /// The name, in lower case.
    Close(String),
}

#[derive(Debug, PartialEq)]
pub struct Tag<'a> {
    /// In lower case.
    pub name: String,
    attributes: &'a str,
}

/// Elements that hold text, tags and all, up to their own end.
const RAW: [&str; 9] = ["script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp", "plaintext"];

/// Each byte is looked at a fixed number of times, whatever the text: what has no end, ends the text.
pub struct Tokens<'a> {
    rest: &'a str,
    /// The raw element that `rest` is in.
    raw: Option<String>,
}

pub fn tokens(html: &str) -> Tokens<'_> {
    Tokens { rest: html, raw: None }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some(name) = self.raw.take() {
            let text = self.take(end_of_raw(self.rest, &name));
            if !text.is_empty() {
                return Some(Token::Text(text));
            }
        }
        while !self.rest.is_empty() {
            let Some(markup) = self.rest.strip_prefix('<') else { return Some(Token::Text(self.take_text(0))) };
            match markup.as_bytes().first() {
                Some(b'!') if markup.starts_with("!--") => self.skip_past(2 + 1, "-->"),
                Some(b'!' | b'?') => self.skip_past(1, ">"),
                Some(b'/') => {
                    let name = name(&markup[1..]);
                    self.skip_past(1, ">");
                    if !name.is_empty() {
                        return Some(Token::Close(name));
                    }
                }
                Some(byte) if byte.is_ascii_alphabetic() => {
                    let name = name(markup);
                    let Some(end) = end_of_tag(&markup[name.len()..]) else {
                        self.rest = "";
                        break;
                    };
                    let attributes = &markup[name.len()..name.len() + end];
                    self.rest = &markup[name.len() + end + 1..];
                    self.raw = Some(name.clone()).filter(|name| RAW.contains(&name.as_str()));
                    return Some(Token::Open(Tag { name, attributes }));
                }
                _ => return Some(Token::Text(self.take_text(1))),
            }
        }
        None
    }
}

impl<'a> Tokens<'a> {
    fn take(&mut self, length: usize) -> &'a str {
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        text
    }

    /// Up to the next `<`, not counting the first `from` bytes.
    fn take_text(&mut self, from: usize) -> &'a str {
        let length = self.rest[from..].find('<').map_or(self.rest.len(), |at| from + at);
        self.take(length)
    }

    fn skip_past(&mut self, from: usize, end: &str) {
        self.rest = self.rest[from..].find(end).map_or("", |at| &self.rest[from + at + end.len()..]);
    }
}

impl<'a> Tag<'a> {
    /// The value of an attribute, decoded. One without a value has an empty one.
    pub fn attribute(&self, wanted: &str) -> Option<Cow<'a, str>> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
            if rest.is_empty() {
                return None;
            }
            // A name may begin with `=`, and so has at least one character.
            let first = rest.chars().next().map_or(0, char::len_utf8);
            let ends = |c: char| c.is_ascii_whitespace() || c == '/' || c == '=';
            let (name, after) = rest.split_at(rest[first..].find(ends).map_or(rest.len(), |at| first + at));
            let (value, after) = match after.trim_ascii_start().strip_prefix('=') {
                None => ("", after),
                Some(value) => {
                    let value = value.trim_ascii_start();
                    let quote = value.chars().next().filter(|c| ['"', '\''].contains(c));
                    match quote.and_then(|quote| value[1..].split_once(quote)) {
                        Some(parts) => parts,
                        None => value.split_at(value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len())),
                    }
                }
            };
            if name.eq_ignore_ascii_case(wanted) {
                return Some(decode(value));
            }
            rest = after;
        }
    }
}

/// The name at the start, in lower case.
fn name(text: &str) -> String {
    let end = text.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>').unwrap_or(text.len());
    text[..end].to_ascii_lowercase()
}

/// Where the `>` of an open tag is: not within quotes, which count after `=` alone.
fn end_of_tag(text: &str) -> Option<usize> {
    let (mut quote, mut value) = (None, false);
    text.bytes().position(|byte| {
        match (quote, byte) {
            (Some(open), _) => {
                if byte == open {
                    quote = None;
                }
            }
            (None, b'>') => return true,
            (None, b'"' | b'\'') if value => (quote, value) = (Some(byte), false),
            (None, b'=') => value = true,
            (None, _) => value &= byte.is_ascii_whitespace(),
        }
        false
    })
}

/// Where `</name` is, in any case.
fn end_of_raw(text: &str, name: &str) -> usize {
    let is_end = |at: &usize| {
        let after = &text.as_bytes()[at + 1..];
        after.first() == Some(&b'/')
            && after.get(1..=name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()))
    };
    text.match_indices('<').map(|(at, _)| at).find(is_end).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(html: &str) -> Vec<String> {
        let spell = |token| match token {
            Token::Text(text) => text.to_owned(),
            Token::Open(tag) => format!("<{}>", tag.name),
            Token::Close(name) => format!("</{name}>"),
        };
        tokens(html).map(spell).collect()
    }

    #[test]
    fn tags_and_text() {
        let check = |html: &str, expect: &[&str]| assert_eq!(spelled(html), expect, "{html}");
        check("", &[]);
        check("a<B>c</B >d<br/>", &["a", "<b>", "c", "</b>", "d", "<br>"]);
        check("1 < 2 <3 <", &["1 ", "< 2 ", "<3 ", "<"]);
        check("a<!-- <b> -->c<!DOCTYPE x>d<?php e>f</>g", &["a", "c", "d", "f", "g"]);
        check("a<!-->b-->c", &["a", "c"]);
        check("<a x=\"1>2\" y='>' z=\">", &[]);
        check("<a x=\"1>2\" y='>'>b", &["<a>", "b"]);
        check("<a \"x>b", &["<a>", "b"]);
        check("<script>if (a<b) '</b>'</SCRIPT>c", &["<script>", "if (a<b) '</b>'", "</script>", "c"]);
        check("<style></style>a", &["<style>", "</style>", "a"]);
        check("<title>a", &["<title>", "a"]);
        check("a<!-- b", &["a"]);
        check("a</b", &["a", "</b>"]);
        check("é<é>ü<x é='ü'>ö", &["é", "<é>ü", "<x>", "ö"]);
    }

    #[test]
    fn attributes() {
        let check = |html: &str, name: &str, expect: Option<&str>| {
            let Some(Token::Open(tag)) = tokens(html).next() else { panic!("{html}") };
            assert_eq!(tag.attribute(name).as_deref(), expect, "{html} {name}");
        };
        check("<a href=x>", "href", Some("x"));
        check("<a HREF = 'x y' id=z>", "href", Some("x y"));
        check("<a id=z/href=\"a&amp;b\">", "href", None);
        check("<a id='z'href=\"a&amp;b\">", "href", Some("a&b"));
        check("<ol reversed start=3>", "reversed", Some(""));
        check("<ol reversed start=3>", "start", Some("3"));
        check("<a =x href>", "href", Some(""));
        check("<a data-href=x href=y>", "href", Some("y"));
    }
}

//! HTML as text for a model: headings, links, lists, tables and code in the manner of Markdown, nothing of scripts and
//! styles. Of the whole of CSS nothing is known: text that a page hides is shown.

use url::Url;

use crate::entities::decode;
use crate::tag::{Tag, Token, tokens};

/// How much text is made. It is more than the HTML only where that is made to grow: by lists in lists, by many links.
const TEXT_BYTES: usize = 2 << 20;

/// How deep lists and quotations are shown.
const DEPTH: usize = 8;

/// Elements without text for people who read.
const SKIPPED: [&str; 15] = [
    "script", "style", "template", "svg", "select", "datalist", "canvas", "audio", "video", "object", "iframe",
    "noembed", "noframes", "textarea", "map",
];

/// The text, and whether it was cut. Relative links are read from `base`.
pub fn text(html: &str, base: &Url) -> (String, bool) {
    let mut writer = Writer::new(base);
    for token in tokens(html) {
        writer.token(token);
        if writer.cut {
            break;
        }
    }
    writer.close_pre();
    (writer.out, writer.cut)
}

struct Writer {
    base: Url,
    has_base: bool,
    out: String,
    cut: bool,
    /// What comes before the next character: line breaks, or a blank.
    breaks: usize,
    blank: bool,
    /// What the next line begins with after its indentation, and how deep that is.
    lead: Option<(usize, String)>,
    quotes: usize,
    /// The lists that are open: the number of the next item, or none.
    lists: Vec<Option<u64>>,
    /// The link that is open: where it leads, and where its text begins.
    link: Option<(String, usize)>,
    cells: usize,
    /// Preformatted text: whether one is open, and has just been.
    pre: bool,
    pre_begins: bool,
    /// The element that is skipped, and how many of its name are open.
    skipped: Option<(String, usize)>,
}

impl Writer {
    fn new(base: &Url) -> Self {
        Self {
            base: base.clone(),
            has_base: false,
            out: String::new(),
            cut: false,
            breaks: 1,
            blank: false,
            lead: None,
            quotes: 0,
            lists: Vec::new(),
            link: None,
            cells: 0,
            pre: false,
            pre_begins: false,
            skipped: None,
        }
    }

    fn token(&mut self, token: Token<'_>) {
        if let Some((name, open)) = &mut self.skipped {
            match token {
                Token::Open(tag) if tag.name == *name => *open += 1,
                Token::Close(closed) if closed == *name => *open -= 1,
                _ => {}
            }
            if *open == 0 {
                self.skipped = None;
            }
            return;
        }
        match token {
            Token::Text(text) => self.text(&decode(text)),
            Token::Open(tag) => self.open(&tag),
            Token::Close(name) => self.close(&name),
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        match tag.name.as_str() {
            name if SKIPPED.contains(&name) => self.skipped = Some((tag.name.clone(), 1)),
            "base" => {
                // The first one counts.
                if !std::mem::replace(&mut self.has_base, true)
                    && let Some(base) = tag.attribute("href").and_then(|href| self.base.join(&href).ok())
                {
                    self.base = base;
                }
            }
            name @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
                self.block(2);
                let marks = "#".repeat(usize::from(name.as_bytes()[1] - b'0')) + " ";
                let depth = self.lists.len();
                self.lead.get_or_insert((depth, String::new())).1 += &marks;
            }
            "ul" | "ol" | "menu" => {
                self.block(if self.lists.is_empty() { 2 } else { 1 });
                let start = || tag.attribute("start").and_then(|start| start.trim().parse().ok()).unwrap_or(1);
                self.lists.push((tag.name == "ol").then(start));
            }
            "li" => {
                self.block(1);
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let marker = format!("{number}. ");
                        *number = number.saturating_add(1);
                        marker
                    }
                    _ => "- ".to_owned(),
                };
                self.lead = Some((self.lists.len().saturating_sub(1), marker));
            }
            "blockquote" => {
                self.block(2);
                self.quotes += 1;
            }
            "pre" if !self.pre => {
                self.block(2);
                self.put_all("```");
                self.block(1);
                (self.pre, self.pre_begins) = (true, true);
            }
            "br" => self.breaks = (self.breaks + 1).min(2),
            "hr" => {
                self.block(2);
                self.put_all("---");
                self.block(2);
            }
            "tr" => {
                self.block(1);
                self.cells = 0;
            }
            "td" | "th" => {
                if self.cells > 0 && self.breaks == 0 {
                    self.out += " |";
                    self.blank = true;
                }
                self.cells += 1;
            }
            "img" => {
                if let Some(alt) = tag.attribute("alt").filter(|alt| !alt.trim().is_empty()) {
                    self.text(&format!("[image: {}]", alt.trim()));
                }
            }
            "a" => {
                self.close_link();
                if let Some(href) = tag.attribute("href") {
                    self.link = Some((href.into_owned(), self.out.len()));
                }
            }
            name => self.block(breaks(name)),
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "a" => self.close_link(),
            "pre" => self.close_pre(),
            "ul" | "ol" | "menu" => {
                self.lists.pop();
                self.lead = None;
                self.block(if self.lists.is_empty() { 2 } else { 1 });
            }
            "blockquote" => {
                self.block(2);
                self.quotes = self.quotes.saturating_sub(1);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.block(2);
                self.lead = None;
            }
            "li" | "tr" => self.block(1),
            name => self.block(breaks(name)),
        }
    }

    fn close_pre(&mut self) {
        if self.pre {
            self.pre = false;
            self.block(1);
            self.put_all("```");
            self.block(2);
        }
    }

    /// After the text of a link, where it leads: unless that is the text, or not for a reader.
    fn close_link(&mut self) {
        let Some((href, from)) = self.link.take() else { return };
        let text = self.out[from..].trim();
        let href = href.trim();
        if text.is_empty() || text == href || href.starts_with('#') {
            return;
        }
        let Ok(url) = self.base.join(href) else { return };
        if ["http", "https", "mailto"].contains(&url.scheme()) && url.as_str() != text {
            self.out += &format!(" ({url})");
        }
    }

    /// Begin on a new line, after a blank one with 2.
    fn block(&mut self, breaks: usize) {
        self.breaks = self.breaks.max(breaks);
        self.blank &= breaks == 0;
    }

    fn text(&mut self, text: &str) {
        let begins = std::mem::take(&mut self.pre_begins);
        let text = if begins { text.strip_prefix("\r\n").or(text.strip_prefix('\n')).unwrap_or(text) } else { text };
        for character in text.chars() {
            match character {
                '\n' if self.pre => self.breaks += 1,
                ' ' | '\t' if self.pre => self.put(character),
                ' ' | '\t' | '\n' | '\r' | '\u{c}' | '\u{a0}' => self.blank = true,
                character if is_invisible(character) => {}
                character => self.put(character),
            }
            if self.out.len() > TEXT_BYTES {
                self.cut = true;
                return;
            }
        }
    }

    fn put_all(&mut self, text: &str) {
        text.chars().for_each(|character| self.put(character));
    }

    fn put(&mut self, character: char) {
        if self.breaks > 0 {
            if !self.out.is_empty() {
                (0..self.breaks).for_each(|_| self.out.push('\n'));
            }
            let (depth, lead) = self.lead.take().unwrap_or_else(|| (self.lists.len(), String::new()));
            (0..self.quotes.min(DEPTH)).for_each(|_| self.out += "> ");
            (0..depth.min(DEPTH)).for_each(|_| self.out += "  ");
            self.out += &lead;
        } else if self.blank && !self.pre {
            self.out.push(' ');
        }
        (self.breaks, self.blank) = (0, false);
        self.out.push(character);
    }
}

/// The line breaks around an element. Those that are not named are within a line.
fn breaks(name: &str) -> usize {
    match name {
        "p" | "title" | "table" | "dl" | "figure" | "article" | "section" | "header" | "footer" | "main" | "nav"
        | "aside" | "form" | "fieldset" | "details" => 2,
        "div" | "caption" | "thead" | "tbody" | "tfoot" | "dt" | "dd" | "figcaption" | "summary" | "address"
        | "legend" | "body" | "head" | "hgroup" | "center" | "option" => 1,
        _ => 0,
    }
}

/// Characters that nobody sees and that a model reads all the same: control, marks of direction, tags. Joiners stay:
/// scripts and emoji are written with them.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, expect: &str) {
        assert_eq!(text(html, &Url::parse("https://a.test/b/c?d").unwrap()), (expect.to_owned(), false), "{html}");
    }

    #[test]
    fn blocks() {
        check("", "");
        check(" a\n  b<b> c</b>&nbsp;d ", "a b c d");
        check("<title>T</title><body><h1>One</h1>a<h3> Two\n</h3><p>b<p>c", "T\n\n# One\n\na\n\n### Two\n\nb\n\nc");
        check("a<div>b<div>c</div></div>d", "a\nb\nc\nd");
        check("a<br>b<br><br><br>c", "a\nb\n\nc");
        check("a<hr>b", "a\n\n---\n\nb");
        check("<h2></h2>a", "a");
        check("<blockquote>a<p>b</blockquote>c", "> a\n\n> b\n\nc");
        check("<pre>\n  a\n\n   <b>b</b> </pre>c", "```\n  a\n\n   b \n```\n\nc");
        check("<pre>a", "```\na\n```");
        check("<table><tr><th>a<th>b<tr><td>c</td><td> d</td></table>e", "a | b\nc | d\n\ne");
    }

    #[test]
    fn lists() {
        check("a<ul><li>b<li>c</ul>d", "a\n\n- b\n- c\n\nd");
        check("<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b");
        check("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c");
        check("<ul><li>a<br>b<li></li></ul>c", "- a\n  b\n\nc");
        check("<li>a</li></ul></ol>b", "- a\n\nb");
        check("<ul><li><h2>a</h2></ul>", "- ## a");
    }

    #[test]
    fn links_and_images() {
        check("<a href=x>y</a>!", "y (https://a.test/b/x)!");
        check("<a href='/x?y&amp;z'> y </a>!", "y (https://a.test/x?y&z) !");
        check("<base href=/e/><base href=/f/><a href=x>y</a>", "y (https://a.test/e/x)");
        check("<a href=https://e.test/>https://e.test/</a>", "https://e.test/");
        check("<a href=mailto:a@b.test>a</a>", "a (mailto:a@b.test)");
        for href in ["#x", "javascript:x", "data:text/html,x", "http://[", "tel:1"] {
            check(&format!("<a href='{href}'>y</a>"), "y");
        }
        check("<a href=x></a><a href=y>z<a href=w>v", "z (https://a.test/b/y)v");
        check("<a href=x><img src=i alt='an eye'></a><img alt=' '><img>", "[image: an eye] (https://a.test/b/x)");
    }

    #[test]
    fn what_is_not_shown() {
        check("a<script>b</script><style>c</style><!-- d --><svg><title>e</title><svg></svg>f</svg>g", "ag");
        check("a<noscript>b</noscript>c", "abc");
        check("a\u{202e}b\u{200b}\u{e0041}\u{7f}\u{1b}[31m\u{feff}c", "ab[31mc");
        check("&#x202e;&#27;&zwj;a", "\u{200d}a");
        check("a<template>b", "a");
    }

    #[test]
    fn growth_has_a_bound() {
        let base = Url::parse(&format!("https://a.test/{}/", "x".repeat(7000))).unwrap();
        for html in ["<a href=x>y</a>".repeat(60_000), "<blockquote><ul><li>x".repeat(60_000), "x".repeat(3 << 20)] {
            let (text, cut) = text(&html, &base);
            assert!(text.len() < TEXT_BYTES + 8192, "{}", text.len());
            assert_eq!(cut, text.len() > TEXT_BYTES);
        }
    }

    /// Everything at hand in every order: no panic, no growth, and what is text only stays what it is.
    #[test]
    fn any_text_is_html() {
        const PIECES: [&str; 40] = [
            "<",
            ">",
            "</",
            "/>",
            "<!--",
            "-->",
            "<!",
            "<?",
            "&",
            ";",
            "&#",
            "&#x",
            "amp",
            "\"",
            "'",
            "=",
            " ",
            "\n",
            "é",
            "😀",
            "\0",
            "\u{202e}",
            "<a href=",
            "</a>",
            "<li>",
            "<ul>",
            "</ul>",
            "<ol start=",
            "<pre>",
            "</pre>",
            "<td>",
            "<tr>",
            "<script>",
            "</script>",
            "<svg>",
            "<h1>",
            "</h1>",
            "<blockquote>",
            "</blockquote>",
            "x",
        ];
        let base = Url::parse("https://a.test/").unwrap();
        // A linear congruential generator (Knuth's MMIX): the same texts on every machine.
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap()
        };
        for _ in 0..20_000 {
            let length = next() % 24;
            let html: String = (0..length).map(|_| PIECES[next() % PIECES.len()]).collect();
            let (text, cut) = text(&html, &base);
            assert!(!cut && text.len() < 100 * (1 + html.len()), "{html:?}");
            assert!(!text.contains(['\0', '\u{202e}']), "{html:?}");
        }
    }
}

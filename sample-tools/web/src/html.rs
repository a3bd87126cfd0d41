//! HTML as text for a model: headings, links, lists, tables and code in the manner of Markdown, nothing of scripts and
//! styles. Of the whole of CSS nothing is known: text that a page hides is shown.

#[cfg(test)]
mod tests;

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

/// The text, and whether it was cut. Relative links are read from `base`; without one they lead nowhere.
pub fn text(html: &str, base: Option<Url>) -> (String, bool) {
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
    base: Option<Url>,
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
    fn new(base: Option<Url>) -> Self {
        Self {
            base,
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
                    && let Some(base) = tag.attribute("href").and_then(|href| self.link_to(&href))
                {
                    self.base = Some(base);
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
        let Some(url) = self.link_to(href) else { return };
        if ["http", "https", "mailto"].contains(&url.scheme()) && url.as_str() != text {
            self.out += &format!(" ({url})");
        }
    }

    fn link_to(&self, href: &str) -> Option<Url> {
        Url::options().base_url(self.base.as_ref()).parse(href).ok()
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

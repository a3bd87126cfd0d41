//! How a value reads where its tool does not say: an indented outline of its JSON.
//!
//! ```text
//! files:
//! - path: a.rs
//!   lines: 3
//! total: 1
//! ```
//!
//! It walks the text and makes no tree of it: what is never rendered this way costs a component nothing, and what is,
//! little.

/// The most that is shown: some 12,000 tokens. Whoever has more to say writes a `render`.
const SHOWN: usize = 48 << 10;

/// The outline of one JSON text, as serde_json writes them. Ends early in anything else.
pub(crate) fn of(json: &str) -> String {
    let mut outline = Outline { json, at: 0, text: String::new(), open: true };
    outline.value(0);
    let Outline { mut text, .. } = outline;
    if text.len() > SHOWN {
        text.truncate(text.floor_char_boundary(SHOWN));
        text.push_str("\n(the rest is left out)");
    }
    text
}

struct Outline<'a> {
    json: &'a str,
    at: usize,
    text: String,
    /// Whether the next line goes on where the text ends: at its very start, and after `- `.
    open: bool,
}

impl Outline<'_> {
    fn peek(&self) -> u8 {
        self.json.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    /// Begins a line.
    fn line(&mut self, depth: usize) {
        if !std::mem::take(&mut self.open) {
            self.text.push('\n');
            self.indent(depth);
        }
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.text.push_str("  ");
        }
    }

    /// One value, after the text that leads to it.
    fn value(&mut self, depth: usize) {
        if self.text.len() > SHOWN {
            // Nothing of what follows is shown, so nothing of it is read.
            self.at = self.json.len();
        }
        match self.peek() {
            b'{' => self.members(depth),
            b'[' => self.elements(depth),
            b'"' => {
                let text = self.string();
                self.scalar(&text, depth);
            }
            _ => {
                let rest = self.json.get(self.at..).unwrap_or_default();
                let token = &rest[..rest.find([',', '}', ']']).unwrap_or(rest.len())];
                self.at += token.len();
                self.scalar(token, depth);
            }
        }
    }

    fn scalar(&mut self, text: &str, depth: usize) {
        if self.text.is_empty() {
            // The whole value.
            self.text.push_str(text);
        } else if text.contains('\n') {
            // Further in than anything beside it, so that no text can look like what is beside it.
            for line in text.lines() {
                self.text.push('\n');
                self.indent(depth + 1);
                self.text.push_str(line);
            }
        } else {
            if !self.open {
                self.text.push(' ');
            }
            self.text.push_str(if text.is_empty() { "(empty)" } else { text });
        }
        self.open = false;
    }

    fn members(&mut self, depth: usize) {
        self.at += 1;
        if self.peek() == b'}' {
            self.at += 1;
            return self.scalar("(none)", depth);
        }
        while self.peek() == b'"' {
            self.line(depth);
            let key = self.string();
            self.text.push_str(&key);
            self.text.push(':');
            self.at += 1;
            self.value(if self.peek() == b'[' { depth } else { depth + 1 });
            self.at += 1;
        }
    }

    fn elements(&mut self, depth: usize) {
        self.at += 1;
        if self.peek() == b']' {
            self.at += 1;
            return self.scalar("(none)", depth);
        }
        loop {
            self.line(depth);
            self.text.push_str("- ");
            self.open = true;
            self.value(depth + 1);
            self.at += 1;
            if self.json.as_bytes().get(self.at - 1) != Some(&b',') {
                return;
            }
        }
    }

    fn string(&mut self) -> String {
        let rest = self.json.as_bytes().get(self.at..).unwrap_or_default();
        let mut end = 1;
        while let Some(byte) = rest.get(end) {
            match byte {
                b'"' => break,
                b'\\' => end += 2,
                _ => end += 1,
            }
        }
        let token = self.json.get(self.at..self.at + end + 1).unwrap_or_default();
        self.at += end + 1;
        serde_json::from_str(token).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expect: &str) {
        assert_eq!(of(json), expect, "{json}");
    }

    #[test]
    fn scalars_are_themselves() {
        check("1.50", "1.50");
        check("null", "null");
        check(r#""""#, "");
        check(r#""a \"b\"\n{c}""#, "a \"b\"\n{c}");
        check("{}", "(none)");
        check("[]", "(none)");
    }

    #[test]
    fn members_and_elements_are_lines() {
        check(r#"{"lines":1,"word":"a b","more":null}"#, "lines: 1\nword: a b\nmore: null");
        check("[1,2]", "- 1\n- 2");
        check(r#"{"list":[1,"x"],"none":[],"all":{}}"#, "list:\n- 1\n- x\nnone: (none)\nall: (none)");
        check(
            r#"{"files":[{"path":"a","at":[1]},{"path":""}],"total":2}"#,
            "files:\n- path: a\n  at:\n  - 1\n- path: (empty)\ntotal: 2",
        );
        check(r#"{"a":{"b":{"c":1}},"d":2}"#, "a:\n  b:\n    c: 1\nd: 2");
        check("[[1,[2]],[]]", "- - 1\n  - - 2\n- (none)");
    }

    #[test]
    fn a_text_of_lines_stands_further_in_than_what_is_beside_it() {
        check(r#"{"text":"one\ntotal: 9","total":1}"#, "text:\n    one\n    total: 9\ntotal: 1");
        check(r#"["a\nb","c"]"#, "- \n    a\n    b\n- c");
        check(r#"{"quoted \"key\"":"{[,]}"}"#, "quoted \"key\": {[,]}");
    }

    #[test]
    fn much_is_cut() {
        let long = format!("[{}1]", "\"éééééééééé\",".repeat(10_000));
        let text = of(&long);
        assert!(text.len() < SHOWN + 40 && text.ends_with("\n(the rest is left out)"), "{}", text.len());
        let one = serde_json::to_string(&"é".repeat(SHOWN)).unwrap();
        assert!(of(&one).ends_with("é\n(the rest is left out)"));
        let deep = format!("{}{}", "[".repeat(60), "]".repeat(60));
        assert!(of(&deep).ends_with("(none)"));
    }

    #[test]
    fn what_is_no_json_ends() {
        for json in ["", "{", "[", "{\"", "{\"a", "{\"a\"", "{\"a\":", "[1", "\"\\", "[\"é"] {
            of(json);
        }
    }
}

//! Path patterns: `*` and `?` within a name, `**` for any names, `[a-z]`, `[!a-z]`, `{a,b}`, `\` before what is meant as it is.

pub struct Pattern(Vec<Vec<Segment>>);

enum Segment {
    /// `**`: any number of names, none included.
    Any,
    Name(Vec<Token>),
}

enum Token {
    Char(char),
    One,
    Many,
    Class { negated: bool, ranges: Vec<(char, char)> },
}

impl Pattern {
    /// A pattern for a whole path.
    pub fn new(pattern: &str) -> Result<Self, String> {
        expand(pattern)?.iter().map(|one| segments(one)).collect::<Result<_, _>>().map(Self)
    }

    /// The same without `{a,b}`, which `.gitignore` does not know.
    pub fn without_braces(pattern: &str) -> Result<Self, String> {
        Ok(Self(vec![segments(pattern)?]))
    }

    pub fn matches(&self, path: &str) -> bool {
        self.0.iter().any(|segments| positions(segments, path)[segments.len()])
    }

    /// Whether a path below `directory` may match: all others need no look.
    pub fn reaches(&self, directory: &str) -> bool {
        directory.is_empty()
            || self.0.iter().any(|segments| positions(segments, directory)[..segments.len()].contains(&true))
    }
}

/// Where in `segments` the path may have led: at `segments.len()` the whole of both has matched. Following all
/// positions at once costs names times segments, whatever the pattern.
fn positions(segments: &[Segment], path: &str) -> Vec<bool> {
    let mut at = vec![false; segments.len() + 1];
    at[0] = true;
    skip_any(segments, &mut at);
    for name in path.split('/') {
        let mut next = vec![false; at.len()];
        for (position, segment) in segments.iter().enumerate().filter(|(position, _)| at[*position]) {
            match segment {
                Segment::Any => next[position] = true,
                Segment::Name(tokens) => next[position + 1] |= name_matches(tokens, name),
            }
        }
        skip_any(segments, &mut next);
        at = next;
    }
    at
}

fn skip_any(segments: &[Segment], at: &mut [bool]) {
    for (position, segment) in segments.iter().enumerate() {
        if at[position] && matches!(segment, Segment::Any) {
            at[position + 1] = true;
        }
    }
}

/// The usual walk with one way back: to the last `*`, letting it take one character more.
fn name_matches(tokens: &[Token], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut token, mut at, mut back) = (0, 0, None);
    while at < name.len() {
        let fits = match tokens.get(token) {
            Some(Token::Many) => {
                back = Some((token, at));
                token += 1;
                continue;
            }
            Some(Token::Char(char)) => *char == name[at],
            Some(Token::One) => true,
            Some(Token::Class { negated, ranges }) => {
                ranges.iter().any(|(from, to)| (from..=to).contains(&&name[at])) != *negated
            }
            None => false,
        };
        match back {
            _ if fits => (token, at) = (token + 1, at + 1),
            Some((many, from)) => {
                back = Some((many, from + 1));
                (token, at) = (many + 1, from + 1);
            }
            None => return false,
        }
    }
    tokens[token..].iter().all(|token| matches!(token, Token::Many))
}

fn segments(pattern: &str) -> Result<Vec<Segment>, String> {
    let mut segments = Vec::new();
    for name in split(pattern, '/') {
        match name.as_str() {
            "" | "." => {}
            "**" => segments.push(Segment::Any),
            name => segments.push(Segment::Name(tokens(name)?)),
        }
    }
    // `a/**` is what lies below `a`, not `a`.
    if let Some(Segment::Any) = segments.last() {
        segments.push(Segment::Name(vec![Token::Many]));
    }
    if segments.is_empty() { Err("the pattern is empty".into()) } else { Ok(segments) }
}

fn tokens(name: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = name.chars().peekable();
    while let Some(char) = rest.next() {
        tokens.push(match char {
            '*' => Token::Many,
            '?' => Token::One,
            '\\' => Token::Char(rest.next().ok_or("a pattern cannot end with `\\`")?),
            '[' => {
                let negated = rest.next_if(|char| matches!(char, '!' | '^')).is_some();
                let mut ranges = Vec::new();
                loop {
                    let from = match rest.next().ok_or_else(|| format!("`[` in `{name}` has no `]`"))? {
                        ']' if !ranges.is_empty() => break,
                        '\\' => rest.next().ok_or("a pattern cannot end with `\\`")?,
                        char => char,
                    };
                    let mut ahead = rest.clone();
                    let to = match (ahead.next(), ahead.next()) {
                        (Some('-'), Some(to)) if to != ']' => {
                            rest = ahead;
                            to
                        }
                        _ => from,
                    };
                    ranges.push((from, to));
                }
                Token::Class { negated, ranges }
            }
            char => Token::Char(char),
        });
    }
    Ok(tokens)
}

/// The alternatives that `{a,b}` stands for, nested ones included.
fn expand(pattern: &str) -> Result<Vec<String>, String> {
    /// More alternatives than a person writes, fewer than would be slow.
    const MOST: usize = 256;
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(pattern) = open.pop() {
        let Some((start, end)) = braces(&pattern)? else {
            done.push(pattern);
            continue;
        };
        for choice in split(&pattern[start + 1..end], ',') {
            open.push(format!("{}{choice}{}", &pattern[..start], &pattern[end + 1..]));
        }
        if done.len() + open.len() > MOST {
            return Err(format!("`{{…}}` stands for more than {MOST} patterns"));
        }
    }
    Ok(done)
}

/// Where the first outermost `{` and its `}` are.
fn braces(pattern: &str) -> Result<Option<(usize, usize)>, String> {
    let (mut depth, mut start) = (0_usize, 0);
    for (at, char) in unescaped(pattern) {
        match char {
            '{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            '}' if depth == 1 => return Ok(Some((start, at))),
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if depth > 0 { Err(format!("`{{` in `{pattern}` has no `}}`")) } else { Ok(None) }
}

/// Splits at `separator` outside of braces and classes.
fn split(text: &str, separator: char) -> Vec<String> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, char) in unescaped(text) {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            char if char == separator && (depth == 0 || separator == '/') => {
                parts.push(text[from..at].to_owned());
                from = at + char.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[from..].to_owned());
    parts
}

/// The characters that may mean something: none after `\`, none in a class.
fn unescaped(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut escaped, mut class) = (false, None);
    text.char_indices().filter(move |&(at, char)| {
        if std::mem::take(&mut escaped) {
            return false;
        }
        escaped = char == '\\';
        match (char, class) {
            ('[', None) => class = Some(at),
            // The first character of a class is a member, `]` too.
            (']', Some(from))
                if at > from + 1 && !(at == from + 2 && matches!(text.as_bytes()[from + 1], b'!' | b'^')) =>
            {
                class = None;
            }
            // A class without an end is no class to the parts of a path; `tokens` says so.
            ('/', Some(_)) => class = None,
            _ => {}
        }
        !escaped && class.is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        let pattern_ = Pattern::new(pattern).unwrap();
        for path in matching {
            assert!(pattern_.matches(path), "{pattern} misses {path}");
            for (end, _) in path.match_indices('/') {
                assert!(pattern_.reaches(&path[..end]), "{pattern} does not reach {path}");
            }
        }
        for path in others {
            assert!(!pattern_.matches(path), "{pattern} takes {path}");
        }
    }

    #[test]
    fn patterns() {
        check("*.rs", &["a.rs", ".rs"], &["a/b.rs", "a.rsx"]);
        check("**/*.rs", &["a.rs", "a/b.rs", "a/b/c.rs"], &["a.rs/b"]);
        check("src/**", &["src/a", "src/a/b"], &["src", "srcs/a"]);
        check("**", &["a", "a/b"], &[]);
        check("a/**/b/**/c", &["a/b/c", "a/x/b/y/z/c"], &["a/c", "a/b/c/d"]);
        check("?.{md,txt}", &["a.md", "b.txt"], &["ab.md", "a.rs"]);
        check("{a,b/{c,d}}/e", &["a/e", "b/c/e", "b/d/e"], &["b/e"]);
        check("[a-c][!0-9]", &["ax", "cz"], &["dx", "a1"]);
        check("[]x]", &["]", "x"], &["["]);
        check("[{,]", &["{", ","], &["["]);
        check(r"\*\{a", &["*{a"], &["x{a"]);
        check("*a*b*c", &["abc", "xaxbxc", "aabbcc"], &["acb"]);
        check("./é?/", &["é☃"], &["é"]);
    }

    #[test]
    fn no_pattern_takes_long() {
        let pattern = Pattern::new(&"*a".repeat(40)).unwrap();
        assert!(!pattern.matches(&"a".repeat(30)));
        assert!(pattern.matches(&"a".repeat(4000)));
        let pattern = Pattern::new(&format!("{}x", "**/a/".repeat(40))).unwrap();
        assert!(!pattern.matches(&vec!["a"; 500].join("/")));
    }

    #[test]
    fn unreachable_directories() {
        let pattern = Pattern::new("src/*/a.rs").unwrap();
        assert!(pattern.reaches("") && pattern.reaches("src") && pattern.reaches("src/x"));
        assert!(!pattern.reaches("target") && !pattern.reaches("src/x/y"));
    }

    #[test]
    fn refusals() {
        for pattern in ["", "/", "[a", "{a,b", "a\\", &"{a,b}".repeat(9)] {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
    }
}

//! The words of the short form, and the quotes of the places it is pasted to.

/// One word of the short form.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// It stood in double quotes, so it means itself.
    pub(super) quoted: bool,
}

/// Splits at spaces, outside of double quotes.
pub(super) fn words(text: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start_matches(' ');
    while !rest.is_empty() {
        let (word, after) = if rest.starts_with('"') {
            let (text, after) = literal(rest)?;
            if !after.is_empty() && !after.starts_with(' ') {
                return Err(format!("{after:?} follows a closing quote; put a space between, or all of it in quotes"));
            }
            (Word { text, quoted: true }, after)
        } else {
            let end = rest.find(' ').unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if word.contains('"') {
                return Err(format!("the word {word:?} holds a quote; put the whole word in double quotes"));
            }
            (Word { text: word.to_owned(), quoted: false }, after)
        };
        words.push(word);
        rest = after.trim_start_matches(' ');
    }
    Ok(words)
}

/// The text of a word that is in quotes from end to end.
pub(super) fn unquoted(text: &str) -> Result<String, String> {
    match literal(text)? {
        (inside, "") => Ok(inside),
        (_, after) => Err(format!("{after:?} follows the closing quote of {text:?}; put all of it in quotes")),
    }
}

/// What a literal at the start of `text` says, and what comes after it.
fn literal(text: &str) -> Result<(String, &str), String> {
    let mut inside = String::new();
    let mut rest = text.strip_prefix('"').unwrap_or(text).chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => return Ok((inside, rest.as_str())),
            '\\' => inside.push(escape(&mut rest)?),
            c => inside.push(c),
        }
    }
    Err(format!("the quote at the start of {text:?} is not closed"))
}

fn escape(rest: &mut std::str::Chars<'_>) -> Result<char, String> {
    const KNOWN: &str = r#"the escapes are \" \\ \n \r \t \0 and \u{…}"#;
    match rest.next() {
        Some(c @ ('"' | '\\')) => Ok(c),
        Some('n') => Ok('\n'),
        Some('r') => Ok('\r'),
        Some('t') => Ok('\t'),
        Some('0') => Ok('\0'),
        Some('u') => {
            let code = rest.as_str().strip_prefix('{').and_then(|code| code.split_once('}'));
            let (code, after) = code.ok_or_else(|| format!("`\\u` without braces; {KNOWN}"))?;
            *rest = after.chars();
            let c = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
            c.ok_or_else(|| format!("there is no character \\u{{{code}}}"))
        }
        Some(c) => Err(format!("unknown escape \\{c}; {KNOWN}")),
        None => Err(format!("a backslash at the end; {KNOWN}")),
    }
}

/// A word as the short form writes it: in quotes where it has to be.
pub(super) fn word(text: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !"\"\\".contains(c) && shows_as_itself(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { quoted(text) }
}

/// In double quotes, with everything escaped that a person would not see.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        if c == '\'' || shows_as_itself(c) && !"\"\\".contains(c) { out.push(c) } else { out.extend(c.escape_debug()) }
    }
    out.push('"');
    out
}

/// Neither a control nor an invisible character: the standard library's escape leaves it alone.
fn shows_as_itself(c: char) -> bool {
    c == '\'' || c == '"' || c == '\\' || c.escape_debug().eq([c])
}

/// A text that somebody else chose, for a message: escaped, and cut at `most` bytes.
pub(super) fn shown(text: &str, most: usize) -> String {
    let cut = text.floor_char_boundary(most);
    let end = if cut == text.len() { "" } else { "…" };
    format!("{}{end}", quoted(&text[..cut]))
}

//! What reaches the terminal. Everything a tool chose passes through [`harmless`] on its way to one.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};

/// Text with every character that a terminal acts on, or that reorders or hides text, written out.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    let acts = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{3164}' | '\u{ffa0}')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
            || matches!(c, '\u{e0000}'..='\u{e007f}' | '\u{fff9}'..='\u{fffb}')
    };
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// Print to standard output: harmless on a terminal, byte for byte into a pipe or a file.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let text = if out.is_terminal() { harmless(text) } else { Cow::Borrowed(text) };
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| if text.ends_with('\n') || text.is_empty() { Ok(()) } else { out.write_all(b"\n") });
    match written.and_then(|()| out.flush()) {
        // The reader has seen enough: `fumehood … | head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Print to standard error, always harmless: a message may quote a tool.
pub(super) fn note(text: &str) {
    // Nobody is left to be told when standard error is gone.
    let text = harmless(text);
    // Lines after the first are set in: a quoted text cannot pass for a line of this program's own.
    let _ = writeln!(io::stderr().lock(), "{}", text.trim_end().replace('\n', "\n  "));
}

/// Print a question to standard error, and stay on its line.
pub(super) fn prompt(text: &str) {
    let mut err = io::stderr().lock();
    // Nobody is left to be asked when standard error is gone.
    let _ = err.write_all(harmless(text).as_bytes()).and_then(|()| err.flush());
}

/// Print an error.
pub(super) fn error(message: &str) {
    note(&format!("fumehood: {message}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_a_terminal_that_it_would_act_on() {
        let check = |text: &str, shown: &str| assert_eq!(harmless(text), shown);
        check("plain\ttext\nä 漢 🎉", "plain\ttext\nä 漢 🎉");
        check("\x1b[31mred", "\\u{1b}[31mred");
        check("a\rb\x08c\x7f", "a\\u{d}b\\u{8}c\\u{7f}");
        check("\u{9b}31m", "\\u{9b}31m");
        check("a\u{202e}b\u{2066}c\u{200b}d\u{e0041}", "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{e0041}");
    }
}

//! What reaches the terminal. Everything a tool chose passes through [`harmless`] on its way to one.

mod harmless;
mod ours;
mod size;

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};

pub(super) use harmless::{harmless, pieces, width};
pub(super) use size::Screen;

/// Print to standard output: harmless on a terminal, byte for byte into a pipe or a file.
pub(super) fn print(text: &str) -> io::Result<()> {
    write(text, harmless)
}

/// Print what [`cards`](super::cards) drew. A terminal gets its colours and links, and no other escape sequence whatever
/// the drawing holds.
pub(super) fn show(drawn: &str) -> io::Result<()> {
    write(drawn, ours::only_ours)
}

fn write(text: &str, for_terminal: impl Fn(&str) -> Cow<'_, str>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let text = if out.is_terminal() { for_terminal(text) } else { Cow::Borrowed(text) };
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

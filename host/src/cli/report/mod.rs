//! Audits and comparisons as text for a terminal.

mod audit;
mod diff;

pub(super) use audit::audit;
pub(super) use diff::{changes, diff};

/// A text of the tool: its further lines stand under the first, each marked, so that none can pass for a line of the
/// report.
fn set_in(text: &str, indent: usize) -> String {
    text.replace('\n', &format!("\n{:indent$}| ", ""))
}

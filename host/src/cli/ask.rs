//! Asking whoever sits at the terminal.

use std::io::{self, IsTerminal as _};
use std::pin::Pin;
use std::sync::Arc;

use fumehood::{Answer, Approver, Question};
use tokio::sync::{Mutex, mpsc};

use super::screen;

/// As much of the arguments as a person reads. How much more there is, is said.
const SHOWN: usize = 4 << 10;

/// Asks on standard error and reads standard input, one question at a time.
pub(super) struct AtTheTerminal {
    /// Nothing before the first question: what is typed ahead is for whoever reads the terminal next.
    lines: Mutex<Option<mpsc::UnboundedReceiver<String>>>,
}

impl AtTheTerminal {
    /// `None` where there is nobody to ask: standard input or standard error is no terminal.
    pub(super) fn here() -> Option<Arc<Self>> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        Some(Arc::new(Self { lines: Mutex::new(None) }))
    }
}

/// One reader for all questions: a question that ended unanswered must not eat the answer to the next.
fn typed_lines() -> mpsc::UnboundedReceiver<String> {
    let (typed, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || io::stdin().lines().map_while(Result::ok).try_for_each(|line| typed.send(line)));
    lines
}

impl Approver for AtTheTerminal {
    fn ask<'a>(&'a self, question: Question<'a>) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        Box::pin(async move {
            let mut lines = self.lines.lock().await;
            let lines = lines.get_or_insert_with(typed_lines);
            // What was typed before the question is no answer to it.
            while lines.try_recv().is_ok() {}
            screen::note(&text(&question));
            screen::prompt("Run it? [y/N] ");
            match lines.recv().await {
                Some(line) if matches!(line.trim(), "y" | "Y" | "yes") => Answer::Allowed,
                Some(_) => Answer::Rejected,
                None => Answer::Unavailable,
            }
        })
    }
}

fn text(question: &Question<'_>) -> String {
    let proposed = question.proposed;
    let manifest = proposed.manifest;
    let args = proposed.args.text();
    let shown = &args[..args.floor_char_boundary(SHOWN)];
    let more = match args.len() - shown.len() {
        0 => String::new(),
        more => format!(" … and {more} bytes more, which do not fit here"),
    };
    let place = match proposed.remote {
        Some(remote) => format!("{}, at {remote}, not sandboxed", manifest.name),
        None => format!("{} {}", manifest.name, manifest.version),
    };
    let mut text = format!("fumehood: a call waits for your answer\n{} ({place})\n{shown}{more}", proposed.tool.name);
    if !proposed.callers.is_empty() {
        text.push_str(&format!("\ncalled by {}", proposed.callers.join(", which was called by ")));
    }
    for (policy, reason) in question.asked_by {
        text.push_str(&format!("\n{policy}: {reason}"));
    }
    text
}

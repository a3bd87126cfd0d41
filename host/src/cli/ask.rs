//! Asking whoever sits at the terminal.

use std::io::{self, IsTerminal as _};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use fumehood::{Answer, Approver, Question};
use serde_json::Value;
use tokio::sync::{Mutex, mpsc};

use super::screen;

/// As much of the arguments as a person reads.
const SHOWN: usize = 4 << 10;
/// Of longer ones, so many fields and so many bytes of each. How many there are is said.
const FIELDS: usize = 40;
const FIELD: usize = 200;

/// The reader has what the terminal holds in less than this, and nobody reads a question as fast.
const TYPED_AHEAD: Duration = Duration::from_millis(100);

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
            // Lines that were typed ahead, or pasted, are no answer: what has come by now is dropped, and nobody could have known
            // the number.
            tokio::time::sleep(TYPED_AHEAD).await;
            while lines.try_recv().is_ok() {}
            let Ok(number) = getrandom::u32().map(|random| 10 + random % 90) else { return Answer::Unavailable };
            screen::note(&text(&question));
            screen::prompt(&format!("To run it, type {number}; anything else is a no: "));
            match lines.recv().await {
                Some(line) if line.trim() == number.to_string() => Answer::Allowed,
                Some(_) => Answer::Rejected,
                None => Answer::Unavailable,
            }
        })
    }
}

/// The arguments, whole where they fit. Else the beginning of each of them: one long text must not hide the others.
fn shown(value: &Value, text: &str) -> String {
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    let Value::Object(fields) = value else { return beginning(text, SHOWN) };
    let listed = fields.iter().take(FIELDS).map(|(key, value)| {
        format!("{}: {}", beginning(&format!("{key:?}"), FIELD), beginning(&value.to_string(), FIELD))
    });
    let mut lines: Vec<_> = listed.collect();
    lines.push(format!("({} bytes in {} fields; long ones are cut)", text.len(), fields.len()));
    lines.join("\n")
}

fn beginning(text: &str, most: usize) -> String {
    let shown = &text[..text.floor_char_boundary(most)];
    match text.len() - shown.len() {
        0 => shown.to_owned(),
        more => format!("{shown} … and {more} bytes more"),
    }
}

fn text(question: &Question<'_>) -> String {
    let proposed = question.proposed;
    let manifest = proposed.manifest;
    let args = shown(proposed.args.value(), proposed.args.text());
    let place = match proposed.remote {
        Some(remote) => format!("{}, at {remote}, not sandboxed", manifest.name),
        None => format!("{} {}", manifest.name, manifest.version),
    };
    let mut text = format!("fumehood: a call waits for your answer\n{} ({place})\n{args}", proposed.tool.name);
    if !proposed.callers.is_empty() {
        // The nearest first.
        let callers: Vec<_> = proposed.callers.iter().rev().map(String::as_str).collect();
        text.push_str(&format!("\ncalled by {}", callers.join(", which was called by ")));
    }
    for (policy, reason) in question.asked_by {
        text.push_str(&format!("\n{policy}: {reason}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A long first field hides nothing that comes after it.
    #[test]
    fn each_of_many_arguments_is_shown() {
        let short = json!({ "path": "a" });
        assert_eq!(shown(&short, &short.to_string()), short.to_string());
        let long = json!({ "harmless": "x".repeat(10_000), "command": "rm -rf /" });
        let text = shown(&long, &long.to_string());
        assert!(text.contains("\"command\": \"rm -rf /\"") && text.contains("in 2 fields"), "{text}");
        assert!(text.len() < 1_000, "{text}");
        let list = json!(vec!["x"; 10_000]);
        assert!(shown(&list, &list.to_string()).contains("bytes more"));
    }
}

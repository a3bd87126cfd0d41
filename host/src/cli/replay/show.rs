//! A log on the terminal: each call in the order in which the calls ended.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::BufRead;

use anyhow::Context as _;
use fumehood::{CallId, EndedAs, NotRun, Passage, ReplayedCall, Transcript};

use super::Show;
use super::flawed;
use crate::cli::cards;
use crate::cli::screen::{self, Screen};

/// What is shown of a log.
pub(super) struct Wanted {
    /// Empty: all.
    pub(super) calls: Vec<CallId>,
    pub(super) show: Show,
    pub(super) screen: Screen,
}

/// What was shown until now.
#[derive(Default)]
struct Seen {
    any: bool,
    /// Of those that are wanted by name.
    calls: BTreeSet<CallId>,
}

/// Shows it. Returns how many lines are flawed.
pub(super) fn all(log: Box<dyn BufRead + Send>, wanted: &Wanted) -> anyhow::Result<u64> {
    let (mut flaws, mut seen) = (0, Seen::default());
    for passage in Transcript::new(log) {
        match passage.context("the log cannot be read")? {
            Passage::Call(call) => shown(&call, wanted, &mut seen)?,
            Passage::Flawed { line, flaw } => {
                flawed(line, &flaw);
                flaws += 1;
            }
            Passage::Repaired { repair, .. } if wanted.show == Show::Cards && wanted.calls.is_empty() => {
                let torn =
                    repair.torn_bytes.map(|bytes| format!("; {bytes} bytes of an unfinished line are kept beside it"));
                let calls = match repair.open_calls.len() {
                    1 => "1 call".to_owned(),
                    calls => format!("{calls} calls"),
                };
                screen::note(&format!("the log was mended here: {calls} had no end{}", torn.unwrap_or_default()));
            }
            _ => {}
        }
    }
    for call in wanted.calls.iter().filter(|call| !seen.calls.contains(*call)) {
        screen::error(&format!("there is no call {call} in the log"));
        flaws += 1;
    }
    Ok(flaws)
}

/// A call, or those below it that are wanted.
fn shown(call: &ReplayedCall, wanted: &Wanted, seen: &mut Seen) -> anyhow::Result<()> {
    if wanted.calls.is_empty() || wanted.calls.contains(&call.id) {
        let first = !std::mem::replace(&mut seen.any, true);
        if !wanted.calls.is_empty() {
            seen.calls.insert(call.id.clone());
        }
        let text = match wanted.show {
            Show::Cards if first => with_card(call, &wanted.screen),
            Show::Cards => format!("\n{}", with_card(call, &wanted.screen)),
            Show::Content => content(call, &wanted.screen),
        };
        return Ok(screen::show(&text)?);
    }
    call.children.iter().try_for_each(|child| shown(child, wanted, seen))
}

/// What the model read: the bytes that it read, in a pipe.
fn content(call: &ReplayedCall, screen: &Screen) -> String {
    let blocks: Vec<_> = call.end.content.iter().map(|block| cards::block(block, screen)).collect();
    blocks.join("\n")
}

fn with_card(call: &ReplayedCall, screen: &Screen) -> String {
    let mut text = format!("{}\n", headline(call));
    match &call.end.ended {
        EndedAs::Success if call.id.parent().is_none() => {
            let drawn = call.card_at_end();
            text.push_str(&cards::draw(&drawn.card, call.end.card_cut, screen));
            if let Some(note) = drawn.note {
                let _ = writeln!(text, "  note: {note}");
            }
        }
        EndedAs::Interrupted { .. } if call.id.parent().is_none() => {
            text.push_str(&cards::draw(&call.pending_card().card, None, screen));
            let _ = writeln!(text, "{}", content(call, screen));
        }
        _ => {
            let _ = writeln!(text, "{}", content(call, screen));
        }
    }
    for line in notes(call) {
        // Names and words in it may be a tool's or a reviewer's.
        let _ = writeln!(text, "  {}", screen::harmless(&line));
    }
    nested(&call.children, 1, &mut text);
    text
}

fn headline(call: &ReplayedCall) -> String {
    let tool = call.call.as_ref().map_or("an unknown tool", |asked| asked.tool.as_str());
    let took = if call.is_open() { String::new() } else { format!(", {} ms", call.end.millis) };
    let at = call.asked_at.as_deref().map(|at| format!(", {at}")).unwrap_or_default();
    screen::harmless(&format!("#{} {tool}: {}{took}{at}", call.id, ended(&call.end.ended))).into_owned()
}

fn ended(ended: &EndedAs) -> String {
    match ended {
        EndedAs::Success => "success".to_owned(),
        EndedAs::Failure { kind, code, .. } => format!("{kind} ({code})"),
        EndedAs::Interrupted { state: NotRun::NotStarted } => "interrupted before it began".to_owned(),
        EndedAs::Interrupted { .. } => "interrupted, and what it did is not known".to_owned(),
        _ => "ended in a way that this program does not know".to_owned(),
    }
}

/// What else there is to say of how a call came to its end.
fn notes(call: &ReplayedCall) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(call.end.reviews.iter().map(ToString::to_string));
    if let Some(spilled) = &call.end.spilled {
        let (omitted, bytes) = (spilled.omitted, spilled.bytes);
        notes.push(format!("the model did not read {omitted} of {bytes} bytes, kept as {}", spilled.locator));
    }
    let denied = call.end.decisions.iter().filter(|decision| !decision.allowed);
    notes.extend(denied.map(ToString::to_string));
    notes
}

fn nested(calls: &[ReplayedCall], depth: usize, out: &mut String) {
    for call in calls {
        let _ = writeln!(out, "{}{}", "  ".repeat(depth), headline(call));
        nested(&call.children, depth + 1, out);
    }
}

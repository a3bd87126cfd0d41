//! A card with less in it.

mod diff;
mod generic;
mod lists;
#[cfg(test)]
mod tests;

use serde::Serialize;

use super::budget::json_len;
use super::{Card, ExitStatus, ToolKind, WebResults};
use crate::content::ContentBlock;
use crate::excerpt::{self, Excerpt};

/// A short field takes at most one part of so many. A card has four at the most: three quarters are left for the rest.
const LABEL: u64 = 16;

/// The card of `bytes` bytes in `budget` bytes, which are fewer.
pub(super) fn cut(mut card: Card, bytes: u64, budget: u64) -> Card {
    shorten_labels(&mut card, budget / LABEL);
    let title = card.title().to_owned();
    if json_len(&card) > budget {
        card = match card {
            Card::Generic { title, kind, input, body, locations } => {
                generic::cut(title, kind, input, body, locations, budget)
            }
            Card::Terminal { .. } => terminal(card, budget),
            Card::Diff { title, diffs } => diff::cut(title, diffs, budget),
            Card::Read { .. } => lists::read(card, budget),
            Card::Search { title, results } => lists::search(title, results, budget),
            Card::Web { title, results } => lists::web(title, results, budget),
        };
    }
    // Whatever a later field may bring: a card that is over its budget is not shown.
    if json_len(&card) > budget {
        let note = format!("[The card of {bytes} bytes is too long to show.]");
        let body = vec![ContentBlock::text(note)];
        card = Card::Generic { title, kind: None, input: None, body, locations: Vec::new() };
    }
    card
}

fn shorten_labels(card: &mut Card, room: u64) {
    let each = |fields: &mut [&mut String]| fields.iter_mut().for_each(|field| shorten_label(field, room));
    let optional = |field: &mut Option<String>| field.iter_mut().for_each(|field| shorten_label(field, room));
    match card {
        Card::Generic { title, .. } | Card::Search { title, .. } => each(&mut [title]),
        Card::Terminal { title, description, cwd, exit, .. } => {
            each(&mut [title]);
            optional(description);
            optional(cwd);
            if let Some(ExitStatus::Signal(signal)) = exit {
                each(&mut [signal]);
            }
        }
        Card::Diff { title, diffs } => {
            each(&mut [title]);
            diffs.iter_mut().for_each(|diff| shorten_label(&mut diff.path, room));
        }
        Card::Read { title, path, language, .. } => {
            each(&mut [title, path]);
            optional(language);
        }
        Card::Web { title, results } => {
            each(&mut [title]);
            if let WebResults::Search { sources, .. } = results {
                for source in sources {
                    optional(&mut source.title);
                    optional(&mut source.published);
                }
            }
        }
    }
}

fn shorten_label(text: &mut String, room: u64) {
    if text_price(text) > room {
        let head = excerpt::beginning(text, room.saturating_sub('…'.len_utf8() as u64), price).len();
        text.truncate(head);
        text.push('…');
    }
}

fn terminal(mut card: Card, budget: u64) -> Card {
    if let Card::Terminal { output, .. } = &mut card {
        let whole = std::mem::take(output);
        let room = budget.saturating_sub(json_len(&card));
        if let Card::Terminal { output, .. } = &mut card {
            *output = shortened(&whole, room, "\n");
        }
    }
    card
}

/// A text in so many bytes of JSON: whole, or its beginning and its end with the count of what is between. `around` stands on
/// both sides of the count.
fn shortened(text: &str, room: u64, around: &str) -> String {
    if text_price(text) <= room {
        return text.to_owned();
    }
    let gap = |omitted| format!("{around}{}{around}", excerpt::gap(omitted));
    // No count is longer than that of all bytes.
    let left = room.saturating_sub(text_price(&gap(text.len() as u64)));
    let Excerpt { head, tail, omitted } = Excerpt::of(text, left, price);
    [head, &gap(omitted as u64), tail].concat()
}

/// The first items that fit, in their order. Each takes its bytes of the room, and one for a comma.
fn fitting<T: Serialize>(items: Vec<T>, room: &mut u64) -> Vec<T> {
    let fits = |item: &T| match room.checked_sub(json_len(item) + 1) {
        Some(rest) => {
            *room = rest;
            true
        }
        None => false,
    };
    items.into_iter().take_while(fits).collect()
}

/// What a text takes in JSON, without its quotes.
fn text_price(text: &str) -> u64 {
    text.chars().map(price).sum()
}

/// What a character takes in a JSON string: RFC 8259 section 7, as `serde_json` writes it.
fn price(one: char) -> u64 {
    match one {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        other => other.len_utf8() as u64,
    }
}

/// A generic card in the place of one that cannot be shown in its own kind.
fn instead(title: String, kind: ToolKind, body: Vec<ContentBlock>, paths: Vec<String>, budget: u64) -> Card {
    let locations = paths.into_iter().map(|path| super::Location { path, line: None }).collect();
    generic::cut(title, Some(kind), None, body, locations, budget)
}

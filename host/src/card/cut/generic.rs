//! The card of anything.

use serde_json::Value;

use super::super::{Card, Location, ToolKind, budget::json_len};
use super::{fitting, shorten_label, shortened, text_price};
use crate::content::{ContentBlock, EmbeddedResource, ResourceBody};

/// The least that is shown of a text, in bytes of JSON: the count of what is left out, and some words.
const LEAST_TEXT: u64 = 128;

/// What a note of the host takes at the most, in bytes of JSON.
const NOTE: u64 = 128;

/// What names a thing that is left out, in bytes of JSON.
const NAME: u64 = 160;

pub(super) fn cut(
    title: String,
    kind: Option<ToolKind>,
    mut input: Option<Value>,
    mut body: Vec<ContentBlock>,
    locations: Vec<Location>,
    budget: u64,
) -> Card {
    let locations = fitting(locations, &mut (budget / 8));
    let card = |input, body| Card::Generic { title: title.clone(), kind, input, body, locations: locations.clone() };
    let mut room = budget.saturating_sub(json_len(&card(input.clone(), Vec::new())));
    if room < budget / 4
        && let Some(dropped) = input.take()
    {
        let note = format!("[The input of {} bytes is too long to show.]", json_len(&dropped));
        body.insert(0, ContentBlock::text(note));
        room = budget.saturating_sub(json_len(&card(None, Vec::new())));
    }
    let body = shorten_body(body, room);
    card(input, body)
}

fn block_price(block: &ContentBlock) -> u64 {
    json_len(block) + 1
}

fn shorten_body(mut body: Vec<ContentBlock>, room: u64) -> Vec<ContentBlock> {
    let mut total: u64 = body.iter().map(block_price).sum();
    // Pictures, sounds and resources first, from the end: a part of one is none.
    for block in body.iter_mut().rev() {
        if total <= room {
            return body;
        }
        if let Some(name) = stand_in(block) {
            let (before, after) = (block_price(block), block_price(&name));
            if after < before {
                total = total - before + after;
                *block = name;
            }
        }
    }
    if total <= room {
        return body;
    }
    let note = drop_past(&mut body, room);
    level(&mut body, room.saturating_sub(note.as_ref().map_or(0, block_price)));
    body.extend(note);
    body
}

/// A line in the place of what is no text. `None` for a text.
fn stand_in(block: &ContentBlock) -> Option<ContentBlock> {
    let name = |text: &str| {
        let mut name = text.to_owned();
        shorten_label(&mut name, NAME);
        name
    };
    let text = match block {
        ContentBlock::Text { .. } => return None,
        ContentBlock::Image { data, mime_type, .. } => {
            format!("[A picture, {}, {} bytes, is left out.]", name(mime_type), data.0.len())
        }
        ContentBlock::Audio { data, mime_type, .. } => {
            format!("[A sound, {}, {} bytes, is left out.]", name(mime_type), data.0.len())
        }
        ContentBlock::ResourceLink { uri, .. } => format!("[A link is left out: {}]", name(uri)),
        ContentBlock::Resource { resource: EmbeddedResource { uri, mime_type, body }, .. } => {
            let bytes = match body {
                ResourceBody::Text(text) => text.len(),
                ResourceBody::Blob(data) => data.0.len(),
            };
            let of_type = mime_type.as_ref().map(|mime| format!(", {}", name(mime))).unwrap_or_default();
            format!("[A resource{of_type}, {bytes} bytes, is left out: {}]", name(uri))
        }
    };
    Some(ContentBlock::text(text))
}

/// Drop blocks from the end until the rest fits with the least of every text. What comes back says how many are gone.
fn drop_past(body: &mut Vec<ContentBlock>, room: u64) -> Option<ContentBlock> {
    let least = |block: &ContentBlock| match block {
        ContentBlock::Text { text, .. } => {
            let text = text_price(text);
            block_price(block) - text + text.min(LEAST_TEXT)
        }
        _ => block_price(block),
    };
    if body.iter().map(least).sum::<u64>() <= room {
        return None;
    }
    let mut left = room.saturating_sub(NOTE);
    let fits = |block: &&ContentBlock| match left.checked_sub(least(block)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let kept = body.iter().take_while(fits).count();
    let dropped = body.len() - kept;
    body.truncate(kept);
    Some(ContentBlock::text(format!("[{dropped} more blocks are left out.]")))
}

/// Shorten the longest texts to one length, the greatest with which everything fits.
fn level(body: &mut [ContentBlock], room: u64) {
    let text = |block: &ContentBlock| match block {
        ContentBlock::Text { text, .. } => Some(text_price(text)),
        _ => None,
    };
    let mut prices: Vec<u64> = body.iter().filter_map(text).collect();
    let frame = body.iter().map(block_price).sum::<u64>() - prices.iter().sum::<u64>();
    let mut left = room.saturating_sub(frame);
    prices.sort_unstable();
    let mut most = u64::MAX;
    for (at, price) in prices.iter().enumerate() {
        let share = left / (prices.len() - at) as u64;
        if *price > share {
            most = share;
            break;
        }
        left -= price;
    }
    for block in body {
        if let ContentBlock::Text { text, .. } = block
            && text_price(text) > most
        {
            *text = shortened(text, most, "\n");
        }
    }
}

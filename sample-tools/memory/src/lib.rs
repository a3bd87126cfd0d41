//! An agent's memory: facts to find again, and checkpoints to go on from.
//!
//! `facts` and `checkpoints` hold the five tools, `store` the files.

mod checkpoints;
mod facts;
mod store;

use checkpoints::{Resume, Save};
use facts::{Add, Reflect, Search};
use fumehood_tool::{Card, Content, GenericCard, ToolKind, component};

component!(Search, Add, Save, Resume, Reflect);

/// The card of every tool here: what a model reads is what a person sees.
fn card(title: String, body: Option<Content>) -> Option<Card> {
    let card = GenericCard::new(title).kind(ToolKind::Other);
    Some(body.into_iter().fold(card, GenericCard::body).into())
}

/// `1 fact`, `2 facts`.
fn quantity(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

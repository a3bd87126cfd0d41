//! What the five tools have in common: the shape of a tool, and the road from JSON to it and back.

use std::ops::Range;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fumehood::tool::types::{Card, ContentBlock, GenericCard, Location, TextContent, ToolError, ToolKind};
use crate::root::Root;
use crate::text::quantity;

/// One tool. The three projections see the arguments and the value and nothing else.
pub trait Tool {
    type Args: DeserializeOwned;
    type Value: Serialize + DeserializeOwned;

    fn execute(root: &Root, args: Self::Args) -> Result<Self::Value, ToolError>;
    /// What a model reads.
    fn render(args: Self::Args, value: Self::Value) -> String;
    /// What a person sees before the value is there.
    fn pending(args: Self::Args) -> Card;
    /// What a person sees in the end.
    fn finished(args: Self::Args, value: Self::Value) -> Card;
}

pub fn execute<T: Tool>(root: &Root, args: &str) -> Result<String, ToolError> {
    let args = serde_json::from_str(args).map_err(|error| ToolError::InvalidArgs(error.to_string()))?;
    let value = T::execute(root, args)?;
    Ok(serde_json::to_string(&value).expect("text and numbers have a JSON form"))
}

pub fn render<T: Tool>(args: &str, value: &str) -> Result<Vec<ContentBlock>, String> {
    let text = T::render(read(args)?, read(value)?);
    Ok(vec![ContentBlock::Text(TextContent { text, annotations: None })])
}

pub fn present<T: Tool>(args: &str, value: Option<&str>) -> Result<Option<Card>, String> {
    let args = read(args)?;
    Ok(Some(match value {
        None => T::pending(args),
        Some(value) => T::finished(args, read(value)?),
    }))
}

fn read<D: DeserializeOwned>(json: &str) -> Result<D, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// The card of a call that only looks at something.
pub fn looking(title: String, kind: ToolKind, locations: Vec<Location>) -> Card {
    Card::Generic(GenericCard { title, kind: Some(kind), input: None, body: vec![], locations })
}

/// How many bytes of text a search card lists: more than a person scrolls through.
pub const CARD_BYTES: usize = 64 << 10;

/// Which of `listed` results a page shows.
pub fn page(listed: usize, skip: u64, size: usize) -> Range<usize> {
    let from = usize::try_from(skip).unwrap_or(usize::MAX).min(listed);
    from..listed.min(from.saturating_add(size))
}

/// Says what a page leaves out and how to get it.
pub fn footer(shown: &Range<usize>, listed: usize, total: u64, noun: &str) -> String {
    let nouns = quantity(2, noun)[2..].to_owned();
    let (first, last) = (shown.start + 1, shown.end);
    if shown.is_empty() {
        return format!("\n(skip leaves nothing of {})", quantity(total, noun));
    }
    let rest = match last {
        _ if last as u64 == total => String::new(),
        _ if last < listed => format!("; go on with skip {last}"),
        _ => "; the rest was not kept: narrow the search".into(),
    };
    format!("\n\n({nouns} {first} to {last} of {total}{rest})")
}

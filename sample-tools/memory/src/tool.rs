//! What the five tools have in common: the shape of a tool, and the road from JSON to it and back.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fumehood::tool::types::{Card, ContentBlock, GenericCard, TextContent, ToolError, ToolKind};
use crate::store::Store;

/// One tool. The projections see the arguments and the value and nothing else.
pub trait Tool {
    type Args: DeserializeOwned;
    type Value: Serialize + DeserializeOwned;

    fn execute(store: &Store, args: Self::Args) -> Result<Self::Value, ToolError>;
    /// The title of both cards.
    fn title(args: &Self::Args) -> String;
    /// What a model reads, and a person in the finished card.
    fn render(value: Self::Value) -> Vec<ContentBlock>;
}

pub fn execute<T: Tool>(store: &Store, args: &str) -> Result<String, ToolError> {
    let args = serde_json::from_str(args).map_err(|error| ToolError::InvalidArgs(error.to_string()))?;
    let value = T::execute(store, args)?;
    Ok(serde_json::to_string(&value).expect("text and numbers have a JSON form"))
}

pub fn render<T: Tool>(value: &str) -> Result<Vec<ContentBlock>, String> {
    Ok(T::render(read(value)?))
}

pub fn present<T: Tool>(args: &str, value: Option<&str>) -> Result<Option<Card>, String> {
    Ok(Some(Card::Generic(GenericCard {
        title: T::title(&read(args)?),
        kind: Some(ToolKind::Other),
        input: None,
        body: value.map_or(Ok(vec![]), render::<T>)?,
        locations: vec![],
    })))
}

fn read<D: DeserializeOwned>(json: &str) -> Result<D, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

pub fn text(text: String) -> Vec<ContentBlock> {
    vec![ContentBlock::Text(TextContent { text, annotations: None })]
}

/// `1 fact`, `2 facts`.
pub fn quantity(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

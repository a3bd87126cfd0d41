//! What the two tools have in common: the shape of a tool, and the road from JSON to it and back.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fumehood::tool::types::{Card, ContentBlock, Failure, GenericCard, TextContent, ToolError, ToolKind};
use crate::outside::Outside;

/// One tool. The three projections see the arguments and the value and nothing else.
pub trait Tool {
    type Args: DeserializeOwned;
    type Value: Serialize + DeserializeOwned;

    fn execute(outside: &dyn Outside, args: Self::Args) -> Result<Self::Value, ToolError>;
    /// What a model reads.
    fn render(args: Self::Args, value: Self::Value) -> String;
    /// What a person sees before the value is there: the title of a card, and what kind of call it is.
    fn pending(args: Self::Args) -> (String, ToolKind);
    /// What a person sees in the end.
    fn finished(args: Self::Args, value: Self::Value) -> Card;
}

pub fn execute<T: Tool>(outside: &dyn Outside, args: &str) -> Result<String, ToolError> {
    let args = serde_json::from_str(args).map_err(|error| ToolError::InvalidArgs(error.to_string()))?;
    let value = T::execute(outside, args)?;
    Ok(serde_json::to_string(&value).expect("text and numbers have a JSON form"))
}

pub fn render<T: Tool>(args: &str, value: &str) -> Result<Vec<ContentBlock>, String> {
    let text = T::render(read(args)?, read(value)?);
    Ok(vec![ContentBlock::Text(TextContent { text, annotations: None })])
}

pub fn present<T: Tool>(args: &str, value: Option<&str>) -> Result<Option<Card>, String> {
    let args = read(args)?;
    Ok(Some(match value {
        None => {
            let (title, kind) = T::pending(args);
            Card::Generic(GenericCard { title, kind: Some(kind), input: None, body: vec![], locations: vec![] })
        }
        Some(value) => T::finished(args, read(value)?),
    }))
}

fn read<D: DeserializeOwned>(json: &str) -> Result<D, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

pub fn failure(code: &str, message: String) -> ToolError {
    ToolError::Failed(Failure { code: code.into(), message, data: None })
}

/// `1 source`, `2 sources`.
pub fn quantity(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

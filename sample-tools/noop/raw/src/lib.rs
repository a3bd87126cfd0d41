//! The least that a tool can be, on bare bindings. `build.sh` holds the size of `noop-kit` against it.

use exports::fumehood::tool::tool::Guest;
use fumehood::tool::types::{Card, ContentBlock, TextContent, ToolError};
use serde::{Deserialize, Serialize};

wit_bindgen::generate!({ world: "tool-component", path: "../../../wit" });

struct Noop;

#[cfg(target_family = "wasm")]
export!(Noop);

#[derive(Deserialize)]
struct Args {
    text: String,
}

#[derive(Serialize, Deserialize)]
struct Value {
    text: String,
}

impl Guest for Noop {
    fn execute(_tool: String, args: String) -> Result<String, ToolError> {
        let Args { text } = serde_json::from_str(&args).map_err(|error| ToolError::InvalidArgs(error.to_string()))?;
        serde_json::to_string(&Value { text }).map_err(|error| ToolError::InvalidArgs(error.to_string()))
    }

    fn render(_tool: String, _args: String, value: String) -> Result<Vec<ContentBlock>, String> {
        let Value { text } = serde_json::from_str(&value).map_err(|error| error.to_string())?;
        Ok(vec![ContentBlock::Text(TextContent { text, annotations: None })])
    }

    fn present(_tool: String, _args: String, _value: Option<String>) -> Result<Option<Card>, String> {
        Ok(None)
    }
}

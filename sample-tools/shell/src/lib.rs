//! `shell_run`: runs one granted program, without a shell, and says how it ended.
//!
//! `run` turns arguments into a request to the host and its answer into a value; `show` turns the value into what a model
//! reads and a person sees. Both are tested natively; this file carries them over the border.

mod run;
mod show;

use serde::de::DeserializeOwned;

use exports::fumehood::tool::tool::Guest;
use fumehood::host::process;
use fumehood::tool::types::{Card, ContentBlock, TextContent, ToolError};
use run::Value;

wit_bindgen::generate!({
    world: "fumehood:host/tool-component-with-host",
    path: ["../../wit", "../../wit/host"],
    // The types of a tool are another package's.
    generate_all,
});

struct Shell;

// Without this line `cargo test` runs everything else natively.
#[cfg(target_family = "wasm")]
export!(Shell);

impl Guest for Shell {
    /// `tool` names one of the manifest's tools; with one tool there is nothing to choose.
    fn execute(_tool: String, args: String) -> Result<String, ToolError> {
        let request = run::request(read(&args).map_err(ToolError::InvalidArgs)?);
        let completed = process::run(&request).map_err(run::refused)?;
        Ok(serde_json::to_string(&Value::from(completed)).expect("text and numbers have a JSON form"))
    }

    fn render(_tool: String, args: String, value: String) -> Result<Vec<ContentBlock>, String> {
        let text = show::text(&read(&args)?, &read(&value)?);
        Ok(vec![ContentBlock::Text(TextContent { text, annotations: None })])
    }

    fn present(_tool: String, args: String, value: Option<String>) -> Result<Option<Card>, String> {
        let value = value.as_deref().map(read).transpose()?;
        Ok(Some(Card::Terminal(show::card(read(&args)?, value))))
    }
}

fn read<D: DeserializeOwned>(json: &str) -> Result<D, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

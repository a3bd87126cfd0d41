//! The tools that the conformance suite of the Model Context Protocol asks a server for, by the names it knows.
//!
//! The suite wants content blocks and fixed texts. A tool here cannot return them: it returns which `parts` a result
//! has, and `render` makes the blocks from that. `parts` holds what they are.

mod parts;

use exports::fumehood::tool::tool::Guest;
use fumehood::tool::types::{Card, ContentBlock, Failure, ToolError};
use parts::{Part, Value};

wit_bindgen::generate!({ world: "tool-component", path: "../../wit" });

struct Conformance;

// Without this line `cargo test` runs everything else natively.
#[cfg(target_family = "wasm")]
export!(Conformance);

impl Guest for Conformance {
    fn execute(tool: String, args: String) -> Result<String, ToolError> {
        let parts = match tool.as_str() {
            "test_simple_text" => vec![Part::Text("This is a simple text response for testing.".into())],
            "test_image_content" => vec![Part::Image],
            "test_audio_content" => vec![Part::Audio],
            "test_embedded_resource" => vec![Part::Resource],
            "test_multiple_content_types" => {
                vec![Part::Text("Multiple content types test:".into()), Part::Image, Part::Resource]
            }
            "test_error_handling" => {
                let message = "This tool intentionally returns an error for testing".into();
                return Err(ToolError::Failed(Failure { code: "INTENDED".into(), message, data: None }));
            }
            "test_tool_with_progress" => {
                // The suite's own server waits between these, and its description says so; what it checks is the order.
                for done in [0, 50, 100] {
                    fumehood::tool::progress::report(done, Some(100), None);
                }
                vec![Part::Text("Reported 0, 50 and 100 of 100.".into())]
            }
            // What these two are for is their input schema.
            "json_schema_2020_12_tool" | "test_x_mcp_header" => vec![Part::Text(args)],
            _ => return Err(ToolError::NotFound(format!("no tool is named {tool}"))),
        };
        serde_json::to_string(&Value { parts })
            .map_err(|error| ToolError::Failed(Failure { code: "JSON".into(), message: error.to_string(), data: None }))
    }

    fn render(_tool: String, _args: String, value: String) -> Result<Vec<ContentBlock>, String> {
        let value: Value = serde_json::from_str(&value).map_err(|error| error.to_string())?;
        Ok(value.parts.into_iter().map(Part::block).collect())
    }

    fn present(_tool: String, _args: String, _value: Option<String>) -> Result<Option<Card>, String> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        let manifest: serde_json::Value = serde_json::from_str(include_str!("../manifest.json")).unwrap();
        let tools = manifest["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn every_listed_tool_is_there_and_no_other() {
        // What reports progress needs a host.
        for name in names().into_iter().filter(|name| name != "test_tool_with_progress") {
            match Conformance::execute(name.clone(), "{}".into()) {
                Ok(value) => assert!(!Conformance::render(name, "{}".into(), value).unwrap().is_empty()),
                Err(error) => assert!(matches!(error, ToolError::Failed(_)), "{name}: {error:?}"),
            }
        }
        assert!(matches!(Conformance::execute("none".into(), "{}".into()), Err(ToolError::NotFound(_))));
    }

    #[test]
    fn a_value_that_is_none_is_not_rendered() {
        assert!(Conformance::render(String::new(), String::new(), r#"{"parts":["video"]}"#.into()).is_err());
    }
}

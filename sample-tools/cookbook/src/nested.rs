//! Another tool: call it by name, and get the value that its `execute` returned.

use fumehood_tool::{Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

pub struct LongestText;

#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// The texts.
    #[schemars(length(min = 1, max = 50))]
    texts: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Longest {
    /// Which of them, from 0.
    index: u32,
    words: u64,
}

/// What is needed of the other tool's value. The rest of it is left alone.
#[derive(Deserialize)]
struct Counts {
    words: u64,
}

impl Tool for LongestText {
    type Args = Args;
    type Value = Longest;

    const NAME: &str = "longest_text";
    const DESCRIPTION: &str = "Find which of several texts has the most words.";

    fn execute(args: Args, context: &Context) -> Result<Longest, ToolError> {
        let mut longest = Longest { index: 0, words: 0 };
        for (index, text) in (0..).zip(&args.texts) {
            let Counts { words } = context.call("word_count", &json!({ "text": text }))?;
            if words > longest.words {
                longest = Longest { index, words };
            }
        }
        Ok(longest)
    }
}

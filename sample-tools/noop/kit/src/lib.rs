//! The same tool as `noop-raw`, on the kit.

use fumehood_tool::{Content, Context, Tool, ToolError, component};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

struct Noop;

component!(Noop);

#[derive(Deserialize, JsonSchema)]
struct Args {
    text: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Value {
    text: String,
}

impl Tool for Noop {
    type Args = Args;
    type Value = Value;

    const NAME: &str = "noop";
    const DESCRIPTION: &str = "Give back a text.";

    fn execute(Args { text }: Args, _context: &Context) -> Result<Value, ToolError> {
        Ok(Value { text })
    }

    fn render(_args: &Args, value: &Value) -> Content {
        value.text.as_str().into()
    }
}

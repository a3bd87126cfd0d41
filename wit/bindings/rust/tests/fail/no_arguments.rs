//! What a tool is called with is a part of it: one that takes nothing says so with `NoArgs`.

struct Echo;

impl Tool for Echo {
    type Value = Value;
    const NAME: &str = "echo";
    const DESCRIPTION: &str = "Echo.";
    fn execute(_args: NoArgs, _context: &Context) -> Result<Value, ToolError> {
        Ok(Value { text: String::new() })
    }
}

fn main() {}

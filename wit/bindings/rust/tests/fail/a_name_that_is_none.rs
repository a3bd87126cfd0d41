//! Model APIs take no blank in a tool's name.

struct Echo;

component!(Echo);

impl Tool for Echo {
    type Args = Args;
    type Value = Value;
    const NAME: &str = "echo it";
    const DESCRIPTION: &str = "Echo.";
    fn execute(args: Args, _context: &Context) -> Result<Value, ToolError> {
        Ok(Value { text: args.text })
    }
}

fn main() {}

//! A model chooses by the description.

struct Echo;

component!(Echo);

impl Tool for Echo {
    type Args = Args;
    type Value = Value;
    const NAME: &str = "echo";
    const DESCRIPTION: &str = "";
    fn execute(args: Args, _context: &Context) -> Result<Value, ToolError> {
        Ok(Value { text: args.text })
    }
}

fn main() {}

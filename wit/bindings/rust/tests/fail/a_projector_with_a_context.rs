//! `render` and `present` run sealed: nothing of the call is theirs but its arguments and its value.

struct Echo;

impl Tool for Echo {
    type Args = Args;
    type Value = Value;
    const NAME: &str = "echo";
    const DESCRIPTION: &str = "Echo.";
    fn execute(args: Args, _context: &Context) -> Result<Value, ToolError> {
        Ok(Value { text: args.text })
    }
    fn render(_args: &Args, value: &Value, context: &Context) -> Content {
        context.progress(1, None, None);
        value.text.as_str().into()
    }
    fn present(_args: &Args, _value: Option<&Value>) -> Option<Card> {
        Context::new().progress(1, None, None);
        None
    }
}

fn main() {}

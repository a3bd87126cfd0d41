//! `execute` makes the value, and content is made from that.

struct Echo;

impl Tool for Echo {
    type Args = Args;
    type Value = Content;
    const NAME: &str = "echo";
    const DESCRIPTION: &str = "Echo.";
    fn execute(args: Args, _context: &Context) -> Result<Content, ToolError> {
        Ok(args.text.into())
    }
}

fn main() {}

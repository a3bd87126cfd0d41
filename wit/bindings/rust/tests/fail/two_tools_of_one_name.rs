//! Names that differ by case or by `-` and `_` are one to people and models.

struct One;
struct Other;

component!(One, Other);

impl Tool for One {
    type Args = Args;
    type Value = Value;
    const NAME: &str = "read-file";
    const DESCRIPTION: &str = "Read.";
    fn execute(args: Args, _context: &Context) -> Result<Value, ToolError> {
        Ok(Value { text: args.text })
    }
}

impl Tool for Other {
    type Args = Args;
    type Value = Value;
    const NAME: &str = "Read_File";
    const DESCRIPTION: &str = "Read.";
    fn execute(args: Args, _context: &Context) -> Result<Value, ToolError> {
        Ok(Value { text: args.text })
    }
}

fn main() {}

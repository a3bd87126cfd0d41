//! The projectors get the value from the host: what is written has to be read, too.

#[derive(Serialize, JsonSchema)]
#[serde(crate = "fumehood_tool::serde")]
#[schemars(crate = "fumehood_tool::schemars")]
struct Written;

struct Echo;

impl Tool for Echo {
    type Args = Args;
    type Value = Written;
    const NAME: &str = "echo";
    const DESCRIPTION: &str = "Echo.";
    fn execute(_args: Args, _context: &Context) -> Result<Written, ToolError> {
        Ok(Written)
    }
}

fn main() {}

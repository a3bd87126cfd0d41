//! The host checks every value against a schema, which comes from the type.

#[derive(Serialize, Deserialize)]
#[serde(crate = "fumehood_tool::serde")]
struct Bare;

struct Echo;

impl Tool for Echo {
    type Args = Args;
    type Value = Bare;
    const NAME: &str = "echo";
    const DESCRIPTION: &str = "Echo.";
    fn execute(_args: Args, _context: &Context) -> Result<Bare, ToolError> {
        Ok(Bare)
    }
}

fn main() {}

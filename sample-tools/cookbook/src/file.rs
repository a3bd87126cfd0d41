//! Files: `std::fs`, in the directories that the operator grants.

use fumehood_tool::{Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct LineOfFile;

#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// The file, in a granted directory.
    path: String,
    /// Which line, from 1.
    #[schemars(range(min = 1))]
    line: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Line {
    text: String,
}

impl Tool for LineOfFile {
    type Args = Args;
    type Value = Line;

    const NAME: &str = "line_of_file";
    const DESCRIPTION: &str = "Read one line of a text file, by its number.";

    fn execute(args: Args, _context: &Context) -> Result<Line, ToolError> {
        // Outside of the granted directories there is nothing: the same error as for a file that is not there.
        let text = std::fs::read_to_string(&args.path)?;
        let line = text.lines().nth(args.line as usize - 1);
        let text = line.ok_or_else(|| ToolError::not_found(format!("{} has no line {}", args.path, args.line)))?;
        Ok(Line { text: text.to_owned() })
    }
}

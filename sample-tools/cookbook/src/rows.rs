//! A big result: the value has all of it, and the text a page and the way to the rest.

use std::fmt::Write as _;

use fumehood_tool::{Content, Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A model reads a page. What it wants more of it asks for.
const PAGE: usize = 20;

pub struct Squares;

#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// The first number. Without it: 0.
    from: Option<u32>,
    /// How many numbers.
    #[schemars(range(min = 1, max = 10_000))]
    count: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Rows {
    rows: Vec<Row>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Row {
    number: u32,
    square: u64,
}

impl Tool for Squares {
    type Args = Args;
    type Value = Rows;

    const NAME: &str = "squares";
    const DESCRIPTION: &str = "List numbers with their squares.";

    fn execute(args: Args, _context: &Context) -> Result<Rows, ToolError> {
        let from = args.from.unwrap_or(0);
        let end = from.checked_add(args.count);
        let end = end.ok_or_else(|| ToolError::invalid_args("`from` and `count` together go past 4294967295"))?;
        Ok(Rows { rows: (from..end).map(|number| Row { number, square: u64::from(number).pow(2) }).collect() })
    }

    fn render(_args: &Args, value: &Rows) -> Content {
        let mut text = String::new();
        for Row { number, square } in value.rows.iter().take(PAGE) {
            let _ = writeln!(text, "{number} {square}");
        }
        if let Some(Row { number, .. }) = value.rows.get(PAGE) {
            let _ = writeln!(text, "{} more; go on with `from` {number}", value.rows.len() - PAGE);
        }
        text.into()
    }
}

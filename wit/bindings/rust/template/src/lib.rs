//! `new_tool`: one typed function, and what a model and a person see of its value.

use std::collections::HashMap;

use fumehood_tool::{Card, Content, Context, GenericCard, Tool, ToolAnnotations, ToolError, ToolKind, component};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tool. A component may have several: `component!(RepeatedLines, Another)`.
struct RepeatedLines;

component!(RepeatedLines);

/// What a model fills in. These comments are what it reads.
#[derive(Deserialize, JsonSchema)]
struct Args {
    /// The text to look through.
    text: String,
    /// How often a line must occur to be listed. Without it: twice.
    #[schemars(range(min = 2, max = 1000))]
    at_least: Option<u32>,
}

/// The one value that content and card are made from. The host checks it against the schema that this type has.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Repeats {
    /// In the order in which the text first has them.
    lines: Vec<Repeat>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Repeat {
    /// The line, without the spaces around it.
    line: String,
    /// How often it occurs.
    times: u32,
}

impl Tool for RepeatedLines {
    type Args = Args;
    type Value = Repeats;

    const NAME: &str = "new_tool";
    const TITLE: Option<&str> = Some("Repeated lines");
    const DESCRIPTION: &str = "Find the lines that a text has more than once, and how often. Empty lines do not count.";
    const ANNOTATIONS: ToolAnnotations = ToolAnnotations::new().read_only(true).open_world(false);

    /// The work. It may use what the operator granted, and nothing else of this tool may.
    fn execute(args: Args, _context: &Context) -> Result<Repeats, ToolError> {
        if args.text.trim().is_empty() {
            return Err(ToolError::invalid_args("there is no line in `text`"));
        }
        Ok(Repeats { lines: repeats(&args.text, args.at_least.unwrap_or(2)) })
    }

    /// What a model reads.
    fn render(_args: &Args, value: &Repeats) -> Content {
        if value.lines.is_empty() {
            return "No line occurs so often.".into();
        }
        let lines: Vec<_> = value.lines.iter().map(|Repeat { line, times }| format!("{times} times: {line}")).collect();
        lines.join("\n").into()
    }

    /// What a person sees. There is no value while the call runs: `None` is the card that every tool has.
    fn present(args: &Args, value: Option<&Repeats>) -> Option<Card> {
        let value = value?;
        let card = GenericCard::new(format!("Repeated lines: {}", value.lines.len()));
        Some(card.kind(ToolKind::Search).body(Self::render(args, value)).into())
    }
}

fn repeats(text: &str, at_least: u32) -> Vec<Repeat> {
    let mut found: Vec<Repeat> = Vec::new();
    let mut places = HashMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let place = *places.entry(line).or_insert_with(|| {
            found.push(Repeat { line: line.to_owned(), times: 0 });
            found.len() - 1
        });
        found[place].times += 1;
    }
    found.retain(|repeat| repeat.times >= at_least);
    found
}

#[cfg(test)]
mod tests {
    use fumehood_tool::testing;

    use super::*;

    #[test]
    fn a_line_that_is_there_twice_is_found() {
        let (value, content) = testing::call::<RepeatedLines>(r#"{"text":"one\ntwo\n one"}"#).unwrap();
        assert_eq!(value, r#"{"lines":[{"line":"one","times":2}]}"#);
        assert_eq!(content, Content::from("2 times: one"));
    }

    #[test]
    fn a_text_without_lines_is_refused() {
        assert!(testing::call::<RepeatedLines>(r#"{"text":"\n\n"}"#).is_err());
    }
}

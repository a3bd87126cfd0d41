//! `word_count`, the smallest whole tool: one value, one sentence for a model, one card for a person.
//!
//! It asks for no capability and imports nothing, so that it runs the same everywhere. `count` holds what it knows.

mod count;

use count::{Args, Counts, count, sentence};
use fumehood_tool::{
    Card, Concurrency, Content, Context, GenericCard, Tool, ToolAnnotations, ToolError, ToolKind, component,
};

struct WordCount;

component!(WordCount);

impl Tool for WordCount {
    type Args = Args;
    type Value = Counts;

    const NAME: &str = "word_count";
    const TITLE: Option<&str> = Some("Word count");
    const DESCRIPTION: &str = "Count the lines, words, characters and bytes of a text, and find its longest word. \
                               Use it wherever a number must be right: counting by reading is not reliable.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    const CONCURRENCY: Concurrency = Concurrency::Parallel;
    const TIME_LIMIT_MS: Option<u32> = Some(5000);

    fn execute(args: Args, _context: &Context) -> Result<Counts, ToolError> {
        Ok(count(&args.text))
    }

    fn render(_args: &Args, counts: &Counts) -> Content {
        sentence(counts).into()
    }

    /// While the call runs, the card every tool has will do.
    fn present(_args: &Args, counts: Option<&Counts>) -> Option<Card> {
        let counts = counts?;
        let card = GenericCard::new(format!("Word count: {}", counts.words));
        Some(card.kind(ToolKind::Other).body(sentence(counts)).into())
    }
}

#[cfg(test)]
mod tests {
    use fumehood_tool::testing;

    use super::*;

    #[test]
    fn the_value_is_what_the_projectors_read() {
        let args = r#"{"text":"one two"}"#;
        let (value, content) = testing::call::<WordCount>(args).unwrap();
        assert_eq!(value, r#"{"lines":1,"words":2,"characters":7,"bytes":7,"longestWord":"one"}"#);
        assert_eq!(content, Content::from("1 line, 2 words, 7 characters, 7 bytes; longest word: one."));
        let Some(Card::Generic(card)) = testing::card::<WordCount>(args, Some(&value)) else {
            panic!("no generic card")
        };
        assert_eq!(card.title, "Word count: 2");
    }
}

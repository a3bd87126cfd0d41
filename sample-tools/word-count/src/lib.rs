//! `word_count`, the smallest whole tool: one value, one sentence for a model, one card for a person.
//!
//! It asks for no capability and imports nothing, so that it runs the same everywhere. `count` holds what it
//! knows; this file only carries it over the border.

mod count;

use count::{Args, Counts, count, sentence};
use exports::fumehood::tool::tool::Guest;
use fumehood::tool::types::{Card, ContentBlock, GenericCard, TextContent, ToolError, ToolKind};

wit_bindgen::generate!({ world: "tool-component", path: "../../wit" });

struct WordCount;

// The only line that needs WebAssembly: without it `cargo test` runs everything else natively.
#[cfg(target_family = "wasm")]
export!(WordCount);

impl Guest for WordCount {
    /// `tool` names one of the manifest's tools; with one tool there is nothing to choose.
    fn execute(_tool: String, args: String) -> Result<String, ToolError> {
        let args: Args = serde_json::from_str(&args).map_err(|error| ToolError::InvalidArgs(error.to_string()))?;
        Ok(json(&count(&args.text)))
    }

    fn render(_tool: String, _args: String, value: String) -> Result<Vec<ContentBlock>, String> {
        Ok(vec![text(sentence(&read(&value)?))])
    }

    fn present(_tool: String, _args: String, value: Option<String>) -> Result<Option<Card>, String> {
        // While the call runs, the card every tool has will do.
        let Some(value) = value else { return Ok(None) };
        let counts = read(&value)?;
        Ok(Some(Card::Generic(GenericCard {
            title: format!("Word count: {}", counts.words),
            kind: Some(ToolKind::Other),
            input: None,
            body: vec![text(sentence(&counts))],
            locations: vec![],
        })))
    }
}

/// A value this tool made, back from the host.
fn read(value: &str) -> Result<Counts, String> {
    serde_json::from_str(value).map_err(|error| error.to_string())
}

fn json(value: &Counts) -> String {
    serde_json::to_string(value).expect("numbers and strings have a JSON form")
}

fn text(text: String) -> ContentBlock {
    ContentBlock::Text(TextContent { text, annotations: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_what_the_projectors_read() {
        let value = WordCount::execute("word_count".into(), r#"{"text":"one two"}"#.into()).unwrap();
        assert_eq!(value, r#"{"lines":1,"words":2,"characters":7,"bytes":7,"longestWord":"one"}"#);
        let content = WordCount::render("word_count".into(), String::new(), value.clone()).unwrap();
        let [ContentBlock::Text(block)] = content.as_slice() else { panic!("{content:?}") };
        assert_eq!(block.text, "1 line, 2 words, 7 characters, 7 bytes; longest word: one.");
        let Some(Card::Generic(card)) = WordCount::present("word_count".into(), String::new(), Some(value)).unwrap()
        else {
            panic!("no generic card")
        };
        assert_eq!(card.title, "Word count: 2");
    }
}

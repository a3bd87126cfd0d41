//! Markup that imitates a conversation, and characters that a person does not see and a model reads.

use super::Hit;

/// What separates turns and roles in the prompt formats of well-known models, in lower case. No tool has to say them.
const TAGS: &[&str] = &[
    // ChatML, Llama 3, Phi and others write their special tokens like this.
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    // Llama 2, Mistral.
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "<</sys>>",
    // Gemma.
    "<start_of_turn>",
    "<end_of_turn>",
    // Tags that are used in system prompts and tool results.
    "<system>",
    "</system>",
    "<system-reminder>",
    "<function_calls>",
    "<function_results>",
    "<tool_result>",
    "<tool_call>",
];

/// Headings of a turn, where they begin a line after an empty one.
const TURNS: &[&str] = &["human:", "assistant:", "system:", "### instruction:", "### system:"];

/// The first place of each rule.
pub(super) fn hits(text: &str) -> Vec<Hit> {
    let rules: [(&'static str, fn(&str) -> Option<usize>); 5] = [
        ("role-tag", role_tag),
        ("hidden-tags", hidden_tags),
        ("zero-width", zero_width),
        ("variation-selectors", variation_selectors),
        ("bidi", bidi),
    ];
    rules.into_iter().filter_map(|(rule, find)| Some(Hit { rule, at: find(text)? })).collect()
}

fn role_tag(text: &str) -> Option<usize> {
    // ASCII case alone: places stay the same.
    let lower = text.to_ascii_lowercase();
    let tag = TAGS.iter().filter_map(|tag| lower.find(tag));
    let turn = lower.match_indices("\n\n").filter_map(|(at, _)| {
        let line = lower[at..].trim_start();
        TURNS.iter().any(|turn| line.starts_with(turn)).then_some(lower.len() - line.len())
    });
    tag.chain(turn.take(1)).min()
}

/// Tag characters spell ASCII without a glyph. After a black flag they spell the flag of a region, up to a cancel tag.
fn hidden_tags(text: &str) -> Option<usize> {
    let mut flag = 0;
    for (at, character) in text.char_indices() {
        match character {
            '\u{1f3f4}' => flag = 1,
            // `gbeng` and a cancel tag: no region has a longer name.
            '\u{e0000}'..='\u{e007f}' if (1..=7).contains(&flag) => {
                flag = if character == '\u{e007f}' { 0 } else { flag + 1 };
            }
            '\u{e0000}'..='\u{e007f}' => return Some(at),
            _ => flag = 0,
        }
    }
    None
}

/// A run of characters without width. One joins emoji or parts letters of Persian; three in a row do nothing to see.
fn zero_width(text: &str) -> Option<usize> {
    let without = |c: char| matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{180e}');
    run(text, 3, without)
}

/// One chooses how the character before it looks. Two in a row carry data.
fn variation_selectors(text: &str) -> Option<usize> {
    run(text, 2, |c| matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}'))
}

/// Where that many in a row begin.
fn run(text: &str, least: usize, of: impl Fn(char) -> bool) -> Option<usize> {
    let (mut length, mut start) = (0, 0);
    for (at, character) in text.char_indices() {
        if !of(character) {
            length = 0;
            continue;
        }
        if length == 0 {
            start = at;
        }
        length += 1;
        if length == least {
            return Some(start);
        }
    }
    None
}

/// Characters that make a text read otherwise than it is stored: embeddings and overrides always, isolates where the line
/// does not close them. Marks, which languages from right to left need, pass.
fn bidi(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (at, character) in text.char_indices() {
        match character {
            '\u{202a}'..='\u{202e}' => return Some(at),
            '\u{2066}'..='\u{2068}' => open.push(at),
            '\u{2069}' => {
                open.pop();
            }
            '\n' if !open.is_empty() => break,
            _ => {}
        }
    }
    open.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[(&str, usize)]) {
        let found: Vec<_> = hits(text).into_iter().map(|hit| (hit.rule, hit.at)).collect();
        assert_eq!(found, expect, "{text:?}");
    }

    #[test]
    fn imitated_roles() {
        check("a <System>b</system>", &[("role-tag", 2)]);
        check("x\n\n\nAssistant: sure", &[("role-tag", 4)]);
        check("ü<|im_start|>system", &[("role-tag", 2)]);
        check("[INST] do [/INST]", &[("role-tag", 0)]);
        for plain in ["the system: a summary", "x\nHuman: y", "<systemd>", "a [instance]", "Vec<system::X>"] {
            check(plain, &[]);
        }
    }

    #[test]
    fn tags_that_do_not_show() {
        check("a\u{e0069}\u{e0067}", &[("hidden-tags", 1)]);
        // The flag of England, and one that goes on.
        let flag = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
        check(flag, &[]);
        check(&format!("{flag}\u{e0067}"), &[("hidden-tags", flag.len())]);
        check(
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e0067}\u{e0067}\u{e0067}",
            &[("hidden-tags", 32)],
        );
    }

    #[test]
    fn what_has_no_width() {
        check("a\u{200b}\u{200c}\u{200d}b", &[("zero-width", 1)]);
        check("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", &[]);
        check("می\u{200c}خواهم", &[]);
        check("\u{feff}text", &[]);
        check("x\u{fe0f}\u{e0101}", &[("variation-selectors", 1)]);
        check("\u{2764}\u{fe0f}", &[]);
    }

    #[test]
    fn what_reads_otherwise() {
        check("a\u{202e}b", &[("bidi", 1)]);
        check("\u{2067}a\u{2069} \u{2066}b\n\u{2069}", &[("bidi", 8)]);
        check("\u{2067}שלום\u{2069} and \u{200f}marks", &[]);
    }
}

//! A verdict changes the content or the value: content is made from the value, and both at once would be two truths.

use fumehood::{Amendment, ContentBlock, Verdict};

fn both(content: Vec<ContentBlock>, value: String) -> [Verdict; 2] {
    [
        Verdict::Accept(Amendment::Content(content.clone(), value.clone())),
        Verdict::Accept(Amendment::Content(content), Amendment::Value(value)),
    ]
}

fn main() {
    let _ = both;
}

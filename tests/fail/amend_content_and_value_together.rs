//! What a model reads is made from the value: one verdict has one of the two.
use fumehood::{Amendment, ContentBlock, Verdict};

fn both() -> Verdict {
    Verdict::Accept(Amendment::Content(vec![ContentBlock::text("x")]), Amendment::Value("{}".to_owned()))
}

fn neither_in_one() -> Amendment {
    Amendment { content: vec![ContentBlock::text("x")], value: "{}".to_owned() }
}

fn blocked_with_a_value() -> Verdict {
    Verdict::Block { feedback: String::new(), value: "{}".to_owned() }
}

fn main() {
    let _ = (both, neither_in_one, blocked_with_a_value);
}

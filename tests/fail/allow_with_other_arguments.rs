//! A ruling and an answer hold no arguments, and arguments hold nothing that can be changed.
use fumehood::{Answer, Args, Proposed, Ruling, Valid};

fn allows(args: Valid<Args>) -> Ruling {
    Ruling::Allow { args }
}

fn answers(args: Valid<Args>) -> Answer {
    Answer::Allowed(args)
}

fn reaches_in(proposed: &Proposed<'_>) {
    proposed.args.value_mut().take();
}

fn main() {
    let _ = (allows, answers, reaches_in);
}

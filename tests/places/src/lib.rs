//! A tool that traps in each way, for what a host says of where it was.

use std::hint::black_box;

wit_bindgen::generate!({ path: "../../wit", world: "tool-component" });

use exports::fumehood::tool::tool::Guest;
use fumehood::tool::types::{Card, ContentBlock, TextContent, ToolError};

struct Places;

export!(Places);

impl Guest for Places {
    fn execute(_tool: String, args: String) -> Result<String, ToolError> {
        if args.contains("panic") {
            at_random(&args);
        } else if args.contains("bounds") {
            outside();
        } else if args.contains("recursion") {
            black_box(deeper(1));
        } else if args.contains("loop") {
            forever();
        }
        Ok(args)
    }

    fn render(_tool: String, args: String, value: String) -> Result<Vec<ContentBlock>, String> {
        if args.contains("render") {
            forever();
        }
        Ok(vec![ContentBlock::Text(TextContent { text: value, annotations: None })])
    }

    fn present(_tool: String, _args: String, _value: Option<String>) -> Result<Option<Card>, String> {
        Ok(None)
    }
}

#[inline(never)]
fn at_random(args: &str) {
    let letters: Vec<char> = args.chars().collect();
    black_box(pick(&letters));
}

/// Inlined: the place of its caller is found only through debug information.
#[inline(always)]
fn pick(letters: &[char]) -> char {
    letters[black_box(1_000)]
}

#[inline(never)]
fn outside() {
    let end = black_box(0xffff_fff0 as *const u64);
    // SAFETY: none. There is no memory there, and the trap is what is wanted.
    black_box(unsafe { end.read_volatile() });
}

#[inline(never)]
#[expect(unconditional_recursion, reason = "the stack is to run out")]
fn deeper(depth: u64) -> u64 {
    depth + black_box(deeper(depth + 1))
}

#[inline(never)]
fn forever() {
    while black_box(true) {}
}

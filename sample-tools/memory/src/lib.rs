//! An agent's memory: facts to find again, and checkpoints to go on from.
//!
//! `facts` and `checkpoints` hold the five tools, `store` the files. They are plain `std::fs`, tested natively; this
//! file carries them over the border.

mod checkpoints;
mod facts;
mod store;
mod tool;

use checkpoints::{Resume, Save};
use exports::fumehood::tool::tool::Guest;
use facts::{Add, Reflect, Search};
use fumehood::tool::types::{Card, ContentBlock, ToolError};
use store::Store;

wit_bindgen::generate!({ world: "tool-component", path: "../../wit" });

struct Memory;

// Without this line `cargo test` runs everything else natively.
#[cfg(target_family = "wasm")]
export!(Memory);

impl Guest for Memory {
    fn execute(tool: String, args: String) -> Result<String, ToolError> {
        let store = Store::new("/");
        match tool.as_str() {
            "memory_search" => tool::execute::<Search>(&store, &args),
            "memory_add" => tool::execute::<Add>(&store, &args),
            "checkpoint_save" => tool::execute::<Save>(&store, &args),
            "checkpoint_resume" => tool::execute::<Resume>(&store, &args),
            "memory_reflect" => tool::execute::<Reflect>(&store, &args),
            _ => Err(ToolError::NotFound(unknown(&tool))),
        }
    }

    fn render(tool: String, _args: String, value: String) -> Result<Vec<ContentBlock>, String> {
        match tool.as_str() {
            "memory_search" => tool::render::<Search>(&value),
            "memory_add" => tool::render::<Add>(&value),
            "checkpoint_save" => tool::render::<Save>(&value),
            "checkpoint_resume" => tool::render::<Resume>(&value),
            "memory_reflect" => tool::render::<Reflect>(&value),
            _ => Err(unknown(&tool)),
        }
    }

    fn present(tool: String, args: String, value: Option<String>) -> Result<Option<Card>, String> {
        let value = value.as_deref();
        match tool.as_str() {
            "memory_search" => tool::present::<Search>(&args, value),
            "memory_add" => tool::present::<Add>(&args, value),
            "checkpoint_save" => tool::present::<Save>(&args, value),
            "checkpoint_resume" => tool::present::<Resume>(&args, value),
            "memory_reflect" => tool::present::<Reflect>(&args, value),
            _ => Err(unknown(&tool)),
        }
    }
}

fn unknown(tool: &str) -> String {
    format!("this component has no tool `{tool}`")
}

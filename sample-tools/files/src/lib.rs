//! `read`, `write`, `edit`, `glob` and `grep` over the directories an operator grants.
//!
//! One module a tool; `root` and `list` know paths and errors, `text` what a value may hold, `walk`, `pattern` and `ignore`
//! how a tree is searched. They are plain `std::fs`, tested natively; this file carries them over the border.

mod change;
mod glob;

mod grep;
mod ignore;
mod list;
mod pattern;
mod read;
mod root;
mod text;
mod tool;
mod walk;

use exports::fumehood::tool::tool::Guest;
use fumehood::tool::types::{Card, ContentBlock, ToolError};

wit_bindgen::generate!({
    inline: "
        package sample:files;
        world files {
            include fumehood:tool/tool-component@0.1.0;
            // std::fs opens what is granted, but has no way to say what that is.
            import wasi:filesystem/preopens@0.2.12;
        }
    ",
    path: "../../wit",
    generate_all,
});

struct Files;

// Without this line `cargo test` runs everything else natively.
#[cfg(target_family = "wasm")]
export!(Files);

impl Guest for Files {
    fn execute(tool: String, args: String) -> Result<String, ToolError> {
        let grants = wasi::filesystem::preopens::get_directories();
        let root = root::Root::new("/", grants.into_iter().map(|(_, path)| path));
        match tool.as_str() {
            "read" => tool::execute::<read::Read>(&root, &args),
            "write" => tool::execute::<change::Write>(&root, &args),
            "edit" => tool::execute::<change::Edit>(&root, &args),
            "glob" => tool::execute::<glob::Glob>(&root, &args),
            "grep" => tool::execute::<grep::Grep>(&root, &args),
            _ => Err(ToolError::NotFound(unknown(&tool))),
        }
    }

    fn render(tool: String, args: String, value: String) -> Result<Vec<ContentBlock>, String> {
        match tool.as_str() {
            "read" => tool::render::<read::Read>(&args, &value),
            "write" => tool::render::<change::Write>(&args, &value),
            "edit" => tool::render::<change::Edit>(&args, &value),
            "glob" => tool::render::<glob::Glob>(&args, &value),
            "grep" => tool::render::<grep::Grep>(&args, &value),
            _ => Err(unknown(&tool)),
        }
    }

    fn present(tool: String, args: String, value: Option<String>) -> Result<Option<Card>, String> {
        let value = value.as_deref();
        match tool.as_str() {
            "read" => tool::present::<read::Read>(&args, value),
            "write" => tool::present::<change::Write>(&args, value),
            "edit" => tool::present::<change::Edit>(&args, value),
            "glob" => tool::present::<glob::Glob>(&args, value),
            "grep" => tool::present::<grep::Grep>(&args, value),
            _ => Err(unknown(&tool)),
        }
    }
}

fn unknown(tool: &str) -> String {
    format!("this component has no tool `{tool}`")
}

/// Says how far a long search has come. Native tests have no host to hear it.
fn report(done: usize, total: usize) {
    if cfg!(target_family = "wasm") {
        fumehood::tool::progress::report(done as u64, Some(total as u64), None);
    }
}

//! `web_fetch` and `web_search`, on the hosts an operator grants.
//!
//! `fetch` and `search` are the two tools. `outside` is all that they can reach, and follows redirects; `http` is that
//! over `wasi:http`. `body` reads what a server sent, `html` turns it into text, `page` cuts that into pages. Everything
//! but `http` is tested natively; this file carries it over the border.

mod body;
mod entities;
mod fetch;
mod html;
mod http;
mod outside;
mod page;
mod search;
mod tag;
mod tool;

use exports::fumehood::tool::tool::Guest;
use fumehood::tool::types::{Card, ContentBlock, ToolError};

wit_bindgen::generate!({
    inline: "
        package sample:web;
        world web {
            include fumehood:tool/tool-component@0.1.0;
            import wasi:http/types@0.2.12;
            import wasi:http/outgoing-handler@0.2.12;
        }
    ",
    path: "../../wit",
    generate_all,
});

struct Web;

// Without this line `cargo test` runs everything else natively.
#[cfg(target_family = "wasm")]
export!(Web);

impl Guest for Web {
    fn execute(tool: String, args: String) -> Result<String, ToolError> {
        match tool.as_str() {
            "web_fetch" => tool::execute::<fetch::Fetch>(&http::Host, &args),
            "web_search" => tool::execute::<search::Search>(&http::Host, &args),
            _ => Err(ToolError::NotFound(unknown(&tool))),
        }
    }

    fn render(tool: String, args: String, value: String) -> Result<Vec<ContentBlock>, String> {
        match tool.as_str() {
            "web_fetch" => tool::render::<fetch::Fetch>(&args, &value),
            "web_search" => tool::render::<search::Search>(&args, &value),
            _ => Err(unknown(&tool)),
        }
    }

    fn present(tool: String, args: String, value: Option<String>) -> Result<Option<Card>, String> {
        let value = value.as_deref();
        match tool.as_str() {
            "web_fetch" => tool::present::<fetch::Fetch>(&args, value),
            "web_search" => tool::present::<search::Search>(&args, value),
            _ => Err(unknown(&tool)),
        }
    }
}

fn unknown(tool: &str) -> String {
    format!("this component has no tool `{tool}`")
}

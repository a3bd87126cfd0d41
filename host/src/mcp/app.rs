//! The card view: one page that draws whichever card a result carries (the MCP Apps extension).
//!
//! Source: <https://github.com/modelcontextprotocol/ext-apps>, protocol 2026-01-26.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{MetaObject, Resource, ResourceContents};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// Where the page is.
pub(super) use super::mapping::CARD_URI as URI;
/// What hosts look for.
pub(super) const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// The extension's name among the server's capabilities.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/ui";

const STYLE: &str = concat!(include_str!("../view/draw.css"), include_str!("app/app.css"));
const SCRIPT: &str = concat!(include_str!("../view/draw.js"), include_str!("app/app.js"));

/// The page, under a policy that admits its own script and style and no other.
static PAGE: LazyLock<String> = LazyLock::new(|| {
    include_str!("app/page.html")
        .replace("{{style-hash}}", &source_of(STYLE))
        .replace("{{script-hash}}", &source_of(SCRIPT))
        .replace("{{style}}", STYLE)
        .replace("{{script}}", SCRIPT)
});

/// How a Content Security Policy names an inline script or style: <https://www.w3.org/TR/CSP3/#grammardef-hash-source>.
fn source_of(inline: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(inline)))
}

/// What the page may do beyond drawing: nothing. It asks for no permission and names no origin, and a host's own policy for a
/// page that names none is the strictest there is; the page has one of its own as well. It draws its border itself.
fn meta() -> MetaObject {
    MetaObject(Map::from_iter([("ui".to_owned(), json!({ "prefersBorder": false }))]))
}

/// The page, as it is listed.
pub(super) fn resource() -> Resource {
    let mut resource = Resource::new(URI, "card").with_title("Card").with_mime_type(MIME_TYPE);
    resource.description = Some("Draws the card of a tool's result for a person".to_owned());
    resource.size = Some(PAGE.len() as u64);
    resource.meta = Some(meta());
    resource
}

/// The page.
pub(super) fn contents() -> ResourceContents {
    ResourceContents::TextResourceContents {
        uri: URI.to_owned(),
        mime_type: Some(MIME_TYPE.to_owned()),
        text: PAGE.clone(),
        meta: Some(meta()),
    }
}

/// What the server announces.
pub(super) fn capability() -> Map<String, Value> {
    Map::from_iter([("mimeTypes".to_owned(), json!([MIME_TYPE]))])
}

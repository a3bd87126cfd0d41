//! The card view: one page that draws whichever card a result carries (the MCP Apps extension).
//!
//! Source: <https://github.com/modelcontextprotocol/ext-apps>, protocol 2026-01-26.

use rmcp::model::{MetaObject, Resource, ResourceContents};
use serde_json::{Map, Value, json};

/// Where the page is.
pub(super) use super::mapping::CARD_URI as URI;
/// What hosts look for.
pub(super) const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// The extension's name among the server's capabilities.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/ui";

const PAGE: &str = include_str!("app/card.html");

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
        text: PAGE.to_owned(),
        meta: Some(meta()),
    }
}

/// What the server announces.
pub(super) fn capability() -> Map<String, Value> {
    Map::from_iter([("mimeTypes".to_owned(), json!([MIME_TYPE]))])
}

//! Anything.

use fumehood::{ContentBlock, Location, ToolKind};
use serde_json::Value;

use super::canvas::{Canvas, Fit, Ink, Line, Noun};
use super::{block, json};

pub(super) fn draw(
    kind: Option<ToolKind>,
    input: Option<&Value>,
    body: &[ContentBlock],
    locations: &[Location],
    canvas: &mut Canvas<'_>,
) -> Line<'static> {
    if let Some(input) = input {
        json::draw(input, canvas);
        canvas.gap();
    }
    canvas.items(body.len(), Noun("block", "blocks"), |canvas, at| block::draw(&body[at], canvas));
    canvas.gap();
    canvas.lines(locations.len(), |at| {
        let Location { path, line } = &locations[at];
        let place = Line::new(path, Ink::Path).fit(Fit::Columns(4));
        line.map_or(place.clone(), |line| place.then(&format!(":{line}"), Ink::Faint))
    });
    // In a pipe there is no foot to put it in, and nobody who looks for an icon.
    if canvas.is_framed() { Line::new(name(kind), Ink::Faint) } else { Line::empty() }
}

fn name(kind: Option<ToolKind>) -> &'static str {
    match kind {
        Some(ToolKind::Read) => "read",
        Some(ToolKind::Edit) => "edit",
        Some(ToolKind::Delete) => "delete",
        Some(ToolKind::Move) => "move",
        Some(ToolKind::Search) => "search",
        Some(ToolKind::Execute) => "execute",
        Some(ToolKind::Fetch) => "fetch",
        Some(ToolKind::Other) | None => "",
    }
}

//! Content blocks.

use fumehood::{ContentBlock, ResourceBody};

use super::canvas::{Canvas, Ink, Line, number};
use super::{Screen, text};

/// The text of a block for a program, byte for byte. `None`: it is none, or not one alone.
pub(super) fn as_it_is(block: &ContentBlock, screen: &Screen) -> Option<String> {
    match block {
        ContentBlock::Text { text, .. } => Some(text.clone()),
        ContentBlock::Resource { resource, .. } => match &resource.body {
            ResourceBody::Text(text) => {
                let mut canvas = Canvas::bare(screen);
                label(None, &resource.uri, resource.mime_type.as_deref(), None, &mut canvas);
                Some(canvas.finish() + text)
            }
            ResourceBody::Blob(_) => None,
        },
        _ => None,
    }
}

pub(super) fn draw(block: &ContentBlock, canvas: &mut Canvas<'_>) {
    match block {
        ContentBlock::Text { text, .. } => text::prose(text, canvas),
        ContentBlock::Image { data, mime_type, .. } => media("image", mime_type, data.0.len(), canvas),
        ContentBlock::Audio { data, mime_type, .. } => media("audio", mime_type, data.0.len(), canvas),
        ContentBlock::ResourceLink { uri, name, title, description, mime_type, size, .. } => {
            let title = title.as_deref().unwrap_or(name);
            label(Some(title), uri, mime_type.as_deref(), *size, canvas);
            text::note(description.as_deref().unwrap_or_default(), Ink::Faint, "", canvas);
        }
        ContentBlock::Resource { resource, .. } => {
            let mime_type = resource.mime_type.as_deref();
            match &resource.body {
                ResourceBody::Text(text) => {
                    label(None, &resource.uri, mime_type, None, canvas);
                    text::source(text, Some(&resource.uri), canvas);
                }
                ResourceBody::Blob(data) => label(None, &resource.uri, mime_type, Some(data.0.len() as u64), canvas),
            }
        }
    }
}

fn media(kind: &str, mime_type: &str, bytes: usize, canvas: &mut Canvas<'_>) {
    let line = Line::new(format!("[{kind} "), Ink::Faint).then(mime_type, Ink::Plain);
    canvas.short_line(&line.then(&format!(", {}]", size(bytes as u64)), Ink::Faint));
}

/// `[title: address, type, size]`, as far as known.
fn label(title: Option<&str>, uri: &str, mime_type: Option<&str>, bytes: Option<u64>, canvas: &mut Canvas<'_>) {
    let mut line = Line::new("[", Ink::Faint);
    if let Some(title) = title {
        line = line.then(title, Ink::Title).then(": ", Ink::Faint);
    }
    line = line.then_address(uri);
    for known in [mime_type.map(str::to_owned), bytes.map(size)].into_iter().flatten() {
        line = line.then(", ", Ink::Faint).then(&known, Ink::Faint);
    }
    canvas.short_line(&line.then("]", Ink::Faint));
}

fn size(bytes: u64) -> String {
    format!("{} {}", number(bytes), if bytes == 1 { "byte" } else { "bytes" })
}

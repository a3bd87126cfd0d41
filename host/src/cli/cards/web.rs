//! What the web gave.

use fumehood::{WebResults, WebSource};

use super::canvas::{Canvas, Ink, Line, Noun};
use super::text;

pub(super) fn draw(results: &WebResults, canvas: &mut Canvas<'_>) -> Line<'static> {
    match results {
        WebResults::Search { sources, answer, truncated } => {
            if let Some(answer) = answer {
                text::prose(answer, canvas);
                canvas.gap();
            }
            let noun = Noun("source", "sources");
            canvas.items(sources.len(), noun, |canvas, at| source(&sources[at], canvas));
            match (sources.len(), *truncated) {
                (listed, true) => Line::new(format!("{}, and more were left out", noun.count(listed)), Ink::Warning),
                (0, false) => Line::new("nothing found", Ink::Faint),
                (listed, false) => Line::new(noun.count(listed), Ink::Faint),
            }
        }
        WebResults::Fetch { url, status, truncated } => {
            canvas.short_line(&Line::empty().then_address(url));
            let ink = if (200..300).contains(status) { Ink::Good } else { Ink::Bad };
            let foot = Line::new(format!("HTTP {status}"), ink);
            if *truncated { foot.then(" · the body was cut", Ink::Warning) } else { foot }
        }
    }
}

/// A title, where it leads, and what stands there. The address is always spelled: a title can say anything.
fn source(source: &WebSource, canvas: &mut Canvas<'_>) {
    let WebSource { url, title, snippet, published } = source;
    if let Some(title) = title {
        canvas.short_line(&Line::empty().then_link(title, url, Ink::Title));
    }
    canvas.short_line(&Line::empty().then_address(url).gutter(if title.is_some() { "  " } else { "" }, Ink::Plain));
    for (text, ink) in [(snippet, Ink::Plain), (published, Ink::Faint)] {
        text::note(text.as_deref().unwrap_or_default(), ink, "  ", canvas);
    }
}

//! Cards and content blocks as text for a person. They switch on the card's case and know no tool.
//!
//! On a terminal: as wide as it is, in its colours, folded where long. In a pipe: whole lines of plain text. In both,
//! every character that a terminal would act on is written out: a card is a view, and no reader takes it apart.

mod block;
mod canvas;
mod code;
mod diff;
mod generic;
mod json;
mod read;
mod search;
mod terminal;
#[cfg(test)]
mod tests;
mod text;
mod web;

use fumehood::{Card, ContentBlock, Cut};

use canvas::{Canvas, Ink, Line, number};

use super::screen::Screen;

/// A card: its title, its body, how it ended. `cut`: what the card had before it was made to fit its budget.
pub(super) fn draw(card: &Card, cut: Option<Cut>, screen: &Screen) -> String {
    let mut canvas = Canvas::framed(screen, tone(card));
    title(card, &mut canvas);
    let foot = match card {
        Card::Generic { kind, input, body, locations, .. } => {
            generic::draw(*kind, input.as_ref(), body, locations, &mut canvas)
        }
        Card::Terminal { description, cwd, output, exit, timed_out, .. } => {
            let run = terminal::Run { output, exit: exit.as_ref(), timed_out: *timed_out };
            terminal::draw(description.as_deref(), cwd.as_deref(), &run, &mut canvas)
        }
        Card::Diff { diffs, .. } => diff::draw(diffs, &mut canvas),
        Card::Read { title, path, offset, lines, total_lines, language } => {
            let file = read::File { title, path, language: language.as_deref() };
            read::draw(&file, *offset, lines, *total_lines, &mut canvas)
        }
        Card::Search { results, .. } => search::draw(results, &mut canvas),
        Card::Web { results, .. } => web::draw(results, &mut canvas),
    };
    if let Some(Cut { bytes, budget, .. }) = cut {
        canvas.gap();
        let (bytes, budget) = (number(bytes), number(budget));
        let note = format!("not whole: the card had {bytes} bytes, and may have {budget}");
        canvas.missing(&Line::new(note, Ink::Warning));
    }
    canvas.foot(&foot);
    canvas.finish()
}

/// One content block. In a pipe a text is as the model reads it, byte for byte. Media are named, not dumped.
pub(super) fn block(block: &ContentBlock, screen: &Screen) -> String {
    if screen.width.is_none()
        && let Some(text) = block::as_it_is(block, screen)
    {
        return text;
    }
    let mut canvas = Canvas::bare(screen);
    block::draw(block, &mut canvas);
    let mut text = canvas.finish();
    text.truncate(text.trim_end_matches('\n').len());
    text
}

fn title(card: &Card, canvas: &mut Canvas<'_>) {
    // A pipe gets the command alone, as it can be run.
    let command = matches!(card, Card::Terminal { .. }) && canvas.is_terminal();
    let lines = text::lines(card.title());
    canvas.lines(lines.len(), |at| {
        let title = Line::new(lines[at], Ink::Title);
        let sign = if at == 0 { "$ " } else { "> " };
        if command { title.gutter(sign, Ink::Faint) } else { title }
    });
    canvas.gap();
}

/// The ink of the frame: the one thing of a card that is seen from afar.
fn tone(card: &Card) -> Ink {
    match card {
        Card::Terminal { exit, timed_out, .. } => terminal::tone(exit.as_ref(), *timed_out),
        _ => Ink::Faint,
    }
}

//! From cells to text: colours and links, opened and closed within a row, so that each row stands alone in a pager.

use std::fmt::Write as _;

use super::ink::Ink;
use super::lay::Cell;
use super::link::Address;
use crate::cli::screen::Screen;

/// Write cells at the end of a row. `links`: what the cells' numbers mean.
pub(super) fn write(out: &mut String, cells: &[Cell], links: &[Option<Address>], screen: &Screen) {
    for run in cells.chunk_by(|one, next| one.ink == next.ink && one.run == next.run) {
        let parameters = if screen.colour { run[0].ink.parameters() } else { "" };
        let number = run[0].run;
        let link = number.and_then(|number| links.get(number)?.as_ref()).filter(|_| screen.links);
        if let Some(link) = link {
            // The number joins the parts of an address that takes several rows. Writing into a string cannot fail.
            let id = number.unwrap_or_default();
            let _ = write!(out, "\x1b]8;id={id};{}\x1b\\", link.as_str());
        }
        if !parameters.is_empty() {
            let _ = write!(out, "\x1b[{parameters}m");
        }
        out.extend(run.iter().map(|cell| cell.c));
        if !parameters.is_empty() {
            out.push_str("\x1b[0m");
        }
        if link.is_some() {
            out.push_str("\x1b]8;;\x1b\\");
        }
    }
}

/// One piece of this program's own text.
pub(super) fn own(out: &mut String, text: &str, ink: Ink, screen: &Screen) {
    let cells: Vec<_> = text.chars().map(|c| Cell::own(c, ink)).collect();
    write(out, &cells, &[], screen);
}

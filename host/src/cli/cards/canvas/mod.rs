//! What cards are drawn on: lines in, rows out that fit a screen, in a frame where there is one.
//!
//! Every text of a tool gets to the screen as part of a [`Line`], and every line through [`lay`], which writes out what a
//! terminal would act on. Nothing else appends to the drawing.

mod fold;
mod ink;
mod lay;
mod line;
mod link;
mod pen;
#[cfg(test)]
mod tests;

pub(super) use fold::Noun;
pub(super) use ink::Ink;
pub(super) use line::{Fit, Line};

use super::code::{self, Parts};
use crate::cli::screen::Screen;

/// A frame takes two columns. Below this they are needed for text.
const FRAMED: usize = 20;

/// A drawing.
pub(super) struct Canvas<'s> {
    screen: &'s Screen,
    out: String,
    /// The ink of the rule at the left. `None`: there is none.
    frame: Option<Ink>,
    /// Columns for a line.
    room: Option<usize>,
    /// Rows that are shown of one long text.
    fold: Option<usize>,
    /// A blank row is due before the next.
    blank: bool,
    /// How much code is still highlighted.
    code: code::Budget,
}

impl<'s> Canvas<'s> {
    /// In a frame of this ink, where the screen has frames.
    pub(super) fn framed(screen: &'s Screen, ink: Ink) -> Self {
        let framed = screen.frame && screen.width.is_none_or(|width| width >= FRAMED);
        let room = if framed { screen.width.map(|width| width - 2) } else { screen.width };
        Self { frame: framed.then_some(ink), room, ..Self::bare(screen) }
    }

    pub(super) fn bare(screen: &'s Screen) -> Self {
        let code = code::Budget::of_a_card(screen.patience);
        Self { screen, out: String::new(), frame: None, room: screen.width, fold: screen.fold, blank: false, code }
    }

    /// Lines wrapped and folded for people, or whole for programs.
    pub(super) fn is_terminal(&self) -> bool {
        self.screen.width.is_some()
    }

    /// The parts of lines of code, of the first as far as the card's budget goes. `name`: of a language, or of a file.
    pub(super) fn highlight<'l>(&mut self, name: &str, lines: impl IntoIterator<Item = &'l str>) -> Vec<Parts> {
        if self.screen.colour { code::highlight(name, lines, &mut self.code) } else { Vec::new() }
    }

    /// A blank row before what comes next, if anything does.
    pub(super) fn gap(&mut self) {
        self.blank = !self.out.is_empty();
    }

    /// A line, all of it.
    pub(super) fn line(&mut self, line: &Line<'_>) {
        let rows = lay::rows(line, self.room, None, self.screen);
        rows.iter().for_each(|row| self.row(row));
    }

    /// A line of at most as many rows as a long text has on a screen that folds.
    pub(super) fn short_line(&mut self, line: &Line<'_>) {
        let rows = lay::rows(line, self.room, self.fold, self.screen);
        rows.iter().for_each(|row| self.row(row));
    }

    /// A line that says what is missing. In a frame its rule is broken, which no text of a tool can do.
    pub(super) fn missing(&mut self, line: &Line<'_>) {
        if std::mem::take(&mut self.blank) {
            self.ruled("│", "");
        }
        let rows = lay::rows(line, self.room, None, self.screen);
        rows.iter().for_each(|row| self.ruled("┊", row));
    }

    /// The last line of a frame; without one, a line like others.
    pub(super) fn foot(&mut self, line: &Line<'_>) {
        self.blank &= self.frame.is_none();
        let rows = lay::rows(line, self.room, None, self.screen);
        let last = rows.len().saturating_sub(1);
        for (at, row) in rows.iter().enumerate() {
            // Of a frame, the foot is where its rule ends.
            match self.frame {
                Some(_) if at == last => self.ruled("└", row),
                Some(_) | None if row.is_empty() => {}
                _ => self.row(row),
            }
        }
    }

    fn row(&mut self, row: &str) {
        if std::mem::take(&mut self.blank) {
            self.ruled("│", "");
        }
        self.ruled(if self.out.is_empty() { "┌" } else { "│" }, row);
    }

    fn ruled(&mut self, rule: &str, row: &str) {
        if let Some(ink) = self.frame {
            pen::own(&mut self.out, rule, ink, self.screen);
            if !row.is_empty() {
                self.out.push(' ');
            }
        }
        self.out.push_str(row);
        self.out.push('\n');
    }

    pub(super) fn is_framed(&self) -> bool {
        self.frame.is_some()
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}

/// A number for people: `1,234,567`.
pub(super) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

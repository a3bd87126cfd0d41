//! From a line to rows that fit.

use super::ink::Ink;
use super::line::{Fit, Line};
use super::link::Address;
use super::{number, pen};
use crate::cli::screen::{Screen, pieces, width};

/// Beside a gutter there is room for so many columns of text, or the gutter goes on the text's own rows.
const ROOM: usize = 12;

/// Cells of a row without an end that are held before they are written.
const HELD: usize = 4096;

/// One character of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) c: char,
    pub(super) ink: Ink,
    /// Which run of the line it is of. `None`: of none, and no link.
    pub(super) run: Option<usize>,
    /// Columns.
    width: u8,
    /// Bytes of the line's text that end with it.
    bytes: u8,
    /// It stands on the character before it.
    joined: bool,
}

impl Cell {
    pub(super) const fn own(c: char, ink: Ink) -> Self {
        Self { c, ink, run: None, width: 1, bytes: 0, joined: false }
    }
}

/// The rows of a line. `room`: columns, `None` without a limit. `most`: rows; the last then says what is left out.
pub(super) fn rows(line: &Line<'_>, room: Option<usize>, most: Option<usize>, screen: &Screen) -> Vec<String> {
    let gutter: usize = line.gutter.iter().map(|(text, _)| text.chars().count()).sum();
    let beside = room.is_none_or(|room| room >= gutter + ROOM);
    let mut layer = Layer {
        rows: Vec::new(),
        cells: Vec::new(),
        columns: 0,
        row: String::new(),
        links: line.runs.iter().map(|run| run.link.clone()).collect(),
        indent: if beside { gutter } else { 0 },
        room: if beside { room.map(|room| room - gutter) } else { room },
        words: line.fit == Fit::Words,
        most: most.unwrap_or(usize::MAX),
        written: 0,
        screen,
    };
    for (text, ink) in &line.gutter {
        if beside {
            pen::own(&mut layer.row, text, *ink, screen);
        } else {
            text.chars().for_each(|c| _ = layer.push(Cell::own(c, *ink)));
        }
    }
    if layer.line(line).is_none() {
        let left = line.text.len() - layer.written;
        let note = Line::new(format!("… {} more bytes of this line", number(left as u64)), Ink::Faint);
        layer.rows.extend(rows(&note, room, None, screen));
        return layer.rows;
    }
    layer.end();
    layer.rows
}

struct Layer<'s> {
    rows: Vec<String>,
    /// Of the row that is being filled, what is not written yet.
    cells: Vec<Cell>,
    columns: usize,
    /// Of the same row, what is.
    row: String,
    links: Vec<Option<Address>>,
    indent: usize,
    room: Option<usize>,
    words: bool,
    most: usize,
    /// Bytes of the line's text in finished rows.
    written: usize,
    screen: &'s Screen,
}

impl Layer<'_> {
    /// `None`: there are as many rows as there may be, and text is left.
    fn line(&mut self, line: &Line<'_>) -> Option<()> {
        let tab = match line.fit {
            Fit::Columns(tab) => tab,
            Fit::Words => 4,
        };
        let (mut at, mut run, mut last) = (0, 0, (Ink::Plain, None));
        for (c, spelled) in pieces(&line.text) {
            while line.runs.get(run).is_some_and(|run| run.end <= at) {
                run += 1;
            }
            let (ink, linked) = line.runs.get(run).map_or((Ink::Plain, None), |of| (of.ink, Some(run)));
            let bytes = c.len_utf8();
            at += bytes;
            let cell = Cell { c, ink, run: linked, width: 1, bytes: 0, joined: false };
            if spelled || c == '\n' {
                self.spelled(c, cell)?;
            } else if c == '\t' && self.room.is_none() {
                self.push(Cell { c, ..cell })?;
            } else if c == '\t' {
                let spaces = tab - self.columns % tab;
                for _ in 0..spaces {
                    self.push(Cell { c: ' ', ..cell })?;
                }
            } else {
                // Some terminals widen a sign that this makes an emoji, some do not: the wider is planned for.
                let columns = if c == '\u{fe0f}' { 1 } else { width(c) };
                let joined = columns == 0 || c == '\u{fe0f}';
                // Nothing may come between a character and what stands on it.
                last = if joined { last } else { (ink, linked) };
                let (ink, run) = last;
                self.push(Cell { c, ink, run, width: u8::try_from(columns).unwrap_or(2), bytes: 0, joined })?;
            }
            match self.cells.last_mut() {
                Some(cell) => cell.bytes += u8::try_from(bytes).unwrap_or_default(),
                // A space that became the end of a row, or a row without an end that has just been written.
                None => self.written += bytes,
            }
        }
        Some(())
    }

    fn spelled(&mut self, c: char, cell: Cell) -> Option<()> {
        c.escape_unicode().try_for_each(|c| self.push(Cell { c, ink: Ink::Spelled, ..cell }))
    }

    fn push(&mut self, cell: Cell) -> Option<()> {
        let Some(room) = self.room else {
            self.cells.push(cell);
            if self.cells.len() >= HELD {
                self.write(self.cells.len());
            }
            return Some(());
        };
        let width = usize::from(cell.width);
        if self.columns + width > room {
            // A space at the edge is the break.
            if self.words && cell.c == ' ' {
                return self.wrap(self.cells.len());
            }
            self.wrap(self.break_at(cell))?;
        }
        self.columns += width;
        self.cells.push(cell);
        Some(())
    }

    /// Before which cell the row ends that has no room for this one.
    fn break_at(&self, next: Cell) -> usize {
        if self.words
            && let Some(space) = self.cells.iter().rposition(|cell| cell.c == ' ')
            && self.cells[..space].iter().any(|cell| cell.c != ' ')
        {
            return space + 1;
        }
        let mut at = self.cells.len();
        let mut joined = next.joined;
        while joined && at > 0 {
            at -= 1;
            joined = self.cells[at].joined;
        }
        // More marks than there are columns: they are parted after all.
        if at == 0 { self.cells.len() } else { at }
    }

    /// End the row before a cell; what follows begins the next.
    fn wrap(&mut self, at: usize) -> Option<()> {
        let rest = self.cells.split_off(at);
        self.end();
        self.row = " ".repeat(self.indent);
        self.columns = rest.iter().map(|cell| usize::from(cell.width)).sum();
        self.cells = rest;
        (self.rows.len() < self.most).then_some(())
    }

    fn end(&mut self) {
        let trailing = self.cells.iter().rev().take_while(|cell| cell.c == ' ').count();
        let bytes: usize = self.cells[self.cells.len() - trailing..].iter().map(|cell| usize::from(cell.bytes)).sum();
        if self.words && self.room.is_some() {
            self.written += bytes;
            self.cells.truncate(self.cells.len() - trailing);
        }
        self.write(self.cells.len());
        self.rows.push(std::mem::take(&mut self.row));
    }

    fn write(&mut self, cells: usize) {
        self.written += self.cells[..cells].iter().map(|cell| usize::from(cell.bytes)).sum::<usize>();
        pen::write(&mut self.row, &self.cells[..cells], &self.links, self.screen);
        self.cells.drain(..cells);
    }
}

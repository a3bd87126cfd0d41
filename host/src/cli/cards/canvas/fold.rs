//! The head and the tail of what is long, and how much stands between.

use std::collections::VecDeque;

use super::ink::Ink;
use super::line::Line;
use super::{Canvas, lay, number};

/// As many rows more than the fold has are shown all the same: the note in their place would take one.
const SLACK: usize = 3;

/// Fewer rows of a text say too little.
const FEWEST: usize = 8;

/// What is counted.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli::cards) struct Noun(pub(in crate::cli::cards) &'static str, pub(in crate::cli::cards) &'static str);

impl Noun {
    pub(in crate::cli::cards) const LINES: Self = Self("line", "lines");

    /// `1 line`, `1,234 lines`.
    pub(in crate::cli::cards) fn count(self, count: usize) -> String {
        format!("{} {}", number(count as u64), if count == 1 { self.0 } else { self.1 })
    }
}

impl Canvas<'_> {
    /// So many lines, of which `line` makes the one at an index. Only those that are shown are made.
    pub(in crate::cli::cards) fn lines<'l>(&mut self, count: usize, line: impl FnMut(usize) -> Line<'l>) {
        self.lines_after(count, line, |_| None);
    }

    /// The same. `again` makes what is repeated after the gap so that the line at an index can be understood.
    pub(in crate::cli::cards) fn lines_after<'l>(
        &mut self,
        count: usize,
        mut line: impl FnMut(usize) -> Line<'l>,
        again: impl FnOnce(usize) -> Option<Line<'l>>,
    ) {
        let Some(keep) = self.fold else {
            (0..count).for_each(|at| self.line(&line(at)));
            return;
        };
        // Three fifths for the head: it says what a text is; the rest shows how it ended.
        let head = keep.div_ceil(5) * 3;
        let (screen, room) = (self.screen, self.room);
        let mut lay = |at: usize| lay::rows(&line(at), room, Some(head), screen);
        let mut laid = Vec::new();
        let mut rows = 0;
        while laid.len() < count && rows <= keep + SLACK {
            let next = lay(laid.len());
            rows += next.len();
            laid.push(next);
        }
        if rows <= keep + SLACK {
            laid.iter().flatten().for_each(|row| self.row(row));
            return;
        }
        let (mut from, mut used) = (0, 0);
        while from < laid.len() && (from == 0 || used + laid[from].len() <= head) {
            used += laid[from].len();
            from += 1;
        }
        let left = keep.saturating_sub(used);
        let (mut to, mut used) = (count, 0);
        let mut tail = VecDeque::new();
        while to > from {
            let last = laid.get_mut(to - 1).map_or_else(|| lay(to - 1), std::mem::take);
            if !tail.is_empty() && used + last.len() > left {
                break;
            }
            used += last.len();
            tail.push_front(last);
            to -= 1;
        }
        laid[..from].iter().flatten().for_each(|row| self.row(row));
        if to > from {
            self.not_shown(to - from, Noun::LINES);
            if let Some(line) = again(to) {
                self.line(&line);
            }
        }
        tail.iter().flatten().for_each(|row| self.row(row));
    }

    /// So many items, each of which `draw` draws: of very many the first, as many as would be half of a long text. Together
    /// they have as many rows as two long texts, so that no long item hides what follows it.
    pub(in crate::cli::cards) fn items(&mut self, count: usize, noun: Noun, mut draw: impl FnMut(&mut Self, usize)) {
        let keep = self.fold;
        let most = keep.map_or(count, |keep| keep.div_ceil(2));
        let shown = if count > most + 1 { most } else { count };
        self.fold = keep.map(|keep| keep.min((2 * keep / shown.max(1)).max(FEWEST)));
        (0..shown).for_each(|at| draw(self, at));
        self.fold = keep;
        if shown < count {
            self.gap();
            self.not_shown(count - shown, noun);
        }
    }

    fn not_shown(&mut self, count: usize, noun: Noun) {
        self.missing(&Line::new(format!("… {} not shown (--full shows all)", noun.count(count)), Ink::Faint));
    }
}

//! Which lines of a diff there are, before any is drawn.

use std::fmt;
use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffOp};

/// Unchanged lines around a change, as `diff -u` has them.
const CONTEXT: usize = 3;

/// A file's diff.
pub(super) struct Rows<'t> {
    /// With their endings.
    pub(super) old_lines: Vec<&'t str>,
    pub(super) new_lines: Vec<&'t str>,
    pub(super) rows: Vec<Row>,
    pub(super) added: usize,
    pub(super) removed: usize,
}

pub(super) enum Row {
    Hunk(Hunk),
    Line(Change),
    /// The line before it has no line feed.
    NoLineFeed,
}

/// Lines by their index, from 0.
#[derive(Clone, Copy)]
pub(super) enum Change {
    Same {
        old: usize,
        new: usize,
    },
    /// `by`: the line that stands in its place.
    Removed {
        old: usize,
        by: Option<usize>,
    },
    /// `of`: the line in whose place it stands.
    Added {
        new: usize,
        of: Option<usize>,
    },
}

/// Lines of both sides, by their index.
pub(super) struct Hunk(Range<usize>, Range<usize>);

impl fmt::Display for Hunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Lines count from 1, and a range without lines names the line before it (POSIX, diff -u).
        let side = |range: &Range<usize>| match range.len() {
            0 => format!("{},0", range.start),
            1 => (range.start + 1).to_string(),
            length => format!("{},{length}", range.start + 1),
        };
        write!(f, "@@ -{} +{} @@", side(&self.0), side(&self.1))
    }
}

impl<'t> Rows<'t> {
    /// Compare by lines. Past the deadline, roughly.
    pub(super) fn of(old: Option<&'t str>, new: &'t str, deadline: Instant) -> Self {
        let old_lines: Vec<_> = old.unwrap_or_default().split_inclusive('\n').collect();
        let new_lines: Vec<_> = new.split_inclusive('\n').collect();
        let ops = similar::capture_diff_slices_deadline(Algorithm::Myers, &old_lines, &new_lines, Some(deadline));
        let mut rows = Self { old_lines, new_lines, rows: Vec::new(), added: 0, removed: 0 };
        for group in similar::group_diff_ops(ops, CONTEXT) {
            if let (Some(first), Some(last)) = (group.first(), group.last()) {
                let old = first.old_range().start..last.old_range().end;
                let new = first.new_range().start..last.new_range().end;
                rows.rows.push(Row::Hunk(Hunk(old, new)));
            }
            group.iter().for_each(|op| rows.op(op));
        }
        rows
    }

    fn op(&mut self, op: &DiffOp) {
        let (old, new) = (op.old_range(), op.new_range());
        if let DiffOp::Equal { .. } = op {
            for (old, new) in old.zip(new) {
                self.push(Change::Same { old, new }, self.old_lines[old]);
            }
            return;
        }
        self.removed += old.len();
        self.added += new.len();
        for at in old.clone() {
            let by = Some(new.start + (at - old.start)).filter(|by| new.contains(by));
            self.push(Change::Removed { old: at, by }, self.old_lines[at]);
        }
        for at in new.clone() {
            let of = Some(old.start + (at - new.start)).filter(|of| old.contains(of));
            self.push(Change::Added { new: at, of }, self.new_lines[at]);
        }
    }

    fn push(&mut self, change: Change, line: &str) {
        self.rows.push(Row::Line(change));
        if !line.ends_with('\n') {
            self.rows.push(Row::NoLineFeed);
        }
    }
}

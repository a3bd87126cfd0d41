//! What `fumehood inspect --diff` shows.

use std::fmt::{self, Write as _};

use fumehood::{Change, ChangeKind, Diff, DiffSide, Subject};

use super::set_in;

pub(in crate::cli) fn diff(diff: &Diff) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = write(&mut out, diff);
    out
}

/// The changes alone, under the titles of what they are about.
pub(in crate::cli) fn changes(changes: &[Change]) -> String {
    let mut out = String::new();
    let _ = write_changes(&mut out, changes);
    out.trim_start().to_owned()
}

fn write(out: &mut String, diff: &Diff) -> fmt::Result {
    for (sign, side) in [('-', &diff.old), ('+', &diff.new)] {
        let DiffSide { name, version, digest, .. } = side;
        writeln!(out, "{sign} {name} {version}  {digest}")?;
    }
    write_changes(out, &diff.changes)?;
    if diff.old.digest == diff.new.digest {
        writeln!(out, "\nThe two are the same file.")
    } else if diff.grew {
        writeln!(out, "\nAuthority grew: by what is marked with !.")
    } else if diff.changes.is_empty() {
        writeln!(out, "\nAuthority did not grow. The code differs, and nothing that is shown here.")
    } else {
        writeln!(out, "\nAuthority did not grow.")
    }
}

fn write_changes(out: &mut String, changes: &[Change]) -> fmt::Result {
    let mut subject = None;
    for change in changes {
        if subject != Some(change.subject) {
            subject = Some(change.subject);
            writeln!(out, "\n{}", title(change.subject))?;
        }
        write_change(out, change)?;
    }
    Ok(())
}

fn write_change(out: &mut String, change: &Change) -> fmt::Result {
    let grows = if change.grows { '!' } else { ' ' };
    let kind = match change.kind {
        ChangeKind::Added => "added",
        ChangeKind::Removed => "removed",
        ChangeKind::Loosened => "loosened",
        ChangeKind::Changed => "changed",
    };
    writeln!(out, "{grows} {kind:<8}  {}", set_in(&change.at, 4))?;
    for (sign, side) in [('-', &change.old), ('+', &change.new)] {
        if let Some(text) = side {
            writeln!(out, "    {sign} {}", set_in(text, 4))?;
        }
    }
    Ok(())
}

const fn title(subject: Subject) -> &'static str {
    match subject {
        Subject::Kind => "Is",
        Subject::Capability => "Asks for",
        Subject::Import => "Links",
        Subject::Purity => "Projectors",
        Subject::Tool => "Tools",
        Subject::Schema => "Schemas",
        Subject::Limit => "Limits",
        Subject::Text => "Texts",
    }
}

//! `write` and `edit`: a whole text, or a part of one, in place of what was there.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};

use serde::{Deserialize, Serialize};

use crate::fumehood::tool::types::{Card, DiffCard, Failure, FileDiff, ToolError};
use crate::root::{Kind, Root, failed, failure, is_directory, normal, outside};
use crate::text::{fits, quantity, whole};
use crate::tool::Tool;

pub struct Write;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteArgs {
    path: String,
    content: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    path: String,
    operation: Operation,
    before: Option<String>,
    after: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Operation {
    Create,
    Update,
}

impl Tool for Write {
    type Args = WriteArgs;
    type Value = Written;

    fn execute(root: &Root, args: WriteArgs) -> Result<Written, ToolError> {
        let path = normal(&args.path)?;
        let before = match root.kind(&path) {
            Ok(Kind::Directory) => return Err(is_directory(&path)),
            Ok(_) => Some(whole(root, &path)?),
            Err(ToolError::NotFound(_)) if !root.grants(&path) => return Err(outside(&path)),
            Err(ToolError::NotFound(_)) => None,
            Err(error) => return Err(error),
        };
        fits(&path, before.as_deref().unwrap_or(""), &args.content)?;
        if before.is_none()
            && let Some((directory, _)) = path.rsplit_once('/')
        {
            fs::create_dir_all(root.at(directory)).map_err(|error| failed(&error, directory))?;
        }
        save(root, &path, &args.content)?;
        let operation = if before.is_some() { Operation::Update } else { Operation::Create };
        Ok(Written { path, operation, before, after: args.content })
    }

    fn render(_args: WriteArgs, value: Written) -> String {
        let verb = match value.operation {
            Operation::Create => "Created",
            Operation::Update => "Updated",
        };
        let lines = quantity(value.after.lines().count() as u64, "line");
        format!("{verb} {} ({lines}, {}).", value.path, quantity(value.after.len() as u64, "byte"))
    }

    fn pending(args: WriteArgs) -> Card {
        let path = normal(&args.path).unwrap_or(args.path);
        diff(format!("Write {path}"), path, None, args.content)
    }

    fn finished(_args: WriteArgs, value: Written) -> Card {
        let verb = match value.operation {
            Operation::Create => "Create",
            Operation::Update => "Update",
        };
        diff(format!("{verb} {}", value.path), value.path, value.before, value.after)
    }
}

pub struct Edit;

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditArgs {
    path: String,
    old_text: String,
    new_text: String,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edited {
    path: String,
    before: String,
    after: String,
}

impl Tool for Edit {
    type Args = EditArgs;
    type Value = Edited;

    fn execute(root: &Root, args: EditArgs) -> Result<Edited, ToolError> {
        let path = normal(&args.path)?;
        if args.old_text == args.new_text {
            return Err(ToolError::InvalidArgs("oldText and newText are the same: there is nothing to change".into()));
        }
        let before = whole(root, &path)?;
        let args = as_the_file_ends_its_lines(args, &before);
        let count = before.matches(&args.old_text).count() as u64;
        if count == 0 {
            return Err(failure(
                "EDIT_NOT_FOUND",
                format!(
                    "oldText does not occur in `{path}`; read the file and copy the text exactly, white space included"
                ),
            ));
        }
        if count > 1 && !args.replace_all {
            return Err(ToolError::Failed(Failure {
                code: "EDIT_AMBIGUOUS".into(),
                message: format!(
                    "oldText occurs {count} times in `{path}`; add lines around it until it occurs once, or set replaceAll"
                ),
                data: Some(format!(r#"{{"count":{count}}}"#)),
            }));
        }
        let after = before.replace(&args.old_text, &args.new_text);
        fits(&path, &before, &after)?;
        save(root, &path, &after)?;
        Ok(Edited { path, before, after })
    }

    fn render(args: EditArgs, value: Edited) -> String {
        let args = as_the_file_ends_its_lines(args, &value.before);
        let count = value.before.matches(&args.old_text).count() as u64;
        format!("Replaced {} in {}.", quantity(count, "occurrence"), value.path)
    }

    fn pending(args: EditArgs) -> Card {
        let path = normal(&args.path).unwrap_or(args.path);
        diff(format!("Edit {path}"), path, Some(args.old_text), args.new_text)
    }

    fn finished(_args: EditArgs, value: Edited) -> Card {
        diff(format!("Edit {}", value.path), value.path, Some(value.before), value.after)
    }
}

fn diff(title: String, path: String, old: Option<String>, new: String) -> Card {
    Card::Diff(DiffCard { title, diffs: vec![FileDiff { path, old, new }] })
}

/// A model that has seen lines cannot know how they end. Where every line of a file ends with CR LF, a lone LF in
/// the arguments stands for that; in every other file the arguments are taken as they are.
fn as_the_file_ends_its_lines(args: EditArgs, text: &str) -> EditArgs {
    let feeds = text.matches('\n').count();
    let returns = args.old_text.contains('\r') || args.new_text.contains('\r');
    if feeds == 0 || text.matches("\r\n").count() != feeds || returns {
        return args;
    }
    EditArgs { old_text: args.old_text.replace('\n', "\r\n"), new_text: args.new_text.replace('\n', "\r\n"), ..args }
}

/// Puts `text` at `path` so that a reader, or a call that is killed, finds the old file or the new and nothing between.
fn save(root: &Root, path: &str, text: &str) -> Result<(), ToolError> {
    let target = root.at(path);
    // A link stays a link: its target is written, which a rename would not do.
    let linked = fs::symlink_metadata(&target).is_ok_and(|found| found.is_symlink());
    let saved = if linked { fs::write(&target, text) } else { replace(root, path, text) };
    match saved {
        // A directory may take no new file and still let this one be written.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => fs::write(&target, text),
        saved => saved,
    }
    .map_err(|error| failed(&error, path))
}

fn replace(root: &Root, path: &str, text: &str) -> io::Result<()> {
    /// Names left behind by killed calls are passed over, up to this many.
    const TRIES: u32 = 100;
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    for number in 0..TRIES {
        let temporary = root.at(directory).join(format!(".fumehood-{number}.tmp"));
        let mut file = match File::create_new(&temporary) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            created => created?,
        };
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        drop(file);
        return written.and_then(|()| fs::rename(&temporary, root.at(path))).inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        });
    }
    Err(ErrorKind::ResourceBusy.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(text: &str, old: &str, new: &str, replace_all: bool) -> Result<Edited, ToolError> {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("a"), text).unwrap();
        let root = Root::new(directory.path(), ["/".to_owned()]);
        let args = EditArgs { path: "a".into(), old_text: old.into(), new_text: new.into(), replace_all };
        let edited = Edit::execute(&root, args);
        let now = fs::read_to_string(directory.path().join("a")).unwrap();
        assert_eq!(now, edited.as_ref().map_or(text, |edited| edited.after.as_str()));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "a temporary file is left");
        edited
    }

    #[test]
    fn edits() {
        let check = |text: &str, (old, new, all): (&str, &str, bool), expect: Result<&str, &str>| {
            let edited = edit(text, old, new, all);
            let found = match &edited {
                Ok(edited) => Ok(edited.after.as_str()),
                Err(ToolError::Failed(failure)) => Err(failure.code.as_str()),
                Err(ToolError::InvalidArgs(_)) => Err("invalid"),
                Err(other) => panic!("{other:?}"),
            };
            assert_eq!(found, expect, "{text:?}");
        };
        check("one two", ("two", "three", false), Ok("one three"));
        check("a a a", ("a", "b", true), Ok("b b b"));
        check("a a a", ("a", "b", false), Err("EDIT_AMBIGUOUS"));
        check("a", ("b", "c", true), Err("EDIT_NOT_FOUND"));
        check("a", ("a", "a", true), Err("invalid"));
        check("1\r\n2\r\n3\r\n", ("1\n2", "x\ny", false), Ok("x\r\ny\r\n3\r\n"));
        check("1\r\n2\n3\n", ("1\n2", "x", false), Err("EDIT_NOT_FOUND"));
        check("1\r\n2\r\n", ("1\r\n", "x\n", false), Ok("x\n2\r\n"));
    }

    #[test]
    fn writes() {
        let directory = tempfile::tempdir().unwrap();
        let root = Root::new(directory.path(), ["/".to_owned()]);
        let write =
            |path: &str, content: &str| Write::execute(&root, WriteArgs { path: path.into(), content: content.into() });
        let value = write("/a/b/c.txt", "1").unwrap();
        assert_eq!((value.operation, value.before, value.path.as_str()), (Operation::Create, None, "a/b/c.txt"));
        let value = write("a/b/c.txt", "2").unwrap();
        assert_eq!((value.operation, value.before.as_deref()), (Operation::Update, Some("1")));
        assert!(matches!(write("a/b", "x"), Err(ToolError::InvalidArgs(_))));
        assert!(matches!(write("", "x"), Err(ToolError::InvalidArgs(_))));
        assert!(write("a/b/c.txt/d", "x").is_err());
        assert!(matches!(write("../out", "x"), Err(ToolError::InvalidArgs(_))));
        assert_eq!(fs::read_to_string(directory.path().join("a/b/c.txt")).unwrap(), "2");
    }

    #[test]
    fn a_file_that_would_not_fit_into_a_value_stays_as_it_is() {
        let text = "x".repeat(1_500_000);
        let Err(ToolError::Failed(failure)) = edit(&format!("{text}!"), "!", "?", false) else { panic!("edited") };
        assert_eq!(failure.code, "TOO_LARGE");
    }

    #[test]
    fn names_left_by_killed_calls_are_passed_over_and_links_stay() {
        let directory = tempfile::tempdir().unwrap();
        let root = Root::new(directory.path(), ["/".to_owned()]);
        fs::write(directory.path().join(".fumehood-0.tmp"), "half").unwrap();
        save(&root, "a", "whole").unwrap();
        assert_eq!(fs::read_to_string(directory.path().join(".fumehood-0.tmp")).unwrap(), "half");
        std::os::unix::fs::symlink("a", directory.path().join("link")).unwrap();
        save(&root, "link", "through").unwrap();
        assert_eq!(fs::read_to_string(directory.path().join("a")).unwrap(), "through");
    }
}

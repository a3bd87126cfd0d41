//! `write` and `edit`: a whole text, or a part of one, in place of what was there.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};

use fumehood_tool::{Card, Code, Content, Context, DiffCard, Tool, ToolAnnotations, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::root::{Kind, Root, failed, is_directory, normal, outside};
use crate::text::{fits, quantity, whole};

pub struct Write;

#[derive(Deserialize, JsonSchema)]
pub struct WriteArgs {
    /// The file to write. Relative to the root of the granted directories, parted by `/`.
    #[schemars(length(min = 1))]
    path: String,
    /// Everything that the file will hold, taken as it is.
    content: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// The path as asked for, in its one spelling: no leading `/`, no `.` or `..`.
    #[schemars(length(min = 1))]
    path: String,
    /// Whether the file is new.
    operation: Operation,
    /// What the file held; null where there was none.
    before: Option<String>,
    /// What the file holds now.
    after: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Operation {
    Create,
    Update,
}

impl Write {
    fn run(root: &Root, args: WriteArgs) -> Result<Written, ToolError> {
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

    fn pending(args: &WriteArgs) -> Card {
        let path = normal(&args.path).unwrap_or_else(|_| args.path.clone());
        DiffCard::new(format!("Write {path}")).file(path, None, args.content.as_str()).into()
    }

    fn finished(_args: &WriteArgs, value: &Written) -> Card {
        let verb = match value.operation {
            Operation::Create => "Create",
            Operation::Update => "Update",
        };
        let Written { path, before, after, .. } = value;
        DiffCard::new(format!("{verb} {path}")).file(path, before.clone(), after).into()
    }
}

impl Tool for Write {
    type Args = WriteArgs;
    type Value = Written;

    const NAME: &str = "write";
    const TITLE: Option<&str> = Some("Write file");
    const DESCRIPTION: &str = "Write a whole text file: create it, with the directories above it, or replace all \
                               of what it holds. To change a part of a file, use edit. A file that exists must be \
                               UTF-8 text.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(false).destructive(true).idempotent(true).open_world(false);
    const TIME_LIMIT_MS: Option<u32> = Some(10000);

    fn execute(args: WriteArgs, _context: &Context) -> Result<Written, ToolError> {
        Self::run(&Root::granted(), args)
    }

    fn render(_args: &WriteArgs, value: &Written) -> Content {
        let verb = match value.operation {
            Operation::Create => "Created",
            Operation::Update => "Updated",
        };
        let lines = quantity(value.after.lines().count() as u64, "line");
        format!("{verb} {} ({lines}, {}).", value.path, quantity(value.after.len() as u64, "byte")).into()
    }

    fn present(args: &WriteArgs, value: Option<&Written>) -> Option<Card> {
        Some(value.map_or_else(|| Self::pending(args), |value| Self::finished(args, value)))
    }
}

pub struct Edit;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditArgs {
    /// The file to change. Relative to the root of the granted directories, parted by `/`.
    #[schemars(length(min = 1))]
    path: String,
    /// The text to replace, without line numbers.
    #[schemars(length(min = 1))]
    old_text: String,
    /// What to put in its place; empty to delete.
    new_text: String,
    /// Replace every occurrence.
    #[serde(default)]
    replace_all: bool,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Edited {
    /// The path as asked for, in its one spelling: no leading `/`, no `.` or `..`.
    #[schemars(length(min = 1))]
    path: String,
    /// The whole text of the file before.
    before: String,
    /// The whole text of the file after.
    after: String,
}

const EDIT_NOT_FOUND: Code = Code::new("EDIT_NOT_FOUND");
const EDIT_AMBIGUOUS: Code = Code::new("EDIT_AMBIGUOUS");

impl Edit {
    fn run(root: &Root, args: EditArgs) -> Result<Edited, ToolError> {
        let path = normal(&args.path)?;
        if args.old_text == args.new_text {
            return Err(ToolError::InvalidArgs("oldText and newText are the same: there is nothing to change".into()));
        }
        let before = whole(root, &path)?;
        let args = as_the_file_ends_its_lines(args, &before);
        let count = before.matches(&args.old_text).count() as u64;
        if count == 0 {
            return Err(ToolError::failed(
                EDIT_NOT_FOUND,
                format!(
                    "oldText does not occur in `{path}`; read the file and copy the text exactly, white space included"
                ),
            ));
        }
        if count > 1 && !args.replace_all {
            let message = format!(
                "oldText occurs {count} times in `{path}`; add lines around it until it occurs once, or set replaceAll"
            );
            return Err(ToolError::failed_with(EDIT_AMBIGUOUS, message, &serde_json::json!({ "count": count })));
        }
        let after = before.replace(&args.old_text, &args.new_text);
        fits(&path, &before, &after)?;
        save(root, &path, &after)?;
        Ok(Edited { path, before, after })
    }

    fn pending(args: &EditArgs) -> Card {
        let path = normal(&args.path).unwrap_or_else(|_| args.path.clone());
        DiffCard::new(format!("Edit {path}")).file(path, Some(args.old_text.clone()), args.new_text.as_str()).into()
    }

    fn finished(_args: &EditArgs, value: &Edited) -> Card {
        let Edited { path, before, after } = value;
        DiffCard::new(format!("Edit {path}")).file(path, Some(before.clone()), after).into()
    }
}

impl Tool for Edit {
    type Args = EditArgs;
    type Value = Edited;

    const NAME: &str = "edit";
    const TITLE: Option<&str> = Some("Edit file");
    const DESCRIPTION: &str = "Replace a text in a file. `oldText` must occur exactly once, or `replaceAll` be \
                               set: copy enough lines around the place to make it the only one, white space \
                               exactly as it is. In a file whose lines all end with CR LF, a plain newline in \
                               `oldText` and `newText` stands for that.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(false).destructive(true).idempotent(false).open_world(false);
    const TIME_LIMIT_MS: Option<u32> = Some(10000);

    fn execute(args: EditArgs, _context: &Context) -> Result<Edited, ToolError> {
        Self::run(&Root::granted(), args)
    }

    fn render(args: &EditArgs, value: &Edited) -> Content {
        let args = as_the_file_ends_its_lines(args.clone(), &value.before);
        let count = value.before.matches(&args.old_text).count() as u64;
        format!("Replaced {} in {}.", quantity(count, "occurrence"), value.path).into()
    }

    fn present(args: &EditArgs, value: Option<&Edited>) -> Option<Card> {
        Some(value.map_or_else(|| Self::pending(args), |value| Self::finished(args, value)))
    }
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
        let edited = Edit::run(&root, args);
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
            |path: &str, content: &str| Write::run(&root, WriteArgs { path: path.into(), content: content.into() });
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

//! Text in and out of files: UTF-8 or a failure, whole lines, and what one value may hold.

use std::io::Read;

use fumehood_tool::{Code, ToolError};

use crate::root::{Root, failed};

/// How many bytes of JSON one value may have. A host caps what it takes, and two texts of 1 MiB cover all but
/// generated files; a file is refused by this bound before it is changed, not after.
pub const VALUE_BYTES: usize = 2 << 20;

/// How many results one value may list, for hosts that cap the nodes of a value too.
pub const VALUE_ENTRIES: usize = 10_000;

const NOT_UTF8: Code = Code::new("NOT_UTF8");
const TOO_LARGE: Code = Code::new("TOO_LARGE");

/// Feeds the text of a file to `each`, piece by piece: no file is too large for the memory.
pub fn pieces(root: &Root, path: &str, mut each: impl FnMut(&str) -> Result<(), ToolError>) -> Result<(), ToolError> {
    let mut file = root.open(path)?;
    let mut buffer = vec![0; 64 << 10];
    let (mut kept, mut before) = (0, 0);
    loop {
        let read = file.read(&mut buffer[kept..]).map_err(|error| failed(&error, path))?;
        let held = kept + read;
        let end = match std::str::from_utf8(&buffer[..held]) {
            Ok(_) => held,
            // A character may be cut by the end of the buffer, but not by the end of the file.
            Err(error) if error.error_len().is_none() && read > 0 => error.valid_up_to(),
            Err(error) => {
                let at = before + error.valid_up_to() as u64;
                return Err(ToolError::failed(
                    NOT_UTF8,
                    format!("`{path}` is not UTF-8 text: the byte at {at} begins no character"),
                ));
            }
        };
        each(std::str::from_utf8(&buffer[..end]).expect("was checked above"))?;
        if read == 0 {
            return Ok(());
        }
        buffer.copy_within(end..held, 0);
        (kept, before) = (held - end, before + end as u64);
    }
}

/// The whole text of a file that must fit into a value.
pub fn whole(root: &Root, path: &str) -> Result<String, ToolError> {
    let mut text = String::new();
    pieces(root, path, |piece| {
        text.push_str(piece);
        if text.len() > VALUE_BYTES { Err(too_large(path)) } else { Ok(()) }
    })?;
    Ok(text)
}

/// Refuses a change whose value would hold more than [`VALUE_BYTES`].
pub fn fits(path: &str, before: &str, after: &str) -> Result<(), ToolError> {
    if json_len(before) + json_len(after) > VALUE_BYTES { Err(too_large(path)) } else { Ok(()) }
}

fn too_large(path: &str) -> ToolError {
    ToolError::failed(
        TOO_LARGE,
        format!(
            "`{path}` is unchanged: its text before and after the change would be over {VALUE_BYTES} bytes together"
        ),
    )
}

/// The length of `text` as a JSON string, quotes and escapes included.
pub fn json_len(text: &str) -> usize {
    let escapes = |byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
        0..=31 => 5,
        _ => 0,
    };
    text.len() + 2 + text.bytes().map(escapes).sum::<usize>()
}

/// The start of a long line.
pub fn preview(line: &str, characters: usize) -> String {
    match line.char_indices().nth(characters) {
        Some((end, _)) => format!("{}… ({} characters in all)", &line[..end], line.chars().count()),
        None => line.to_owned(),
    }
}

/// `1 line`, `2 lines`, `2 matches`.
pub fn quantity(number: u64, noun: &str) -> String {
    let ending = match number {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_lengths_are_those_of_the_serializer() {
        for text in ["", "plain", "\"\\\n\r\t\u{8}\u{c}", "\0\u{1f}\u{7f}", "é😀\u{2028}"] {
            assert_eq!(json_len(text), serde_json::to_string(text).unwrap().len(), "{text:?}");
        }
    }

    #[test]
    fn characters_survive_the_border_of_two_pieces() {
        let directory = tempfile::tempdir().unwrap();
        let root = Root::new(directory.path(), ["/".to_owned()]);
        // Four bytes each, out of step with the buffer by one.
        let text = format!("x{}", "😀".repeat(50_000));
        std::fs::write(directory.path().join("a"), &text).unwrap();
        assert_eq!(whole(&root, "a").unwrap(), text);
        std::fs::write(directory.path().join("a"), &text.as_bytes()[..text.len() - 1]).unwrap();
        let Err(ToolError::Failed(failure)) = whole(&root, "a") else { panic!("took half a character") };
        assert_eq!((failure.code.as_str(), text.len() - 4), ("NOT_UTF8", 199_997));
        assert!(failure.message.contains("199997"), "{}", failure.message);
    }
}

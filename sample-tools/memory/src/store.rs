//! Files that are there whole or not at all, and an answer of its own for each way to fail.
//!
//! `agents/AGENT/facts.json` and `agents/AGENT/checkpoints/NUMBER.json`, below the granted directory.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use fumehood_tool::{Code, ToolError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

/// The names that agents may have.
pub const AGENT: &str = "^[A-Za-z0-9._@:-]{1,64}$";

pub struct Store {
    base: PathBuf,
}

impl Store {
    /// The granted directory.
    pub fn granted() -> Self {
        Self::new("/")
    }

    /// Tests have a temporary directory.
    pub fn new(base: impl Into<PathBuf>) -> Self {
        Self { base: base.into() }
    }

    pub fn facts(&self, agent: &str) -> PathBuf {
        self.of(agent).join("facts.json")
    }

    pub fn checkpoint(&self, agent: &str, number: u64) -> PathBuf {
        self.of(agent).join(format!("checkpoints/{number}.json"))
    }

    /// The numbers of the checkpoints, rising. Whatever else lies there, such as what a killed call left, is none.
    pub fn checkpoints(&self, agent: &str) -> Result<Vec<u64>, ToolError> {
        let mut numbers = Vec::new();
        let entries = match fs::read_dir(self.of(agent).join("checkpoints")) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(numbers),
            entries => entries.map_err(|error| failed(&error))?,
        };
        for entry in entries {
            let name = entry.map_err(|error| failed(&error))?.file_name();
            numbers.extend(name.to_str().and_then(|name| name.strip_suffix(".json")?.parse::<u64>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn of(&self, agent: &str) -> PathBuf {
        self.base.join("agents").join(folder(agent))
    }
}

/// An agent's name as the name of a folder: no two agents share one, on no file system, and none is `..`.
fn folder(agent: &str) -> String {
    let mut folder = String::new();
    for byte in agent.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => folder.push(byte as char),
            _ => folder += &format!("~{byte:02x}"),
        }
    }
    folder
}

/// What the file holds, `None` where there is none. `what` names it in messages: a model knows no files.
pub fn load<T: DeserializeOwned>(file: &Path, what: &str) -> Result<Option<T>, ToolError> {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    match serde_json::from_slice(&bytes) {
        Ok(found) => Ok(Some(found)),
        // How it is broken, and not what stands there.
        Err(error) => Err(match error.classify() {
            Category::Eof => corrupt(what, "it ends too early"),
            Category::Syntax | Category::Io => corrupt(what, "it is not JSON"),
            Category::Data => corrupt(what, "it is JSON of another shape"),
        }),
    }
}

/// Puts the value at `file`: whoever reads it, also after a kill, finds the old file or the new.
pub fn save(file: &Path, value: &impl Serialize) -> Result<(), ToolError> {
    let bytes = serde_json::to_vec(value).map_err(|error| ToolError::failed(STORAGE, error.to_string()))?;
    replace(file, &bytes).map_err(|error| failed(&error))
}

fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(file.parent().unwrap_or(file))?;
    // One name is enough: calls that write are exclusive, and what a killed one left is written over.
    let temporary = file.with_extension("tmp");
    let mut new = File::create(&temporary)?;
    new.write_all(bytes)?;
    new.sync_all()?;
    drop(new);
    fs::rename(&temporary, file)
}

/// What was stored is there and makes no sense.
pub fn corrupt(what: &str, why: &str) -> ToolError {
    const CODE: Code = Code::new("CORRUPT");
    ToolError::failed(CODE, format!("{what} is damaged ({why}); it is left as it is"))
}

const STORAGE: Code = Code::new("STORAGE");

/// An error of the system. Absence is none: the callers have asked for it before they come here.
pub fn failed(error: &io::Error) -> ToolError {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => ToolError::Denied(
            "the memory may not be written or read: the grant or a file's permissions forbid it".into(),
        ),
        ErrorKind::ResourceBusy | ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::TimedOut => {
            ToolError::Unavailable("the memory is busy; try again".into())
        }
        kind => ToolError::failed(STORAGE, format!("the memory cannot be reached: {kind}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders() {
        let check = |agent: &str, expect: &str| assert_eq!(folder(agent), expect);
        check("agent-1", "agent-1");
        check("..", "~2e~2e");
        check("Agent", "~41gent");
        check("a/é", "a~2f~c3~a9");
    }

    #[test]
    fn absent_damaged_and_unreachable_are_three_answers() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("x.json");
        assert!(matches!(load::<u64>(&file, "it"), Ok(None)));
        for (text, why) in [("", "it ends too early"), ("no", "it is not JSON"), ("[]", "it is JSON of another shape")]
        {
            fs::write(&file, text).unwrap();
            let Err(ToolError::Failed(damaged)) = load::<u64>(&file, "it") else { panic!("read {text}") };
            assert_eq!(damaged.code, "CORRUPT");
            assert_eq!(damaged.message, format!("it is damaged ({why}); it is left as it is"));
        }
        let Err(ToolError::Failed(unreachable)) = load::<u64>(directory.path(), "it") else {
            panic!("read a directory")
        };
        assert_eq!(unreachable.code, "STORAGE");
    }

    #[test]
    fn what_a_killed_call_left_is_no_checkpoint_and_in_nobodys_way() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        save(&store.checkpoint("a", 1), &1).unwrap();
        fs::write(store.checkpoint("a", 2).with_extension("tmp"), "{\"half").unwrap();
        assert_eq!(store.checkpoints("a").unwrap(), [1]);
        save(&store.checkpoint("a", 2), &2).unwrap();
        assert_eq!(store.checkpoints("a").unwrap(), [1, 2]);
        assert_eq!(load::<u64>(&store.checkpoint("a", 2), "").unwrap(), Some(2));
    }
}

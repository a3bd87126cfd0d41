//! What an operator calls a mounted server.

use std::fmt;
use std::str::FromStr;

/// A tool's name has 40 characters: half of them are for the server to choose.
const MAX: usize = 19;

/// `[a-z0-9][a-z0-9-]{0,18}`: the first part of the names of a server's tools.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MountName(String);

/// A text that is no [`MountName`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} cannot name a server; write [a-z0-9][a-z0-9-]{{0,18}}, for example notes")]
pub struct MountNameError(String);

impl MountName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MountName {
    type Err = MountNameError;

    fn from_str(text: &str) -> Result<Self, MountNameError> {
        let plain = text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        if plain && (1..=MAX).contains(&text.len()) && !text.starts_with('-') {
            return Ok(Self(text.to_owned()));
        }
        Err(MountNameError(text.chars().take(40).collect()))
    }
}

impl fmt::Display for MountName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        for good in ["a", "notes", "git-hub-2", "0123456789012345678"] {
            assert_eq!(good.parse::<MountName>().unwrap().as_str(), good);
        }
        for bad in ["", "-a", "A", "a_b", "a.b", "ä", "01234567890123456789"] {
            assert!(bad.parse::<MountName>().is_err(), "{bad}");
        }
    }
}

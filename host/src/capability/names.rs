//! What capabilities are called.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A name that is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no {what}; write {write}")]
pub struct NameError {
    text: String,
    what: &'static str,
    write: &'static str,
}

macro_rules! names {
    ($($(#[$doc:meta])+ $name:ident, $what:literal, $write:literal, $most:literal, $first:expr, $rest:expr;)+) => { $(
        $(#[$doc])+
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                let (first, rest): (fn(u8) -> bool, fn(u8) -> bool) = ($first, $rest);
                let bytes = text.as_bytes();
                let fits = bytes.len() <= $most && bytes.first().is_some_and(|byte| first(*byte));
                if fits && bytes.iter().all(|byte| rest(*byte)) {
                    Ok(Self(text.to_owned()))
                } else {
                    let shown = text.chars().take(64).collect();
                    Err(NameError { text: shown, what: $what, write: $write })
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(text: String) -> Result<Self, NameError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+ };
}

names! {
    /// The name of a secret or of a program, as a manifest asks for it and a policy answers: `github-token`, `g++`.
    Name, "name", "1 to 64 of [a-z0-9._+-], beginning with a letter or digit", 64,
        |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit(),
        |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._+-".contains(&byte);
    /// The name of an environment variable, as POSIX has it: `LANG`, `http_proxy`.
    EnvName, "environment variable", "1 to 128 of [A-Za-z0-9_], beginning with a letter or _", 128,
        |byte| byte.is_ascii_alphabetic() || byte == b'_',
        |byte| byte.is_ascii_alphanumeric() || byte == b'_';
    /// The name of a tool.
    ToolName, "tool name", "1 to 40 of [A-Za-z0-9_-]", 40,
        |byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
        |byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: FromStr<Err = NameError> + fmt::Display>(text: &str, good: bool) {
        let name = text.parse::<T>();
        match &name {
            Ok(name) => assert!(good && name.to_string() == text, "{text:?} was taken"),
            Err(error) => assert!(!good && error.to_string().contains("write 1 to"), "{text:?}: {error}"),
        }
    }

    #[test]
    fn names_hold_nothing_that_reads_otherwise_elsewhere() {
        for good in ["git", "github-token", "g++", "7z", "a.b_c"] {
            check::<Name>(good, true);
        }
        for bad in ["", "-rf", ".git", "Git", "a b", "a/b", "a\0", "ä", "a\n", "a="] {
            check::<Name>(bad, false);
        }
        check::<Name>(&"a".repeat(64), true);
        check::<Name>(&"a".repeat(65), false);
        check::<EnvName>("_LANG2", true);
        check::<EnvName>("LANG=C", false);
        check::<EnvName>("2LANG", false);
        check::<EnvName>("", false);
        check::<ToolName>("word_count", true);
        check::<ToolName>("word count", false);
    }
}

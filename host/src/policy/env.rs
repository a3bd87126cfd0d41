//! Environment variables that an operator grants.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use super::quote::toml_text;
use crate::capability::{EnvName, NameError};

/// Longer is no setting: 32 KiB, as much as some systems allow for one variable.
const MAX_VALUE: usize = 32 << 10;

/// One environment variable. Without a value, it has the one of the host process when the component is loaded.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvGrant {
    /// Which.
    pub name: EnvName,
    /// What the tool sees, at most 32 KiB without NUL.
    pub value: Option<String>,
}

/// A variable that cannot be granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvGrantError {
    /// The name is none.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The value is none.
    #[error("the value of {0} is longer than {MAX_VALUE} bytes or holds NUL; write another")]
    Value(EnvName),
}

impl EnvGrant {
    /// Checks the value.
    ///
    /// # Errors
    /// [`EnvGrantError::Value`].
    pub(super) fn checked(self) -> Result<Self, EnvGrantError> {
        match &self.value {
            Some(value) if !is_value(value) => Err(EnvGrantError::Value(self.name)),
            _ => Ok(self),
        }
    }

    pub(super) fn policy_line(&self) -> String {
        let value = self.value.as_ref().map(|value| format!(", value = {}", toml_text(value))).unwrap_or_default();
        format!("grants.env = [{{ name = \"{}\"{value} }}]", self.name)
    }
}

/// Whether a variable may have this value.
pub(crate) fn is_value(value: &str) -> bool {
    value.len() <= MAX_VALUE && !value.contains('\0')
}

/// `NAME`, or `NAME=VALUE`.
impl FromStr for EnvGrant {
    type Err = EnvGrantError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        Self { name: name.parse()?, value }.checked()
    }
}

impl fmt::Display for EnvGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}={value}", self.name),
            None => write!(f, "{}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<(&str, Option<&str>)>) {
        let grant: Result<EnvGrant, _> = text.parse();
        let read = grant.as_ref().ok().map(|grant| (grant.name.as_str(), grant.value.as_deref()));
        assert_eq!(read, expect, "{text:?}");
        if let Ok(grant) = grant {
            assert_eq!(grant.to_string(), text);
            let file: Wrapped = toml::from_str(&grant.policy_line()).expect(text);
            assert_eq!(file.grants.env, [grant]);
        }
    }

    #[derive(Deserialize)]
    struct Wrapped {
        grants: Grants,
    }

    #[derive(Deserialize)]
    struct Grants {
        env: Vec<EnvGrant>,
    }

    #[test]
    fn the_short_form() {
        check("LANG", Some(("LANG", None)));
        check("LANG=C.UTF-8", Some(("LANG", Some("C.UTF-8"))));
        check("A==", Some(("A", Some("="))));
        check("A=", Some(("A", Some(""))));
        check("=x", None);
        check("A B=x", None);
        check("A=x\0y", None);
    }
}

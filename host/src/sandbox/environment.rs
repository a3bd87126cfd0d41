//! Granted environment variables, with the values they have when the component is loaded.

use crate::capability::EnvName;
use crate::policy::{EnvGrant, is_value};

/// A granted variable without a value that a tool could have.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// The host process has no such variable.
    #[error("env={0} is granted, and this process has no variable of that name; set it, or grant env={0}=VALUE")]
    Missing(EnvName),
    /// It has one that is no text, or too long.
    #[error("env={0} is granted, and its value here is not UTF-8 or longer than 32 KiB; grant env={0}=VALUE")]
    Value(EnvName),
}

pub(super) fn variable(grant: &EnvGrant) -> Result<(String, String), EnvironmentError> {
    let EnvGrant { name, value } = grant;
    let value = match value {
        Some(value) => value.clone(),
        None => {
            #[expect(clippy::disallowed_methods, reason = "the operator grants this one variable of the process")]
            let value = std::env::var_os(name.as_str()).ok_or_else(|| EnvironmentError::Missing(name.clone()))?;
            value
                .into_string()
                .ok()
                .filter(|value| is_value(value))
                .ok_or_else(|| EnvironmentError::Value(name.clone()))?
        }
    };
    Ok((name.to_string(), value))
}

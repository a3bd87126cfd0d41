//! How `execute` fails.

use std::io;

use serde::Serialize;

use crate::{Failure, ToolError, value};

/// A tool's own code for one way to fail: `[A-Z0-9_]`, 1 to 64. As a constant it is checked by the compiler.
///
/// ```
/// use fumehood_tool::{Code, ToolError};
///
/// const STALE: Code = Code::new("STALE");
/// let error: ToolError = ToolError::failed(STALE, "the index is older than the files");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(&'static str);

impl Code {
    /// A code.
    ///
    /// # Panics
    ///
    /// It has other characters, or too many: at compile time where it is a constant.
    pub const fn new(code: &'static str) -> Self {
        let bytes = code.as_bytes();
        assert!(!bytes.is_empty() && bytes.len() <= 64, "a code has 1 to 64 characters");
        let mut at = 0;
        while at < bytes.len() {
            assert!(
                bytes[at].is_ascii_uppercase() || bytes[at].is_ascii_digit() || bytes[at] == b'_',
                "a code is made of A-Z, 0-9 and `_`"
            );
            at += 1;
        }
        Self(code)
    }

    /// Its text.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl ToolError {
    /// The arguments fit the schema but make no sense.
    pub fn invalid_args(message: impl Into<String>) -> Self {
        Self::InvalidArgs(message.into())
    }

    /// What the arguments name does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::NotFound(message.into())
    }

    /// Something outside the tool refused it.
    pub fn denied(message: impl Into<String>) -> Self {
        Self::Denied(message.into())
    }

    /// It may work later, unchanged.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::Unavailable(message.into())
    }

    /// Everything else.
    pub fn failed(code: Code, message: impl Into<String>) -> Self {
        Self::Failed(Failure { code: code.0.to_owned(), message: message.into(), data: None })
    }

    /// [`Self::failed`], with more for programs. Data that has no JSON form is left out.
    pub fn failed_with(code: Code, message: impl Into<String>, data: &impl Serialize) -> Self {
        Self::Failed(Failure { code: code.0.to_owned(), message: message.into(), data: value::to_json(data).ok() })
    }
}

/// By kind, with the system's words. They do not say which file: add that where you know it.
impl From<io::Error> for ToolError {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind as Kind;
        const CODE: Code = Code::new("IO");
        let message = error.to_string();
        match error.kind() {
            Kind::NotFound | Kind::NotADirectory => Self::NotFound(message),
            Kind::PermissionDenied | Kind::ReadOnlyFilesystem => Self::Denied(message),
            Kind::ResourceBusy | Kind::WouldBlock | Kind::Interrupted | Kind::TimedOut => Self::Unavailable(message),
            _ => Self::failed(CODE, message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_carries_its_data_as_json() {
        let error = ToolError::failed_with(Code::new("FULL_2"), "no room", &[1.5, 2.0]);
        let expected = Failure { code: "FULL_2".into(), message: "no room".into(), data: Some("[1.5,2.0]".into()) };
        assert_eq!(error, ToolError::Failed(expected));
        let ToolError::Failed(failure) = ToolError::failed_with(Code::new("X"), "", &f64::NAN) else { panic!() };
        assert_eq!(failure.data, None);
    }

    #[test]
    fn errors_of_the_system_are_sorted() {
        let sorted = |kind: io::ErrorKind| ToolError::from(io::Error::from(kind));
        assert!(matches!(sorted(io::ErrorKind::NotFound), ToolError::NotFound(_)));
        assert!(matches!(sorted(io::ErrorKind::PermissionDenied), ToolError::Denied(_)));
        assert!(matches!(sorted(io::ErrorKind::TimedOut), ToolError::Unavailable(_)));
        assert!(matches!(sorted(io::ErrorKind::StorageFull), ToolError::Failed(_)));
    }
}

//! How the process ends: the one place that knows exit codes.

use std::path::Path;
use std::process::ExitCode;

use fumehood::{CompileError, Failure, FailureKind, LoadError, LockFileError};

use super::screen;

pub(super) const HELP: &str = "Exit status:
  0    it worked
  1    the tool failed, or a check failed
  2    wrong usage, or a file that cannot be used
  3    refused by policy
  4    aborted: a limit, a trap or a cancellation
  70   the host failed
  130  interrupted by Ctrl-C";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    Failed = 1,
    Usage = 2,
    Refused = 3,
    Aborted = 4,
    Fault = 70,
    Interrupted = 130,
}

/// A bad end, with the text for standard error.
#[derive(Debug)]
pub(super) struct Exit {
    status: Status,
    message: String,
    /// What helps, each a line of this program's own.
    more: Vec<String>,
}

impl Exit {
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self { status: Status::Usage, message: message.into(), more: Vec::new() }
    }

    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self { status: Status::Failed, message: message.into(), more: Vec::new() }
    }

    pub(super) fn fault(message: impl Into<String>) -> Self {
        Self { status: Status::Fault, message: message.into(), more: Vec::new() }
    }

    pub(super) fn interrupted() -> Self {
        Self { status: Status::Interrupted, message: "interrupted".to_owned(), more: Vec::new() }
    }

    /// A file that did not load, with its name.
    pub(super) fn of(file: &Path, error: LoadError) -> Self {
        let named = matches!(error, LoadError::Open { .. });
        let exit = Self::from(error);
        if named { exit } else { Self { message: format!("{}: {}", file.display(), exit.message), ..exit } }
    }

    /// The same, and more to say after it.
    pub(super) fn with(mut self, more: Vec<String>) -> Self {
        self.more = more;
        self
    }

    /// Print the message, and what helps.
    pub(super) fn print(&self) {
        screen::error(&self.message);
        self.more.iter().for_each(|line| screen::error(line));
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// Print the message and give the code.
    pub(super) fn report(self) -> ExitCode {
        self.print();
        self.code()
    }

    /// The code alone, where the message is printed already.
    pub(super) fn code(&self) -> ExitCode {
        ExitCode::from(self.status as u8)
    }
}

/// Of several bad ends the one that the process ends with. A file that is no component weighs less than one that is refused.
pub(super) fn worse(earlier: Option<Exit>, later: Exit) -> Option<Exit> {
    match earlier {
        Some(earlier) if earlier.status >= later.status => Some(earlier),
        _ => Some(later),
    }
}

impl From<&Failure> for Exit {
    fn from(failure: &Failure) -> Self {
        let status = match failure.kind {
            FailureKind::Refused => Status::Refused,
            FailureKind::Failed => Status::Failed,
            FailureKind::Aborted => Status::Aborted,
            FailureKind::Fault => Status::Fault,
        };
        Self { status, message: format!("{}: {}", failure.code, failure.message), more: Vec::new() }
    }
}

impl From<LoadError> for Exit {
    fn from(error: LoadError) -> Self {
        let status = match &error {
            LoadError::Denied(_) | LoadError::Lock(LockFileError::NotApproved(_)) => Status::Refused,
            LoadError::Inspect(_) | LoadError::Compile(CompileError::Refused { .. } | CompileError::Limit { .. }) => {
                Status::Failed
            }
            LoadError::Fault(_) | LoadError::Compile(_) => Status::Fault,
            _ => Status::Usage,
        };
        Self { status, message: chain(&error), more: Vec::new() }
    }
}

impl From<LockFileError> for Exit {
    fn from(error: LockFileError) -> Self {
        LoadError::from(error).into()
    }
}

/// An error and what caused it, where its own text does not say so already.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

impl From<anyhow::Error> for Exit {
    fn from(error: anyhow::Error) -> Self {
        Self::usage(format!("{error:#}"))
    }
}

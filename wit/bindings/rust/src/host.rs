//! What the host itself can do for a tool, where the operator grants it: run programs, call other tools.
//!
//! Both are methods of [`Context`], so only `execute` can. The manifest asks for each program and each tool by name.

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::bindings::host::fumehood::host::process::{Completed, Exit, ProcessError, Request};
pub use crate::bindings::host::fumehood::host::tools::CallError;

use crate::bindings::host::fumehood::host::{process, tools};
use crate::{Code, Context, Failure, ToolError, value};

impl Request {
    /// A granted program, by its granted name, without arguments.
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            working_directory: None,
            stdin: None,
            output_bytes: None,
            time_limit_ms: None,
        }
    }

    /// Its arguments, without its name. No shell reads them.
    #[must_use]
    pub fn args<A: Into<String>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// An absolute path as the tool sees it, at or below a granted directory.
    #[must_use]
    pub fn working_directory(mut self, path: impl Into<String>) -> Self {
        self.working_directory = Some(path.into());
        self
    }

    /// What it reads from its standard input.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// The most bytes to keep of standard output and of standard error, each.
    #[must_use]
    pub fn output_bytes(mut self, bytes: u64) -> Self {
        self.output_bytes = Some(bytes);
        self
    }

    /// Kill it after so many milliseconds. Leave the call itself some time: then there is a value to return.
    #[must_use]
    pub fn time_limit_ms(mut self, limit: u64) -> Self {
        self.time_limit_ms = Some(limit);
        self
    }
}

impl Context {
    /// Run a program to its end. A status other than zero is no error.
    ///
    /// # Errors
    ///
    /// No grant allows it, the request makes no sense, or it cannot be run here and now.
    pub fn run(&self, request: &Request) -> Result<Completed, ProcessError> {
        process::run(request)
    }

    /// Call another tool and get its value.
    ///
    /// # Errors
    ///
    /// What the host says of the call; with the code `BAD_VALUE`, what of `args` or of the value is not as it should be.
    pub fn call<V: DeserializeOwned>(&self, tool: &str, args: &impl Serialize) -> Result<V, CallError> {
        let bad = |message| CallError { code: "BAD_VALUE".into(), message };
        let value = tools::call(tool, &value::to_json(args).map_err(bad)?)?;
        serde_json::from_str(&value).map_err(|error| bad(format!("{tool} returned something else: {error}")))
    }

    /// The tools that may be called, in alphabetical order.
    pub fn callable(&self) -> Vec<String> {
        tools::list()
    }
}

/// The host's texts are for tools and models. Which grant would allow a command is in the operator's log.
impl From<ProcessError> for ToolError {
    fn from(error: ProcessError) -> Self {
        match error {
            ProcessError::NotGranted(text) => Self::Denied(text),
            ProcessError::Invalid(text) => Self::InvalidArgs(text),
            ProcessError::Unavailable(text) => Self::Unavailable(text),
        }
    }
}

/// The other tool's code goes into the data.
impl From<CallError> for ToolError {
    fn from(error: CallError) -> Self {
        const CODE: Code = Code::new("CALL_FAILED");
        let data = value::to_json(&error.code).ok().map(|code| format!(r#"{{"code":{code}}}"#));
        match error.code.as_str() {
            "UNKNOWN_TOOL" => Self::NotFound(error.message),
            "DENIED" => Self::Denied(error.message),
            _ => Self::Failed(Failure { code: CODE.as_str().to_owned(), message: error.message, data }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_host_are_the_tools() {
        let failed = |code: &str| ToolError::from(CallError { code: code.into(), message: "m".into() });
        assert_eq!(failed("UNKNOWN_TOOL"), ToolError::not_found("m"));
        assert_eq!(failed("DENIED"), ToolError::denied("m"));
        let ToolError::Failed(failure) = failed("TOOL_TIMEOUT") else { panic!() };
        assert_eq!(failure.data.as_deref(), Some(r#"{"code":"TOOL_TIMEOUT"}"#));
        assert_eq!(ToolError::from(ProcessError::NotGranted("m".into())), ToolError::denied("m"));
    }

    #[test]
    fn a_request_says_what_it_was_told() {
        let request = Request::new("git").args(["log", "-1"]).working_directory("/").stdin("x").time_limit_ms(5);
        assert_eq!(request.args, ["log", "-1"]);
        assert_eq!((request.stdin, request.time_limit_ms, request.output_bytes), (Some(vec![b'x']), Some(5), None));
    }
}

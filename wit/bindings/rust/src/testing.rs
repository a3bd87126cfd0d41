//! Tools called natively, by their own tests: through the same JSON as in a host, but without schemas and sandboxes.

use std::cell::RefCell;

use crate::{Card, Content, Context, Tool, ToolError, component, describe};

/// One report of progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How much is done.
    pub done: u64,
    /// Of how much.
    pub total: Option<u64>,
    /// In words.
    pub message: Option<String>,
}

impl Context {
    /// A context that remembers what it is told. Natively only.
    pub fn for_test() -> Self {
        Self { heard: RefCell::default() }
    }

    /// What [`Context::progress`] was told, in order. Natively only.
    pub fn heard(&self) -> Vec<Progress> {
        self.heard.borrow().clone()
    }

    pub(crate) fn new() -> Self {
        Self::for_test()
    }
}

/// Execute and render: the value's JSON, and what a model reads.
///
/// # Errors
///
/// Those of the tool, and arguments that are not its own.
///
/// # Panics
///
/// The projector cannot read what `execute` wrote, or the tool's arguments do not come back.
pub fn call<T: Tool>(args: &str) -> Result<(String, Content), ToolError> {
    let value = component::execute::<T>(args)?;
    match component::render::<T>(args, &value) {
        Ok(blocks) => Ok((value, blocks.into())),
        Err(why) => panic!("`{}` cannot render {value}: {why}", T::NAME),
    }
}

/// The card of a value, as [`call`] gives it, or of a call that is not finished.
///
/// # Panics
///
/// The arguments or the value are not the tool's own.
pub fn card<T: Tool>(args: &str, value: Option<&str>) -> Option<Card> {
    match component::present::<T>(args, value) {
        Ok(card) => card,
        Err(why) => panic!("`{}` cannot present {value:?}: {why}", T::NAME),
    }
}

/// The input schema, as `fumehood pack` gets it.
///
/// # Errors
///
/// What of [`Tool::Args`] has no schema that hosts and clients take, each with a pointer.
pub fn input_schema<T: Tool>() -> Result<String, Vec<String>> {
    describe::input_schema::<T>()
}

/// The output schema, as `fumehood pack` gets it.
///
/// # Errors
///
/// As [`input_schema`], for [`Tool::Value`].
pub fn output_schema<T: Tool>() -> Result<String, Vec<String>> {
    describe::output_schema::<T>()
}

//! Calls of tools by tools: `fumehood:host/tools`.
//!
//! Whether a tool may call another is decided here; how a call goes is known to `call` alone, which hands in a
//! [`Caller`].

use std::pin::Pin;
use std::sync::Arc;

use wasmtime::component::Val;

use super::state::State;
use crate::bindings::host::fumehood::host::tools;
use crate::capability::{CapabilityKind, ToolName};
use crate::decision::Decisions;
use crate::policy::{Approved, Grant};

/// Why a nested call gave no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallError {
    /// One of the codes of a call: `INVALID_ARGS`.
    pub(crate) code: &'static str,
    /// For the calling tool, and for a model.
    pub(crate) message: String,
}

/// What makes a nested call.
pub(crate) trait Caller: Send + Sync {
    /// Call a tool with one JSON text, and get its canonical value as one. Dropping the future ends the call.
    fn call<'a>(
        &'a self,
        tool: &'a ToolName,
        args: String,
    ) -> Pin<Box<dyn Future<Output = Result<String, CallError>> + Send + 'a>>;

    /// Whether there is a tool of this name.
    fn knows(&self, tool: &ToolName) -> bool;
}

/// What one `execute` may call.
#[derive(Clone)]
pub(crate) struct CallableTools {
    approved: Approved,
    caller: Arc<dyn Caller>,
}

/// The longest part of a name that no tool can have, for a message.
const SHOWN: usize = 80;

impl CallableTools {
    pub(crate) fn of(approved: Approved, caller: Arc<dyn Caller>) -> Self {
        Self { approved, caller }
    }

    async fn call(&self, tool: &str, args: String, decisions: &Decisions) -> Result<String, CallError> {
        let Ok(name) = tool.parse::<ToolName>() else {
            let shown = &tool[..tool.floor_char_boundary(SHOWN)];
            let message = format!("there is no tool {shown:?}: a tool's name has 1 to 40 of [A-Za-z0-9_-]");
            return Err(CallError { code: "UNKNOWN_TOOL", message });
        };
        if !self.approved.grants().tools().any(|granted| *granted == name) {
            let asked = self.approved.inspected().manifest().capabilities.iter();
            let asked = asked.map(|request| &request.capability).any(|asked| Grant::Tools(name.clone()).answers(asked));
            let (rule, message) = if asked {
                ("no grant names this tool", denial(&name))
            } else {
                ("the manifest does not ask for it", format!("the tool {name} is not granted, and {UNASKED}"))
            };
            decisions.denied(CapabilityKind::Tools, tool, rule);
            return Err(CallError { code: "DENIED", message });
        }
        decisions.allowed(CapabilityKind::Tools, tool, &Grant::Tools(name.clone()).to_string());
        self.caller.call(&name, args).await
    }
}

const UNASKED: &str = "the manifest does not ask for it: no policy can grant it before the vendor does";

/// Why a tool is not called, with the line that would allow it.
pub(super) fn denial(name: &ToolName) -> String {
    format!("the tool {name} is not granted; {}", Grant::Tools(name.clone()).lines())
}

/// The tool of a call that was denied before it was read.
pub(super) fn asked_for(params: &[Val]) -> Option<ToolName> {
    let Some(Val::String(name)) = params.first() else { return None };
    name.parse().ok()
}

impl tools::Host for State {
    async fn call(&mut self, tool: String, args: String) -> wasmtime::Result<Result<String, tools::CallError>> {
        // Where nothing is granted, a denial stands in place of this function.
        let Some((tools, decisions)) = self.tools() else {
            let message = "no tool is granted to this one".to_owned();
            return Ok(Err(tools::CallError { code: "DENIED".to_owned(), message }));
        };
        let called = tools.call(&tool, args, &decisions).await;
        Ok(called.map_err(|CallError { code, message }| tools::CallError { code: code.to_owned(), message }))
    }

    async fn list(&mut self) -> wasmtime::Result<Vec<String>> {
        let Some((tools, _)) = self.tools() else { return Ok(Vec::new()) };
        let known = tools.approved.grants().tools().filter(|name| tools.caller.knows(name));
        let mut names: Vec<_> = known.map(|name| name.as_str().to_owned()).collect();
        names.sort();
        Ok(names)
    }
}

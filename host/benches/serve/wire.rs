//! What goes over either wire.

use serde_json::{Value, json};

/// A revision of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2025-11-25, which everybody speaks.
    Older,
    /// 2026-07-28.
    Newer,
}

impl Era {
    pub(crate) fn version(self) -> &'static str {
        match self {
            Era::Older => "2025-11-25",
            Era::Newer => "2026-07-28",
        }
    }
}

/// A call, and what has to stand in its answer.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) proof: &'static str,
}

impl Call {
    pub(crate) fn params(&self) -> Value {
        json!({ "name": self.tool, "arguments": self.arguments })
    }

    pub(crate) fn check(&self, answer: &str) {
        assert!(answer.contains(self.proof) && !answer.contains(r#""isError":true"#), "{}: {answer}", self.tool);
    }
}

/// A request's text, without a line's end.
pub(crate) fn request(era: Era, id: u64, method: &str, mut params: Value) -> String {
    if era == Era::Newer {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": era.version(),
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        });
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// The older revision's first message.
pub(crate) fn initialize() -> String {
    let params = json!({
        "protocolVersion": Era::Older.version(), "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" },
    });
    request(Era::Older, 0, "initialize", params)
}

/// What follows it.
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

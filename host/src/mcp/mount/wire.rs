//! The messages of a client: what is asked, and what is heard.

use http::HeaderMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::message::{MAX_BYTES, VERSION};
use crate::{Progress, ProgressSink};

/// The newest revision that is spoken, without a handshake.
pub(super) const MODERN: &str = "2026-07-28";
/// What is offered in the handshake of the older ones.
pub(super) const OFFERED: &str = "2025-11-25";
/// What may be answered to that.
pub(super) const LEGACY: [&str; 4] = [OFFERED, "2025-06-18", "2025-03-26", "2024-11-05"];

/// "Method not found" of JSON-RPC 2.0, section 5.1.
const NO_METHOD: i64 = -32601;
/// A server's own words, in a message to the operator or the model.
const QUOTED: usize = 2 << 10;
/// One line for a person: what a component's own progress may say.
const PROGRESS: usize = 1_024;

/// Which protocol a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// 2026-07-28: each request says everything.
    Modern,
    /// 2025-11-25 and earlier: after a handshake. Which one, as the server said.
    Legacy(&'static str),
}

/// One request that waits for its answer.
pub(super) struct Ask {
    pub(super) era: Era,
    pub(super) method: &'static str,
    pub(super) params: Map<String, Value>,
    pub(super) progress: Option<ProgressSink>,
    /// Parameters that are sent as headers too, where there are headers.
    pub(super) mirrored: HeaderMap,
}

/// What a request came to.
#[derive(Debug)]
pub(super) enum Answer {
    Result(Value),
    Error { code: i64, message: String },
}

/// A request that got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// What came cannot be read: for whoever asked.
    Malformed(String),
    /// Nothing will come any more: for the operator.
    Gone(String),
}

/// One message of a server.
#[derive(Debug)]
pub(super) enum Heard {
    Answer(u64, Answer),
    Progress(u64, Progress),
    /// A request. What to answer is known: this client offers nothing.
    Asked(Value),
    /// What this client has no use for.
    Other,
}

impl Ask {
    pub(super) fn new(era: Era, method: &'static str, params: Map<String, Value>) -> Self {
        Self { era, method, params, progress: None, mirrored: HeaderMap::new() }
    }

    pub(super) fn message(&self, id: u64) -> Value {
        let mut params = self.params.clone();
        let mut meta = Map::new();
        if self.progress.is_some() {
            meta.insert("progressToken".to_owned(), id.into());
        }
        if self.era == Era::Modern {
            meta.insert(VERSION.to_owned(), MODERN.into());
            meta.insert("io.modelcontextprotocol/clientCapabilities".to_owned(), json!({}));
            meta.insert("io.modelcontextprotocol/clientInfo".to_owned(), client_info());
        }
        if !meta.is_empty() {
            params.insert("_meta".to_owned(), meta.into());
        }
        json!({ "jsonrpc": "2.0", "id": id, "method": self.method, "params": params })
    }
}

pub(super) fn client_info() -> Value {
    json!({ "name": "fumehood", "version": env!("CARGO_PKG_VERSION") })
}

pub(super) fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// What a server is told of a call that nobody waits for any more.
pub(super) fn cancelled(id: u64) -> Value {
    notification("notifications/cancelled", json!({ "requestId": id, "reason": "the call was ended" }))
}

/// Reads one message that passed the JSON gate.
pub(super) fn heard(message: &Value) -> Heard {
    let id = message.get("id");
    match (message.get("method").and_then(Value::as_str), id) {
        (Some("ping"), Some(id)) => Heard::Asked(json!({ "jsonrpc": "2.0", "id": id, "result": {} })),
        (Some(_), Some(id)) => {
            let error = json!({ "code": NO_METHOD, "message": "this client answers no requests but ping" });
            Heard::Asked(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
        }
        (Some("notifications/progress"), None) => progress(&message["params"]).unwrap_or(Heard::Other),
        (Some(_), None) => Heard::Other,
        (None, id) => match id.and_then(Value::as_u64) {
            Some(id) => Heard::Answer(id, answer(message)),
            None => Heard::Other,
        },
    }
}

fn answer(message: &Value) -> Answer {
    match (message.get("result"), message.get("error")) {
        (Some(result), None) => Answer::Result(result.clone()),
        (_, Some(error)) => Answer::Error {
            code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
            message: quoted(error.get("message").and_then(Value::as_str).unwrap_or("no words")),
        },
        (None, None) => Answer::Error { code: 0, message: "neither a result nor an error".to_owned() },
    }
}

/// Whole and not negative, as the numbers of a component's progress are: what is not is nothing to show.
fn progress(params: &Value) -> Option<Heard> {
    let whole = |value: &Value| {
        let number = value.as_f64().filter(|number| (0.0..=9_007_199_254_740_992.0).contains(number))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range, as was just checked")]
        Some(number as u64)
    };
    let mut message = params.get("message").and_then(Value::as_str).map(str::to_owned);
    if let Some(message) = &mut message {
        message.truncate(message.floor_char_boundary(PROGRESS));
    }
    let done = whole(params.get("progress")?)?;
    let total = params.get("total").and_then(whole);
    Some(Heard::Progress(params.get("progressToken")?.as_u64()?, Progress { done, total, message }))
}

/// Which answer a text would have been that did not pass the gate, if it says so once.
pub(super) fn loose_id(text: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Loose {
        id: u64,
    }
    serde_json::from_slice(text).ok().map(|Loose { id }| id)
}

pub(super) fn too_long() -> Broken {
    Broken::Malformed(format!("the server's answer is over the {MAX_BYTES} bytes that a message may be long"))
}

/// A server's words, shortened.
pub(super) fn quoted(text: &str) -> String {
    let end = text.floor_char_boundary(QUOTED);
    if end < text.len() { format!("{}…", &text[..end]) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_known_by_its_id_also_where_the_rest_cannot_be_read() {
        assert_eq!(loose_id(br#"{"jsonrpc":"2.0","id":7,"result":{"n":1e400,"s":"\ud800"}}"#), Some(7));
        assert_eq!(loose_id(br#"{"id":7,"result":{"a":1,"a":2}}"#), Some(7));
        assert_eq!(loose_id(br#"{"id":7,"id":8,"result":{}}"#), None);
        assert_eq!(loose_id(b"{\"id\":7"), None);
        assert_eq!(loose_id(b"Server started"), None);
    }

    #[test]
    fn a_server_that_asks_gets_an_answer() {
        let Heard::Asked(answer) = heard(&json!({ "jsonrpc": "2.0", "id": "a", "method": "ping" })) else { panic!() };
        assert_eq!(answer, json!({ "jsonrpc": "2.0", "id": "a", "result": {} }));
        let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {} });
        let Heard::Asked(answer) = heard(&asked) else { panic!() };
        assert_eq!(answer["error"]["code"], NO_METHOD);
    }

    #[test]
    fn progress_that_cannot_be_shown_is_none() {
        let check = |progress: Value, expect: Option<u64>| {
            let message = notification("notifications/progress", json!({ "progressToken": 3, "progress": progress }));
            let done = match heard(&message) {
                Heard::Progress(3, progress) => Some(progress.done),
                Heard::Other => None,
                other => panic!("{other:?}"),
            };
            assert_eq!(done, expect, "{message}");
        };
        check(json!(1), Some(1));
        check(json!(1.9), Some(1));
        check(json!(-1), None);
        check(json!(1e300), None);
        check(json!("1"), None);
    }
}

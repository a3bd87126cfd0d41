//! One JSON-RPC message from a client: read through the JSON gate, so that nothing in it is understood two ways.

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, JsonRpcRequest, RequestId};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize as _;
use serde_json::Value;

use crate::{Json, JsonError, JsonLimits};

/// The longest message, in bytes: the arguments of a call may be as long as a value, and their frame is small.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// A value nests as deep as the gate allows below `params.arguments`; one message holds as many nodes as its bytes.
const LIMITS: JsonLimits = JsonLimits { bytes: MAX_BYTES as u64, depth: JsonLimits::MAX_DEPTH, nodes: 1_000_000 };

/// A message that is none. The client gets it as an error; the id is there where it could be read.
#[derive(Debug)]
pub(super) struct Malformed {
    pub(super) id: Option<RequestId>,
    pub(super) error: Box<ErrorData>,
}

/// The request before which the older revision answers no other: what is wrong with it has to be said here.
const HANDSHAKE: &str = "initialize";
/// Where a request of the newer revision, which knows no handshake, says which one it is.
pub(super) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Requests whose `cursor` the protocol's implementation takes for none where it is no string.
const LISTS: &[&str] = &["resources/list", "resources/templates/list", "tools/list"];

/// Reads one message.
///
/// A request whose parameters do not fit its method is one too: the protocol's implementation takes it for another method,
/// and [`no_parameters`] is the server's answer.
pub(super) fn read(text: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, Malformed> {
    typed(gate(text)?.value())
}

/// Whether [`read`] takes it, where the protocol's implementation reads the message itself.
pub(super) fn check(text: &[u8]) -> Result<(), Malformed> {
    let json = gate(text)?;
    // What is sent all the time: every request of this form can be read.
    if is_plain_request(json.value()) { Ok(()) } else { typed(json.value()).map(drop) }
}

fn typed(value: &Value) -> Result<RxJsonRpcMessage<RoleServer>, Malformed> {
    match RxJsonRpcMessage::<RoleServer>::deserialize(value) {
        Ok(JsonRpcMessage::Request(JsonRpcRequest { request: ClientRequest::CustomRequest(custom), .. }))
            if custom.method == HANDSHAKE
                && value.pointer("/params/_meta").and_then(|meta| meta.get(VERSION)).is_none() =>
        {
            Err(not_a_message(value))
        }
        Ok(message) if has_cursor(value) => Ok(message),
        _ => Err(not_a_message(value)),
    }
}

fn is_plain_request(value: &Value) -> bool {
    let params = value.get("params");
    value.get("jsonrpc").is_some_and(|version| version == "2.0")
        && value.get("method").and_then(Value::as_str).is_some_and(|method| method != HANDSHAKE)
        && value.get("id").is_some_and(|id| id_of(id).is_some())
        && value.get("result").is_none()
        && value.get("error").is_none()
        && params.is_none_or(Value::is_object)
        && params.and_then(|params| params.get("_meta")).is_none_or(Value::is_object)
        && has_cursor(value)
}

/// Whether the cursor of a list, if there is one, is a cursor.
fn has_cursor(value: &Value) -> bool {
    let lists = value.get("method").and_then(Value::as_str).is_some_and(|method| LISTS.contains(&method));
    let cursor = value.get("params").and_then(|params| params.get("cursor"));
    !lists || cursor.is_none_or(|cursor| cursor.is_string() || cursor.is_null())
}

fn id_of(id: &Value) -> Option<RequestId> {
    match id {
        Value::String(id) => Some(RequestId::String(id.as_str().into())),
        Value::Number(id) => id.as_i64().map(RequestId::Number),
        _ => None,
    }
}

fn gate(text: &[u8]) -> Result<Json, Malformed> {
    json(text).map_err(|error| {
        let message = format!("this is not JSON as it is taken here: {error}");
        Malformed { id: None, error: Box::new(ErrorData::new(ErrorCode::PARSE_ERROR, message, None)) }
    })
}

/// The JSON gate alone.
pub(super) fn json(text: &[u8]) -> Result<Json, JsonError> {
    Json::from_slice(text, &LIMITS)
}

/// A message that was not read to its end.
pub(super) fn too_long() -> Malformed {
    let message = format!("a message may be {MAX_BYTES} bytes long, and this one is longer");
    Malformed { id: None, error: Box::new(ErrorData::new(ErrorCode::INVALID_REQUEST, message, None)) }
}

/// The answer to a request whose parameters do not fit its method.
pub(super) fn no_parameters(method: &str) -> ErrorData {
    ErrorData::invalid_params(format!("these are no parameters of {}", method.escape_debug()), None)
}

/// Says what is wrong with JSON that is no message. The checks are those that clients get wrong, not all there are.
fn not_a_message(value: &Value) -> Malformed {
    let invalid = |what: &str| Box::new(ErrorData::new(ErrorCode::INVALID_REQUEST, what.to_owned(), None));
    let Some(object) = value.as_object() else {
        let batch = "batches are not part of this protocol: send one message at a time";
        let what = if value.is_array() { batch } else { "a message is an object" };
        return Malformed { id: None, error: invalid(what) };
    };
    let id = object.get("id").and_then(id_of);
    let error = if object.get("jsonrpc") != Some(&Value::from("2.0")) {
        invalid("`jsonrpc` has to be \"2.0\"")
    } else if object.contains_key("id") && id.is_none() {
        invalid("`id` has to be a string or a whole number")
    } else if let Some(Value::String(method)) = object.get("method") {
        Box::new(no_parameters(method))
    } else {
        invalid("`method` has to be a string")
    };
    Malformed { id, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read_without_loss() {
        let text = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{"n":18446744073709551615,"f":0.1}}}"#;
        let JsonRpcMessage::Request(request) = read(text).unwrap() else { panic!("a request") };
        let ClientRequest::CallToolRequest(call) = request.request else { panic!("a call: {:?}", request.request) };
        let arguments = call.params.arguments.unwrap();
        assert_eq!(serde_json::to_string(&arguments).unwrap(), r#"{"n":18446744073709551615,"f":0.1}"#);
    }

    #[test]
    fn what_is_no_message_is_answered() {
        let refused = |text: &str, code: i32, id: Option<RequestId>, part: &str| {
            for malformed in [read(text.as_bytes()).unwrap_err(), check(text.as_bytes()).unwrap_err()] {
                assert_eq!((malformed.error.code.0, malformed.id), (code, id.clone()), "{text}");
                assert!(malformed.error.message.contains(part), "{text}: {}", malformed.error.message);
            }
        };
        refused("{", -32700, None, "JSON");
        refused(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32700, None, "id");
        refused(r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":1e400}}"#, -32700, None, "");
        refused(r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":99999999999999999999}}"#, -32700, None, "");
        refused("\"\\ud800\"", -32700, None, "");
        refused("[]", -32600, None, "batch");
        refused("3", -32600, None, "object");
        refused(r#"{"id":1,"method":"ping"}"#, -32600, Some(RequestId::Number(1)), "jsonrpc");
        refused(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, None, "id");
        refused(r#"{"jsonrpc":"2.0","id":"a"}"#, -32600, Some(RequestId::String("a".into())), "method");
        refused(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, None, "id");
        refused(
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":null}"#,
            -32602,
            Some(RequestId::Number(1)),
            "ping",
        );
        refused(r#"{"jsonrpc":"2.0","id":1,"method":"ping","error":{}}"#, -32602, Some(RequestId::Number(1)), "ping");
        for params in ["[1]", "7", r#"{"_meta":[]}"#] {
            let call = format!(r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{params}}}"#);
            refused(&call, -32602, Some(RequestId::Number(4)), "tools/call");
        }
        for (method, params) in
            [("initialize", "{}"), ("tools/list", r#"{"cursor":7}"#), ("resources/list", r#"{"cursor":[]}"#)]
        {
            let text = format!(r#"{{"jsonrpc":"2.0","id":4,"method":"{method}","params":{params}}}"#);
            refused(&text, -32602, Some(RequestId::Number(4)), method);
        }
    }

    /// What is taken without being read whole is what would be read.
    #[test]
    fn a_message_that_is_taken_can_be_read() {
        let taken = |text: &str| {
            check(text.as_bytes()).unwrap();
            read(text.as_bytes()).unwrap_or_else(|malformed| panic!("{text}: {malformed:?}"));
        };
        for id in ["1", "-1", "9223372036854775807", "\"a\"", "\"\""] {
            for method in ["tools/call", "tools/list", "ping", "x/y", ""] {
                taken(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#));
                let params = [
                    "{}",
                    r#"{"name":7}"#,
                    r#"{"arguments":[]}"#,
                    r#"{"_meta":{"progressToken":[]}}"#,
                    r#"{"cursor":null}"#,
                ];
                for params in params {
                    taken(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#));
                }
            }
        }
        taken(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}"#);
        // Another's method, where there is no handshake.
        taken(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"_meta":{{"{VERSION}":"2026-07-28"}}}}}}"#
        ));
        taken(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":null}}"#);
        taken(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        taken(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#);
        taken(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        taken(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#);
    }
}

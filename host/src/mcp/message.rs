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

/// The methods of this server whose parameters have a form. Others are unknown here, whatever their parameters.
const METHODS: &[&str] = &[
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

/// A message that is none. The client gets it as an error; the id is there where it could be read.
#[derive(Debug)]
pub(super) struct Malformed {
    pub(super) id: Option<RequestId>,
    pub(super) error: Box<ErrorData>,
}

/// Reads one message.
pub(super) fn read(text: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, Malformed> {
    let json = json(text).map_err(|error| {
        let message = format!("this is not JSON as it is taken here: {error}");
        Malformed { id: None, error: Box::new(ErrorData::new(ErrorCode::PARSE_ERROR, message, None)) }
    })?;
    match RxJsonRpcMessage::<RoleServer>::deserialize(json.value()) {
        // What the protocol's implementation does not take for the parameters of a method, it takes for another method.
        Ok(JsonRpcMessage::Request(JsonRpcRequest { request: ClientRequest::CustomRequest(custom), .. }))
            if METHODS.contains(&custom.method.as_str()) =>
        {
            Err(not_a_message(json.value()))
        }
        Ok(message) => Ok(message),
        Err(_) => Err(not_a_message(json.value())),
    }
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

/// Says what is wrong with JSON that is no message. The checks are those that clients get wrong, not all there are.
fn not_a_message(value: &Value) -> Malformed {
    let invalid = |what: &str| Box::new(ErrorData::new(ErrorCode::INVALID_REQUEST, what.to_owned(), None));
    let Some(object) = value.as_object() else {
        let batch = "batches are not part of this protocol: send one message at a time";
        let what = if value.is_array() { batch } else { "a message is an object" };
        return Malformed { id: None, error: invalid(what) };
    };
    let id = match object.get("id") {
        Some(Value::String(id)) => Some(RequestId::String(id.as_str().into())),
        Some(Value::Number(id)) => id.as_i64().map(RequestId::Number),
        _ => None,
    };
    let error = if object.get("jsonrpc") != Some(&Value::from("2.0")) {
        invalid("`jsonrpc` has to be \"2.0\"")
    } else if object.contains_key("id") && id.is_none() {
        invalid("`id` has to be a string or a whole number")
    } else if let Some(Value::String(method)) = object.get("method") {
        let message = format!("these are no parameters of {}", method.escape_debug());
        Box::new(ErrorData::invalid_params(message, None))
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
        let check = |text: &str, code: i32, id: Option<RequestId>, part: &str| {
            let malformed = read(text.as_bytes()).unwrap_err();
            assert_eq!((malformed.error.code.0, malformed.id), (code, id), "{text}");
            assert!(malformed.error.message.contains(part), "{text}: {}", malformed.error.message);
        };
        check("{", -32700, None, "JSON");
        check(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32700, None, "id");
        check(r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":1e400}}"#, -32700, None, "");
        check(r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":99999999999999999999}}"#, -32700, None, "");
        check("\"\\ud800\"", -32700, None, "");
        check("[]", -32600, None, "batch");
        check("3", -32600, None, "object");
        check(r#"{"id":1,"method":"ping"}"#, -32600, Some(RequestId::Number(1)), "jsonrpc");
        check(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, None, "id");
        check(r#"{"jsonrpc":"2.0","id":"a"}"#, -32600, Some(RequestId::String("a".into())), "method");
        let call = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t","arguments":[1]}}"#;
        check(call, -32602, Some(RequestId::Number(3)), "tools/call");
        for params in [r#"{"name":"t","arguments":[1],"_meta":{}}"#, r#"{"arguments":{}}"#, r#"{"name":7}"#, "null"] {
            let call = format!(r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{params}}}"#);
            check(&call, -32602, Some(RequestId::Number(4)), "tools/call");
        }
        // Another method is somebody else's: the server says that it does not know it.
        assert!(read(br#"{"jsonrpc":"2.0","id":5,"method":"x/y","params":{"a":1}}"#).is_ok());
    }
}

//! What a call came to on the other side, as the value of a call here.

use serde_json::{Map, Value};

use super::wire::Answer;
use crate::RemoteError;

/// The text of the value, or why there is none. The core checks what is in it.
pub(super) fn value(answer: Answer) -> Result<String, RemoteError> {
    let mut result = match answer {
        Answer::Result(Value::Object(result)) => result,
        Answer::Result(_) => return Err(malformed("its result is no object")),
        Answer::Error { code, message } => {
            return Err(RemoteError::Failed(format!("the server answers with error {code}: {message}")));
        }
    };
    match result.get("resultType").map(Value::as_str) {
        None | Some(Some("complete")) => {}
        Some(Some("input_required")) => {
            return Err(RemoteError::Failed(
                "the tool asks the user for something, which a mounted tool cannot".into(),
            ));
        }
        Some(_) => return Err(malformed("its result is of a type that nobody asked for")),
    }
    match result.get("isError") {
        None | Some(Value::Null | Value::Bool(false)) => {}
        Some(Value::Bool(true)) => return Err(RemoteError::Failed(words(&result))),
        Some(_) => return Err(malformed("its `isError` is neither true nor false")),
    }
    let Some(content) = result.shift_remove("content") else { return Err(malformed("its result has no `content`")) };
    let mut value = Map::new();
    value.insert("content".to_owned(), content);
    if let Some(structured) = result.shift_remove("structuredContent") {
        value.insert("structuredContent".to_owned(), structured);
    }
    Ok(Value::Object(value).to_string())
}

fn malformed(what: &str) -> RemoteError {
    RemoteError::Malformed(format!("the server's answer is no result of a tool: {what}"))
}

/// What a failed call says, for the model.
fn words(result: &Map<String, Value>) -> String {
    let blocks = result.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let texts = blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str());
    let words = texts.collect::<Vec<_>>().join("\n");
    if words.trim().is_empty() { "the server says that the tool failed, and no more".to_owned() } else { words }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_becomes_a_value_without_loss() {
        let text = r#"{"content":[{"type":"text","text":"t","future":1}],"structuredContent":{"z":1.0,"a":-0.0,"n":18446744073709551615},"_meta":{"k":1},"resultType":"complete"}"#;
        let answer = Answer::Result(serde_json::from_str(text).unwrap());
        let expect = r#"{"content":[{"type":"text","text":"t","future":1}],"structuredContent":{"z":1.0,"a":-0.0,"n":18446744073709551615}}"#;
        assert_eq!(value(answer).unwrap(), expect);
        let answer = Answer::Result(json!({ "content": [], "structuredContent": null }));
        assert_eq!(value(answer).unwrap(), r#"{"content":[],"structuredContent":null}"#);
    }

    #[test]
    fn what_is_no_success_is_none() {
        let check = |result: Value, expect: Result<&str, &str>| {
            let part = match value(Answer::Result(result.clone())) {
                Err(RemoteError::Failed(words)) => (true, words),
                Err(RemoteError::Malformed(words)) => (false, words),
                other => panic!("{result}: {other:?}"),
            };
            let (failed, expected) = expect.map_or_else(|part| (false, part), |part| (true, part));
            assert!(part.0 == failed && part.1.contains(expected), "{result}: {part:?}");
        };
        check(json!({ "content": [{ "type": "text", "text": "no" }], "isError": true }), Ok("no"));
        check(json!({ "isError": true, "structuredContent": { "a": 1 } }), Ok("and no more"));
        check(json!({ "resultType": "input_required" }), Ok("asks the user"));
        check(json!({ "resultType": "task", "taskId": "x" }), Err("type"));
        check(json!({ "structuredContent": {} }), Err("content"));
        check(json!({ "content": [], "isError": "yes" }), Err("isError"));
        check(json!([]), Err("no object"));
    }
}

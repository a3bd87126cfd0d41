//! `fumehood serve` as a client meets it: both revisions, over standard input and output and over HTTP.
//!
//! What other people's clients make of it is in `tests/mcp`.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test may fail loudly")]

#[path = "mcp/client.rs"]
mod client;
#[path = "mcp/http.rs"]
mod http;

use std::path::Path;

use client::{Client, Era, sample};
use serde_json::{Value, json};

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// A result's `structuredContent`, of a call that worked.
fn value(answer: &Value) -> &Value {
    let result = &answer["result"];
    assert_ne!(result["isError"], true, "{answer}");
    &result["structuredContent"]
}

/// The code that a failed call's text begins with. A failure has no value, no card, and text only.
fn code(answer: &Value) -> &str {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    assert!(result.get("structuredContent").is_none(), "{answer}");
    assert!(result["_meta"].get("fumehood/card").is_none(), "{answer}");
    assert!(result["content"].as_array().unwrap().iter().all(|block| block["type"] == "text"), "{answer}");
    result["content"][0]["text"].as_str().unwrap().split(':').next().unwrap()
}

#[test]
fn tools_are_listed_and_called_in_both_revisions() {
    for era in ERAS {
        let mut client = Client::start(era, &[&sample("word-count"), &sample("flaky")]);
        let list = client.ask("tools/list", json!({}));
        let names: Vec<_> = list["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["flaky", "word_count"]);
        let answer = client.call("word_count", json!({ "text": "to be or not to be" }));
        assert_eq!(value(&answer)["words"], 6);
        assert_eq!(answer["result"]["_meta"]["fumehood/card"]["card"], "generic");
        client.leave(0);
    }
}

#[test]
fn the_four_bad_ends_stay_apart_and_an_unknown_tool_is_an_error_of_the_protocol() {
    for era in ERAS {
        // Only the loop may run into it: filling the memory takes a slow machine a while, too.
        let mut client = Client::start(era, &[&sample("flaky"), "--limit", "wall-clock-ms=3000"]);
        let mut check = |how: &str, expected: &str| {
            let answer = client.call("flaky", json!({ "how": how }));
            assert_eq!(code(&answer), expected, "{how}: {answer}");
        };
        check("nonsense", "INVALID_ARGS");
        check("failed", "TOOL_FAILED");
        check("panic-in-execute", "TOOL_TRAPPED");
        check("loop-in-execute", "TOOL_TIMEOUT");
        check("memory-in-execute", "RESOURCE_EXHAUSTED");
        check("clock-in-execute", "DENIED");
        check("value-off-schema", "INVALID_TOOL_OUTPUT");
        check("loop-in-render", "INVALID_TOOL_OUTPUT");
        let unknown = client.call("nothing", json!({}));
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
        assert_eq!(value(&client.call("flaky", json!({ "how": "success" })))["how"], "success");
        client.leave(0);
    }
}

#[test]
fn what_a_guest_prints_is_not_on_the_wire() {
    let mut client = Client::start(Era::Modern, &[&sample("flaky")]);
    // Each line that comes is read as JSON, and there is one answer.
    value(&client.call("flaky", json!({ "how": "noise" })));
    value(&client.call("flaky", json!({ "how": "success" })));
    client.leave(0);
}

#[test]
fn malformed_lines_are_answered_and_the_next_one_is_served() {
    let mut client = Client::start(Era::Modern, &[&sample("word-count")]);
    let mut check = |line: &[u8], code: i64, id: Value| {
        client.send_line(line);
        let answer = client.next();
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert_eq!(answer.get("id").cloned().unwrap_or_default(), id, "{answer}");
    };
    check(b"{", -32700, Value::Null);
    check(b"\xff\xfe", -32700, Value::Null);
    check(b"[]", -32600, Value::Null);
    check(br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}"#, -32700, Value::Null);
    check(br#"{"jsonrpc":"2.0","id":"q","method":7}"#, -32600, json!("q"));
    check(
        br#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"word_count","arguments":[]}}"#,
        -32602,
        json!(4),
    );
    let nameless = client::modern(5, "tools/call", json!({ "arguments": {} }));
    check(nameless.to_string().as_bytes(), -32602, json!(5));
    let list = client::modern(6, "tools/call", json!({ "name": "word_count", "arguments": [1] }));
    check(list.to_string().as_bytes(), -32602, json!(6));
    for method in ["tools/paint", "initialize"] {
        let unknown = client::modern(7, method, json!({ "arguments": {} }));
        check(unknown.to_string().as_bytes(), -32601, json!(7));
    }
    for (method, params) in [
        ("resources/read", json!({ "uri": 7 })),
        ("subscriptions/listen", json!({ "notifications": 7 })),
        ("tools/list", json!({ "cursor": 7 })),
    ] {
        check(client::modern(8, method, params).to_string().as_bytes(), -32602, json!(8));
    }
    check(&[b'x'; 5 << 20], -32600, Value::Null);
    assert_eq!(value(&client.call("word_count", json!({ "text": "a" })))["words"], 1);
    client.leave(0);
}

#[test]
fn an_id_is_used_once_while_its_request_is_open() {
    let mut client = Client::start(Era::Modern, &[&sample("flaky"), "--limit", "wall-clock-ms=600000"]);
    let looping =
        client::modern(7, "tools/call", json!({ "name": "flaky", "arguments": { "how": "loop-in-execute" } }));
    client.send(&looping);
    client.send(&looping);
    let refused = client.next();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32600)), "{refused}");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } }));
    client.send(&client::modern(8, "tools/call", json!({ "name": "flaky", "arguments": { "how": "success" } })));
    value(&client.next());
    client.leave(0);
}

#[test]
fn a_tool_may_not_write_where_tools_are_served_from() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::copy(sample("files"), directory.path().join("files.wasm")).unwrap();
    let path = directory.path().to_str().unwrap();
    let check = |mount: String, served: usize| {
        let mut client = Client::start(Era::Modern, &[path, "--mount", &mount]);
        let list = client.ask("tools/list", json!({}));
        assert_eq!(list["result"]["tools"].as_array().unwrap().len(), served, "{mount}");
        let log = client.leave(0);
        assert_eq!(log.contains("holds what is served"), served == 0, "{log}");
    };
    let elsewhere = tempfile::tempdir().unwrap();
    check(format!("{path}:rw"), 0);
    check(path.to_owned(), 5);
    check(format!("{}:rw", elsewhere.path().display()), 5);
}

#[test]
fn a_line_without_an_end_is_a_line_when_the_client_leaves() {
    let mut client = Client::start(Era::Modern, &[&sample("word-count")]);
    let request = client.request("tools/call", json!({ "name": "word_count", "arguments": { "text": "a b" } }));
    client.send_bytes(request.to_string().as_bytes());
    client.close_input();
    assert_eq!(value(&client.next())["words"], 2);
    client.ends_with(0);
}

#[test]
fn a_client_that_says_nothing_right_and_leaves_is_answered() {
    for (text, code) in [("{\n", -32700), ("[]", -32600), (r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, -32602)]
    {
        let mut client = Client::start(Era::Modern, &[&sample("word-count")]);
        client.send_bytes(text.as_bytes());
        client.close_input();
        let answer = client.next();
        assert_eq!(answer["error"]["code"], code, "{text}: {answer}");
        client.ends_with(0);
    }
}

#[test]
fn progress_comes_in_order_before_the_result_and_only_when_asked_for() {
    for era in ERAS {
        let mut client = Client::start(era, &[&sample("flaky")]);
        let mut request = client.request("tools/call", json!({ "name": "flaky", "arguments": { "how": "progress" } }));
        request["params"]["_meta"]["progressToken"] = json!("token");
        client.send(&request);
        let mut told = Vec::new();
        let result = loop {
            let message = client.next();
            if message["method"] != "notifications/progress" {
                break message;
            }
            assert_eq!(message["params"]["progressToken"], "token");
            told.push(message["params"]["progress"].as_f64().unwrap());
        };
        assert!(told.len() > 1 && told.windows(2).all(|pair| pair[0] < pair[1]), "{told:?}");
        value(&result);
        // The answer is the next line: nothing was told.
        value(&client.call("flaky", json!({ "how": "progress" })));
        client.leave(0);
    }
}

#[test]
fn progress_that_cannot_be_told_does_not_hold_up_the_result() {
    let mut client = Client::start(Era::Modern, &[&sample("flaky")]);
    let mut request = client.request("tools/call", json!({ "name": "flaky", "arguments": { "how": "progress" } }));
    request["params"]["_meta"]["progressToken"] = json!(1);
    client.send(&request);
    client.close_input();
    let answer = loop {
        let message = client.next();
        if message["method"] != "notifications/progress" {
            break message;
        }
    };
    value(&answer);
    client.ends_with(0);
}

#[test]
fn a_client_that_asks_much_and_reads_late_gets_every_answer() {
    const MANY: usize = 3_000;
    let mut client = Client::start(Era::Modern, &[&sample("word-count")]);
    let requests: Vec<Value> = (0..MANY).map(|_| client.request("tools/list", json!({}))).collect();
    let text: String = requests.iter().map(|request| format!("{request}\n")).collect();
    // More than both pipes hold. Writing it is the reading thread's to make possible.
    client.send_bytes(text.as_bytes());
    let mut open: std::collections::HashSet<_> =
        requests.iter().map(|request| request["id"].as_i64().unwrap()).collect();
    for _ in 0..MANY {
        let answer = client.next();
        assert!(answer["result"]["tools"].is_array() && open.remove(&answer["id"].as_i64().unwrap()), "{answer}");
    }
    client.leave(0);
}

#[test]
fn a_cancelled_call_stops_and_the_others_go_on() {
    for era in ERAS {
        let mut client = Client::start(era, &[&sample("flaky"), "--limit", "wall-clock-ms=600000"]);
        let looping =
            client.request("tools/call", json!({ "name": "flaky", "arguments": { "how": "loop-in-execute" } }));
        client.send(&looping);
        // Calls do not wait for one another.
        value(&client.call("flaky", json!({ "how": "success" })));
        let cancel = json!({ "requestId": looping["id"], "reason": "the person changed their mind" });
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel }));
        // Nothing is sent for a cancelled request: the next line is the next call's.
        value(&client.call("flaky", json!({ "how": "success" })));
        // A guest that still ran would keep the server for its ten minutes, or for the five seconds of a drain.
        client.leave(0);
    }
}

#[test]
fn a_client_that_reads_no_more_stops_its_calls() {
    let mut client = Client::start(Era::Modern, &[&sample("flaky"), "--limit", "wall-clock-ms=600000"]);
    let looping = client.request("tools/call", json!({ "name": "flaky", "arguments": { "how": "loop-in-execute" } }));
    client.send(&looping);
    client.close_output();
    // The answer to this one cannot be written.
    let request = client.request("tools/list", json!({}));
    client.send(&request);
    client.ends_with(0);
}

#[test]
fn files_that_come_change_and_go_are_announced() {
    for era in ERAS {
        let directory = tempfile::tempdir().unwrap();
        let copy = |name: &str, to: &str| {
            // As an editor or a package manager does it: whole, and then in its place.
            let part = directory.path().join("part");
            std::fs::copy(sample(name), &part).unwrap();
            std::fs::rename(part, directory.path().join(to)).unwrap();
        };
        copy("word-count", "a.wasm");
        let mut client = Client::start(era, &[directory.path().to_str().unwrap()]);
        let names = |client: &mut Client| {
            let list = client.ask("tools/list", json!({}));
            let tools = list["result"]["tools"].as_array().unwrap().clone();
            tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&mut client), ["word_count"]);
        client.listen();
        copy("flaky", "b.wasm");
        client.wait_for("notifications/tools/list_changed");
        assert_eq!(names(&mut client), ["flaky", "word_count"]);
        // A file that cannot be used costs its own tools, and nobody else's.
        std::fs::write(directory.path().join("b.wasm"), b"\0asm").unwrap();
        client.wait_for("notifications/tools/list_changed");
        assert_eq!(names(&mut client), ["word_count"]);
        std::fs::remove_file(directory.path().join("a.wasm")).unwrap();
        client.wait_for("notifications/tools/list_changed");
        assert_eq!(names(&mut client), [""; 0]);
        let log = client.leave(0);
        assert!(log.contains("b.wasm: not served"), "{log}");
        assert!(log.contains("a.wasm: gone"), "{log}");
    }
}

#[test]
fn an_approval_taken_back_holds_for_the_next_call() {
    let directory = tempfile::tempdir().unwrap();
    let lock = directory.path().join("fumehood.lock");
    let tool = sample("word-count");
    client::fumehood(&["approve", &tool, "--yes", "--lock", lock.to_str().unwrap()]);
    let mut client = Client::start(Era::Modern, &[&tool, "--lock", lock.to_str().unwrap()]);
    assert_eq!(value(&client.call("word_count", json!({ "text": "a" })))["words"], 1);
    client.listen();
    client::fumehood(&["revoke", "word-count", "--lock", lock.to_str().unwrap()]);
    // The next call is refused; a moment later the tool is not even listed.
    client.wait_for("notifications/tools/list_changed");
    assert_eq!(client.ask("tools/list", json!({}))["result"]["tools"], json!([]));
    assert_eq!(client.call("word_count", json!({ "text": "a" }))["error"]["code"], -32602);
    client::fumehood(&["approve", &tool, "--yes", "--lock", lock.to_str().unwrap()]);
    client.wait_for("notifications/tools/list_changed");
    assert_eq!(value(&client.call("word_count", json!({ "text": "a" })))["words"], 1);
    client::fumehood(&["revoke", "word-count", "--lock", lock.to_str().unwrap()]);
    client.leave(0);
    // Started now, it does not even list it: a description is a text for a model.
    let mut client = Client::start(Era::Modern, &[&tool, "--lock", lock.to_str().unwrap()]);
    assert_eq!(client.ask("tools/list", json!({}))["result"]["tools"], json!([]));
    client.leave(0);
}

#[test]
fn the_card_view_and_what_was_left_out_are_resources_and_nothing_else_is() {
    for era in ERAS {
        let mut client = Client::start(era, &[&sample("word-count")]);
        let list = client.ask("resources/list", json!({}));
        assert_eq!(list["result"]["resources"][0]["uri"], "ui://fumehood/card.html");
        let page = client.ask("resources/read", json!({ "uri": "ui://fumehood/card.html" }));
        let page = &page["result"]["contents"][0];
        assert_eq!(page["mimeType"], "text/html;profile=mcp-app");
        assert!(page["text"].as_str().unwrap().starts_with("<!doctype html>"));
        // No origin and no permission: where nothing is named, hosts allow nothing.
        assert_eq!(page["_meta"]["ui"], json!({ "prefersBorder": false }));
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        for uri in [format!("file://{}", file.display()), "fumehood://result/0".to_owned()] {
            let none = client.ask("resources/read", json!({ "uri": uri }));
            let expected = if era == Era::Modern { -32602 } else { -32002 };
            assert_eq!(none["error"]["code"], expected, "{none}");
        }
        client.leave(0);
    }
}

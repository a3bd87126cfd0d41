//! Tools of other servers, mounted: what keeps the contract, what does not get through, and what each says of itself.
//!
//! The servers are scripts in `tests/mcp/mounts`, and `fumehood serve` itself.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail loudly")]

#[path = "mcp/client.rs"]
#[expect(dead_code, reason = "shared with the tests of serving")]
mod client;
#[path = "mounts/http.rs"]
mod http;
#[path = "../support/self_signed.rs"]
mod self_signed;
#[path = "../support/mod.rs"]
mod support;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use client::{Client, Era, sample};
use fumehood::mcp::mount::{ChildServer, MountError, Mounting, mount};
use fumehood::{Call, CancellationToken, Card, Code, ContentBlock, LimitName, Outcome, Policy, Progress, Registry};
use serde_json::{Value, json};
use support::{failure, success};

/// The interpreter of Debian, whatever the `PATH`.
const PYTHON: &str = "/usr/bin/python3";

fn script(name: &str) -> String {
    format!("{}/../tests/mcp/mounts/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn server(args: &[&str]) -> ChildServer {
    let script = script("server.py");
    ChildServer::new(PYTHON, [script.as_str()].iter().chain(args).map(ToString::to_string))
}

async fn mounted_under(args: &[&str], policy: &Policy) -> (Registry, Mounting) {
    let mounting = mount(&"m".parse().unwrap(), server(args), policy).await.unwrap();
    (Registry::new(mounting.tools.clone()).unwrap(), mounting)
}

async fn mounted(args: &[&str]) -> (Registry, Mounting) {
    mounted_under(args, &Policy::nothing()).await
}

fn text(outcome: &Outcome) -> String {
    let texts = outcome.content().iter().map(|block| match block {
        ContentBlock::Text { text, .. } => text.as_str(),
        other => panic!("{other:?}"),
    });
    texts.collect()
}

#[tokio::test]
async fn a_value_comes_through_whole_in_both_revisions() {
    for args in [&["modern"][..], &["legacy"], &["legacy", "deaf"]] {
        let (registry, mounting) = mounted(args).await;
        let exact = success(registry.call("m_exact", json!({})).await);
        let expect = r#"{"content":[],"structuredContent":{"z":1.0,"a":18446744073709551615,"m":-0.0,"s":"a\u0000b","e":100.0}}"#;
        assert_eq!(exact.value.text(), expect);
        let null = success(registry.call("m_null", json!({})).await);
        assert_eq!(null.value.text(), r#"{"content":[],"structuredContent":null}"#);
        // What is not known today stays in the value, and is no content.
        let later = success(registry.call("m_later", json!({})).await);
        assert_eq!(later.value.value()["content"][0]["future"], 1);
        assert_eq!(
            serde_json::to_value(&later.content).unwrap(),
            json!([
                { "type": "text", "text": "t", "annotations": { "priority": 0.5 } }
            ])
        );
        let picture = success(registry.call("m_picture", json!({})).await);
        assert!(matches!(&picture.content[..], [ContentBlock::Image { mime_type, .. }] if mime_type == "image/png"));
        mounting.close().await;
    }
}

#[tokio::test]
async fn what_is_no_lossless_json_or_no_content_is_refused_and_the_next_call_works() {
    let (registry, mounting) = mounted(&["modern"]).await;
    for (tool, part) in [
        ("twice", "key"),
        ("infinite", ""),
        ("surrogate", ""),
        ("deep", "json-depth"),
        ("bottomless", ""),
        ("none", "content"),
        ("hologram", "content[0]"),
        ("page", "image/subtype"),
        ("base", "content[0]"),
        ("link", "uri"),
        ("many", "content-blocks"),
        ("broken", ""),
        ("large", "bytes"),
    ] {
        let refused = failure(registry.call(&format!("m_{tool}"), json!({})).await);
        assert_eq!(refused.code, Code::InvalidToolOutput, "{tool}: {}", refused.message);
        let details = refused.details.unwrap_or_default().to_string();
        assert!(format!("{}{details}", refused.message).contains(part), "{tool}: {}", refused.message);
        success(registry.call("m_plain", json!({})).await);
    }
    mounting.close().await;
}

#[tokio::test]
async fn an_advertised_schema_holds_and_one_that_cannot_be_used_is_said_not_to() {
    let (registry, mounting) = mounted(&["modern"]).await;
    success(registry.call("m_good", json!({})).await);
    for tool in ["m_bad", "m_missing"] {
        let refused = failure(registry.call(tool, json!({})).await);
        assert_eq!(refused.code, Code::InvalidToolOutput, "{tool}: {}", refused.message);
        assert!(refused.message.contains("schema"), "{}", refused.message);
    }
    let unchecked = |tool: &str| {
        let said = mounting.findings.iter().any(|found| found.rule == "mount/output-unchecked" && found.at == tool);
        let own = mounting.tools.iter().find(|mounted| mounted.manifest().tool(tool).is_some()).unwrap();
        assert_eq!(!own.findings().is_empty(), said, "{tool}");
        let schema = &own.manifest().tool(tool).unwrap().output_json()["properties"]["structuredContent"];
        assert_eq!(schema["description"].as_str().is_some_and(|text| text.starts_with("Not checked")), said, "{tool}");
        said
    };
    // A schema with look-ahead, and none at all.
    assert!(unchecked("m_plain") && unchecked("m_exact"));
    assert!(!unchecked("m_good") && !unchecked("m_bad"));
    // A tool whose arguments cannot be checked is left out, and no other.
    assert!(registry.provider("m_unusable").is_none());
    assert!(
        mounting.findings.iter().any(|found| found.at.starts_with("m_unusable") && found.rule.starts_with("schema/"))
    );
    mounting.close().await;
}

#[tokio::test]
async fn arguments_are_checked_before_they_leave() {
    let (registry, mounting) = mounted(&["modern"]).await;
    let refused = failure(registry.call("m_surroundings", json!({ "n": "one" })).await);
    assert_eq!(refused.code, Code::InvalidArgs);
    let args = json!({ "n": 1, "more": 18_446_744_073_709_551_615_u64 });
    let said: Value = serde_json::from_str(&text(&registry.call("m_surroundings", args.clone()).await)).unwrap();
    assert_eq!(said["arguments"], args);
    mounting.close().await;
}

#[tokio::test]
async fn a_failure_is_a_failure_in_the_servers_words() {
    let (registry, mounting) = mounted(&["modern"]).await;
    let check = async |tool: &str, part: &str| {
        let failed = failure(registry.call(tool, json!({})).await);
        assert_eq!(failed.code, Code::ToolFailed, "{tool}");
        assert!(failed.message.contains(part), "{tool}: {}", failed.message);
    };
    check("m_failing", "no such note").await;
    check("m_wrong", "not like this").await;
    check("m_asking", "asks the user").await;
    mounting.close().await;
}

#[tokio::test]
async fn noise_on_its_output_answers_nobody() {
    let (registry, mounting) = mounted(&["modern"]).await;
    assert_eq!(text(&registry.call("m_noisy", json!({})).await), "after the noise");
    mounting.close().await;
}

#[tokio::test]
async fn a_silent_server_is_out_of_time_and_is_told() {
    for args in [["modern"], ["legacy"]] {
        let policy = Policy::nothing().limit(LimitName::WallClock, 300).unwrap();
        let (registry, mounting) = mounted_under(&args, &policy).await;
        let late = failure(registry.call("m_silent", json!({})).await);
        assert_eq!(late.code, Code::ToolTimeout, "{}", late.message);
        assert_eq!(late.usage.get(LimitName::WallClock).used, 300);
        let told: Vec<u64> = serde_json::from_str(&text(&registry.call("m_cancelled", json!({})).await)).unwrap();
        assert_eq!(told.len(), 1);
        mounting.close().await;
    }
}

#[tokio::test]
async fn a_cancelled_call_ends_and_the_server_is_told() {
    let (registry, mounting) = mounted(&["modern"]).await;
    let cancel = CancellationToken::new();
    let call = Call::new("m_silent", json!({})).cancelled_by(cancel.clone());
    let running = tokio::spawn({
        let registry = registry.clone();
        async move { registry.run(call).await }
    });
    // Answered after the silent one was read: the server reads one line after the other.
    success(registry.call("m_plain", json!({})).await);
    cancel.cancel();
    assert_eq!(failure(running.await.unwrap()).code, Code::Aborted);
    let told = text(&registry.call("m_cancelled", json!({})).await);
    assert_ne!(told, "[]");
    let before = Call::new("m_plain", json!({})).cancelled_by(cancel);
    assert_eq!(failure(registry.run(before).await).code, Code::AbortedBeforeDispatch);
    mounting.close().await;
}

#[tokio::test]
async fn endless_output_ends_the_server_and_not_the_host() {
    let (registry, mounting) = mounted(&["modern"]).await;
    let ended = failure(registry.call("m_endless", json!({})).await);
    // Its first line is over the limit, which is all that this call learns.
    assert_eq!(ended.code, Code::InvalidToolOutput, "{}", ended.message);
    // The operator learns the rest.
    let gone = failure(registry.call("m_plain", json!({})).await);
    assert_eq!(gone.code, Code::HostFault, "{}", gone.message);
    assert!(gone.diagnostic.cause.unwrap().contains("python3"));
    mounting.close().await;
}

#[tokio::test]
async fn a_crash_ends_the_call_and_the_server_comes_back_after_a_pause() {
    let (registry, mounting) = mounted(&["modern"]).await;
    let crashed = failure(registry.call("m_crash", json!({})).await);
    assert_eq!(crashed.code, Code::HostFault);
    assert!(!crashed.message.contains("python3"), "{}", crashed.message);
    let cause = crashed.diagnostic.cause.unwrap();
    assert!(cause.contains("python3") && cause.contains("ended"), "{cause}");
    // Not at once: it may crash again.
    let refused = failure(registry.call("m_plain", json!({})).await);
    assert!(refused.diagnostic.cause.as_ref().unwrap().contains("connected to again"), "{refused:?}");
    // Asked until it answers, which the pause alone delays.
    let back = async {
        while let Outcome::Failure(failure) = registry.call("m_plain", json!({})).await {
            assert_eq!(failure.code, Code::HostFault);
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), back).await.unwrap();
    mounting.close().await;
}

#[tokio::test]
async fn progress_is_passed_on_when_somebody_listens() {
    let (registry, mounting) = mounted(&["modern"]).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = heard.clone();
    let call = Call::new("m_progress", json!({})).on_progress(Arc::new(move |note: Progress| {
        sink.lock().unwrap().push((note.done, note.total, note.message));
    }));
    assert_eq!(text(&registry.run(call).await), "done");
    let step = |n: u64| (n, Some(3), Some(format!("step {n}")));
    assert_eq!(*heard.lock().unwrap(), [step(1), step(2), step(3)]);
    assert_eq!(text(&registry.call("m_progress", json!({})).await), "done");
    mounting.close().await;
}

#[tokio::test]
async fn a_server_that_asks_gets_nothing_but_an_answer() {
    let (registry, mounting) = mounted(&["legacy"]).await;
    let answers: Value = serde_json::from_str(&text(&registry.call("m_asks", json!({})).await)).unwrap();
    assert_eq!(answers[0]["result"], json!({}));
    assert_eq!(answers[1]["error"]["code"], -32601);
    mounting.close().await;
}

#[tokio::test]
async fn a_program_gets_the_variables_that_are_named_and_no_other() {
    // Python's start adds this one by itself where no locale is set.
    let own = |said: &str| -> Vec<String> {
        let said: Value = serde_json::from_str(said).unwrap();
        let names: Vec<String> = serde_json::from_value(said["environment"].clone()).unwrap();
        names.into_iter().filter(|name| name != "LC_CTYPE").collect()
    };
    let (registry, mounting) = mounted(&["modern"]).await;
    assert!(own(&text(&registry.call("m_surroundings", json!({})).await)).is_empty());
    mounting.close().await;
    let server = server(&["modern"]).env("NOTES", "1");
    let mounting = mount(&"m".parse().unwrap(), server, &Policy::nothing()).await.unwrap();
    let registry = Registry::new(mounting.tools.clone()).unwrap();
    assert_eq!(own(&text(&registry.call("m_surroundings", json!({})).await)), ["NOTES"]);
    mounting.close().await;
}

#[tokio::test]
async fn a_server_ends_with_all_that_it_started() {
    let (registry, mounting) = mounted(&["modern"]).await;
    let child: i32 = text(&registry.call("m_parent", json!({})).await).parse().unwrap();
    let alive = || match std::fs::read_to_string(format!("/proc/{child}/stat")) {
        // Dead, and not yet collected by whoever is its parent now.
        Ok(stat) => !stat.contains(") Z "),
        Err(_) => false,
    };
    assert!(alive());
    mounting.close().await;
    // Killed before that returned; gone a moment later.
    let gone = async {
        while alive() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), gone).await.unwrap();
    let after = failure(registry.call("m_plain", json!({})).await);
    assert_eq!(after.code, Code::HostFault);
}

#[tokio::test]
async fn a_mounted_tool_says_that_it_is_not_sandboxed() {
    let (registry, mounting) = mounted(&["modern"]).await;
    let provider = registry.provider("m_plain").unwrap();
    assert_eq!((provider.digest(), provider.remote()), (None, Some("python3")));
    let tool = provider.manifest().tool("m_plain").unwrap();
    assert!(tool.description.contains("not sandboxed"), "{}", tool.description);
    let called = success(registry.call("m_plain", json!({ "n": 3 })).await);
    let Card::Generic { title, input, body, .. } = &called.card else { panic!("{:?}", called.card) };
    assert_eq!((title.as_str(), input), ("Plain", &Some(json!({ "n": 3 }))));
    assert_eq!(body[0], ContentBlock::text("Run at python3, not sandboxed."));
    assert_eq!(body[1..], called.content);
    let pending = registry.pending_card(&Call::new("m_plain", json!({}))).await.unwrap();
    assert!(serde_json::to_string(&pending).unwrap().contains("not sandboxed"));
    mounting.close().await;
}

#[tokio::test]
async fn a_list_that_does_not_end_well_is_no_mount() {
    let check = async |what: &str, part: &str| {
        let server = ChildServer::new(PYTHON, [script("lists.py").as_str(), what]);
        let error = mount(&"m".parse().unwrap(), server, &Policy::nothing()).await.err().unwrap();
        assert!(error.to_string().contains(part), "{what}: {error}");
        error
    };
    check("circle", "circle").await;
    check("pages", "64 pages").await;
    check("tools", "1000 tools").await;
    check("text", "no list").await;
    check("version", "1999-01-01").await;
    assert!(matches!(check("gone", "ended").await, MountError::Unavailable(_)));
    let nothing = ChildServer::new("no-such-program-anywhere", [""; 0]);
    let error = mount(&"m".parse().unwrap(), nothing, &Policy::nothing()).await.err().unwrap();
    assert!(error.to_string().contains("cannot be started"), "{error}");
}

/// `fumehood serve` in front of a server, as an operator writes it.
fn serving(era: Era, mount: &str, more: &[&str]) -> Client {
    Client::start(era, &[&["--mount-server", mount], more].concat())
}

#[test]
fn serve_shows_mounted_tools_as_what_they_are() {
    for era in [Era::Legacy, Era::Modern] {
        let spec = format!("m={PYTHON} {} modern", script("server.py"));
        let mut client = serving(era, &spec, &[&sample("word-count"), "-v"]);
        let list = client.ask("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap();
        let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
        let mounted = json!({ "name": "m", "at": "python3", "sandboxed": false });
        assert_eq!(tool("m_plain")["_meta"]["fumehood/mounted"], mounted);
        assert!(tool("m_plain")["_meta"].get("fumehood/component").is_none());
        // The twin: what is sandboxed does not say otherwise.
        assert!(tool("word_count")["_meta"].get("fumehood/mounted").is_none());
        assert!(!tool("word_count")["description"].as_str().unwrap().contains("sandboxed"));
        let schema = &tool("m_good")["outputSchema"]["properties"]["structuredContent"];
        assert!(schema.is_object(), "{schema}");

        let answer = client.call("m_good", json!({}));
        let structured = &answer["result"]["structuredContent"];
        assert_eq!(structured["structuredContent"], json!({ "n": 1, "next": { "n": 2 } }), "{answer}");
        // The text twin is of what the content does not say already.
        assert_eq!(answer["result"]["content"][0]["text"], r#"{"n":1,"next":{"n":2}}"#);
        let picture = client.call("m_picture", json!({}));
        assert_eq!(picture["result"]["content"].as_array().unwrap().len(), 1, "{picture}");
        assert_eq!(picture["result"]["content"][0]["type"], "image");
        let failed = client.call("m_failing", json!({}));
        assert_eq!(failed["result"]["isError"], true);
        assert!(failed["result"].get("structuredContent").is_none(), "{failed}");
        assert_eq!(client.call("word_count", json!({ "text": "a b" }))["result"]["structuredContent"]["words"], 2);
        let log = client.leave(0);
        assert!(log.contains("NOT sandboxed") && log.contains("mount/output-unchecked at m_plain"), "{log}");
        assert!(log.contains("m_unusable"), "{log}");
    }
}

#[test]
fn serve_mounts_serve() {
    for era in [Era::Legacy, Era::Modern] {
        let command = [env!("CARGO_BIN_EXE_fumehood"), "serve", &sample("word-count"), "--cache", &client::cache()];
        let mut client = serving(era, &format!("inner={}", json!(command)), &[]);
        let answer = client.call("inner_word_count", json!({ "text": "to be or not to be" }));
        let value = &answer["result"]["structuredContent"];
        assert_eq!(value["structuredContent"]["words"], 6, "{answer}");
        let wrong = client.call("inner_word_count", json!({ "text": 1 }));
        assert!(wrong["result"]["content"][0]["text"].as_str().unwrap().starts_with("INVALID_ARGS"), "{wrong}");
        client.leave(0);
    }
}

#[test]
fn a_server_that_cannot_be_mounted_costs_only_its_own_tools() {
    let mut client = serving(Era::Modern, "gone=/no/such/program", &[&sample("word-count")]);
    let list = client.ask("tools/list", json!({}));
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 1);
    let log = client.leave(0);
    assert!(log.contains("gone: not mounted") && log.contains("/no/such/program"), "{log}");
}

#[test]
fn flags_that_cannot_hold_are_refused() {
    let check = |args: &[&str], part: &str| {
        let command = std::process::Command::new(env!("CARGO_BIN_EXE_fumehood"))
            .arg("serve")
            .args(args)
            .env_clear()
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&command.stderr);
        assert_eq!(command.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.contains(part), "{args:?}: {errors}");
    };
    check(&["--mount-server", "http://127.0.0.1/"], "write NAME=");
    check(&["--mount-server", "A/b=x"], "write [a-z0-9]");
    check(&["--mount-server", "a=http://example.com/"], "https://");
    check(&["--mount-server", "a=x", "--mount-server", "a=y"], "two servers");
    check(&["--mount-server", "a=[1]"], "JSON array of strings");
    check(&["--mount-server", "a=x", "--mount-env", "b=HOME"], "no command");
    check(&["--mount-server", "a=x", "--mount-env", "a=HOME"], "no such variable");
    check(&["--mount-server", "a=x", "--mount-token-file", "a=t"], "no URL");
    check(&["--mount-server", "a=x", "--mount-roots-file", "a=t"], "no URL");
    let none = format!("a={}", script("server.py"));
    check(&["--mount-server", "a=https://localhost/", "--mount-roots-file", &none], "CERTIFICATE blocks");
    check(&["--mount-server", "a=https://localhost/", "--mount-roots-file", "a=/dev/null"], "CERTIFICATE blocks");
    check(&["--mount-server", "a=http://localhost/", "--mount-roots-file", &none], "http://");
    let twice = ["--mount-roots-file", &none, "--mount-roots-file", &none];
    check(&[&["--mount-server", "a=https://localhost/"], &twice[..]].concat(), "two files");
    // Locked mode runs what was approved, and nobody can approve a server.
    check(&["--mount-server", "a=x", "--lock", "l"], "cannot be approved");
    check(&[], "<DIR|TOOL.wasm>");
}

#[test]
fn a_tool_may_not_write_what_a_mounted_server_is_or_is_trusted_by() {
    let (roots, _) = self_signed::acceptor("localhost");
    for (flag, text) in [("--mount-token-file", "a-token"), ("--mount-roots-file", &roots), ("", "the program")] {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let file = format!("m={}", file.display());
        let mount = format!("{}:rw", home.path().display());
        let granted = [&sample("files"), "--mount", &mount];
        let mut client = match flag {
            "" => serving(Era::Modern, &file, &granted),
            _ => serving(Era::Modern, "m=https://localhost:1/", &[&[flag, &file], &granted[..]].concat()),
        };
        let list = client.ask("tools/list", json!({}));
        assert_eq!(list["result"]["tools"], json!([]), "{flag}");
        let log = client.leave(0);
        assert!(log.contains("holds a file of a mounted server"), "{log}");
    }
}

#[test]
fn inspect_shows_a_server_as_what_it_is() {
    let inspect = |spec: &str, more: &[&str], status: i32| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fumehood"));
        let done = command.args(["inspect", "--mount-server", spec]).args(more).env_clear().output().unwrap();
        assert_eq!(done.status.code(), Some(status), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    let spec = format!("m={PYTHON} {} modern", script("server.py"));
    let text = inspect(&spec, &[], 0);
    assert!(text.starts_with("m: mounted, at python3; NOT SANDBOXED\n"), "{text}");
    assert!(text.contains("  m_plain  Plain\n") && text.contains("mount/output-unchecked at m_plain"), "{text}");
    let all: Value = serde_json::from_str(&inspect(&spec, &["--json"], 0)).unwrap();
    assert_eq!((&all[0]["at"], &all[0]["sandboxed"]), (&json!("python3"), &json!(false)));
    let tools = all[0]["tools"].as_array().unwrap();
    let checked = |name: &str| &tools.iter().find(|tool| tool["name"] == name).unwrap()["outputChecked"];
    assert_eq!((checked("m_good"), checked("m_plain")), (&json!(true), &json!(false)));
    assert!(inspect("m=/no/such/program", &[], 1).contains("cannot be started"));
    inspect(&spec, &["--format", "sarif"], 2);
    inspect(&spec, &["tool.wasm"], 2);
}

/// What the log says of a call, as JSON.
#[test]
fn the_log_says_that_a_call_was_not_sandboxed() {
    let spec = format!("m={PYTHON} {} modern", script("server.py"));
    let (done, log) = channel();
    let mut client = serving(Era::Modern, &spec, &["--log-format", "json"]);
    client.call("m_plain", json!({}));
    done.send(client.leave(0)).unwrap();
    let log = log.recv().unwrap();
    let line = log.lines().find(|line| line.contains("gen_ai.tool.name") && line.contains("m_plain")).unwrap();
    let event: Value = serde_json::from_str(line).unwrap();
    assert_eq!(event["span"]["fumehood.sandboxed"], false, "{line}");
    assert_eq!(event["span"]["fumehood.mounted.origin"], "python3", "{line}");
}

//! Requests of a whole component: granted, denied with the line that would allow them, and with a secret.

#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

#[path = "../support/mod.rs"]
mod support;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use fumehood::{
    CacheLocation, Code, Compiler, Component, EngineSettings, Grant, Host, Inspected, LimitName, LoadLimits, Network,
    Outcome, Policy, Resolve, Resolved, TlsRoots, Toolset,
};
use serde_json::{Value, json};
use support::{Guest, World, component_from_core_wat, with_section};

const WORLD: &str = "package test:guest;
world guest {
  include fumehood:tool/tool-component@0.1.0;
  import wasi:io/poll@0.2.12;
  import wasi:http/types@0.2.12;
  import wasi:http/outgoing-handler@0.2.12;
}";

const IMPORTS: &str = r#"
(import "wasi:http/types@0.2.12" "[constructor]fields" (func $fields (result i32)))
(import "wasi:http/types@0.2.12" "[constructor]outgoing-request" (func $request (param i32) (result i32)))
(import "wasi:http/types@0.2.12" "[method]outgoing-request.set-scheme"
  (func $scheme (param i32 i32 i32 i32 i32) (result i32)))
(import "wasi:http/types@0.2.12" "[method]outgoing-request.set-authority"
  (func $authority (param i32 i32 i32 i32) (result i32)))
(import "wasi:http/types@0.2.12" "[method]outgoing-request.set-path-with-query"
  (func $path (param i32 i32 i32 i32) (result i32)))
(import "wasi:http/outgoing-handler@0.2.12" "handle" (func $handle (param i32 i32 i32 i32)))
(import "wasi:http/types@0.2.12" "[method]future-incoming-response.subscribe" (func $subscribe (param i32) (result i32)))
(import "wasi:io/poll@0.2.12" "[method]pollable.block" (func $wait (param i32)))
(import "wasi:http/types@0.2.12" "[method]future-incoming-response.get" (func $get (param i32 i32)))
(import "wasi:http/types@0.2.12" "[method]incoming-response.status" (func $status (param i32) (result i32)))
"#;

/// Requests `http://HOST/`, HOST being what `{"to":"HOST"}` says, and returns the status. Failures say so.
const FETCH: &str = r#"
(local.set $a (call $request (call $fields)))
(drop (call $scheme (local.get $a) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
(drop (call $authority (local.get $a) (i32.const 1)
  (i32.add (local.get $args) (i32.const 7)) (i32.sub (local.get $args_len) (i32.const 9))))
(drop (call $path (local.get $a) (i32.const 1) (i32.const 1030) (i32.const 1)))
(local.set $b (call $alloc (i32.const 128)))
(call $handle (local.get $a) (i32.const 0) (i32.const 0) (local.get $b))
(if (i32.load8_u (local.get $b)) (then unreachable))
(local.set $c (i32.load offset=8 (local.get $b)))
(call $wait (call $subscribe (local.get $c)))
(local.set $b (call $alloc (i32.const 128)))
(call $get (local.get $c) (local.get $b))
(if (i32.load8_u offset=16 (local.get $b))
  (then (return (call $error (i32.const 3) (i32.const 1024) (i32.const 6)))))
(call $ok (call $digits (i64.extend_i32_u (call $status (i32.load offset=24 (local.get $b))))))
"#;

/// Every name is this machine.
struct Here;

impl Resolve for Here {
    fn resolve<'a>(&'a self, _: &'a str, port: u16) -> Resolved<'a> {
        Box::pin(std::future::ready(Ok(vec![([127, 0, 0, 1], port).into()])))
    }
}

/// Answers everything with 200; remembers what it was asked.
fn server() -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = String::new();
            let mut byte = [0];
            while !request.ends_with("\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                request.push(byte[0].into());
            }
            log.lock().unwrap().push(request);
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
        }
    });
    (port, seen)
}

fn policy(grants: &[&str]) -> Policy {
    grants.iter().fold(Policy::nothing(), |policy, text| {
        policy.allow(text.parse::<Grant>().unwrap_or_else(|error| panic!("{text}: {error}"))).unwrap()
    })
}

async fn load(asks: Value, policy: &Policy) -> Toolset {
    let guest =
        Guest { imports: IMPORTS, items: r#"(data (i32.const 1024) "failed/")"#, execute: FETCH, ..Guest::default() };
    let mut manifest = support::manifest();
    manifest["tools"][0]["outputSchema"] = json!({ "type": "integer" });
    manifest["capabilities"] = asks;
    let component = component_from_core_wat(&guest.wat(), World::Wit(WORLD));
    let bytes = with_section(&component, "fumehood:manifest", manifest.to_string().as_bytes());
    let inspected = Inspected::of(Component::from_bytes(bytes, &LoadLimits::standard()).unwrap()).unwrap();
    let settings = EngineSettings::standard(Compiler::InProcess, CacheLocation::Off);
    let network = Network::new(Arc::new(Here), TlsRoots::of_the_web().unwrap());
    let host = Host::new(settings).unwrap().reaching_through(network);
    host.compile(policy.approve(inspected).unwrap()).await.unwrap()
}

fn http() -> Value {
    json!([{ "capability": "http", "reason": "To fetch.", "optional": true }])
}

/// The status, or the code and the message of the failure, and what was decided.
async fn fetch(tools: &Toolset, host: &str) -> (Result<String, (Code, String)>, Vec<(bool, String)>) {
    let (end, diagnostic) = match tools.call("echo", json!({ "to": host })).await {
        Outcome::Success(success) => (Ok(success.value.text().to_owned()), success.diagnostic),
        Outcome::Failure(failure) => (Err((failure.code, failure.message)), failure.diagnostic),
    };
    (end, diagnostic.decisions.into_iter().map(|decision| (decision.allowed, decision.rule)).collect())
}

/// The short form that a text says to allow.
fn pasted(text: &str) -> &str {
    let (_, line) = text.split_once("--allow '").unwrap_or_else(|| panic!("{text}"));
    line.split_once('\'').unwrap().0
}

#[tokio::test]
async fn a_request_takes_a_grant_and_each_denial_names_it() {
    let (port, seen) = server();
    let to = format!("name.test:{port}");
    // Nothing is granted: the interface itself is denied.
    let (end, _) = fetch(&load(http(), &Policy::nothing()).await, &to).await;
    let (code, message) = end.unwrap_err();
    assert_eq!(code, Code::Denied, "{message}");
    assert!(message.contains("which is not granted"), "{message}");
    // Another host is granted.
    let other = "http=https://other.test/ GET";
    let (end, decided) = fetch(&load(http(), &policy(&[other])).await, &to).await;
    let (code, message) = end.unwrap_err();
    assert_eq!(code, Code::ToolFailed, "{message}");
    assert!(message.starts_with("failed; a request was not sent: GET http://name.test"), "{message}");
    let [(false, rule)] = &decided[..] else { panic!("{decided:?}") };
    assert_eq!(pasted(&message), pasted(rule));
    // The line of that denial, pasted: now it is the address that is not granted, and the model is not told which.
    let line = pasted(&message).to_owned();
    let (end, decided) = fetch(&load(http(), &policy(&[&line])).await, &to).await;
    let (_, message) = end.unwrap_err();
    assert!(message.contains("not on the public internet") && !message.contains("127.0.0.1"), "{message}");
    assert_eq!(seen.lock().unwrap().len(), 0);
    // The line of that denial, from the operator's log.
    let line = pasted(&decided[0].1).to_owned();
    let (end, decided) = fetch(&load(http(), &policy(&[&line])).await, &to).await;
    assert_eq!(end, Ok("200".to_owned()));
    assert_eq!(decided, [(true, format!("http=http://name.test:{port}/ GET"))]);
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn the_number_of_requests_is_bounded() {
    let (port, seen) = server();
    let to = format!("name.test:{port}");
    let grant = format!("http=http://name.test:{port}/ GET 127.0.0.1");
    let bounded = |most| policy(&[&grant]).limit(LimitName::HttpRequests, most).unwrap();
    let outcome = load(http(), &bounded(1)).await.call("echo", json!({ "to": to })).await;
    assert_eq!(outcome.usage().get(LimitName::HttpRequests).used, 1);
    let Outcome::Success(success) = outcome else { panic!("{outcome:?}") };
    assert_eq!(success.value.text(), "200");
    let (end, decided) = fetch(&load(http(), &bounded(0)).await, &to).await;
    let (code, message) = end.unwrap_err();
    assert_eq!(code, Code::ResourceExhausted, "{message}");
    assert!(message.contains("http-requests: 1 requests wanted, 0 allowed (policy)"), "{message}");
    assert_eq!((decided, seen.lock().unwrap().len()), (vec![], 1));
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the secret's file is the test's own")]
async fn a_secret_is_in_the_request_and_in_nothing_else() {
    use std::os::unix::fs::PermissionsExt as _;
    let (port, seen) = server();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "0123456789abcdef\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let asks = json!([
        { "capability": "http", "reason": "To fetch." },
        { "capability": "secret", "name": "token", "reason": "To be let in." },
    ]);
    let secret = format!("secret=token file:{} http://in.test:{port}/", file.display());
    let grants = [format!("http=http://*:{port}/ GET 127.0.0.1"), secret];
    let tools = load(asks.clone(), &policy(&grants.each_ref().map(String::as_str))).await;
    for (host, carries) in [("in.test", true), ("out.test", false)] {
        let (end, decided) = fetch(&tools, &format!("{host}:{port}")).await;
        assert_eq!(end, Ok("200".to_owned()));
        let request = seen.lock().unwrap().pop().unwrap();
        assert_eq!(request.contains("authorization: Bearer 0123456789abcdef\r\n"), carries, "{request}");
        assert_eq!(decided.iter().any(|(_, rule)| rule.starts_with("secret=token")), carries, "{decided:?}");
        assert!(decided.iter().all(|(_, rule)| !rule.contains("0123456789")), "{decided:?}");
    }
}

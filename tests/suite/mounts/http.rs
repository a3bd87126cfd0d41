//! Servers over HTTP.

use std::fs::Permissions;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fumehood::mcp::mount::{HttpServer, MountError, Mounting, mount};
use fumehood::{Call, Code, LimitName, Outcome, Policy, Progress, Registry, TlsRoots};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use super::client::{cache, sample};
use super::self_signed::acceptor;
use super::support::{failure, success};
use super::{PYTHON, script, text};

struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(args: &[&str]) -> Self {
        let child = Command::new(PYTHON).arg(script("web.py")).args(args).env_clear().stdout(Stdio::piped()).spawn();
        let mut child = child.unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, port: line.trim().parse().unwrap() }
    }

    fn place(&self) -> HttpServer {
        HttpServer::new(&format!("http://127.0.0.1:{}/mcp?key=hidden", self.port)).unwrap()
    }

    async fn mounted(&self, policy: &Policy) -> (Registry, Mounting) {
        let mounting = mount(&"m".parse().unwrap(), self.place(), policy).await.unwrap();
        (Registry::new(mounting.tools.clone()).unwrap(), mounting)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn both_revisions_are_spoken_with_their_headers() {
    for era in ["modern", "legacy"] {
        let server = Server::start(&[era]);
        let (registry, mounting) = server.mounted(&Policy::nothing()).await;
        assert_eq!(mounting.origin, format!("http://127.0.0.1:{}/mcp", server.port));
        assert_eq!(text(&registry.call("m_plain", json!({})).await), "t");
        let headers: Value = serde_json::from_str(&text(&registry.call("m_headers", json!({})).await)).unwrap();
        let expect = match era {
            "modern" => json!(["tools/call", "headers", "2026-07-28", null]),
            _ => json!([null, null, "2025-06-18", "s0"]),
        };
        let names = ["mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id"];
        assert_eq!(Value::from_iter(names.map(|name| headers[name].clone())), expect, "{era}");
        assert_eq!(headers["host"], format!("127.0.0.1:{}", server.port));
        assert_eq!(headers["accept"], "application/json, text/event-stream");
    }
}

#[tokio::test]
async fn parameters_are_sent_as_headers_where_the_server_asks_for_them() {
    for (era, sent) in
        [("modern", json!({ "mcp-param-region": "eu west", "mcp-param-shard": "7" })), ("legacy", json!({}))]
    {
        let server = Server::start(&[era]);
        let (registry, mounting) = server.mounted(&Policy::nothing()).await;
        let args = json!({ "region": "eu west", "where": { "shard": 7 }, "plain": "x" });
        let mirrored: Value = serde_json::from_str(&text(&registry.call("m_mirrored", args).await)).unwrap();
        assert_eq!(mirrored, sent, "{era}");
        // What cannot be sent is no tool, where it would have to be sent.
        let left_out = mounting.findings.iter().any(|finding| finding.rule == "mount/header");
        assert_eq!((left_out, registry.provider("m_misnamed").is_none()), (era == "modern", era == "modern"));
    }
}

#[tokio::test]
async fn progress_comes_as_events_before_the_answer() {
    let server = Server::start(&["modern"]);
    let (registry, _mounting) = server.mounted(&Policy::nothing()).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = heard.clone();
    let call = Call::new("m_progress", json!({}))
        .on_progress(Arc::new(move |note: Progress| sink.lock().unwrap().push((note.done, note.message))));
    // The answer to another's question is none.
    assert_eq!(text(&registry.run(call).await), "done");
    assert_eq!(*heard.lock().unwrap(), [(1, Some("half".to_owned()))]);
}

#[tokio::test]
async fn what_is_no_answer_is_none_and_the_next_call_works() {
    let server = Server::start(&["modern"]);
    let (registry, _mounting) = server.mounted(&Policy::nothing()).await;
    for (tool, code, part) in [
        ("elsewhere", Code::HostFault, "redirects"),
        ("failing", Code::HostFault, "503"),
        ("html", Code::InvalidToolOutput, "neither JSON nor events"),
        ("short", Code::HostFault, "without a result"),
        ("large", Code::InvalidToolOutput, "bytes"),
        ("flood", Code::InvalidToolOutput, "no answer"),
        ("wrong", Code::ToolFailed, "not like this"),
    ] {
        let failed = failure(registry.call(&format!("m_{tool}"), json!({})).await);
        assert_eq!(failed.code, code, "{tool}: {failed:?}");
        let cause = failed.diagnostic.cause.unwrap_or_default();
        assert!(format!("{}{cause}", failed.message).contains(part), "{tool}: {} {cause}", failed.message);
        assert!(!cause.contains("hidden"), "{cause}");
        success(registry.call("m_plain", json!({})).await);
    }
}

#[tokio::test]
async fn a_call_out_of_time_is_given_up_so_that_the_server_knows() {
    for (era, told) in [("modern", "closed"), ("legacy", "notifications/cancelled")] {
        let server = Server::start(&[era]);
        let (registry, _mounting) =
            server.mounted(&Policy::nothing().limit(LimitName::WallClock, 2_000).unwrap()).await;
        let late = failure(registry.call("m_silent", json!({})).await);
        assert_eq!(late.code, Code::ToolTimeout);
        let known = async {
            while !text(&registry.call("m_told", json!({})).await).contains(told) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), known).await.unwrap();
    }
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_begun_anew() {
    let server = Server::start(&["legacy"]);
    let (registry, _mounting) = server.mounted(&Policy::nothing()).await;
    assert_eq!(failure(registry.call("m_lost", json!({})).await).code, Code::HostFault);
    let back = async {
        while let Outcome::Failure(failure) = registry.call("m_plain", json!({})).await {
            assert_eq!(failure.code, Code::HostFault);
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), back).await.unwrap();
}

#[tokio::test]
async fn a_token_is_sent_and_without_it_nothing_is_mounted() {
    let server = Server::start(&["modern", "a-token"]);
    let name = "m".parse().unwrap();
    let refused = mount(&name, server.place(), &Policy::nothing()).await.err().unwrap();
    assert!(matches!(&refused, MountError::Protocol(why) if why.contains("401")), "{refused}");
    mount(&name, server.place().bearer("a-token").unwrap(), &Policy::nothing()).await.unwrap();
}

/// TLS in front of a server, for the name `localhost`: its certificate, and its port.
async fn behind_tls(server: u16) -> (String, u16) {
    let (pem, acceptor) = acceptor("localhost");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that does not trust the certificate ends the handshake.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut behind = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut stream, &mut behind).await });
        }
    });
    (pem, port)
}

#[tokio::test]
async fn a_server_over_tls_is_who_an_authority_says_it_is() {
    let server = Server::start(&["modern", "a-token"]);
    let (pem, port) = behind_tls(server.port).await;
    let name = "m".parse().unwrap();
    let at = |host: &str| HttpServer::new(&format!("https://{host}:{port}/mcp")).unwrap().bearer("a-token").unwrap();
    let roots = TlsRoots::with_pem(pem.as_bytes()).unwrap();
    for stranger in [at("localhost"), at("127.0.0.1").trusting(&roots)] {
        let refused = mount(&name, stranger, &Policy::nothing()).await.err().unwrap();
        assert!(matches!(&refused, MountError::Unavailable(why) if why.contains("certificate")), "{refused}");
    }
    let mounting = mount(&name, at("localhost").trusting(&roots), &Policy::nothing()).await.unwrap();
    assert_eq!(text(&Registry::new(mounting.tools).unwrap().call("m_plain", json!({})).await), "t");

    // The same as an operator writes it.
    let home = tempfile::tempdir().unwrap();
    let [roots, token] = [("roots.pem", pem.as_str()), ("token", "a-token")].map(|(file, text)| {
        let path = home.path().join(file);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        format!("m={}", path.display())
    });
    let spec = format!("m=https://localhost:{port}/mcp");
    let inspect = async |more: &[&str]| {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_fumehood"));
        command.args(["inspect", "--mount-server", &spec, "--mount-token-file", &token]).args(more).env_clear();
        let done = command.output().await.unwrap();
        (done.status.code(), String::from_utf8(done.stdout).unwrap())
    };
    let (code, shown) = inspect(&[]).await;
    assert!(code == Some(1) && shown.contains("certificate"), "{code:?} {shown}");
    let (code, shown) = inspect(&["--mount-roots-file", &roots]).await;
    assert!(code == Some(0) && shown.contains("m_plain"), "{code:?} {shown}");
}

#[tokio::test]
async fn nobody_at_the_address_is_no_mount() {
    let server = Server::start(&["modern"]);
    let place = server.place();
    drop(server);
    let refused = mount(&"m".parse().unwrap(), place, &Policy::nothing()).await.err().unwrap();
    assert!(matches!(&refused, MountError::Unavailable(why) if why.contains("cannot be reached")), "{refused}");
}

#[tokio::test]
async fn serve_over_http_is_mounted() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fumehood"))
        .args(["serve", &sample("word-count"), &sample("conformance"), "--http", "127.0.0.1:0", "--cache", &cache()])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let url = lines.find_map(|line| line.strip_prefix("serving ").map(str::to_owned)).unwrap();
    let place = HttpServer::new(&url).unwrap();
    let mounting = mount(&"m".parse().unwrap(), place, &Policy::nothing()).await.unwrap();
    let registry = Registry::new(mounting.tools).unwrap();
    let counted = success(registry.call("m_word_count", json!({ "text": "a b c" })).await);
    assert_eq!(counted.value.value()["structuredContent"]["words"], 3);
    let headed = registry.provider("m_test_x_mcp_header").unwrap().manifest().tools[0].input_json().clone();
    assert_eq!(headed["properties"]["region"]["x-mcp-header"], "Region");
    // `rmcp` turns a call away whose headers say something else than its arguments.
    success(registry.call("m_test_x_mcp_header", json!({ "region": "eu é" })).await);
    let wrong = failure(registry.call("m_word_count", json!({ "text": 3 })).await);
    assert_eq!(wrong.code, Code::InvalidArgs);
    child.kill().unwrap();
    child.wait().unwrap();
}

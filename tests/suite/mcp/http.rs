//! The same over HTTP, where a browser, a stranger or a slow client may be at the other end.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};

use super::client::{cache, modern, sample};

struct Server {
    child: Child,
    address: SocketAddr,
    log: Option<std::thread::JoinHandle<String>>,
}

struct Answer {
    status: u16,
    headers: String,
    body: String,
}

impl Answer {
    /// The message in the body, be it JSON or one event of a stream.
    fn json(&self) -> Value {
        let text = match self.body.lines().find(|line| line.starts_with("data: {")) {
            Some(event) => &event["data: ".len()..],
            None => &self.body,
        };
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// How a request with a body begins, `headers` among it.
fn head(headers: &str, body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\n\
         {headers}content-length: {}\r\n\r\n",
        body.len()
    )
}

/// What the newer revision wants in headers.
fn mirrored(method: &str, name: Option<&str>) -> String {
    let name = name.map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
    format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{name}")
}

impl Server {
    fn start(args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fumehood"))
            .args(["serve", "--http", "127.0.0.1:0", "--cache", &cache()])
            .args(args)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert_ne!(errors.read_line(&mut line).unwrap(), 0, "the server ended");
            if let Some(rest) = line.strip_prefix("serving http://") {
                break rest.trim_end().strip_suffix("/mcp").unwrap().parse().unwrap();
            }
        };
        let log = std::thread::spawn(move || {
            let mut log = String::new();
            errors.read_to_string(&mut log).unwrap();
            log
        });
        Self { child, address, log: Some(log) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// One request, with nothing added to it.
    fn raw(&self, head: &str, body: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(head.as_bytes()).unwrap();
        // A server that has answered already may read no more of it.
        let _ = stream.write_all(body);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8(text).unwrap();
        let (headers, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, headers: headers.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// A request of the newer revision. `headers` are added, and take the place of `Host` where they have one.
    fn post(&self, method: &str, name: Option<&str>, headers: &str, body: &str) -> Answer {
        let host = if headers.contains("host:") { String::new() } else { format!("host: {}\r\n", self.address) };
        let headers = format!("{host}{}{headers}connection: close\r\n", mirrored(method, name));
        self.raw(&head(&headers, body), body.as_bytes())
    }

    fn ask(&self, method: &str, name: Option<&str>, params: Value, headers: &str) -> Answer {
        self.post(method, name, headers, &modern(1, method, params).to_string())
    }

    fn call(&self, tool: &str, args: Value) -> Value {
        let answer = self.ask("tools/call", Some(tool), json!({ "name": tool, "arguments": args }), "");
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    }

    /// Bytes of its memory that are in use.
    fn resident(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() << 10
    }

    /// Told to stop, it stops.
    fn stops(mut self) -> String {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        self.log.take().unwrap().join().unwrap()
    }
}

impl Drop for Server {
    /// A test that failed leaves none behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_tool_is_listed_and_called() {
    let server = Server::start(&[&sample("word-count")]);
    let list = server.ask("tools/list", None, json!({}), "").json();
    assert_eq!(list["result"]["tools"][0]["name"], "word_count");
    assert_eq!(server.call("word_count", json!({ "text": "a b c" }))["result"]["structuredContent"]["words"], 3);
    let failed = server.call("word_count", json!({}));
    assert_eq!(failed["result"]["isError"], true, "{failed}");
    server.stops();
}

#[test]
fn a_web_page_is_not_answered_unless_it_is_allowed() {
    let tool = sample("word-count");
    let server =
        Server::start(&[&tool, "--allow-host", "tools.example.com", "--allow-origin", "https://app.example.com"]);
    let check = |headers: &str, status: u16| {
        let answer = server.ask("tools/list", None, json!({}), headers);
        assert_eq!(answer.status, status, "{headers}: {}", answer.body);
    };
    check("", 200);
    check("host: tools.example.com\r\n", 200);
    check("host: evil.example.com\r\n", 403);
    check("origin: https://app.example.com\r\n", 200);
    check("origin: https://evil.example.com\r\n", 403);
    check("origin: null\r\n", 403);
    server.stops();
    // Without a word about origins, none is allowed.
    let server = Server::start(&[&tool]);
    assert_eq!(server.ask("tools/list", None, json!({}), "origin: https://app.example.com\r\n").status, 403);
    assert_eq!(server.ask("tools/list", None, json!({}), "origin: http://localhost\r\n").status, 403);
    // But a page of this very address.
    let own = format!("origin: http://{}\r\n", server.address);
    assert_eq!(server.ask("tools/list", None, json!({}), &own).status, 200);
    server.stops();
}

#[test]
fn a_stranger_is_asked_for_the_token() {
    let directory = tempfile::tempdir().unwrap();
    let token = directory.path().join("token");
    std::fs::write(&token, "0123456789abcdef\n").unwrap();
    let mode = |mode| std::fs::set_permissions(&token, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o640);
    let args = ["serve", &sample("word-count"), "--http", "127.0.0.1:0", "--token-file", token.to_str().unwrap()];
    let open = Command::new(env!("CARGO_BIN_EXE_fumehood")).args(args).env_clear().output().unwrap();
    assert_eq!(open.status.code(), Some(2));
    assert!(String::from_utf8(open.stderr).unwrap().contains("chmod 600"));
    mode(0o600);
    let server = Server::start(&[&sample("word-count"), "--token-file", token.to_str().unwrap()]);
    let check = |headers: &str, status: u16| {
        let answer = server.ask("tools/list", None, json!({}), headers);
        assert_eq!(answer.status, status, "{headers}: {}", answer.body);
        assert_eq!(answer.headers.contains("www-authenticate: bearer"), status == 401);
    };
    check("authorization: Bearer 0123456789abcdef\r\n", 200);
    check("authorization: Bearer 0123456789abcdeF\r\n", 401);
    check("authorization: Basic 0123456789abcdef\r\n", 401);
    check("", 401);
    assert!(!server.stops().contains("0123456789abcdef"));
}

#[test]
fn what_is_no_message_is_answered_and_costs_a_bounded_amount() {
    let server = Server::start(&[&sample("word-count")]);
    let check = |body: &str, status: u16, code: i64| {
        let answer = server.post("tools/list", None, "", body);
        assert_eq!((answer.status, answer.json()["error"]["code"].as_i64()), (status, Some(code)), "{}", answer.body);
    };
    check("{", 400, -32700);
    check("[]", 400, -32600);
    check(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#, 400, -32602);
    let listed = modern(1, "tools/call", json!({ "name": "word_count", "arguments": [1] })).to_string();
    let answer = server.post("tools/call", Some("word_count"), "", &listed);
    assert_eq!((answer.status, answer.json()["error"]["code"].as_i64()), (200, Some(-32602)), "{}", answer.body);
    check(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}"#, 400, -32700);
    check(&" ".repeat((4 << 20) + 1), 413, -32600);
    let elsewhere =
        server.raw(&format!("GET / HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", server.address), b"");
    assert_eq!(elsewhere.status, 404);
    let many: String = (0..200).map(|n| format!("x-{n}: y\r\n")).collect();
    assert_eq!(server.ask("tools/list", None, json!({}), &many).status, 431);
    server.stops();
}

#[test]
fn idle_and_slow_clients_do_not_keep_others_out() {
    let server = Server::start(&[&sample("word-count")]);
    let mut slow = server.connect();
    slow.write_all(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{").unwrap();
    let idle: Vec<TcpStream> = (0..400).map(|_| server.connect()).collect();
    assert_eq!(server.call("word_count", json!({ "text": "a" }))["result"]["structuredContent"]["words"], 1);
    // Past the bound, a client is told to come again, and the server is still there when the others have gone.
    let more: Vec<TcpStream> = (0..200).map(|_| server.connect()).collect();
    let mut told = String::new();
    let _ = more.last().unwrap().read_to_string(&mut told);
    assert!(told.starts_with("HTTP/1.1 503"), "{told}");
    drop((idle, more, slow));
    let again = || server.ask("tools/list", None, json!({}), "").status;
    assert!((0..1_000).any(|_| again() == 200));
    server.stops();
}

#[test]
fn ten_thousand_idle_connections_cost_a_bounded_amount() {
    let server = Server::start(&[&sample("word-count")]);
    // This end of all of them is open too.
    let usual = getrlimit(Resource::Nofile);
    let files = usual.maximum;
    assert!(files.is_none_or(|files| files > 10_200), "this test needs 10,200 open files, and may have {files:?}");
    setrlimit(Resource::Nofile, Rlimit { current: files, maximum: files }).unwrap();
    let mut served = server.connect();
    let list = |served: &mut TcpStream| {
        let body = modern(1, "tools/list", json!({})).to_string();
        let headers = format!("host: localhost\r\n{}", mirrored("tools/list", None));
        served.write_all((head(&headers, &body) + &body).as_bytes()).unwrap();
        let mut answer = BufReader::new(served);
        let mut lines = answer.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty());
        assert_eq!(lines.next().as_deref(), Some("HTTP/1.1 200 OK"));
        let length = lines.filter_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).last().unwrap();
        let mut body = vec![0; length];
        answer.read_exact(&mut body).unwrap();
    };
    list(&mut served);
    let before = server.resident();
    let idle: Vec<TcpStream> = (0..10_000).map(|_| server.connect()).collect();
    // Whoever is connected is served, whoever else is there.
    list(&mut served);
    let open = std::fs::read_dir(format!("/proc/{}/fd", server.child.id())).unwrap().count();
    assert!(open < 600, "{open} open files");
    let grown = server.resident().saturating_sub(before);
    assert!(grown < 64 << 20, "{grown} bytes more");
    drop(idle);
    let again = || server.ask("tools/list", None, json!({}), "").status;
    assert!((0..1_000).any(|_| again() == 200));
    server.stops();
    setrlimit(Resource::Nofile, usual).unwrap();
}

#[test]
fn a_client_that_goes_stops_its_call() {
    let server = Server::start(&[&sample("flaky"), "--limit", "wall-clock-ms=600000"]);
    let body =
        modern(1, "tools/call", json!({ "name": "flaky", "arguments": { "how": "loop-in-execute" } })).to_string();
    let mut client = server.connect();
    let headers = format!("host: localhost\r\n{}", mirrored("tools/call", Some("flaky")));
    client.write_all((head(&headers, &body) + &body).as_bytes()).unwrap();
    // Another call is answered meanwhile.
    assert_eq!(server.call("flaky", json!({ "how": "success" }))["result"]["structuredContent"]["how"], "success");
    drop(client);
    let before = std::time::Instant::now();
    server.stops();
    // Not the five seconds that what runs is given.
    assert!(before.elapsed() < Duration::from_secs(4), "the guest still ran");
}

#[test]
fn a_client_of_the_older_revision_that_goes_stops_its_call_too() {
    let server = Server::start(&[&sample("flaky"), "--limit", "wall-clock-ms=600000"]);
    let host = "host: localhost\r\n";
    let closing = format!("{host}connection: close\r\n");
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string();
    let begun = server.raw(&head(&closing, &begin), begin.as_bytes());
    let session = begun.headers.lines().find(|line| line.starts_with("mcp-session-id:")).unwrap().to_owned();
    let session = format!("{session}\r\nmcp-protocol-version: 2025-11-25\r\n");
    let call = |how: &str| {
        let params = json!({ "name": "flaky", "arguments": { "how": how } });
        json!({ "jsonrpc": "2.0", "id": how, "method": "tools/call", "params": params }).to_string()
    };
    let looping = call("loop-in-execute");
    let mut client = server.connect();
    client.write_all((head(&format!("{host}{session}"), &looping) + &looping).as_bytes()).unwrap();
    // The answer has begun: the call is at work.
    let mut begun = [0; 1];
    client.read_exact(&mut begun).unwrap();
    drop(client);
    let good = call("success");
    let answer = server.raw(&head(&format!("{closing}{session}"), &good), good.as_bytes());
    assert!(answer.body.contains("structuredContent"), "{}", answer.body);
    let before = std::time::Instant::now();
    server.stops();
    assert!(before.elapsed() < Duration::from_secs(4), "the guest still ran");
}

#[test]
fn nothing_of_a_body_is_read_for_whom_is_turned_away() {
    let server = Server::start(&[&sample("word-count")]);
    // Were it read, it would be answered as what it is: no JSON.
    assert_eq!(server.post("tools/list", None, "host: evil.example.com\r\n", "{").status, 403);
    assert_eq!(server.post("tools/list", None, "origin: https://evil.example.com\r\n", "{").status, 403);
    assert_eq!(server.post("tools/list", None, "", "{").status, 400);
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\naccept: application/json, text/event-stream\r\ncontent-type: text/plain\r\n\
         content-length: 1\r\nconnection: close\r\n\r\n",
        server.address
    );
    assert_eq!(server.raw(&head, b"{").status, 415);
    server.stops();
}

#[test]
fn an_address_that_is_taken_or_open_to_all_is_refused() {
    let server = Server::start(&[&sample("word-count")]);
    let check = |address: &str, part: &str| {
        let tool = sample("word-count");
        let args = ["serve", &tool, "--no-cache", "--http", address];
        let done = Command::new(env!("CARGO_BIN_EXE_fumehood")).args(args).env_clear().output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains(part) && said.lines().count() == 1, "{said}");
    };
    check(&server.address.to_string(), "Address already in use");
    check("0.0.0.0:0", "--token-file");
    server.stops();
}

#[test]
fn a_place_that_is_not_there_is_said_at_the_start() {
    let args = ["serve", "--no-cache", "no/such/place"];
    let done =
        Command::new(env!("CARGO_BIN_EXE_fumehood")).args(args).env_clear().stdin(Stdio::null()).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8(done.stderr).unwrap().contains("no/such/place: No such file"));
}

//! A client of `fumehood serve` that speaks no more than it is told to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long any answer may take. Nothing is measured: a server that is this late does not answer.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2025-11-25.
    Legacy,
    /// 2026-07-28.
    Modern,
}

pub(crate) struct Client {
    era: Era,
    child: Child,
    input: Option<ChildStdin>,
    lines: Option<Receiver<String>>,
    reader: Option<JoinHandle<()>>,
    log: Option<JoinHandle<String>>,
    last_id: i64,
}

/// A sample tool's file.
pub(crate) fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../sample-tools/dist/{name}.wasm"));
    path.canonicalize().unwrap().to_str().unwrap().to_owned()
}

/// A cache of compiled code that all tests share.
pub(crate) fn cache() -> String {
    concat!(env!("CARGO_TARGET_TMPDIR"), "/mcp-cache").to_owned()
}

/// Run a command of ours to its end, which has to be good.
pub(crate) fn fumehood(args: &[&str]) {
    let done = Command::new(env!("CARGO_BIN_EXE_fumehood")).args(args).env_clear().output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A request of 2026-07-28, which says by itself what it speaks.
pub(crate) fn modern(id: i64, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

impl Client {
    /// Start a server and get as far as that it answers.
    pub(crate) fn start(era: Era, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fumehood"))
            .arg("serve")
            .args(args)
            .args(["--cache", &cache()])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let (output, mut errors) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let (tx, lines) = channel();
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if tx.send(line).is_err() {
                    break;
                }
            }
        });
        let log = std::thread::spawn(move || {
            let mut log = String::new();
            errors.read_to_string(&mut log).unwrap();
            log
        });
        let mut client =
            Self { era, child, input, lines: Some(lines), reader: Some(reader), log: Some(log), last_id: 0 };
        if era == Era::Legacy {
            let params = json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
            });
            let answer = client.ask("initialize", params);
            assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
            client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        } else {
            let answer = client.ask("server/discover", json!({}));
            assert!(
                answer["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
                "{answer}"
            );
        }
        client
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        match self.era {
            Era::Modern => modern(self.last_id, method, params),
            Era::Legacy => json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }),
        }
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn send_line(&mut self, line: &[u8]) {
        self.send_bytes(&[line, b"\n"].concat());
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// The next line, which has to be a message.
    pub(crate) fn next(&mut self) -> Value {
        let line = self.lines.as_ref().unwrap().recv_timeout(PATIENCE).expect("the server says something");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Ask, and take the next line for the answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let request = self.request(method, params);
        self.send(&request);
        let answer = self.next();
        assert_eq!(answer["id"], request["id"], "{answer}");
        answer
    }

    pub(crate) fn call(&mut self, tool: &str, args: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": args }))
    }

    /// Be told of changes from here on.
    pub(crate) fn listen(&mut self) {
        if self.era == Era::Modern {
            let request =
                self.request("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
            self.send(&request);
            self.wait_for("notifications/subscriptions/acknowledged");
        }
    }

    pub(crate) fn wait_for(&mut self, method: &str) {
        let message = self.next();
        assert_eq!(message["method"], method, "{message}");
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Read one line more and then no more, while the input stays open.
    pub(crate) fn close_output(&mut self) {
        self.lines = None;
        let request = self.request("tools/list", json!({}));
        self.send(&request);
        self.reader.take().unwrap().join().unwrap();
    }

    /// The server has to end by itself.
    pub(crate) fn ends_with(&mut self, status: i32) -> String {
        let end = Instant::now() + PATIENCE;
        while self.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        let log = self.log.take().unwrap().join().unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(status), "{log}");
        log
    }

    /// Go, as a client does: close the server's input.
    pub(crate) fn leave(mut self, status: i32) -> String {
        self.close_input();
        self.ends_with(status)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! A client over HTTP: connections that stay open, one thread for each.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Child;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::peers::Program;
use crate::wire::{Call, Era, INITIALIZED, initialize, request};

pub(crate) struct Server {
    child: Child,
    /// Keeps standard error read, so that nobody waits for that.
    log: Option<JoinHandle<()>>,
    connections: Vec<Connection>,
}

impl Server {
    /// Start the program, open this many connections, and shake hands where the revision asks for it.
    pub(crate) fn start(program: &Program, era: Era, connections: usize) -> Self {
        let (mut command, port) = program.over_http();
        let mut child = command.spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert_ne!(errors.read_line(&mut line).unwrap(), 0, "{} ended", program.name);
            match port {
                Some(port) if line.contains("listening") => break SocketAddr::from(([127, 0, 0, 1], port)),
                Some(_) => {}
                None => {
                    if let Some((_, rest)) = line.split_once("http://") {
                        break rest.trim_end().trim_end_matches("/mcp").parse().unwrap();
                    }
                }
            }
        };
        let log = std::thread::spawn(move || drop(std::io::copy(&mut errors, &mut std::io::sink())));
        let mut connections: Vec<_> = (0..connections).map(|_| Connection::open(address, era)).collect();
        if era == Era::Older {
            let (session, answer) = connections[0].ask(&initialize(), "initialize", None);
            assert!(answer.contains("protocolVersion"), "{answer}");
            for connection in &mut connections {
                connection.session.clone_from(&session);
            }
            connections[0].ask(INITIALIZED, "notifications/initialized", None);
        }
        Self { child, log: Some(log), connections }
    }

    /// One call, from the first byte of the question to the last of the answer.
    pub(crate) fn call(&mut self, call: &Call) -> Duration {
        self.connections[0].call(call)
    }

    /// Many calls, one on its way on each connection at any time.
    pub(crate) fn calls(&mut self, call: &Call, count: usize) -> Duration {
        let each = count / self.connections.len();
        let start = Instant::now();
        std::thread::scope(|scope| {
            for connection in &mut self.connections {
                scope.spawn(move || {
                    for _ in 0..each {
                        connection.call(call);
                    }
                });
            }
        });
        start.elapsed().mul_f64(count as f64 / (each * self.connections.len()) as f64)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.connections.clear();
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = self.log.take().map(JoinHandle::join);
    }
}

struct Connection {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
    era: Era,
    session: Option<String>,
    last_id: u64,
}

impl Connection {
    fn open(address: SocketAddr, era: Era) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        // Identities are the session's: each connection has a million of its own.
        let last_id = u64::from(stream.local_addr().unwrap().port()) * 1_000_000;
        Self { stream: BufReader::with_capacity(1 << 16, stream), address, era, session: None, last_id }
    }

    fn call(&mut self, call: &Call) -> Duration {
        self.last_id += 1;
        let body = request(self.era, self.last_id, "tools/call", call.params());
        let start = Instant::now();
        let (_, answer) = self.ask(&body, "tools/call", Some(&call.tool));
        let time = start.elapsed();
        call.check(&answer);
        time
    }

    /// One request and its answer: the session it names, and the body.
    fn ask(&mut self, body: &str, method: &str, name: Option<&str>) -> (Option<String>, String) {
        let line =
            |name: &str, value: Option<&str>| value.map(|value| format!("{name}: {value}\r\n")).unwrap_or_default();
        let newer = self.era == Era::Newer;
        let version = (method != "initialize").then(|| self.era.version());
        let text = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\naccept: application/json, text/event-stream\r\n\
             content-type: application/json\r\n{}{}{}{}content-length: {}\r\n\r\n{body}",
            self.address,
            line("mcp-protocol-version", version),
            line("mcp-method", newer.then_some(method)),
            line("mcp-name", name.filter(|_| newer)),
            line("mcp-session-id", self.session.as_deref()),
            body.len()
        );
        self.stream.get_mut().write_all(text.as_bytes()).unwrap();
        self.answer()
    }

    fn answer(&mut self) -> (Option<String>, String) {
        let status = self.line();
        assert!(status.contains(" 200 ") || status.contains(" 202 "), "{status}");
        let (mut length, mut session) = (Some(0), None);
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = Some(value.parse().unwrap()),
                "transfer-encoding" => length = None,
                "mcp-session-id" => session = Some(value.to_owned()),
                _ => {}
            }
        }
        let mut body = Vec::new();
        match length {
            Some(length) => self.bytes(length, &mut body),
            None => loop {
                let chunk = usize::from_str_radix(&self.line(), 16).unwrap();
                self.bytes(chunk, &mut body);
                self.line();
                if chunk == 0 {
                    break;
                }
            },
        }
        (session, String::from_utf8(body).unwrap())
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.stream.read_line(&mut line).unwrap(), 0, "the server closed the connection");
        line.truncate(line.trim_end().len());
        line
    }

    fn bytes(&mut self, count: usize, body: &mut Vec<u8>) {
        let from = body.len();
        body.resize(from + count, 0);
        self.stream.read_exact(&mut body[from..]).unwrap();
    }
}

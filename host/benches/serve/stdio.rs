//! A client that writes to a program and reads from it, and does nothing besides.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::peers::Program;
use crate::wire::{Call, Era, INITIALIZED, initialize, request};

/// The older revision: every program speaks it here.
const ERA: Era = Era::Older;

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Client {
    /// Start the program, and shake hands.
    pub(crate) fn start(program: &Program) -> Self {
        let mut child = program.over_stdio().spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
        let mut client = Self { child, input, output, last_id: 0 };
        client.send(&initialize());
        assert!(client.answer().contains("protocolVersion"));
        client.send(INITIALIZED);
        client
    }

    fn send(&mut self, message: &str) {
        // One write for each message: as clients do.
        let line = format!("{message}\n");
        self.input.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    /// The next answer. What a server tells besides is not one.
    fn answer(&mut self) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server ended");
            if !line.contains(r#""method":"#) {
                return line;
            }
        }
    }

    fn next(&mut self, method: &str, params: Value) -> String {
        self.last_id += 1;
        request(ERA, self.last_id, method, params)
    }

    /// One request, and its answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> String {
        let text = self.next(method, params);
        self.send(&text);
        self.answer()
    }

    /// How many tools there are, on the first page.
    pub(crate) fn list(&mut self) -> usize {
        let answer: Value = serde_json::from_str(&self.ask("tools/list", json!({}))).unwrap();
        answer["result"]["tools"].as_array().unwrap().len()
    }

    /// One call, from the first byte of the question to the last of the answer.
    pub(crate) fn call(&mut self, call: &Call) -> Duration {
        let text = self.next("tools/call", call.params());
        let start = Instant::now();
        self.send(&text);
        let answer = self.answer();
        let time = start.elapsed();
        call.check(&answer);
        time
    }

    /// Many calls, `width` of them on their way at any time.
    pub(crate) fn calls(&mut self, call: &Call, count: usize, width: usize) -> Duration {
        let texts: Vec<_> = (0..count).map(|_| self.next("tools/call", call.params())).collect();
        let start = Instant::now();
        let mut texts = texts.iter();
        texts.by_ref().take(width).for_each(|text| self.send(text));
        for _ in 0..count {
            call.check(&self.answer());
            if let Some(text) = texts.next() {
                self.send(text);
            }
        }
        start.elapsed()
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Without a client, a server ends.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

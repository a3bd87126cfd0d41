//! `fumehood run --watch`, as a person at a terminal has it: what is waited for is a line.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{self, Guest};

/// Nothing here takes so long; what does hangs for ever.
const FOR_EVER: Duration = Duration::from_secs(120);

/// A command that watches, in a folder with `tool.wasm` and `call.json`.
struct Watching {
    folder: tempfile::TempDir,
    child: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
}

/// A guest that says in its content which one it is.
fn guest(text: &str, execute: &str) -> Vec<u8> {
    let imports = r#"(import "fumehood:tool/progress@0.1.0" "report" (func $report (param i64 i32 i64 i32 i32 i32)))"#;
    let items = format!(r#"(data (i32.const 1024) "{text}")"#);
    let render = format!("(call $text (i32.const 1024) (i32.const {}))", text.len());
    let execute = if execute.is_empty() { Guest::default().execute } else { execute };
    let guest = Guest { imports, items: &items, execute, render: &render, ..Guest::default() };
    support::packed(&guest.wat(), &support::manifest())
}

impl Watching {
    fn start(component: &[u8], flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tool.wasm"), component).unwrap();
        std::fs::write(folder.path().join("call.json"), "{}").unwrap();
        // One pipe for both streams, as a terminal is: the lines come in their order.
        let (reader, writer) = std::io::pipe().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_fumehood"))
            .args(["run", "tool.wasm", "--watch", "--no-cache", "--args-file", "call.json"])
            .args(flags)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .spawn()
            .unwrap();
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(reader).lines() {
                // Nobody listens any more: the test is over.
                if send.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { folder, child, lines, seen: Vec::new() }
    }

    /// The next line with this in it, and what came before it.
    fn expect(&mut self, part: &str) -> String {
        let begin = self.seen.len();
        loop {
            let line = self.lines.recv_timeout(FOR_EVER);
            let line =
                line.unwrap_or_else(|error| panic!("no line with {part:?} ({error}):\n{}", self.seen.join("\n")));
            self.seen.push(line);
            if self.seen.last().unwrap().contains(part) {
                return self.seen[begin..].join("\n");
            }
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// As editors and builds do it: beside, and then in its place.
    fn replace(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path("new"), bytes).unwrap();
        std::fs::rename(self.path("new"), self.path(name)).unwrap();
    }

    fn interrupt(&mut self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
    }

    /// Ctrl-C, and the end.
    fn end(mut self) {
        self.interrupt();
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
        while let Ok(line) = self.lines.recv_timeout(FOR_EVER) {
            self.seen.push(line);
        }
        assert_eq!(self.seen.last().unwrap(), "fumehood: interrupted");
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_change_of_the_component_or_of_the_arguments_calls_again() {
    let mut watching = Watching::start(&guest("first", ""), &[]);
    watching.expect("first");
    let said = watching.expect("waiting for a change");
    assert!(said.contains("call.json, tool.wasm; Ctrl-C ends"), "{said}");

    watching.replace("tool.wasm", &guest("second", ""));
    let said = watching.expect("second");
    assert!(said.contains("changed: tool.wasm"), "{said}");
    watching.expect("waiting for a change");

    // In place, and with an error of the call's own.
    std::fs::write(watching.path("call.json"), "[]").unwrap();
    let said = watching.expect("INVALID_ARGS");
    assert!(said.contains("changed: call.json"), "{said}");
    watching.expect("waiting for a change");
    watching.replace("call.json", b"{}");
    watching.expect("second");
    watching.expect("waiting for a change");
    watching.end();
}

#[test]
fn what_a_component_asks_for_now_is_said() {
    let mut watching = Watching::start(&guest("first", ""), &[]);
    watching.expect("waiting for a change");
    let mut asks: Value = support::manifest();
    asks["capabilities"] = json!([{ "capability": "clock", "reason": "To know the time.", "optional": true }]);
    watching.replace("tool.wasm", &support::packed(&Guest::default().wat(), &asks));
    let said = watching.expect("waiting for a change");
    assert!(said.contains("Asks for") && said.contains("clock"), "{said}");
    // The same once more is no change, whatever the file is.
    watching.replace("tool.wasm", &support::packed(&Guest::default().wat(), &asks));
    let said = watching.expect("waiting for a change");
    assert!(said.contains("changed: tool.wasm") && !said.contains("Asks for"), "{said}");
    watching.end();
}

#[test]
fn a_refusal_is_shown_and_is_not_the_end() {
    let mut watching = Watching::start(&guest("first", ""), &[]);
    watching.expect("waiting for a change");
    let mut asks: Value = support::manifest();
    asks["capabilities"] = json!([{ "capability": "clock", "reason": "To know the time." }]);
    watching.replace("tool.wasm", &support::packed(&Guest::default().wat(), &asks));
    let said = watching.expect("waiting for a change");
    assert!(said.contains("refused by policy") && said.contains("--allow clock"), "{said}");
    watching.replace("tool.wasm", &guest("third", ""));
    watching.expect("third");
    watching.end();
}

#[test]
fn a_file_that_is_half_written_or_gone_is_said_once_and_waited_for() {
    let mut watching = Watching::start(&guest("first", ""), &[]);
    watching.expect("waiting for a change");
    let whole = guest("second", "");
    std::fs::write(watching.path("tool.wasm"), &whole[..whole.len() / 2]).unwrap();
    let said = watching.expect("waiting for a change");
    assert_eq!(said.matches("fumehood: ").count(), 1, "{said}");
    std::fs::write(watching.path("tool.wasm"), &whole).unwrap();
    let said = watching.expect("waiting for a change");
    assert!(said.contains("second") && !said.contains("fumehood: "), "{said}");

    std::fs::remove_file(watching.path("tool.wasm")).unwrap();
    let said = watching.expect("waiting for a change");
    assert_eq!(said.matches("No such file").count(), 1, "{said}");
    watching.replace("tool.wasm", &guest("third", ""));
    watching.expect("third");
    watching.end();
}

#[test]
fn a_change_ends_the_call_that_runs() {
    // Reports, so that the test knows that it has begun, and then never ends by itself.
    let looping = "(call $report (i64.const 1) (i32.const 0) (i64.const 0) (i32.const 0) (i32.const 0) (i32.const 0))
        (loop $again (br $again)) (i32.const 0)";
    let mut watching = Watching::start(&guest("first", looping), &["--verbose", "--limit", "wall-clock-ms=600000"]);
    watching.expect("progress 1");
    watching.replace("tool.wasm", &guest("second", ""));
    let said = watching.expect("second");
    assert!(said.contains("changed: tool.wasm") && !said.contains("first"), "{said}");
    watching.replace("tool.wasm", &guest("first", looping));
    watching.expect("progress 1");
    // Ctrl-C ends it in the middle of a call, too.
    watching.end();
}

#[test]
fn a_manifest_beside_the_component_is_packed_in_and_watched() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("manifest.json");
    let said_as = |description: &str| {
        let mut manifest = support::manifest();
        manifest["tools"][0]["description"] = description.into();
        manifest.to_string()
    };
    std::fs::write(&manifest, said_as("Returns them.")).unwrap();
    let module = support::module_from_core_wat(&Guest::default().wat(), support::World::ToolWithHost);
    let mut watching = Watching::start(&module, &["--manifest", manifest.to_str().unwrap()]);
    watching.expect("{}");
    let said = watching.expect("waiting for a change");
    assert!(said.contains("manifest.json"), "{said}");
    std::fs::write(&manifest, said_as("Returns what it was given.")).unwrap();
    let said = watching.expect("waiting for a change");
    assert!(said.contains("changed: manifest.json") && said.contains("+ Returns what it was given."), "{said}");
    watching.end();
}

#[test]
fn what_can_be_read_only_once_is_refused() {
    let refused = |flags: &[&str], part: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_fumehood"))
            .args(["run", "tool.wasm", "--watch"])
            .args(flags)
            .current_dir(Path::new(env!("CARGO_TARGET_TMPDIR")))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(part), "{said}");
    };
    refused(&["--args", "-"], "standard input can be read only once");
    refused(&["--args-file", "-"], "standard input can be read only once");
    refused(&["--batch", "-"], "standard input can be read only once");
    refused(&["--log", "session.jsonl"], "cannot be used with");
}

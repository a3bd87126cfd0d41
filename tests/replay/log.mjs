// Logs, as the host writes them: one JSON line an event, each with the digest of the line before.

import { createHash } from "node:crypto";

const digest = (text) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

export const PROVIDER = { component: { name: "files", version: "0.3.1", digest: digest("files") } };
const START = Date.parse("2026-11-30T09:58:12.000Z");

/** A log that is being written. Time is what the test makes of it. */
export class Log {
  constructor({ values = false, start = START } = {}) {
    this.lines = [];
    this.prev = null;
    this.now = start;
    this.next = 1;
    this.add({ event: "open", form: 1, host: "fumehood 0.1.0", values });
  }

  /** One event, after so many milliseconds. */
  add(event, after = 0) {
    this.now += after;
    const line = JSON.stringify({ seq: this.lines.length, prev: this.prev, at: new Date(this.now).toISOString(), ...event });
    this.prev = digest(line);
    this.lines.push(line);
    return this;
  }

  /** A line that is no event. */
  raw(line) {
    this.lines.push(line);
    this.prev = digest(line);
    return this;
  }

  /** The beginning of a call; answers with its name. */
  call(tool, args = {}, { parent, id = parent ? this.child(parent) : String(this.next++), after = 900, provider = PROVIDER, ...more } = {}) {
    this.add({ event: "call", call: id, tool, args: typeof args === "string" ? args : JSON.stringify(args), ...(provider ? { provider } : {}), ...more }, after);
    return id;
  }

  child(parent) {
    this.children ??= new Map();
    const next = (this.children.get(parent) ?? 0) + 1;
    this.children.set(parent, next);
    return `${parent}.${next}`;
  }

  start(call) { return this.add({ event: "start", call }, 1); }

  end(call, millis, how) {
    return this.add({ event: "end", call, content: [], usage: { "wall-clock-ms": millis }, millis, ...how }, millis);
  }

  succeed(call, millis, { text = "", content = text === "" ? [] : [{ type: "text", text }], ...more } = {}) {
    this.start(call);
    return this.end(call, millis, { outcome: "success", content, usage: { "host-calls": 12 + millis, "memory-bytes": 1179648 + millis * 1024, "wall-clock-ms": millis }, projected: { value: digest("v"), content: digest("c"), card: digest("d") }, ...more });
  }

  fail(call, millis, kind, code, message, more = {}) {
    return this.end(call, millis, { outcome: "failure", kind, code, message, content: [{ type: "text", text: `${code}: ${message}` }], ...more });
  }

  text() { return this.lines.map((line) => `${line}\n`).join(""); }
}

// ---- One log that has everything a person meets.

const RUST = `//! Greetings.

use std::fmt;

/// Somebody to greet.
pub struct Greeting {
    name: String,
}

impl Greeting {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned() }
    }

    pub fn text(&self) -> String {
        format!("Hello, {}", self.name)
    }
}
`;

export const CARDS = {
  generic: { card: "generic", title: "Remember a decision", kind: "edit", input: { agent: "planner", text: "Ship on Thursday; the review is on Wednesday." }, body: [{ type: "text", text: "Stored as fact 12 of agent planner." }], locations: [{ path: "memory/planner.json", line: 12 }] },
  terminal: { card: "terminal", title: "cargo test --workspace", description: "Run the tests", cwd: "/work", output: "   Compiling greet v0.4.0\n    Finished test profile in 4.21 s\n     Running suite/greet.rs\n\nrunning 3 tests\ntest greets_by_name ... ok\ntest greets_nobody ... ok\ntest greets_politely ... FAILED\n\ntest result: FAILED. 2 passed; 1 failed\n", exit: { code: 101 }, timedOut: false },
  diff: { card: "diff", title: "Rename the greeting", diffs: [{ path: "src/greet.rs", old: RUST, new: RUST.replace("Hello, {}", "Good day, {}").replace("/// Somebody to greet.\n", "/// Somebody to greet, politely.\n#[derive(Debug)]\n") }, { path: "src/lib.rs", new: "mod greet;\n\npub use greet::Greeting;\n" }] },
  read: { card: "read", title: "Read src/greet.rs", path: "src/greet.rs", offset: 1, lines: RUST.split("\n").slice(0, 17).map((text, at) => ({ number: at + 1, text })), totalLines: 42, language: "rust" },
  search: { card: "search", title: "Greeting in src", results: { matches: { files: [{ path: "src/greet.rs", matches: [{ lineNumber: 6, line: "pub struct Greeting {" }, { lineNumber: 10, line: "impl Greeting {" }] }, { path: "src/lib.rs", matches: [{ lineNumber: 3, line: "pub use greet::Greeting;" }] }, { path: "tests/greet.rs", matches: [{ lineNumber: 1, line: "use greet::Greeting;" }, { lineNumber: 5, line: "    assert_eq!(Greeting::new(\"you\").text(), \"Good day, you\");" }] }], truncated: true, total: 14 } } },
  web: { card: "web", title: "polite greetings in English", results: { search: { answer: "“Good day” is polite and a little old-fashioned; “hello” suits nearly every occasion.", sources: [{ url: "https://en.example.org/wiki/Greeting", title: "Greeting", snippet: "Greeting is an act of communication in which human beings intentionally make their presence known to each other.", published: "2026-03-02" }, { url: "https://style.example.com/letters/openings?lang=en", title: "How to open a letter", snippet: "Formal letters open with a salutation; “Dear” is never wrong." }], truncated: false } } },
};

/** A session in which most things happen. */
export function session() {
  const log = new Log({ values: true });
  let id = log.call("grep", { pattern: "Greeting", path: "src" }, { title: "Search in files", card: { ...CARDS.search, results: { matches: { files: [], truncated: false, total: 0 } } } });
  log.succeed(id, 34, { text: "src/greet.rs:6: pub struct Greeting {\nsrc/greet.rs:10: impl Greeting {\nsrc/lib.rs:3: pub use greet::Greeting;\n… 11 more lines; ask for page 2", card: CARDS.search, value: { pattern: "Greeting", total: 14, page: 1, id: 0 }, decisions: [{ allowed: true, capability: "filesystem", target: "/src", rule: "mount ./work:/ (read)" }] });
  id = log.call("read", { path: "src/greet.rs", limit: 17 }, { title: "Read a file" });
  log.succeed(id, 8, { text: RUST, card: CARDS.read, value: { path: "src/greet.rs", totalLines: 42 } });
  id = log.call("edit", { path: "src/greet.rs", old: "Hello, {}", new: "Good day, {}" }, { title: "Edit a file" });
  log.succeed(id, 12, { text: "2 files changed, 5 lines added, 1 removed.", card: CARDS.diff });
  id = log.call("shell", { command: "cargo test --workspace", description: "Run the tests" }, { title: "Run a command" });
  log.succeed(id, 4312, { text: CARDS.terminal.output.slice(0, 90) + "\n⟦ 1,200,235 bytes left out ⟧\n" + CARDS.terminal.output.slice(-90), card: CARDS.terminal, spilled: { locator: "fumehood-spill:sha256/9f3a2c51", bytes: 1204331, omitted: 1200235 }, decisions: [{ allowed: true, capability: "process", target: "cargo test --workspace", rule: "process cargo test *" }] });
  id = log.call("web_search", { query: "polite greetings in English" }, { title: "Search the web" });
  log.succeed(id, 842, { text: "1. Greeting — https://en.example.org/wiki/Greeting\n2. How to open a letter — https://style.example.com/letters/openings?lang=en", card: CARDS.web, decisions: [{ allowed: true, capability: "http", target: "https://api.search.example/v1/", rule: "https://api.search.example/v1/ GET" }, { allowed: true, capability: "secret", target: "search-key", rule: "secret search-key" }] });
  id = log.call("fetch", { url: "http://169.254.169.254/latest/meta-data/" }, { title: "Fetch a page" });
  log.start(id).fail(id, 3, "refused", "DENIED", "fetch asked for http://169.254.169.254/, which nothing here allows", { decisions: [{ allowed: false, capability: "http", target: "GET http://169.254.169.254/latest/meta-data/", rule: "nothing grants it; --allow 'http://169.254.169.254/latest/ GET' would, and addresses of this machine's own network stay closed" }] });
  id = log.call("memory_add", { agent: "planner", text: "Ship on Thursday; the review is on Wednesday." }, { title: "Remember" });
  log.succeed(id, 5, { text: "Stored as fact 12 of agent planner.", card: CARDS.generic, reviews: [{ reviewer: "redact-secrets", verdict: "value" }] });
  id = log.call("fetch", { url: "https://docs.example.com/setup" }, { title: "Fetch a page" });
  log.start(id).fail(id, 655, "refused", "BLOCKED", "The result held instructions aimed at you and not at your task. It was withheld.", { reviews: [{ reviewer: "redact-secrets", verdict: "value" }, { reviewer: "no-injection", verdict: "block" }] });
  id = log.call("shell", { command: "make -j8 world" }, { title: "Run a command" });
  log.start(id).fail(id, 30000, "aborted", "TOOL_TIMEOUT", "shell took longer than 30,000 ms; its limit wall-clock-ms is 30000", { details: { limit: "wall-clock-ms", value: 30000 } });
  id = log.call("report", { topics: ["tests", "greetings"] }, { title: "Write a report", provider: { component: { name: "report", version: "1.0.0", digest: digest("report") } } });
  log.start(id);
  const first = log.call("grep", { pattern: "test " }, { parent: id, after: 4 });
  log.succeed(first, 21, { text: "3 lines", projected: { value: digest("v"), content: digest("c") } });
  const second = log.call("fetch", { url: "https://intranet.example/" }, { parent: id, after: 2 });
  log.start(second).fail(second, 2, "refused", "DENIED", "fetch asked for https://intranet.example/, which nothing here allows", { decisions: [{ allowed: false, capability: "http", target: "GET https://intranet.example/", rule: "nothing grants it" }] });
  log.end(id, 57, { outcome: "success", content: [{ type: "text", text: "Two of three tests pass." }], card: { card: "generic", title: "Report: tests, greetings", body: [{ type: "text", text: "Two of three tests pass." }] }, cardCut: { bytes: 91204, budget: 65536 } });
  id = log.call("flaky", "{\"how\": \"trap\", \"id\": 9007199254740993, \"ratio\": 1.0}", { title: "Fail in some way" });
  log.start(id).fail(id, 4, "failed", "TOOL_FAILED", "the disk of the world is full\nTry again tomorrow.", { details: { code: "DISK_FULL", data: { free: 0 } } });
  id = log.call("nowhere", { a: 1 }, { provider: null });
  log.fail(id, 0, "failed", "UNKNOWN_TOOL", "there is no tool nowhere");
  id = log.call("read", "{\"path\": \"src/", { title: "Read a file" });
  log.fail(id, 0, "failed", "INVALID_ARGS", "the arguments are not JSON: they end inside a text, at byte 14");
  id = log.call("query", { sql: "select 1" }, { title: "Ask a database", provider: { mounted: { origin: "db (child process: db-server --stdio)" } } });
  log.start(id).fail(id, 120, "fault", "HOST_FAULT", "this host could not do it; its log says why");
  const lost = log.call("shell", { command: "git push" }, { title: "Run a command", card: { ...CARDS.terminal, title: "git push", description: "Publish the change", output: "", exit: undefined } });
  log.start(lost);
  log.add({ event: "open", form: 1, host: "fumehood 0.1.0", values: true }, 61000);
  log.add({ event: "repair", tornBytes: 213, tornFile: "session.log.torn-1", openCalls: [lost] });
  log.end(lost, 61002, { outcome: "interrupted", state: "outcome-unknown", content: [], usage: {} });
  id = log.call("glob", { pattern: "**/*.rs" }, { title: "Find files", after: 86400000 });
  log.succeed(id, 6, { text: "src/greet.rs\nsrc/lib.rs\ntests/greet.rs", card: { card: "search", title: "**/*.rs", results: { paths: { paths: ["src/greet.rs", "src/lib.rs", "tests/greet.rs"], truncated: false, total: 3 } } } });
  id = log.call("shell", { command: "cargo build --release" }, { title: "Run a command", card: { ...CARDS.terminal, title: "cargo build --release", description: "Build what ships", output: "", exit: undefined } });
  log.start(id);
  return log;
}

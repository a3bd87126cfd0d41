//! The golden cases of the sample tools, run on the packed components of `sample-tools/dist`, or on those in the
//! folder that the environment variable `SAMPLE_TOOLS` names.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "it reads the repository, and fails loudly")]

#[path = "../support/mod.rs"]
mod support;

#[path = "samples/reviewers.rs"]
mod reviewers;
#[path = "samples/server.rs"]
mod server;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use fumehood::{
    Access, CacheLocation, Card, Compiler, ContentBlock, EngineSettings, Grant, GuestPath, Host, LimitName, Mount,
    Outcome, Policy,
};
use serde::Deserialize;
use serde_json::{Value, json};
use server::Server;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    about: String,
    #[serde(default)]
    files: BTreeMap<String, File>,
    #[serde(default)]
    mount: Option<Access>,
    /// More grants, in their short form.
    #[serde(default)]
    grants: Vec<String>,
    /// What a server on this machine answers, by path and query. `{server}` anywhere in the case is its URL, without a
    /// path.
    #[serde(default)]
    server: BTreeMap<String, Answer>,
    /// Limits of the operator's, by name.
    #[serde(default)]
    limits: BTreeMap<String, u64>,
    calls: Vec<Call>,
    /// The paths that the server must have been asked for, in order.
    #[serde(default)]
    asked: Option<Vec<String>>,
    /// Files that must then hold this; `null`: must not exist.
    #[serde(default)]
    after: BTreeMap<String, Option<File>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: File,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum File {
    Text(String),
    Base64 { base64: String },
    Repeat { repeat: String, times: usize },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    args: Value,
    expect: Expect,
}

/// What is left out is not compared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    value: Option<Value>,
    content: Option<Vec<ContentBlock>>,
    card: Option<Card>,
    failure: Option<serde_json::Map<String, Value>>,
}

impl File {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Base64 { base64 } => base64::engine::general_purpose::STANDARD.decode(base64).unwrap(),
            Self::Repeat { repeat, times } => repeat.repeat(*times).into_bytes(),
        }
    }
}

impl Answer {
    fn bytes(&self) -> Vec<u8> {
        let Self { status, headers, body } = self;
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let body = body.bytes();
        let head =
            format!("HTTP/1.1 {status} \r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
        [head.into_bytes(), body].concat()
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn packed(tool: &str) -> PathBuf {
    let folder = std::env::var_os("SAMPLE_TOOLS").map_or_else(|| repository().join("sample-tools/dist"), PathBuf::from);
    folder.join(format!("{tool}.wasm"))
}

async fn check(tool: &str, tools_covered: &[&str]) {
    let folder = repository().join("sample-tools").join(tool);
    let cache = tempfile::tempdir().unwrap();
    let location = CacheLocation::Directory(cache.path().join("code"));
    // The command is the worker: what runs programs needs one.
    let compiler = Compiler::ChildProcess { program: env!("CARGO_BIN_EXE_fumehood").into() };
    let host = Host::new(EngineSettings::standard(compiler, location)).unwrap();
    let policy_text = std::fs::read_to_string(folder.join("policy.toml")).unwrap();
    let allowed = Policy::from_toml(&policy_text, &folder).unwrap();
    host.load(packed(tool), &allowed).await.unwrap_or_else(|error| panic!("{tool} under its own policy: {error}"));

    let mut whole = Vec::new();
    let mut cases = 0;
    for entry in std::fs::read_dir(folder.join("cases")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let file = match serde_json::from_str(&text).unwrap() {
            Value::Array(list) => list,
            one => vec![one],
        };
        for case in file {
            cases += 1;
            whole.extend(run(&host, tool, case, &path).await);
        }
    }
    assert!(cases > 0);
    for name in tools_covered {
        assert!(whole.iter().any(|seen| seen == name), "no case of {name} shows a value, its content and its card");
    }
}

/// Run one case; give the names of the tools of which it compared value, content and card.
async fn run(host: &Host, tool: &str, case: Value, path: &Path) -> Vec<String> {
    let server = Server::bind();
    let case = case.to_string().replace("{server}", &server.url());
    let case: Case = serde_json::from_str(&case).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let answers = case.server.iter().map(|(path, answer)| (path.clone(), answer.bytes()));
    let asked = server.answer(answers.collect());
    let about = format!("{}: {}", path.display(), case.about);
    let directory = tempfile::tempdir().unwrap();
    for (name, file) in &case.files {
        let target = directory.path().join(name);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::write(target, file.bytes()).unwrap();
    }
    let mut policy = Policy::nothing();
    if let Some(access) = case.mount {
        let mount = Mount { host: directory.path().to_owned(), guest: GuestPath::root(), access };
        policy = policy.mount(mount).unwrap();
    }
    for grant in &case.grants {
        let grant: Grant = grant.parse().unwrap_or_else(|error| panic!("{about}: {error}"));
        policy = policy.allow(grant).unwrap();
    }
    for (name, value) in &case.limits {
        policy = policy.limit(LimitName::from_key(name).unwrap(), *value).unwrap();
    }
    // Time and chance are granted to every case; what depends on them is not compared.
    let toolset = host.load(packed(tool), &policy.allow(Grant::Clock).unwrap().allow(Grant::Random).unwrap()).await;
    let toolset = toolset.unwrap_or_else(|error| panic!("{about}: {error}"));
    let mut whole = Vec::new();
    for Call { tool, args, expect } in &case.calls {
        let outcome = toolset.call(tool, args.clone()).await;
        let about = format!("{about}\n{tool} {args}");
        match (&outcome, expect) {
            (Outcome::Success(success), Expect { value, content, card, failure: None }) => {
                if let Some(value) = value {
                    assert_eq!(pretty(success.value.value()), pretty(value), "{about}");
                }
                if let Some(content) = content {
                    assert_eq!(pretty(&success.content), pretty(content), "{about}");
                }
                if let Some(card) = card {
                    assert_eq!(pretty(&success.card), pretty(card), "{about}");
                }
                if value.is_some() && content.is_some() && card.is_some() {
                    whole.push(tool.clone());
                }
            }
            (Outcome::Failure(failure), Expect { failure: Some(expected), .. }) => {
                let found = serde_json::to_value(failure).unwrap();
                for (key, expected) in expected {
                    assert_eq!(pretty(&found[key]), pretty(expected), "{about}: {key}");
                }
            }
            _ => panic!("{about}: {}", pretty(&outcome)),
        }
    }
    for (name, file) in &case.after {
        let found = std::fs::read(directory.path().join(name)).ok();
        assert_eq!(found, file.as_ref().map(File::bytes), "{about}: {name} afterwards");
    }
    if let Some(paths) = &case.asked {
        assert_eq!(&*asked.lock().unwrap(), paths, "{about}: what the server was asked for");
    }
    whole
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[tokio::test]
async fn word_count() {
    check("word-count", &["word_count"]).await;
}

#[tokio::test]
async fn files() {
    check("files", &["read", "write", "edit", "glob", "grep"]).await;
}

#[tokio::test]
async fn memory() {
    let tools = ["memory_search", "memory_add", "checkpoint_save", "checkpoint_resume", "memory_reflect"];
    check("memory", &tools).await;
}

#[tokio::test]
async fn shell() {
    check("shell", &["shell_run"]).await;
}

#[tokio::test]
async fn web() {
    check("web", &["web_fetch", "web_search"]).await;
}

#[tokio::test]
async fn the_web_takes_a_grant() {
    let host = Host::new(EngineSettings::standard(Compiler::InProcess, CacheLocation::Off)).unwrap();
    let denied = host.load(packed("web"), &Policy::nothing()).await.err().unwrap().to_string();
    let (_, line) = denied.split_once("--allow '").unwrap_or_else(|| panic!("{denied}"));
    let grant: Grant = line.split_once('\'').unwrap().0.parse().unwrap();
    assert_eq!(grant.to_string(), "http=https://example.com/ GET");
    host.load(packed("web"), &Policy::nothing().allow(grant).unwrap()).await.unwrap();
}

#[tokio::test]
async fn flaky() {
    check("flaky", &["flaky"]).await;
}

#[tokio::test]
async fn conformance() {
    let tools = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_tool_with_progress",
        "json_schema_2020_12_tool",
        "test_x_mcp_header",
    ];
    check("conformance", &tools).await;
}

/// Kills at many moments of a save, and asks after each: there is the last checkpoint that was saved whole, or an
/// earlier one, never a damaged one.
#[test]
fn a_kill_leaves_no_half_written_checkpoint() {
    let (directory, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let command = |tool: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fumehood"));
        command.arg("run").arg(packed("memory")).args(["--tool", tool, "--allow", "clock", "--show", "value"]);
        command.arg("--mount").arg(format!("{}:/:rw", directory.path().display()));
        command.arg("--cache").arg(cache.path().join("code")).args(["--args", "-"]);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::piped());
        command
    };
    let begin = |tool: &str, args: Value| {
        let mut child = command(tool).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), args.to_string().as_bytes()).unwrap();
        child
    };
    // As large as a value may well be, so that writing it takes a while.
    let state = |number: u64| json!({ "number": number, "filler": "x".repeat(1 << 20) });
    let save = |number| begin("checkpoint_save", json!({ "agent_id": "a", "state": state(number) }));
    let whole = save(0).wait_with_output().unwrap();
    assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));

    let took = {
        let began = std::time::Instant::now();
        assert!(save(1).wait_with_output().unwrap().status.success());
        began.elapsed()
    };
    let (mut newest, mut killed) = (1, 0);
    for number in 2..32u64 {
        let mut child = save(number);
        // The moment of the kill is all that differs: spread over the time that a whole save takes.
        std::thread::sleep(took * u32::try_from(number).unwrap() / 32);
        child.kill().unwrap();
        killed += u64::from(!child.wait().unwrap().success());
        let resumed = begin("checkpoint_resume", json!({ "agent_id": "a" })).wait_with_output().unwrap();
        assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
        let value: Value = serde_json::from_slice(&resumed.stdout).unwrap();
        let found = &value["state"];
        let found_number = found["number"].as_u64().unwrap();
        assert!(found_number == newest || found_number == number, "{found_number} after {newest}, at {number}");
        assert_eq!(found["filler"].as_str().map(str::len), Some(1 << 20));
        newest = found_number;
    }
    assert!(killed > 0, "no save was killed before its end");
}

//! The golden cases of the sample tools, run on the packed components of `sample-tools/dist`, or on those in the
//! folder that the environment variable `SAMPLE_TOOLS` names.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "it reads the repository, and fails loudly")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use fumehood::{
    Access, CacheLocation, Card, Compiler, ContentBlock, EngineSettings, GuestPath, Host, Mount, Outcome, Policy,
};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    about: String,
    #[serde(default)]
    files: BTreeMap<String, File>,
    #[serde(default)]
    mount: Option<Access>,
    calls: Vec<Call>,
    /// Files that must then hold this; `null`: must not exist.
    #[serde(default)]
    after: BTreeMap<String, Option<File>>,
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
    let host = Host::new(EngineSettings::standard(Compiler::InProcess, location)).unwrap();
    let policy_text = std::fs::read_to_string(folder.join("policy.toml")).unwrap();
    let allowed = Policy::from_toml(&policy_text, &folder).unwrap();
    host.load(packed(tool), &allowed).await.unwrap_or_else(|error| panic!("{tool} under its own policy: {error}"));

    let mut whole = Vec::new();
    let mut cases = 0;
    for entry in std::fs::read_dir(folder.join("cases")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let file: Vec<Case> = match serde_json::from_str(&text).unwrap() {
            list @ Value::Array(_) => serde_json::from_value(list),
            one => serde_json::from_value(json!([one])),
        }
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for case in file {
            cases += 1;
            whole.extend(run(&host, tool, &case, &path).await);
        }
    }
    assert!(cases > 0);
    for name in tools_covered {
        assert!(whole.iter().any(|seen| seen == name), "no case of {name} shows a value, its content and its card");
    }
}

/// Run one case; give the names of the tools of which it compared value, content and card.
async fn run(host: &Host, tool: &str, case: &Case, path: &Path) -> Vec<String> {
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
    // Time and chance are granted to every case; what depends on them is not compared.
    let toolset = host.load(packed(tool), &policy.allow_clock().allow_random()).await;
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
async fn flaky() {
    check("flaky", &["flaky"]).await;
}

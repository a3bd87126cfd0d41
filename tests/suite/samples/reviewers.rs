//! The golden cases of the reviewers: a result in, a verdict out, and what the model then reads.

use fumehood::{
    Amendment, Component, ComponentReviewer, Inspected, LoadLimits, Registry, Session, SessionRules, Verdict,
};

use super::*;
use support::{Guest, Watch};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReviewCase {
    about: String,
    /// What the tool is called with.
    #[serde(default)]
    args: Option<Value>,
    /// What it returns.
    #[serde(default)]
    value: Option<Value>,
    /// What it shows of it. Left out: the value, as text.
    #[serde(default)]
    texts: Option<Vec<String>>,
    /// It fails with this message instead.
    #[serde(default)]
    fails: Option<String>,
    verdict: ExpectedVerdict,
    /// The text blocks that the model reads in the end.
    #[serde(default)]
    reads: Option<Vec<String>>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
enum ExpectedVerdict {
    Accept,
    Texts(Vec<String>),
    Value(Value),
    Block(String),
}

async fn check_reviewer(name: &str) {
    let folder = repository().join("sample-tools").join(name);
    let host = Host::new(EngineSettings::standard(Compiler::InProcess, CacheLocation::Off)).unwrap();
    let policy = std::fs::read_to_string(folder.join("policy.toml")).unwrap();
    let policy = Policy::from_toml(&policy, &folder).unwrap();
    let reviewer = host.load_reviewer(packed(name), &policy).await.unwrap_or_else(|error| panic!("{name}: {error}"));
    let engines = Engines::new(host.clone(), host.clone());
    let report = fumehood::check::run(std::fs::read(packed(name)).unwrap(), &engines, &Settings::standard()).await;
    let counts = report.counts();
    assert!(counts.passed > 0 && counts.warned + counts.failed == 0, "{name}: {}", report.text());
    let mut verdicts = [0; 4];
    for entry in std::fs::read_dir(folder.join("cases")).unwrap() {
        let path = entry.unwrap().path();
        let cases: Vec<ReviewCase> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for case in cases {
            verdicts[match case.verdict {
                ExpectedVerdict::Accept => 0,
                ExpectedVerdict::Texts(_) => 1,
                ExpectedVerdict::Value(_) => 2,
                ExpectedVerdict::Block(_) => 3,
            }] += 1;
            review(&host, &reviewer, &case, &format!("{}: {}", path.display(), case.about)).await;
        }
    }
    // Beside each case that something is done about there is one that passes.
    assert!(verdicts[0] > 0 && verdicts[1..].iter().any(|count| *count > 0), "{name}: {verdicts:?}");
}

async fn review(host: &Host, reviewer: &ComponentReviewer, case: &ReviewCase, about: &str) {
    let tool = returning(case);
    let component = Component::from_bytes(support::packed(&tool, &manifest()), &LoadLimits::standard()).unwrap();
    let approved = Policy::nothing().approve(Inspected::of(component).unwrap()).unwrap();
    let tools = Registry::new([host.compile(approved).await.unwrap()]).unwrap();
    let (watch, said) = Watch::over(reviewer.clone());
    let session = Session::new(SessionRules::none().reviewer(watch)).unwrap();
    let args = case.args.clone().unwrap_or_else(|| json!({}));
    let outcome = session.run(&tools, fumehood::Call::new("echo", args)).await;
    let first = said.lock().unwrap().remove(0);
    let found = match first.unwrap_or_else(|error| panic!("{about}: {error}")) {
        Verdict::Accept(Amendment::None) => ExpectedVerdict::Accept,
        Verdict::Accept(Amendment::Content(content)) => ExpectedVerdict::Texts(texts(&content)),
        Verdict::Accept(Amendment::Value(value)) => ExpectedVerdict::Value(serde_json::from_str(&value).unwrap()),
        Verdict::Block { feedback } => ExpectedVerdict::Block(feedback),
    };
    assert_eq!(found, case.verdict, "{about}");
    if let Some(reads) = &case.reads {
        assert_eq!(&texts(outcome.content()), reads, "{about}");
    }
}

fn texts(content: &[ContentBlock]) -> Vec<String> {
    let text = |block: &ContentBlock| match block {
        ContentBlock::Text { text, .. } => text.clone(),
        other => panic!("{other:?}"),
    };
    content.iter().map(text).collect()
}

fn manifest() -> Value {
    let mut manifest = support::manifest();
    // Any value: what a reviewer makes of it is the case's.
    manifest["tools"][0]["outputSchema"] = json!({});
    manifest
}

/// A tool that returns, shows or says what the case has.
fn returning(case: &ReviewCase) -> String {
    let mut data = Data { items: String::new(), end: 1024 };
    let execute = match (&case.fails, &case.value) {
        (Some(message), None) => format!("(call $error (i32.const 1) {})", data.put(message)),
        (None, Some(value)) => format!("(call $ok {})", data.put(&value.to_string())),
        _ => panic!("{}: a value or a failure", case.about),
    };
    let render = case.texts.as_ref().map(|texts| {
        let put = |(index, text): (usize, &String)| {
            let at = index * 128 + 8;
            format!("(call $put (i32.add (local.get $a) (i32.const {at})) {})", data.put(text))
        };
        let puts: String = texts.iter().enumerate().map(put).collect();
        let count = texts.len();
        format!(
            "(local.set $a (call $alloc (i32.const {}))) {puts} (call $blocks (local.get $a) (i32.const {count}))",
            count * 128
        )
    });
    let echo = Guest::default();
    let render = render.as_deref().unwrap_or(echo.render);
    Guest { items: &data.items, execute: &execute, render, ..echo }.wat()
}

/// Texts in a guest's memory.
struct Data {
    items: String,
    end: usize,
}

impl Data {
    /// Pointer and length.
    fn put(&mut self, text: &str) -> String {
        let bytes: String = text.bytes().map(|byte| format!("\\{byte:02x}")).collect();
        let (at, length) = (self.end, text.len());
        self.items.push_str(&format!("(data (i32.const {at}) \"{bytes}\")"));
        self.end += length;
        assert!(self.end < 65_536, "a case is larger than its guest");
        format!("(i32.const {at}) (i32.const {length})")
    }
}

#[tokio::test]
async fn redact_secrets() {
    check_reviewer("redact-secrets").await;
}

#[tokio::test]
async fn block_instructions() {
    check_reviewer("block-instructions").await;
}

//! Hostile reviewers: each folder of `tests/guests-review` holds one, and what must come of it.
//!
//! After each, the same host makes an honest call under an honest reviewer: nothing poisons the next review.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fumehood::{InspectError, LoadError};
use serde::Deserialize;

use super::*;

const GUESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/guests-review");
/// Set to a part of a folder's name to run only those.
const FILTER: &str = "FUMEHOOD_GUEST";

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Expectation {
    /// One sentence: what the guest tries.
    tries: String,
    /// The world of the guest, as a WIT text. Left out: `review-component-on-wasi`.
    wit: Option<String>,
    /// What the tool's value must be. Left out: anything.
    output_schema: Option<toml::Value>,
    /// Capabilities that the manifest asks for, as optional ones.
    #[serde(default)]
    asks: Vec<String>,
    /// Capabilities that it cannot do without.
    #[serde(default)]
    requires: Vec<String>,
    #[serde(flatten)]
    run: Run,
    /// The same guest with the grant, or without the fault: it comes to a verdict.
    twin: Option<Run>,
}

/// How a guest is run. A twin takes what it does not say from the main run, except what is expected.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Run {
    /// A policy file. Directories are relative to the fixture.
    policy: Option<String>,
    /// What the tool is called with and returns, a JSON text.
    args: Option<String>,
    /// The tool fails with this message instead.
    fails: Option<String>,
    files: Option<Vec<File>>,
    expect: Expect,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    file: String,
    text: String,
}

/// What must come of a run: a refusal to load, no verdict, or one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Expect {
    /// Refused at load for exactly these rules, in this order.
    refused: Option<Vec<String>>,
    /// No verdict: texts that the operator reads of it. The call is blocked.
    cause: Option<Vec<String>>,
    /// `accept`, `content`, `value` or `block`.
    verdict: Option<String>,
    /// The text of the verdict: of its text block, of the value, of the feedback.
    text: Option<String>,
    /// The code of the call's failure. Left out, `BLOCKED` for a block, else none.
    code: Option<String>,
    /// Texts that the message of the call's failure holds.
    #[serde(default)]
    message: Vec<String>,
    /// The value of the call, as canonical JSON.
    value: Option<String>,
    /// What the model reads of the call: the text of its one text block.
    content: Option<String>,
    /// Texts that nothing a model or a program reads holds.
    #[serde(default)]
    hides: Vec<String>,
}

fn name(folder: &Path) -> &str {
    folder.file_name().unwrap().to_str().unwrap()
}

fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<_> = std::fs::read_dir(GUESTS).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

fn expectation(folder: &Path) -> Expectation {
    let text = std::fs::read_to_string(folder.join("expect.toml")).unwrap_or_else(|e| panic!("{}: {e}", name(folder)));
    let read: Expectation = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", name(folder)));
    assert!(!read.tries.trim().is_empty(), "{}", name(folder));
    for expect in [Some(&read.run), read.twin.as_ref()].into_iter().flatten().map(|run| &run.expect) {
        let ends = [expect.refused.is_some(), expect.cause.is_some(), expect.verdict.is_some()];
        assert_eq!(ends.iter().filter(|end| **end).count(), 1, "{}: expect one end", name(folder));
    }
    let grantable = read.run.expect.cause.iter().flatten().any(|text| text.contains("not granted"))
        || read.run.expect.refused.iter().flatten().any(|rule| rule == "policy/not-granted");
    let twin = read.twin.as_ref().is_some_and(|twin| twin.expect.verdict.is_some());
    assert!(!grantable || twin, "{}: a denial that a grant would lift needs a `[twin]`", name(folder));
    read
}

#[test]
fn every_guest_has_an_expectation_and_nothing_else() {
    let known = BTreeSet::from(["expect.toml".into(), "guest.wat".into()]);
    for folder in folders() {
        let files: BTreeSet<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(files, known, "{}", name(&folder));
        assert!(name(&folder).starts_with("review-"), "{}", name(&folder));
        expectation(&folder);
    }
}

#[tokio::test]
async fn every_guest_meets_its_expectation() {
    // One slot for calls and one for reviews: what kept one would soon be noticed.
    let host = host(1);
    let honest = compiled(&host, &ReviewGuest::default().wat(), &reviewer_manifest(), "").await.unwrap();
    let filter = std::env::var(FILTER).unwrap_or_default();
    let mut ran = 0;
    for folder in folders().into_iter().filter(|folder| name(folder).contains(&filter)) {
        let expectation = expectation(&folder);
        for (which, run) in [("run", Some(&expectation.run)), ("twin", expectation.twin.as_ref())] {
            let Some(run) = run else { continue };
            let about = format!("{} ({which})", name(&folder));
            meets(&host, &folder, &expectation, run, &about).await;
            let after = Session::new(SessionRules::none().reviewer(Arc::new(honest.clone()))).unwrap();
            let outcome = after.run(&echoing(&host, None).await, Call::new("echo", json!({ "a": 1 }))).await;
            assert_eq!(success(outcome).value.text(), r#"{"a":1}"#, "the next call, after {about}");
        }
        ran += 1;
    }
    assert!(ran > 0, "no guest matches {FILTER}={filter:?}");
}

async fn meets(host: &Host, folder: &Path, expectation: &Expectation, run: &Run, about: &str) {
    let first = &expectation.run;
    let fixture = tempfile::tempdir().unwrap();
    for File { file, text } in run.files.as_ref().or(first.files.as_ref()).into_iter().flatten() {
        let at = fixture.path().join(file);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(at, text).unwrap();
    }
    let policy = run.policy.as_ref().or(first.policy.as_ref()).map_or("", String::as_str);
    let policy = Policy::from_toml(policy, fixture.path()).unwrap_or_else(|error| panic!("{about}: {error}"));
    let expect = &run.expect;
    let reviewer = match load(host, folder, expectation, &policy).await {
        Ok(reviewer) => reviewer,
        Err(error) => {
            let rules: Vec<_> = match &error {
                LoadError::Inspect(InspectError::Refused(findings)) => findings.iter().map(|f| f.rule).collect(),
                LoadError::Denied(denied) => denied.0.iter().map(|f| f.rule).collect(),
                error => panic!("{about}: {error}"),
            };
            return assert_eq!(expect.refused.as_deref().unwrap_or_default(), rules, "{about}: {error}");
        }
    };
    assert!(expect.refused.is_none(), "{about}: it was loaded");
    let mut tool = support::manifest();
    if let Some(schema) = &expectation.output_schema {
        tool["tools"][0]["outputSchema"] = serde_json::to_value(schema).unwrap();
    }
    let fails = run.fails.as_deref();
    let args = run.args.as_ref().or(first.args.as_ref()).map_or("{}", String::as_str);
    // Twice: each begins with nothing of the one before.
    for _ in 0..2 {
        let (watch, said) = Watch::over(reviewer.clone());
        let session = Session::new(SessionRules::none().reviewer(watch)).unwrap();
        let outcome = session.run(&tools(host, fails, &tool).await, Call::from_text("echo", args)).await;
        let said = said.lock().unwrap().remove(0);
        holds(expect, &said, &outcome, about);
    }
}

async fn load(
    host: &Host,
    folder: &Path,
    asked: &Expectation,
    policy: &Policy,
) -> Result<ComponentReviewer, LoadError> {
    let text = std::fs::read_to_string(folder.join("guest.wat")).unwrap();
    let module = GuestFile::reviewer(&text).unwrap_or_else(|error| panic!("{}: {error}", name(folder)));
    let world = asked.wit.as_deref().map_or(World::Reviewer, World::Wit);
    let mut manifest = reviewer_manifest();
    let request = |words: &String, optional: bool| {
        let (capability, access) = words.split_once(' ').unwrap_or((words, ""));
        let mut request = json!({ "capability": capability, "reason": "It tries.", "optional": optional });
        if !access.is_empty() {
            request["access"] = json!(access);
        }
        request
    };
    let optional = asked.asks.iter().map(|words| request(words, true));
    manifest["capabilities"] = optional.chain(asked.requires.iter().map(|words| request(words, false))).collect();
    let component = component_from_core_wat(&module, world);
    let bytes = with_section(&component, "fumehood:manifest", manifest.to_string().as_bytes());
    let inspected = Inspected::of(Component::from_bytes(bytes, &LoadLimits::standard())?)?;
    host.compile_reviewer(policy.approve(inspected)?).await
}

fn holds(expect: &Expect, said: &Result<Verdict, ReviewError>, outcome: &Outcome, about: &str) {
    let (word, text) = match said {
        Ok(Verdict::Accept(Amendment::None)) => ("accept", None),
        Ok(Verdict::Accept(Amendment::Content(content))) => ("content", Some(text_of(content))),
        Ok(Verdict::Accept(Amendment::Value(value))) => ("value", Some(value.clone())),
        Ok(Verdict::Block { feedback }) => ("block", Some(feedback.clone())),
        Err(ReviewError(why)) => {
            let Some(parts) = &expect.cause else { panic!("{about}: no verdict: {why}") };
            for part in parts {
                assert!(why.contains(part), "{about}: {why:?} lacks {part:?}");
            }
            assert!(why.len() < 10_000, "{about}: {} bytes for the operator", why.len());
            ("none", None)
        }
    };
    let blocked = matches!(word, "block" | "none").then_some("BLOCKED");
    if word != "none" {
        assert_eq!(expect.verdict.as_deref(), Some(word), "{about}: {said:?}");
    }
    if let Some(expected) = &expect.text {
        assert_eq!(text.as_ref(), Some(expected), "{about}");
    }
    let code = match outcome {
        Outcome::Success(_) => None,
        Outcome::Failure(failure) => Some(failure.code.as_str()),
    };
    assert_eq!(code, expect.code.as_deref().or(blocked), "{about}: {outcome:?}");
    match outcome {
        Outcome::Success(success) => {
            assert!(expect.message.is_empty(), "{about}: succeeded");
            if let Some(value) = &expect.value {
                assert_eq!(success.value.text(), value, "{about}");
            }
            if let Some(content) = &expect.content {
                assert_eq!(&text_of(&success.content), content, "{about}");
            }
        }
        Outcome::Failure(failure) => {
            assert!(expect.value.is_none() && expect.content.is_none(), "{about}: failed");
            for part in &expect.message {
                assert!(failure.message.contains(part), "{about}: {:?} lacks {part:?}", failure.message);
            }
            let cause = failure.diagnostic.cause.as_deref().unwrap_or_default();
            assert!(word != "none" || cause.contains("came to no verdict"), "{about}: {cause:?}");
        }
    }
    let read = serde_json::to_string(outcome).unwrap();
    for hidden in &expect.hides {
        assert!(!read.contains(hidden), "{about}: {read} holds {hidden:?}");
    }
}

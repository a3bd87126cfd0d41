//! What no tool can be written as: each file of `tests/fail` is refused by the compiler, for the reasons that the
//! `.stderr` beside it lists. `FUMEHOOD_BLESS=1` writes them anew.
//!
//! The compiler is asked directly, with the library that was built for this test, as the host's test of this kind does.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fail");

/// What every case ends with. The derives name crates by this one's path, so that no other has to be found.
const PRELUDE: &str = "use fumehood_tool::{schemars::JsonSchema, serde::{Deserialize, Serialize}, *};";

/// A whole tool, less the parts that a case writes itself.
const TYPES: &str = r#"
    #[derive(Deserialize, JsonSchema)]
    #[serde(crate = "fumehood_tool::serde")]
    #[schemars(crate = "fumehood_tool::schemars")]
    struct Args { text: String }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(crate = "fumehood_tool::serde")]
    #[schemars(crate = "fumehood_tool::schemars")]
    struct Value { text: String }
"#;

#[test]
fn these_do_not_compile() {
    let bless = std::env::var_os("FUMEHOOD_BLESS").is_some();
    let mut wrong = Vec::new();
    let mut cases = files(Path::new(CASES), |name| name.ends_with(".rs"));
    cases.sort();
    assert!(!cases.is_empty());
    for case in &cases {
        let expected = case.with_extension("stderr");
        let errors = errors(&std::fs::read_to_string(case).unwrap());
        if errors.is_empty() {
            wrong.push(format!("{} compiles", case.display()));
        } else if bless {
            std::fs::write(&expected, &errors).unwrap();
        } else if std::fs::read_to_string(&expected).ok().as_ref() != Some(&errors) {
            wrong.push(format!("{}: the compiler says\n{errors}", case.display()));
        }
    }
    for text in files(Path::new(CASES), |name| name.ends_with(".stderr")) {
        if !cases.contains(&text.with_extension("rs")) {
            wrong.push(format!("{} belongs to no file", text.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same way of asking accepts a tool as it should be: a refusal is not for want of a library.
#[test]
fn an_honest_tool_compiles() {
    let honest = r#"
        struct Echo;
        struct Other;
        component!(Echo, Other);
        impl Tool for Echo {
            type Args = Args;
            type Value = Value;
            const NAME: &str = "echo";
            const DESCRIPTION: &str = "Echo.";
            fn execute(args: Args, context: &Context) -> Result<Value, ToolError> {
                context.progress(1, None, None);
                Ok(Value { text: args.text })
            }
        }
        impl Tool for Other {
            type Args = NoArgs;
            type Value = Option<Value>;
            const NAME: &str = "other";
            const DESCRIPTION: &str = "Nothing.";
            fn execute(_args: NoArgs, _context: &Context) -> Result<Option<Value>, ToolError> {
                const CODE: Code = Code::new("NO");
                Err(ToolError::failed(CODE, "no"))
            }
            fn render(_args: &NoArgs, value: &Option<Value>) -> Content {
                if value.is_some() { "some" } else { "none" }.into()
            }
            fn present(_args: &NoArgs, _value: Option<&Option<Value>>) -> Option<Card> {
                Some(TerminalCard::new("ls").exited(0).into())
            }
        }
        fn main() {}"#;
    assert_eq!(errors(honest), "");
}

/// What the compiler has against a program: one error a line, with its code, and its place where that is in the program.
fn errors(source: &str) -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("case-{number}"));
    std::fs::create_dir_all(&out).unwrap();
    let file = out.join("case.rs");
    // Behind it, so that the numbers of lines are the file's own.
    std::fs::write(&file, format!("{source}\n{PRELUDE}\n{TYPES}")).unwrap();
    let libraries = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "bin",
            "--emit",
            "metadata",
            "--error-format",
            "json",
            "-A",
            "warnings",
        ])
        .env("CARGO_PKG_NAME", "case")
        .envs(
            ["VERSION", "DESCRIPTION", "AUTHORS", "LICENSE", "HOMEPAGE", "REPOSITORY"]
                .map(|name| (format!("CARGO_PKG_{name}"), "")),
        )
        .arg("--out-dir")
        .arg(&out)
        .arg("--extern")
        .arg(format!("fumehood_tool={}", library(&libraries).display()))
        .arg("-L")
        .arg(format!("dependency={}", libraries.display()))
        .arg(&file)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&out).unwrap();
    let mut errors = String::new();
    for line in String::from_utf8(output.stderr).unwrap().lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        // The last one has no place: it counts the others.
        let Some(place) = message["spans"].as_array().unwrap().iter().find(|span| span["is_primary"] == true) else {
            continue;
        };
        if message["level"] == "error" {
            let code = message["code"]["code"].as_str().map(|code| format!("[{code}]")).unwrap_or_default();
            let own = place["file_name"].as_str().is_some_and(|name| Path::new(name) == file);
            let at = if own { format!("{}: ", place["line_start"]) } else { String::new() };
            let _ = writeln!(errors, "{at}error{code}: {}", message["message"].as_str().unwrap());
            for help in message["children"].as_array().unwrap().iter().filter(|child| child["level"] == "note") {
                // Which other types are no tools either, and where the compiler was, is no concern of who reads this.
                let text = help["message"].as_str().unwrap();
                if text.contains("fumehood_tool::Tool") || text.contains("derive") {
                    let _ = writeln!(errors, "    note: {text}");
                }
            }
        }
    }
    assert_eq!(errors.is_empty(), output.status.success(), "the compiler said something else: {errors}");
    errors
}

/// The library that was built last: the one this test was built with, or one of the same sources.
fn library(libraries: &Path) -> PathBuf {
    let built = |path: &PathBuf| std::fs::metadata(path).unwrap().modified().unwrap();
    files(libraries, |name| name.starts_with("libfumehood_tool-") && name.ends_with(".rlib"))
        .into_iter()
        .max_by_key(built)
        .unwrap()
}

fn files(directory: &Path, keep: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(&keep)).collect()
}

//! What nobody outside the library can write: each file of `tests/fail` is refused by the compiler, for the reasons that
//! the `.stderr` beside it lists. `FUMEHOOD_BLESS=1` writes them anew.
//!
//! The compiler is asked directly, with the library that was built for this test. The usual crate for such tests builds
//! a project of its own and with it wasmtime a second time: minutes and a gigabyte for a few lines.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "it runs the compiler on files of the repository")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fail");

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

/// The same way of asking accepts what an embedder may write: a refusal is not for want of a library.
#[test]
fn an_honest_embedder_compiles() {
    let honest = "
        use fumehood::{CacheLocation, Call, Compiler, EngineSettings, Host, Json, JsonLimits, Outcome, Policy};
        async fn call(host: &Host, policy: &Policy) -> Outcome {
            host.load(\"tool.wasm\", policy).await.unwrap().run(Call::from_text(\"echo\", \"{}\")).await
        }
        fn main() {
            let _ = Host::new(EngineSettings::standard(Compiler::InProcess, CacheLocation::Off));
            let _ = Json::parse(\"{}\", &JsonLimits { bytes: 2, depth: 1, nodes: 1 });
            let _ = call;
        }";
    assert_eq!(errors(honest), "");
}

/// What the compiler has against a program: one error a line, with its place and code.
fn errors(source: &str) -> String {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("case.rs");
    std::fs::write(&file, source).unwrap();
    let libraries = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition", "2024", "--crate-type", "bin", "--emit", "metadata", "--error-format", "json"])
        .arg("--out-dir")
        .arg(out.path())
        .arg("--extern")
        .arg(format!("fumehood={}", library(&libraries).display()))
        .arg("-L")
        .arg(format!("dependency={}", libraries.display()))
        .arg(&file)
        .output()
        .unwrap();
    let mut errors = String::new();
    for line in String::from_utf8(output.stderr).unwrap().lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        // The last one has no place: it counts the others.
        let Some(place) = message["spans"].as_array().unwrap().iter().find(|span| span["is_primary"] == true) else {
            continue;
        };
        if message["level"] == "error" {
            let code = message["code"]["code"].as_str().map(|code| format!("[{code}]")).unwrap_or_default();
            let _ = writeln!(errors, "{}: error{code}: {}", place["line_start"], message["message"].as_str().unwrap());
        }
    }
    assert_eq!(errors.is_empty(), output.status.success(), "the compiler said something else: {errors}");
    errors
}

/// The library that was built last: the one this test was built with, or one of the same sources.
fn library(libraries: &Path) -> PathBuf {
    let built = |path: &PathBuf| std::fs::metadata(path).unwrap().modified().unwrap();
    files(libraries, |name| name.starts_with("libfumehood-") && name.ends_with(".rlib"))
        .into_iter()
        .max_by_key(built)
        .unwrap()
}

fn files(directory: &Path, keep: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(&keep)).collect()
}

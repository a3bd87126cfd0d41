#![expect(clippy::disallowed_methods, reason = "a test reads the repository, and writes in a folder of its own")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use clap::ValueEnum as _;
use serde_json::Value;

use super::capability::Asked;
use super::name::{NameError, ProjectName};
use super::project;
use super::{Lang, commands, files, said};

fn name(text: &str) -> ProjectName {
    ProjectName::of(text, Lang::Rust).unwrap()
}

fn asked(texts: &[&str]) -> Vec<Asked> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn made(name: &ProjectName, lang: Lang, asked: &[Asked]) -> Vec<project::Made> {
    project::made(name, lang, asked).unwrap()
}

fn text(files: &[project::Made], path: &str) -> String {
    let file = files.iter().find(|file| file.path == path);
    file.unwrap_or_else(|| panic!("no {path}")).text().unwrap().to_owned()
}

#[test]
fn a_name_is_a_folder_a_package_and_with_underscores_a_tool() {
    for good in ["a", "dice", "tidy-lines", "a1-2b", &"a".repeat(40)] {
        assert_eq!(name(good).as_str(), good);
    }
    assert_eq!(name("tidy-up-lines").with_underscores(), "tidy_up_lines");
}

#[test]
fn what_is_no_name_is_refused_with_the_name_that_was_meant() {
    for (bad, meant) in [
        ("", None),
        ("Tidy Lines", Some("tidy-lines")),
        ("tidy_lines", Some("tidy-lines")),
        ("tools/tidy", Some("tidy")),
        ("../tidy", Some("tidy")),
        ("/", None),
        ("9lives", Some("lives")),
        ("-tidy", Some("tidy")),
        ("tidy-", Some("tidy")),
        ("tidy--lines", Some("tidy-lines")),
        ("größe", None),
        ("整理", None),
        ("tidy\u{202e}lines", None),
        ("tidy\0", Some("tidy")),
        ("Fn", None),
        (&"a".repeat(41), Some(&"a".repeat(40))),
    ] {
        let Err(NameError::Malformed { suggestion, why, .. }) = ProjectName::of(bad, Lang::Rust) else {
            panic!("{bad:?} is taken for a name")
        };
        assert_eq!(suggestion.as_deref(), meant, "{bad:?}: {why}");
        assert!(!why.is_empty());
    }
}

#[test]
fn what_the_language_has_for_itself_is_refused() {
    for reserved in ["core", "serde", "fumehood-tool", "match"] {
        assert!(matches!(ProjectName::of(reserved, Lang::Rust), Err(NameError::Reserved { .. })), "{reserved}");
    }
}

#[test]
fn the_name_is_the_only_thing_that_differs_from_the_template() {
    for &lang in Lang::value_variants() {
        let made = made(&name("tidy-lines"), lang, &[]);
        for (made, file) in made.iter().zip(files::of(lang)) {
            let text = made.text().filter(|_| file.is_template());
            for placeholder in ["new-tool", "new_tool", "NewTool"] {
                let left = made.path.contains(placeholder) || text.is_some_and(|text| text.contains(placeholder));
                assert!(!left, "{lang:?}: {}", made.path);
            }
        }
        assert!(made.iter().any(|file| file.text().is_some_and(|text| text.contains("tidy_lines"))), "{lang:?}");
    }
}

/// A file that is forgotten in the list is one that a vendor does not get.
#[test]
fn everything_of_a_library_and_a_template_is_in_the_list() {
    let wit = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit"));
    for &lang in Lang::value_variants() {
        let folder = format!("bindings/{}", lang.to_possible_value().unwrap().get_name());
        let tracked = Command::new("git").args(["ls-files", &folder]).current_dir(wit).output().unwrap();
        assert!(tracked.status.success());
        let tracked = String::from_utf8(tracked.stdout).unwrap();
        // What a library is tested with, what is said of it here, and a template's way to its library.
        let about = format!("{folder}/README.md");
        let left_out = |path: &&str| {
            path.contains("/tests/")
                || path.ends_with("/clippy.toml")
                || (*path == about && lang != Lang::Rust)
                || wit.join(path).is_dir()
        };
        let expected: BTreeSet<_> = tracked.lines().filter(|path| !left_out(path)).collect();
        let listed: BTreeSet<_> = files::of(lang).iter().map(|file| file.from).collect();
        let missing: Vec<_> = expected.difference(&listed).collect();
        assert!(!expected.is_empty() && missing.is_empty(), "{lang:?}: {missing:?}");
        let places: BTreeSet<_> = files::of(lang).iter().map(|file| file.to).collect();
        assert_eq!(places.len(), files::of(lang).len(), "{lang:?}: two files in one place");
    }
}

#[test]
fn what_a_tool_in_rust_asks_for_is_in_its_cargo_toml() {
    let files =
        made(&name("dice"), Lang::Rust, &asked(&["http:https://example.com/", "secret:token", "process:git", "clock"]));
    let cargo = text(&files, "Cargo.toml");
    assert!(::fumehood::Package::from_cargo(&cargo).is_ok(), "{cargo}");
    let cargo: toml::Table = cargo.parse().unwrap();
    let capabilities = cargo["package"]["metadata"]["fumehood"]["capabilities"].as_array().unwrap();
    let kinds: Vec<_> = capabilities.iter().map(|one| one["capability"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["http", "secret", "process", "clock"]);
    assert_eq!(capabilities[1]["name"].as_str(), Some("token"));
    assert!(capabilities.iter().all(|one| !one["reason"].as_str().unwrap().is_empty()));
    let features = cargo["dependencies"]["fumehood-tool"]["features"].as_array().unwrap();
    assert_eq!(features.iter().map(|one| one.as_str().unwrap()).collect::<Vec<_>>(), ["host", "http"]);
    // A clock is an interface of WASI.
    assert!(text(&files, "README.md").contains("wasm32-wasip2"));
    assert!(!text(&files, "README.md").contains("wasm32-unknown-unknown"));
}

/// The commands that are printed work as they are typed: none of them grants anything.
#[test]
fn what_is_asked_for_can_be_left_out_and_says_why() {
    let every = ["filesystem:read", "http", "secret:t", "env:T", "process:t", "tools:t", "clock", "random"];
    for one in asked(&every) {
        let request = one.request();
        assert_eq!(request["optional"], true, "{request}");
        // What `fumehood check` wants of a reason, and not by a hair: names may be short.
        let reason = request["reason"].as_str().unwrap();
        assert!(reason.len() > 12 && reason.split(' ').count() >= 3, "{reason}");
    }
    for &lang in Lang::value_variants() {
        let says = |asked: &[Asked]| text(&made(&name("dice"), lang, asked), "README.md").contains("`optional`");
        assert!(says(&asked(&["clock"])) && !says(&[]), "{lang:?}");
    }
}

#[test]
fn other_languages_ask_in_their_manifest() {
    for &lang in Lang::value_variants().iter().filter(|&&lang| lang != Lang::Rust) {
        let plain: Value = serde_json::from_str(&text(&made(&name("dice"), lang, &[]), "manifest.json")).unwrap();
        let files = made(&name("dice"), lang, &asked(&["env:LANG"]));
        let mut asking: Value = serde_json::from_str(&text(&files, "manifest.json")).unwrap();
        let requests = asking.as_object_mut().unwrap().remove("capabilities").unwrap();
        assert_eq!(requests[0]["capability"], "env", "{lang:?}");
        assert_eq!(requests[0]["name"], "LANG", "{lang:?}");
        let mut plain = plain;
        plain.as_object_mut().unwrap().remove("capabilities");
        assert_eq!(asking, plain, "{lang:?}");
    }
}

#[test]
fn a_project_is_built_against_what_it_asks_for() {
    let built = |lang, capability, file| text(&made(&name("dice"), lang, &asked(&[capability])), file);
    assert!(built(Lang::Python, "http", "build.sh").contains("--world component-with-http "));
    assert!(built(Lang::Python, "secret:token", "build.sh").contains("--world component-with-http "));
    assert!(built(Lang::Js, "process:git", "build.mjs").contains(r#"world: "component-with-process""#));
    assert!(built(Lang::Js, "tools:word_count", "build.mjs").contains(r#"world: "component-with-tools""#));
    for (lang, file, plain) in
        [(Lang::Python, "build.sh", "--world component "), (Lang::Js, "build.mjs", r#"world: "component""#)]
    {
        assert!(built(lang, "clock", file).contains(plain));
    }
    for (lang, capabilities) in [
        (Lang::C, &["http"][..]),
        (Lang::C, &["process:git"]),
        (Lang::Js, &["http:https://example.com/"]),
        (Lang::Js, &["secret:token"]),
        (Lang::Python, &["http", "process:git"]),
    ] {
        let refused = project::made(&name("dice"), lang, &asked(capabilities)).err();
        assert!(refused.is_some_and(|why| why.contains("--lang rust")), "{lang:?} with {capabilities:?}");
    }
}

#[test]
fn nothing_is_asked_for_twice() {
    let tried = |capabilities: &[&str]| project::made(&name("dice"), Lang::Rust, &asked(capabilities)).map(|_| ());
    for twice in [["clock", "clock"], ["env:A", "env:A"], ["filesystem:read", "filesystem:read-write"]] {
        assert!(tried(&twice).unwrap_err().contains("asked for twice"), "{twice:?}");
    }
    for both in [["clock", "random"], ["env:A", "env:B"], ["http", "http:https://example.com/"]] {
        assert_eq!(tried(&both), Ok(()), "{both:?}");
    }
}

#[test]
fn a_capability_that_is_none_says_what_there_is() {
    for bad in
        ["", "files", "filesystem", "filesystem:write", "secret", "secret:", "env:1X", "clock:now", "http:ftp://x/"]
    {
        let error = bad.parse::<Asked>().unwrap_err();
        assert!(!error.is_empty(), "{bad}");
    }
    assert!("net".parse::<Asked>().unwrap_err().contains("filesystem:read"));
}

#[test]
fn the_commands_are_those_of_the_readme() {
    for &lang in Lang::value_variants() {
        let files = made(&name("dice"), lang, &[]);
        let said = said(&name("dice"), &files, &[]);
        let readme = text(&files, "README.md");
        assert!(commands(&readme).count() >= 4, "{lang:?}");
        assert!(commands(&readme).all(|command| said.contains(&format!("\n  {command}\n"))), "{said}");
        for verb in ["fumehood check ", "fumehood pack ", "fumehood run "] {
            assert!(said.contains(verb), "{lang:?}: {said}");
        }
    }
}

#[test]
fn nothing_that_exists_is_touched() {
    let parent = tempfile::tempdir().unwrap();
    let files = made(&name("dice"), Lang::Rust, &[]);
    project::write(parent.path(), &name("dice"), &files).unwrap();
    let cargo = parent.path().join("dice/Cargo.toml");
    std::fs::write(&cargo, "mine").unwrap();
    let refused = project::write(parent.path(), &name("dice"), &files).unwrap_err();
    assert!(refused.message().contains("dice/ exists"), "{}", refused.message());
    assert_eq!(std::fs::read_to_string(&cargo).unwrap(), "mine");
    // Neither an empty folder nor a link that leads nowhere.
    std::fs::create_dir(parent.path().join("empty")).unwrap();
    std::os::unix::fs::symlink("nowhere", parent.path().join("link")).unwrap();
    for taken in ["empty", "link"] {
        project::write(parent.path(), &name(taken), &files).unwrap_err();
    }
    assert!(std::fs::read_dir(parent.path().join("empty")).unwrap().next().is_none());
    // Nothing is left of the attempts.
    let left: BTreeSet<_> = std::fs::read_dir(parent.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["dice", "empty", "link"].map(Into::into).into());
}

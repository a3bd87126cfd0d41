//! The documents name only what exists: links, guests, files, codes and limits.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "it reads the repository, and fails loudly")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fumehood::LimitName;

#[path = "docs/refused.rs"]
mod refused;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every Markdown file that people are sent to, with its text.
fn documents() -> Vec<(PathBuf, String)> {
    let root = repository();
    let mut files = vec![root.join("README.md"), root.join("wit/README.md"), root.join("tests/README.md")];
    for folder in ["docs", "docs/decisions", "docs/tool-authors", "sample-tools"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            files.push(entry.unwrap().path());
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    assert!(files.len() > 15);
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// Every link to a file or a section of this repository, with the page that it stands in.
fn links() -> Vec<(PathBuf, String)> {
    let mut links = Vec::new();
    for (path, text) in documents() {
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let own = targets.filter(|target| !target.contains("://"));
        links.extend(own.map(|target| (path.clone(), target.to_owned())));
    }
    links
}

#[test]
fn every_relative_link_leads_somewhere() {
    let mut broken = Vec::new();
    for (path, target) in links() {
        let file = target.split('#').next().unwrap();
        if !file.is_empty() && !path.parent().unwrap().join(file).exists() {
            broken.push(format!("{}: {target}", path.display()));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_link_to_a_section_finds_it() {
    let (mut followed, mut broken) = (0, Vec::new());
    for (path, target) in links() {
        let Some((file, section)) = target.split_once('#') else { continue };
        let page = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
        if page.extension().is_some_and(|extension| extension == "md") {
            followed += 1;
            if !sections(&std::fs::read_to_string(&page).unwrap_or_default()).contains(section) {
                broken.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(followed > 20);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// What a link may name in a page: its headings, as GitHub spells them in a link, and its own anchors.
fn sections(page: &str) -> BTreeSet<String> {
    let own = page.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned);
    let mut sections: BTreeSet<String> = own.collect();
    let mut fenced = false;
    for line in page.lines() {
        fenced ^= line.starts_with("```");
        let Some(heading) = line.strip_prefix('#').filter(|_| !fenced) else { continue };
        let heading = heading.trim_start_matches('#').trim();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        let name: String = kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect();
        let mut numbered = name.clone();
        for number in 1.. {
            if sections.insert(numbered) {
                break;
            }
            numbered = format!("{name}-{number}");
        }
    }
    sections
}

#[test]
fn every_guest_that_is_named_exists() {
    let root = repository();
    let folders = ["tests/guests", "tests/guests-review"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let guests: Vec<_> =
        folders.into_iter().flatten().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let first_words: Vec<_> = guests.iter().filter_map(|name| name.split('-').next()).collect();
    let (mut missing, mut seen) = (Vec::new(), 0);
    for (path, text) in documents() {
        for name in text.split('`').skip(1).step_by(2) {
            let like_a_guest = name.matches('-').count() >= 2
                && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
                // A world of `wit/`.
                && !name.ends_with("-on-wasi")
                && name.split('-').next().is_some_and(|word| first_words.contains(&word));
            if like_a_guest {
                seen += 1;
                if !guests.iter().any(|guest| guest == name) {
                    missing.push(format!("{}: {name}", path.display()));
                }
            }
        }
    }
    assert!(seen > 50, "the security model names {seen} guests");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_file_that_is_named_in_the_invariants_exists() {
    let text = std::fs::read_to_string(repository().join("docs/architecture.md")).unwrap();
    let mut seen = 0;
    for name in text.split('`').skip(1).step_by(2).filter(|name| name.starts_with("tests/") || name.ends_with(".wit")) {
        seen += 1;
        assert!(repository().join(name).exists(), "{name}");
    }
    assert!(seen > 5);
}

#[test]
fn the_table_of_limits_is_the_librarys() {
    let text = std::fs::read_to_string(repository().join("docs/operators.md")).unwrap();
    for name in LimitName::ALL {
        let row = format!("| `{name}` | {} |", name.standard());
        assert!(text.contains(&row), "docs/operators.md has no row that begins {row}");
    }
}

/// Made from the types. `FUMEHOOD_BLESS=1 cargo test --test docs` writes it anew.
#[test]
fn the_policy_reference_is_what_the_command_prints() {
    let printed = std::process::Command::new(env!("CARGO_BIN_EXE_fumehood")).args(["policy", "reference"]).output();
    let printed = String::from_utf8(printed.unwrap().stdout).unwrap();
    assert!(printed.contains("### `filesystem`") && printed.contains("`wall-clock-ms`"), "{printed}");
    let page = repository().join("docs/policy-reference.md");
    if std::env::var_os("FUMEHOOD_BLESS").is_some() {
        std::fs::write(&page, &printed).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&page).unwrap_or_default(), printed, "docs/policy-reference.md is stale");
}

/// How `docs/conformance.md` answers, and whether that takes a test.
const ANSWERS: &[(&str, bool)] = &[("holds", true), ("in part", true), ("otherwise", false), ("none", false)];

#[test]
fn conformance_is_complete_and_names_tests_that_exist() {
    let text = std::fs::read_to_string(repository().join("docs/conformance.md")).unwrap();
    let (mut numbers, mut wrong) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| |")) {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [number, _, answer, why] = cells.as_slice() else { panic!("four cells: {line}") };
        numbers.push(number.parse::<u32>().unwrap_or_else(|_| panic!("a number: {line}")));
        let Some((_, tested)) = ANSWERS.iter().find(|(known, _)| known == answer) else {
            panic!("{number}: {answer:?} is no answer");
        };
        let mut tests = 0;
        for (file, name) in why.split('`').skip(1).step_by(2).filter_map(|quoted| quoted.split_once("::")) {
            tests += 1;
            let source = std::fs::read_to_string(repository().join(file)).unwrap_or_default();
            // A test in Rust, or a check in a browser.
            let defined = [format!("fn {name}("), format!("function {name}(")];
            if !defined.iter().any(|defined| source.contains(defined)) {
                wrong.push(format!("{number}: there is no {file}::{name}"));
            }
        }
        if *tested && tests == 0 {
            wrong.push(format!("{number}: {answer}, by no test"));
        }
        if why.is_empty() || why.contains("TODO") {
            wrong.push(format!("{number}: no reason"));
        }
    }
    assert_eq!(numbers, (1..=94).collect::<Vec<_>>());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_cookbook_quotes_what_is_built() {
    let root = repository();
    let text = std::fs::read_to_string(root.join("docs/tool-authors/cookbook.md")).unwrap();
    let sample = root.join("sample-tools/cookbook");
    let files: Vec<_> = std::fs::read_dir(sample.join("src")).unwrap().map(|entry| entry.unwrap().path()).collect();
    // A method stands one level deeper in its file.
    let plain = |text: &str| text.lines().map(str::trim_start).collect::<Vec<_>>().join("\n");
    let built: String = files
        .into_iter()
        .chain([sample.join("Cargo.toml")])
        .map(|path| plain(&std::fs::read_to_string(path).unwrap()))
        .collect();
    let mut seen = 0;
    for fence in ["```rust\n", "```toml\n"] {
        for block in text.split(fence).skip(1).filter_map(|rest| rest.split("```").next()) {
            seen += 1;
            assert!(built.contains(plain(block).trim_end()), "nothing that is built holds:\n{block}");
        }
    }
    assert!(seen > 8, "{seen} blocks");
}

//! The WIT package: its dependencies are the linked WASI, and what was released stays as it was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use fumehood::Digest;
use wit_parser::{Resolve, Type, TypeDefKind};

const WIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../wit");

/// Each released version and the digest of its files. Lines are added, never changed.
const RELEASED: [(&str, &str); 1] =
    [("0.1.0", "sha256:8c6b2a498eae34df5e1ec8f694f216688f1d2552fd2a86fa9ad053fe80551f71")];

/// The `.wit` files directly in a folder, by name.
#[expect(clippy::disallowed_methods, reason = "a test reads the repository it is in")]
fn wit_files(folder: &Path) -> BTreeMap<String, String> {
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "wit"))
        .map(|path| {
            let name = path.file_name().expect("a file name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a readable file"))
        })
        .collect()
}

/// One digest of all files: each name and each length goes in, so nothing can move from file to file unseen.
fn digest(files: &BTreeMap<String, String>) -> String {
    let all: String = files.iter().map(|(name, text)| format!("{name} {}\n{text}", text.len())).collect();
    Digest::of(all.as_bytes()).to_string()
}

fn version<'a>(package: &str, files: &'a BTreeMap<String, String>) -> &'a str {
    let named =
        |line: &'a str| line.strip_prefix("package ")?.strip_prefix(package)?.strip_prefix('@')?.strip_suffix(';');
    let mut versions: Vec<&str> = files.values().filter_map(|text| text.lines().find_map(named)).collect();
    assert_eq!(versions.len(), files.len(), "each file says its package and version");
    versions.dedup();
    assert_eq!(versions.len(), 1, "all files have one version: {versions:?}");
    versions[0]
}

#[test]
fn the_package_parses_and_holds_both_worlds() {
    let mut resolve = Resolve::default();
    let (ours, _) = resolve.push_dir(WIT).expect("wit/ parses");
    for world in ["tool-component", "tool-component-on-wasi"] {
        let world = resolve.select_world(&[ours], Some(world)).expect("the world exists");
        assert_eq!(resolve.worlds[world].exports.len(), 1);
    }
}

#[test]
fn the_host_package_parses_beside_it() {
    let mut resolve = Resolve::default();
    // As `wit-bindgen` reads `path: ["wit", "wit/host"]`.
    resolve.push_path(WIT).expect("wit/ parses");
    let (host, _) = resolve.push_path(Path::new(WIT).join("host")).expect("wit/host parses");
    for (world, exports) in [("imports", 0), ("tool-component-with-host", 1), ("tool-component-with-host-on-wasi", 1)] {
        let world = resolve.select_world(&[host], Some(world)).expect("the world exists");
        assert_eq!(resolve.worlds[world].exports.len(), exports);
        let imported = |name: &str| {
            let names = resolve.worlds[world].imports.keys().map(|key| resolve.name_world_key(key));
            names.filter(|import| import == name).count()
        };
        assert_eq!(imported("fumehood:host/process@0.1.0"), 1);
        assert_eq!(imported("fumehood:host/tools@0.1.0"), 1);
    }
    assert_eq!(version("fumehood:host", &wit_files(&Path::new(WIT).join("host"))), "0.1.0");
}

#[test]
fn the_review_package_parses_beside_it() {
    let mut resolve = Resolve::default();
    resolve.push_path(WIT).expect("wit/ parses");
    let (review, _) = resolve.push_path(Path::new(WIT).join("review")).expect("wit/review parses");
    for (world, imports_wasi) in [("review-component", false), ("review-component-on-wasi", true)] {
        let world = &resolve.worlds[resolve.select_world(&[review], Some(world)).expect("the world exists")];
        assert_eq!(world.exports.len(), 1);
        let imports: Vec<_> = world.imports.keys().map(|key| resolve.name_world_key(key)).collect();
        assert_eq!(imports.iter().any(|import| import.starts_with("wasi:")), imports_wasi);
        // A reviewer calls nothing, and nobody waits for its progress.
        for absent in ["fumehood:host", "fumehood:tool/progress"] {
            assert!(!imports.iter().any(|import| import.starts_with(absent)), "{imports:?}");
        }
    }
    assert_eq!(version("fumehood:review", &wit_files(&Path::new(WIT).join("review"))), "0.1.0");
}

/// Content and value in one verdict cannot be written down: no case holds both. So no guest tries it.
#[test]
fn a_verdict_is_one_of_four_and_none_amends_twice() {
    let mut resolve = Resolve::default();
    resolve.push_path(WIT).expect("wit/ parses");
    let (review, _) = resolve.push_path(Path::new(WIT).join("review")).expect("wit/review parses");
    let reviewer = &resolve.interfaces[resolve.packages[review].interfaces["reviewer"]];
    let TypeDefKind::Variant(verdict) = &resolve.types[reviewer.types["verdict"]].kind else {
        panic!("verdict is a variant")
    };
    let cases: Vec<_> = verdict.cases.iter().map(|case| (case.name.as_str(), case.ty.is_some())).collect();
    assert_eq!(cases, [("accept", false), ("accept-content", true), ("accept-value", true), ("block", true)]);
    let record = |ty: &Option<Type>| match ty {
        Some(Type::Id(id)) => matches!(resolve.types[*id].kind, TypeDefKind::Record(_) | TypeDefKind::Tuple(_)),
        _ => false,
    };
    assert!(verdict.cases.iter().all(|case| !record(&case.ty)), "a payload is one thing");
}

#[test]
fn the_kit_package_parses_alone() {
    let mut resolve = Resolve::default();
    let (kit, _) = resolve.push_path(Path::new(WIT).join("kit")).expect("wit/kit parses");
    let world = resolve.select_world(&[kit], Some("described")).expect("the world exists");
    assert_eq!(resolve.worlds[world].exports.len(), 1);
    assert_eq!(version("fumehood:tool-kit", &wit_files(&Path::new(WIT).join("kit"))), "0.1.0");
}

#[test]
fn what_was_released_stays_as_it_was() {
    let released = Path::new(WIT).join("released");
    let mut folders: Vec<_> = released
        .read_dir()
        .expect("wit/released")
        .map(|entry| entry.expect("a folder entry").file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    assert_eq!(folders, RELEASED.map(|(version, _)| version), "each released version has its line here");
    for (number, expected) in RELEASED {
        let files = wit_files(&released.join(number));
        assert_eq!(version("fumehood:tool", &files), number);
        assert_eq!(digest(&files), expected, "wit/released/{number} was changed");
    }
}

#[test]
fn the_working_copy_is_a_released_version_or_a_new_one() {
    let working = wit_files(Path::new(WIT));
    let number = version("fumehood:tool", &working);
    match RELEASED.iter().find(|(released, _)| *released == number) {
        Some((_, released)) => {
            assert_eq!(digest(&working), *released, "{number} is released: give the changed files a new version")
        }
        None => assert!(!Path::new(WIT).join("released").join(number).exists()),
    }
}

/// Cargo itself says where a linked crate lies.
fn linked(name: &str) -> PathBuf {
    let output = Command::new(env!("CARGO"))
        // Crates of other platforms need not be there.
        .args(["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", "host-tuple"])
        .arg("--manifest-path")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let found: Vec<_> = packages.iter().filter(|package| package["name"] == name).collect();
    assert_eq!(found.len(), 1, "one {name} is linked");
    let manifest = found[0]["manifest_path"].as_str().expect("a path");
    Path::new(manifest).parent().expect("a folder").to_owned()
}

#[test]
fn the_dependencies_are_the_linked_wasi_byte_for_byte() {
    let ours = wit_files(&Path::new(WIT).join("deps"));
    let http = wit_files(&linked("wasmtime-wasi-http").join("wit/deps"));
    let mut linked = wit_files(&linked("wasmtime-wasi").join("src/p2/wit/deps"));
    for (name, text) in http {
        // Both crates bring what both use; it has to be the same.
        let ours = linked.entry(name.clone()).or_insert_with(|| text.clone());
        assert!(*ours == text, "the linked crates differ in {name}");
    }
    assert_eq!(ours.keys().collect::<Vec<_>>(), linked.keys().collect::<Vec<_>>());
    for (name, text) in ours {
        assert!(text == linked[&name], "wit/deps/{name} differs from the linked WASI");
        assert!(text.contains("@0.2.12;"), "{name}");
    }
}

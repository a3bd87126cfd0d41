//! Who may know what: the table of `docs/architecture.md`, held against what each module of the library names.
//!
//! It reads tokens, so a path inside a macro counts like any other. Code under `#[cfg(test)]` may use anything.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "it reads the repository, and fails loudly")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

/// Crates that any module may use: they carry no authority and make no decision.
const ANYWHERE: &[&str] = &["std", "core", "serde", "serde_json", "thiserror"];

/// Written as an embedder's code would be: they name types at the crate's root and no module.
const SURFACES: &[&str] = &["check", "mcp"];

/// Module, the outside crates it may name, the inside modules it may name.
const TABLE: &[(&str, &[&str], &[&str])] = &[
    ("finding", &[], &[]),
    ("json", &[], &[]),
    ("schema", &["jsonschema", "percent_encoding", "stacker"], &["finding", "json"]),
    ("content", &["base64"], &[]),
    ("excerpt", &[], &[]),
    ("backtrace", &[], &[]),
    ("card", &[], &["content", "excerpt"]),
    ("component", &["sha2"], &["finding"]),
    ("capability", &["url"], &[]),
    ("manifest", &["semver"], &["capability", "component", "finding", "json", "schema"]),
    (
        "inspect",
        &["miniz_oxide", "wasmparser", "wit_parser"],
        &["capability", "component", "finding", "json", "manifest"],
    ),
    (
        "pack",
        &["toml", "wasm_encoder", "wasmparser", "wit_component", "wasi_preview1_component_adapter_provider"],
        &["component", "finding", "inspect", "manifest"],
    ),
    ("policy", &["ipnet", "toml", "url"], &["capability", "component", "consent", "finding", "inspect"]),
    ("lock", &["cap_std", "rustix", "toml"], &["component", "finding", "inspect", "manifest", "policy"]),
    ("decision", &["tracing"], &["capability"]),
    ("audit", &[], &["capability", "component", "finding", "inspect", "json", "manifest", "policy"]),
    ("engine", &["wasmtime", "tokio", "cap_std", "rustix", "sha2", "hmac", "getrandom"], &[]),
    ("bindings", &["wasmtime"], &[]),
    (
        "sandbox",
        &[
            "addr2line",
            "rustc_demangle",
            "wasmparser",
            "wasmtime",
            "wasmtime_wasi",
            "wasmtime_wasi_http",
            "tokio",
            "bytes",
            "cap_std",
            "capctl",
            "close_fds",
            "rustix",
            "base64",
            "http",
            "http_body_util",
            "hyper",
            "tokio_rustls",
            "webpki_roots",
            "url",
        ],
        &["backtrace", "bindings", "capability", "card", "content", "decision", "engine", "json", "policy", "schema"],
    ),
    ("outcome", &[], &["backtrace", "card", "content", "decision", "policy", "sandbox", "schema", "session"]),
    ("consent", &[], &["component", "manifest", "schema"]),
    ("review", &[], &["card", "content", "outcome", "schema"]),
    ("session", &["humantime", "rustix"], &["card", "component", "content", "decision"]),
    ("spill", &["rustix"], &["component", "content", "excerpt", "session"]),
    (
        "call",
        &["tokio", "tokio_util", "tracing"],
        &[
            "backtrace",
            "capability",
            "card",
            "component",
            "consent",
            "content",
            "decision",
            "engine",
            "finding",
            "json",
            "lock",
            "manifest",
            "outcome",
            "policy",
            "review",
            "sandbox",
            "schema",
            "session",
            "spill",
        ],
    ),
    ("worker", &[], &["engine", "sandbox"]),
    (
        "host",
        &["tokio"],
        &[
            "call",
            "capability",
            "component",
            "engine",
            "inspect",
            "lock",
            "manifest",
            "outcome",
            "pack",
            "policy",
            "sandbox",
        ],
    ),
    ("check", &["base64", "cap_std", "percent_encoding", "proptest", "similar", "tempfile", "tokio"], &[]),
    (
        "mcp",
        &[
            "base64",
            "bytes",
            "cap_std",
            "futures_core",
            "getrandom",
            "http",
            "http_body_util",
            "hyper",
            "hyper_util",
            "imagesize",
            "infer",
            "notify",
            "percent_encoding",
            "rmcp",
            "rustix",
            "sha2",
            "subtle",
            "tokio",
            "tokio_rustls",
            "tokio_util",
            "tower_service",
            "tracing",
            "url",
        ],
        &[],
    ),
];

#[derive(Debug, Default, PartialEq, Eq)]
struct Named {
    outside: BTreeSet<String>,
    inside: BTreeSet<String>,
}

#[test]
fn every_module_names_only_what_the_table_allows() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let dependencies = dependencies();
    let mut found: BTreeMap<String, Named> = BTreeMap::new();
    for file in rust_files(&source) {
        let inside = file.strip_prefix(&source).unwrap();
        let mut parts: Vec<String> = inside.with_extension("").iter().map(|p| p.to_str().unwrap().into()).collect();
        if matches!(parts[0].as_str(), "lib" | "main" | "cli") {
            continue;
        }
        if parts.last().is_some_and(|last| last == "mod") {
            parts.pop();
        }
        // Files of tests, `mod tests;` under `#[cfg(test)]`.
        if parts.iter().any(|part| part == "tests") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let named = found.entry(parts[0].clone()).or_default();
        read(tokens, &parts, &dependencies, named);
    }
    let mut wrong = Vec::new();
    for (module, named) in &found {
        let Some((_, crates, modules)) = TABLE.iter().find(|(name, ..)| name == module) else {
            wrong.push(format!("{module}: not in the table"));
            continue;
        };
        for name in &named.outside {
            if !crates.contains(&name.as_str()) && !ANYWHERE.contains(&name.as_str()) {
                wrong.push(format!("{module} names the crate {name}"));
            }
        }
        for name in &named.inside {
            let public = SURFACES.contains(&module.as_str()) && name.starts_with(|c: char| c.is_ascii_uppercase());
            if name != module && !public && !modules.contains(&name.as_str()) {
                wrong.push(format!("{module} names the module {name}"));
            }
        }
        for name in modules.iter().filter(|name| !named.inside.contains(**name)) {
            wrong.push(format!("{module} no longer names the module {name}: take it out of the table"));
        }
        for name in crates.iter().filter(|name| !named.outside.contains(**name)) {
            wrong.push(format!("{module} no longer names the crate {name}: take it out of the table"));
        }
    }
    for (module, ..) in TABLE.iter().filter(|(module, ..)| !found.contains_key(*module)) {
        wrong.push(format!("{module}: in the table and not in the source"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_command_line_uses_the_public_api_alone() {
    // A binary of its own cannot reach a private item; it could only bring the engine in by the side.
    let cli = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli");
    let dependencies = dependencies();
    for file in rust_files(&cli) {
        let mut named = Named::default();
        let tokens: TokenStream = std::fs::read_to_string(&file).unwrap().parse().unwrap();
        read(tokens, &["cli".into(), "file".into()], &dependencies, &mut named);
        for engine in ["wasmtime", "wasmtime_wasi", "wasmparser", "jsonschema", "cap_std"] {
            assert!(!named.outside.contains(engine), "{} names {engine}", file.display());
        }
    }
}

#[test]
fn the_reader_sees_what_it_should() {
    let check = |text: &str, parts: &[&str], outside: &[&str], inside: &[&str]| {
        let mut named = Named::default();
        let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
        let dependencies = ["wasmtime", "tokio"].map(String::from).into();
        read(text.parse().unwrap(), &parts, &dependencies, &mut named);
        let set = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        assert_eq!(named, Named { outside: set(outside), inside: set(inside) }, "{text}");
    };
    check("use crate::json::Json;", &["call"], &[], &["json"]);
    check("use crate::{json::Json, schema};", &["call"], &[], &["json", "schema"]);
    check("fn f() { let x = wasmtime::Engine::default(); }", &["call"], &["wasmtime"], &[]);
    check("use wasmtime as w;", &["call"], &["wasmtime"], &[]);
    check("tokio::select! { x = crate::engine::f() => {} }", &["call"], &["tokio"], &["engine"]);
    check("use super::engine::Engine;", &["call"], &[], &["engine"]);
    check("use super::super::engine::Engine;", &["policy", "limits"], &[], &["engine"]);
    check("use super::engine::Engine;", &["policy", "limits"], &[], &[]);
    check("mod a { use super::super::engine::Engine; }", &["call"], &[], &["engine"]);
    check("mod a { use super::engine::Engine; }", &["call"], &[], &[]);
    check("#[cfg(test)] mod tests { use crate::engine; }", &["call"], &[], &[]);
    check("fn f(x: self::wasmtime::X) {}", &["call"], &[], &[]);
}

fn dependencies() -> BTreeSet<String> {
    let manifest = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let for_a_target = manifest["target"].as_table().unwrap().values();
    let tables = for_a_target.map(|target| &target["dependencies"]).chain([&manifest["dependencies"]]);
    let names: BTreeSet<_> =
        tables.flat_map(|table| table.as_table().unwrap().keys().map(|name| name.replace('-', "_"))).collect();
    assert!(names.contains("wasmtime"));
    names
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

fn read(tokens: TokenStream, module: &[String], dependencies: &BTreeSet<String>, named: &mut Named) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut index = 0;
    while index < tokens.len() {
        if let Some(after) = test_item(&tokens, index) {
            index = after;
            continue;
        }
        match &tokens[index] {
            TokenTree::Group(group) => match module_before(&tokens, index) {
                // `super` in there is this module.
                Some(name) => read(group.stream(), &[module, &[name]].concat(), dependencies, named),
                None => read(group.stream(), module, dependencies, named),
            },
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                let first = !follows_colons(&tokens, index);
                let used_whole = index > 0 && is_ident(&tokens[index - 1], "use");
                if name == "crate" && first {
                    modules_after(&tokens, index + 1, named);
                } else if name == "super" && first {
                    let mut at = index;
                    let mut depth = module.len();
                    while at < tokens.len() && is_ident(&tokens[at], "super") {
                        depth = depth.saturating_sub(1);
                        at += if colons(&tokens, at + 1) { 3 } else { 1 };
                    }
                    if depth == 0 {
                        modules_at(&tokens, at, named);
                    }
                } else if first && dependencies.contains(&name) && (colons(&tokens, index + 1) || used_whole) {
                    named.outside.insert(name);
                }
            }
            _ => {}
        }
        index += 1;
    }
}

/// The index after an item under `#[cfg(test)]` that starts here.
fn test_item(tokens: &[TokenTree], index: usize) -> Option<usize> {
    let is_hash = matches!(&tokens[index], TokenTree::Punct(punct) if punct.as_char() == '#');
    let Some(TokenTree::Group(attribute)) = tokens.get(index + 1) else { return None };
    if !is_hash || attribute.stream().to_string().replace(' ', "") != "cfg(test)" {
        return None;
    }
    let end = tokens[index + 2..].iter().position(|token| match token {
        TokenTree::Group(group) => group.delimiter() == proc_macro2::Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    });
    end.map(|end| index + 2 + end + 1)
}

/// The name of the module whose body stands here: `mod name { … }`.
fn module_before(tokens: &[TokenTree], index: usize) -> Option<String> {
    match index.checked_sub(2).map(|at| &tokens[at..index]) {
        Some([keyword, TokenTree::Ident(name)]) if is_ident(keyword, "mod") => Some(name.to_string()),
        _ => None,
    }
}

fn is_ident(token: &TokenTree, name: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == name)
}

fn colons(tokens: &[TokenTree], index: usize) -> bool {
    let colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    colon(index) && colon(index + 1)
}

fn follows_colons(tokens: &[TokenTree], index: usize) -> bool {
    index >= 2 && colons(tokens, index - 2)
}

fn modules_after(tokens: &[TokenTree], index: usize, named: &mut Named) {
    if colons(tokens, index) {
        modules_at(tokens, index + 2, named);
    }
}

fn modules_at(tokens: &[TokenTree], index: usize, named: &mut Named) {
    match tokens.get(index) {
        Some(TokenTree::Ident(ident)) => {
            named.inside.insert(ident.to_string());
        }
        Some(TokenTree::Group(group)) => {
            let mut start = true;
            for token in group.stream() {
                match token {
                    TokenTree::Ident(ident) if start => {
                        named.inside.insert(ident.to_string());
                        start = false;
                    }
                    TokenTree::Punct(punct) if punct.as_char() == ',' => start = true,
                    _ => start = false,
                }
            }
        }
        _ => {}
    }
}

//! Every function of the host that a component can link, called with nothing granted: denied, or a constant.
//!
//! The functions are those of the WIT, so that one that is added later is called too. What is denied is denied on every way to
//! a call: through a toolset, a registry, and the command line.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail loudly, and own their directories")]

#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::process::Command;

use fumehood::{
    CacheLocation, Code, Compiler, Component, EngineSettings, Host, Inspected, LoadLimits, Outcome, Policy, Registry,
};
use serde_json::{Value, json};
use support::{Guest, World, component_from_core_wat, with_section};
use wit_parser::abi::{AbiVariant, WasmType};
use wit_parser::{Function, Resolve, WorldItem};

/// Everything that a component can import.
const WORLD: &str = "package test:guest;
world everything {
  include fumehood:host/tool-component-with-host-on-wasi@0.1.0;
  import wasi:http/types@0.2.12;
  import wasi:http/outgoing-handler@0.2.12;
}";

/// What may be called without a grant and with plain arguments, because it reaches nothing. By interface, or by function.
const HARMLESS: &[&str] = &[
    "fumehood:tool/progress",
    "fumehood:tool/types",
    "wasi:cli/environment",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:cli/terminal-stderr",
    "wasi:clocks/monotonic-clock#now",
    "wasi:clocks/monotonic-clock#resolution",
    "wasi:filesystem/preopens",
    "wasi:io/poll#poll",
    "wasi:random/random",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
];

/// One imported function: its interface with the version, its core signature.
struct Import {
    interface: String,
    name: String,
    core: String,
    arguments: String,
    results: usize,
}

impl Import {
    fn of(resolve: &Resolve, interface: &str, function: &Function) -> Self {
        let signature = resolve.wasm_signature(AbiVariant::GuestImport, function);
        let name = |kind: &WasmType| match kind {
            WasmType::I64 | WasmType::PointerOrI64 => "i64",
            WasmType::F32 => "f32",
            WasmType::F64 => "f64",
            _ => "i32",
        };
        let mut core = String::new();
        let mut arguments = String::new();
        // A pointer to room for the results comes last. What lies there is zero: empty lists, absent options.
        for (index, kind) in signature.params.iter().enumerate() {
            let _ = write!(core, "(param {}) ", name(kind));
            let room = signature.retptr && index + 1 == signature.params.len();
            let value = if room || (signature.indirect_params && index == 0) { 2048 } else { 0 };
            let _ = write!(arguments, "({}.const {value}) ", name(kind));
        }
        for kind in &signature.results {
            let _ = write!(core, "(result {}) ", name(kind));
        }
        Self {
            interface: interface.to_owned(),
            name: function.name.clone(),
            core,
            arguments,
            results: signature.results.len(),
        }
    }

    fn plain(&self) -> String {
        format!("{}#{}", self.interface.split('@').next().unwrap(), self.name)
    }

    fn is_harmless(&self) -> bool {
        let plain = self.plain();
        HARMLESS.iter().any(|entry| plain == *entry || plain.split('#').next() == Some(entry))
    }
}

/// Every function that the world imports.
fn imports() -> Vec<Import> {
    let mut resolve = Resolve::default();
    resolve.push_dir(support::WIT).unwrap();
    resolve.push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit/host")).unwrap();
    let package = resolve.push_source("test.wit", WORLD).unwrap();
    let world = resolve.select_world(&[package], None).unwrap();
    let mut imports = Vec::new();
    for item in resolve.worlds[world].imports.values() {
        let WorldItem::Interface { id, .. } = item else { continue };
        let interface = resolve.id_of(*id).unwrap();
        imports.extend(resolve.interfaces[*id].functions.values().map(|f| Import::of(&resolve, &interface, f)));
    }
    imports
}

fn bytes(import: &Import, asks: Value) -> Vec<u8> {
    let imported = format!("(import \"{}\" \"{}\" (func $it {}))", import.interface, import.name, import.core);
    let drops = "drop ".repeat(import.results);
    let call = format!("(call $it {}) {drops} (call $ok (local.get $args) (local.get $args_len))", import.arguments);
    let guest = Guest { imports: &imported, execute: &call, ..Guest::default() };
    let bytes = component_from_core_wat(&guest.wat(), World::Wit(WORLD));
    let mut manifest = support::manifest();
    manifest["capabilities"] = asks;
    with_section(&bytes, "fumehood:manifest", manifest.to_string().as_bytes())
}

fn component(import: &Import, asks: Value) -> Result<Inspected, fumehood::InspectError> {
    Inspected::of(Component::from_bytes(bytes(import, asks), &LoadLimits::standard()).unwrap())
}

/// Everything there is, each as something the tool could do without.
fn asks_for_everything() -> Value {
    let ask = |mut request: Value| {
        request["reason"] = json!("To try.");
        request["optional"] = json!(true);
        request
    };
    json!([
        ask(json!({ "capability": "filesystem", "access": "read-write" })),
        ask(json!({ "capability": "http" })),
        ask(json!({ "capability": "secret", "name": "s" })),
        ask(json!({ "capability": "env", "name": "HOME" })),
        ask(json!({ "capability": "clock" })),
        ask(json!({ "capability": "random" })),
        ask(json!({ "capability": "process", "program": "sh" })),
        ask(json!({ "capability": "tools", "tool": "other" })),
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_reaches_outside_without_a_grant() {
    let host = Host::new(EngineSettings::standard(Compiler::InProcess, CacheLocation::Off)).unwrap();
    let imports = imports();
    assert!(imports.len() > 150, "{} functions", imports.len());
    let folder = tempfile::tempdir().unwrap();
    let (mut wrong, mut denied, mut harmless, mut handles) = (Vec::new(), 0, 0, 0);
    for import in &imports {
        let approved = Policy::nothing().approve(component(import, asks_for_everything()).unwrap()).unwrap();
        assert!(approved.grants().is_empty());
        let toolset = host.compile(approved).await.unwrap();
        let outcome = toolset.call("echo", json!({})).await;
        match &outcome {
            Outcome::Failure(failure) if failure.code == Code::Denied => {
                denied += 1;
                // The other ways to call it.
                let among = Registry::new([toolset.clone()]).unwrap().call("echo", json!({})).await;
                assert!(
                    matches!(among, Outcome::Failure(failure) if failure.code == Code::Denied),
                    "{}",
                    import.plain()
                );
                let file = folder.path().join(format!("{denied}.wasm"));
                std::fs::write(&file, bytes(import, asks_for_everything())).unwrap();
                let run = Command::new(env!("CARGO_BIN_EXE_fumehood")).arg("run").arg(&file).arg("--no-cache").output();
                let run = run.unwrap();
                let said = String::from_utf8_lossy(&run.stderr);
                assert!(run.status.code() == Some(3) && said.contains("DENIED"), "{}: {said}", import.plain());
            }
            // It takes something that only another function gives, and none has.
            Outcome::Failure(failure)
                if failure.code == Code::ToolTrapped && failure.message.contains("unknown handle index") =>
            {
                handles += 1;
            }
            Outcome::Success(_) if import.is_harmless() => harmless += 1,
            // They end the instance that calls them.
            Outcome::Failure(failure)
                if failure.code == Code::ToolTrapped
                    && (import.plain().starts_with("wasi:cli/exit#") || import.plain() == "wasi:io/poll#poll") =>
            {
                harmless += 1;
            }
            other => wrong.push(format!("{}: {other:?}", import.plain())),
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), imports.len(), wrong.join("\n"));
    // Exact, so that a function that is new, or treated otherwise, is looked at by a person.
    assert_eq!((denied, harmless, handles), (13, 21, 145), "denied, harmless, without a handle to call it on");
}

/// What runtimes do not link by themselves has to be asked for before it may even be linked.
#[test]
fn what_no_runtime_links_by_itself_is_refused_unasked() {
    let mut seen = 0;
    for import in imports() {
        let reaches = ["wasi:http/", "fumehood:host/"].iter().any(|prefix| import.interface.starts_with(prefix));
        if !reaches {
            continue;
        }
        seen += 1;
        let refused = component(&import, json!([])).unwrap_err().to_string();
        assert!(refused.contains("import/not-asked"), "{}: {refused}", import.plain());
        assert!(component(&import, asks_for_everything()).is_ok(), "{}", import.plain());
    }
    assert!(seen > 40, "{seen}");
}

//! Packing a component that says its manifest itself.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail loudly, and own their directories")]

use fumehood::{CacheLocation, Compiler, DescribeError, EngineSettings, Host, Package, Policy};

use super::*;

const WORLD: World<'static> = World::Wit(
    "package test:described;
    world described {
        include fumehood:tool/tool-component-on-wasi@0.1.0;
        export fumehood:tool-kit/describe@0.1.0;
    }
    package fumehood:tool-kit@0.1.0 {
        interface describe { describe: func() -> result<string, string>; }
    }",
);

/// A `describe` that says this, and has a function of its own.
fn describe(case: u8, said: &str, before: &str) -> String {
    format!(
        r#"(data (i32.const 8192) "{}")
        (func $own_of_describe {before})
        (func (export "fumehood:tool-kit/describe@0.1.0#describe") (result i32)
          (call $own_of_describe)
          (i32.store8 (i32.const 4096) (i32.const {case}))
          (i32.store (i32.const 4100) (i32.const 8192))
          (i32.store (i32.const 4104) (i32.const {}))
          (i32.const 4096))"#,
        said.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"),
        said.len(),
    )
}

/// A core module with that [`describe`].
fn module(case: u8, said: &str, before: &str) -> Vec<u8> {
    let items = describe(case, said, before);
    let imports = r#"(import "wasi:clocks/wall-clock@0.2.12" "now" (func $now (param i32)))"#;
    let execute = "(call $ok (local.get $args) (local.get $args_len))";
    module_from_core_wat(&Guest { imports, items: &items, execute, ..Guest::default() }.wat(), WORLD)
}

/// [`module`] as a toolchain hands it over that makes components itself.
fn component(module: &[u8]) -> Vec<u8> {
    wit_component::ComponentEncoder::default().module(module).unwrap().validate(true).encode().unwrap()
}

fn said() -> String {
    let mut said = manifest();
    said["package"] = json!({ "publisher": "Ann", "license": "MIT" });
    said.to_string()
}

fn host() -> Host {
    Host::new(EngineSettings::standard(Compiler::InProcess, CacheLocation::Off)).unwrap()
}

async fn packed(input: &[u8], cargo: &str) -> Result<Vec<u8>, DescribeError> {
    host().pack(input, &Package::from_cargo(cargo).unwrap(), &LIMITS).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_says_and_what_cargo_adds_become_its_manifest() {
    let cargo = r#"
        [package.metadata.fumehood]
        publisher = "Bob"
        capabilities = [{ capability = "clock", reason = "Says when.", optional = true }]
    "#;
    let module = module(0, &said(), "");
    let bytes = packed(&module, cargo).await.unwrap();
    assert_eq!(bytes, packed(&module, cargo).await.unwrap(), "the same input gives the same bytes");
    let inspected = inspect(&bytes).unwrap();
    assert_eq!(inspected.manifest().tools[0].name, "echo");
    assert_eq!(inspected.manifest().capabilities[0].reason, "Says when.");
    let claims = inspected.provenance().claims;
    let claims: Vec<_> = claims.iter().map(|claim| (claim.name.as_str(), claim.text.as_str())).collect();
    assert_eq!(claims, [("authors", "Bob"), ("licenses", "MIT")]);
    // Nobody asks any more, so nothing is there to answer.
    assert_eq!(inspected.exports(), ["fumehood:tool/tool@0.1.0"]);
    let path = tempfile::tempdir().unwrap();
    let file = path.path().join("tool.wasm");
    std::fs::write(&file, &bytes).unwrap();
    let outcome = host().load(&file, &Policy::nothing()).await.unwrap().call("echo", json!({ "a": 1 })).await;
    assert!(matches!(outcome, fumehood::Outcome::Success(_)), "{outcome:?}");
}

/// The adapter brings a world of its own.
#[tokio::test(flavor = "multi_thread")]
async fn one_on_preview1_is_asked_as_well() {
    let items = describe(0, &said(), "");
    let imports = r#"(import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))"#;
    let execute =
        "(drop (call $random (i32.const 1024) (i32.const 8))) (call $ok (local.get $args) (local.get $args_len))";
    let module = module_from_core_wat(&Guest { imports, items: &items, execute, ..Guest::default() }.wat(), WORLD);
    let inspected = inspect(&packed(&module, "").await.unwrap()).unwrap();
    assert_eq!(inspected.exports(), ["fumehood:tool/tool@0.1.0"]);
    assert!(inspected.imports().iter().any(|import| import.name.starts_with("wasi:random/random@0.2.")));
}

/// rustup's toolchain makes a component by itself. Its export cannot go, so it traps.
#[tokio::test(flavor = "multi_thread")]
async fn a_component_is_asked_as_well() {
    let component = component(&module(0, &said(), ""));
    let bytes = packed(&component, "").await.unwrap();
    let inspected = inspect(&bytes).unwrap();
    assert_eq!(inspected.exports(), ["fumehood:tool-kit/describe@0.1.0", "fumehood:tool/tool@0.1.0"]);
    let Err(DescribeError::Silent { reasons }) = packed(&bytes, "").await else { panic!("it still answers") };
    assert!(reasons.contains("unreachable"), "{reasons}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_cannot_say_is_handed_on() {
    let reasons = |outcome: Result<Vec<u8>, DescribeError>| match outcome {
        Err(DescribeError::Silent { reasons }) => reasons,
        other => panic!("{:?}", other.map(|bytes| bytes.len())),
    };
    let refused = packed(&module(1, "echo: Args at /n: too wide\nand more", ""), "").await;
    assert_eq!(reasons(refused), "echo: Args at /n: too wide\nand more");
    let looping = packed(&module(0, &said(), "(loop $again (br $again))"), "").await;
    assert!(reasons(looping).contains("fuel"), "it ends");
    let clock = packed(&module(0, &said(), "(call $now (i32.const 4096))"), "").await;
    assert_eq!(
        reasons(clock),
        "describe called wasi:clocks/wall-clock.now, which is denied while a component is packed"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_says_is_checked_like_any_manifest() {
    let findings = |outcome: Result<Vec<u8>, DescribeError>| match outcome {
        Err(DescribeError::Pack(PackError::Refused(findings))) => rules(&findings),
        other => panic!("{:?}", other.map(|bytes| bytes.len())),
    };
    assert_eq!(findings(packed(&module(0, "no object", ""), "").await), ["package/description "]);
    let wrong = said().replace("\"echo\"", "\"no name\"");
    assert_eq!(findings(packed(&module(0, &wrong, ""), "").await), ["manifest/tool-name /tools/0/name"]);
    let unusable = said().replacen("\"inputSchema\":{", "\"inputSchema\":{\"$ref\":\"#/$defs/none\",", 1);
    let refused = findings(packed(&module(0, &unusable, ""), "").await);
    assert!(
        refused.iter().any(|finding| finding.starts_with("schema/") && finding.contains("/tools/0/inputSchema")),
        "{refused:?}"
    );
    let cargo = "[package.metadata.fumehood]\ncapabilities = [{ capability = 'magic', reason = 'r' }]";
    assert_eq!(
        findings(packed(&module(0, &said(), ""), cargo).await),
        ["manifest/capability /capabilities/0/capability"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_says_nothing_needs_a_manifest() {
    let plain = module_from_core_wat(&Guest::default().wat(), World::Tool);
    let outcome = packed(&plain, "").await;
    assert!(matches!(outcome, Err(DescribeError::Pack(PackError::NotDescribed))), "{:?}", outcome.map(|b| b.len()));
    assert!(pack(&plain, manifest().to_string().as_bytes(), &LIMITS).is_ok());
}

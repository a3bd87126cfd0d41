//! From bytes to an inspected component: what a host accepts, what it refuses, and with which reasons.

#[path = "../support/mod.rs"]
mod support;

#[path = "artifact/damage.rs"]
mod damage;
#[path = "artifact/describing.rs"]
mod describing;
#[path = "artifact/manifests.rs"]
mod manifests;
#[path = "artifact/packing.rs"]
mod packing;
#[path = "artifact/reviewers.rs"]
mod reviewers;
#[path = "artifact/shape.rs"]
mod shape;

use fumehood::{
    Component, Finding, InspectError, Inspected, LoadLimits, Manifest, ManifestError, Need, PackError, Severity, pack,
};
use serde_json::{Value, json};
use support::{Guest, World, component_from_core_wat, manifest, module_from_core_wat, packed, with_section};

const LIMITS: LoadLimits = LoadLimits::standard();

fn inspect(bytes: &[u8]) -> Result<Inspected, Vec<Finding>> {
    let component = Component::from_bytes(bytes.to_vec(), &LIMITS)
        .map_err(|error| vec![Finding::refusal("component/not-one", "", error.to_string(), "")])?;
    match Inspected::of(component) {
        Ok(inspected) => Ok(inspected),
        Err(InspectError::Refused(reasons)) => {
            assert!(!reasons.is_empty(), "a refusal has a reason");
            Err(reasons)
        }
        Err(other) => panic!("{other}"),
    }
}

fn rules(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|finding| format!("{} {}", finding.rule, finding.at)).collect()
}

/// A component with the test manifest, not through `pack`, is refused for exactly these reasons (`rule where`).
fn check(component: &[u8], expect: &[&str]) {
    let bytes = with_section(component, "fumehood:manifest", manifest().to_string().as_bytes());
    match inspect(&bytes) {
        Ok(_) => assert!(expect.is_empty(), "accepted, expected {expect:?}"),
        Err(reasons) => assert_eq!(rules(&reasons), expect, "{reasons:#?}"),
    }
}

/// An unsigned LEB128.
fn leb128(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(byte);
            return bytes;
        }
        bytes.push(byte | 0x80);
    }
}

/// Of an empty component.
const HEADER: &[u8] = b"\0asm\x0d\0\x01\0";

fn guest() -> Vec<u8> {
    packed(&Guest::default().wat(), &manifest())
}

/// A guest that imports from WASI, and one import that holds a record, a variant and handles.
fn wasi_imports() -> &'static str {
    r#"(import "wasi:clocks/wall-clock@0.2.12" "now" (func (param i32)))
       (import "wasi:clocks/monotonic-clock@0.2.12" "now" (func (result i64)))
       (import "wasi:filesystem/preopens@0.2.12" "get-directories" (func (param i32)))
       (import "wasi:filesystem/types@0.2.12" "[method]descriptor.stat" (func (param i32 i32)))
       (import "wasi:random/random@0.2.12" "get-random-u64" (func (result i64)))
       (import "wasi:sockets/instance-network@0.2.12" "instance-network" (func (result i32)))
       (import "fumehood:tool/progress@0.1.0" "report"
         (func (param i64 i32 i64 i32 i32 i32)))"#
}

#[test]
fn a_plain_guest_passes() {
    let inspected = inspect(&guest()).unwrap();
    assert_eq!(inspected.interface_version(), "0.1.0");
    assert_eq!(inspected.exports(), ["fumehood:tool/tool@0.1.0"]);
    assert_eq!(rules(inspected.findings()), Vec::<String>::new());
    assert_eq!(inspected.manifest().tools[0].name, "echo");
    let shape = inspected.shape();
    assert_eq!((shape.modules, shape.memories, shape.initial_pages), (1, 1, 2));
    assert!(shape.functions >= 12 && shape.largest_body > 20 && shape.most_locals == 4, "{shape:?}");
    assert_eq!(inspected.digest(), inspected.component().digest());
}

#[test]
fn imports_are_named_with_what_they_need() {
    let inspected =
        inspect(&packed(&Guest { imports: wasi_imports(), ..Guest::default() }.wat(), &manifest())).unwrap();
    let needs: Vec<String> = inspected
        .imports()
        .iter()
        .filter(|import| !import.functions.is_empty())
        .map(|import| format!("{} {:?} {}", import.name, import.need, import.functions.join(" ")))
        .collect();
    for expected in [
        "wasi:clocks/wall-clock@0.2.12 Capability(Clock) now",
        "wasi:filesystem/preopens@0.2.12 Capability(Filesystem) get-directories",
        "wasi:filesystem/types@0.2.12 Capability(Filesystem) [method]descriptor.stat",
        "wasi:random/random@0.2.12 Capability(Random) get-random-u64",
        "wasi:sockets/instance-network@0.2.12 Never instance-network",
        "fumehood:tool/progress@0.1.0 Runtime report",
    ] {
        assert!(needs.iter().any(|need| need == expected), "{expected} in {needs:#?}");
    }
    assert!(inspected.findings().iter().all(|finding| finding.severity == Severity::Note));
    assert_eq!(
        rules(inspected.findings()),
        [
            "import/not-asked filesystem",
            "import/not-asked clock",
            "import/not-asked random",
            "import/denied wasi:sockets",
            "import/constants ",
        ]
    );
    let constants = &inspected.findings()[4].message;
    assert!(constants.contains("wasi:clocks/monotonic-clock.now"), "{constants}");
    assert!(!constants.contains("wall-clock"), "{constants}");
    assert!(inspected.imports().iter().any(|import| import.need == Need::Never));
}

#[test]
fn a_capability_that_nothing_links_is_a_warning() {
    let mut manifest = manifest();
    manifest["capabilities"] = json!([{ "capability": "clock", "reason": "It says when." }]);
    let inspected = inspect(&packed(&Guest::default().wat(), &manifest)).unwrap();
    assert_eq!(rules(inspected.findings()), ["manifest/unused-capability /capabilities/0"]);
    assert_eq!(inspected.findings()[0].severity, Severity::Warning);
}

/// A directory is where a program starts: a tool that runs programs has a use for one that it never opens.
#[test]
fn a_directory_for_programs_is_not_unused() {
    const RUN: &str = r#"(import "fumehood:host/process@0.1.0" "run" (func
        (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i32 i64 i32)))"#;
    let mut manifest = manifest();
    let filesystem = json!({ "capability": "filesystem", "access": "read", "reason": "Programs start in it." });
    let process = json!({ "capability": "process", "program": "git", "reason": "It is run." });
    manifest["capabilities"] = json!([filesystem, process]);
    let check = |guest: Guest<'_>, expect: &[&str]| {
        let inspected = inspect(&packed(&guest.wat(), &manifest)).unwrap();
        let unused = rules(inspected.findings()).into_iter().filter(|rule| rule.starts_with("manifest/"));
        assert_eq!(unused.collect::<Vec<_>>(), expect);
    };
    check(Guest { imports: RUN, ..Guest::default() }, &[]);
    let unused = ["manifest/unused-capability /capabilities/0", "manifest/unused-capability /capabilities/1"];
    check(Guest::default(), &unused);
}

#[test]
fn an_unknown_import_is_refused_by_name() {
    const WORLD: &str = "
        package test:guest;
        world guest {
          include fumehood:tool/tool-component@0.1.0;
          import wasi:http/incoming-handler@0.2.10;
          import vendor:secret/door@1.0.0;
          import log: func();
        }
        package wasi:http@0.2.10 { interface incoming-handler { handle: func(); } }
        package vendor:secret@1.0.0 { interface door { open: func(); } }
    ";
    let imports = r#"(import "wasi:http/incoming-handler@0.2.10" "handle" (func))
                     (import "vendor:secret/door@1.0.0" "open" (func))
                     (import "$root" "log" (func))"#;
    let guest = Guest { imports, ..Guest::default() }.wat();
    let mut expect = [
        "import/unknown wasi:http/incoming-handler@0.2.10",
        "import/unknown vendor:secret/door@1.0.0",
        "import/unknown log",
    ];
    let component = component_from_core_wat(&guest, World::Wit(WORLD));
    let bytes = with_section(&component, "fumehood:manifest", manifest().to_string().as_bytes());
    let mut found = rules(&inspect(&bytes).unwrap_err());
    found.sort();
    expect.sort();
    assert_eq!(found, expect);
}

#[test]
fn other_versions_are_refused_and_named() {
    const WORLD: &str = "
        package test:guest;
        world guest {
          import wasi:random/random@0.2.13;
          import fumehood:tool/progress@0.2.0;
          export fumehood:tool/tool@0.2.0;
        }
        package wasi:random@0.2.13 { interface random { get-random-u64: func() -> u64; } }
        package fumehood:tool@0.2.0 {
          interface progress { report: func(); }
          interface tool { execute: func(); }
        }
    ";
    let wat = r#"(module
        (import "wasi:random/random@0.2.13" "get-random-u64" (func (result i64)))
        (import "fumehood:tool/progress@0.2.0" "report" (func))
        (func (export "fumehood:tool/tool@0.2.0#execute")))"#;
    check(
        &component_from_core_wat(wat, World::Wit(WORLD)),
        &[
            "import/version wasi:random/random@0.2.13",
            "import/version fumehood:tool/progress@0.2.0",
            "export/version fumehood:tool/tool@0.2.0",
        ],
    );
}

/// Structure counts: a function that is missing, a closed record with one more field, another result.
#[test]
fn wrong_types_are_refused_function_by_function() {
    const WORLD: &str = "
        package test:guest;
        world guest {
          import wasi:random/random@0.2.12-x;
          import fumehood:tool/progress@0.1.1;
          export fumehood:tool/tool@0.1.1;
        }
        package wasi:random@0.2.12-x { interface random { get-random-u64: func() -> u64; } }
        package fumehood:tool@0.1.1 {
          interface progress { report: func(done: u64); retract: func(); }
          interface tool {
            record failure { code: string, message: string, data: option<string>, extra: u8 }
            variant tool-error {
              invalid-args(string), not-found(string), denied(string), unavailable(string), failed(failure)
            }
            execute: func(tool: string, args: string) -> result<string, tool-error>;
            render: func(tool: string, args: string, value: list<u8>) -> result<list<u8>, string>;
          }
        }
    ";
    let wat = r#"(module
        (import "wasi:random/random@0.2.12-x" "get-random-u64" (func (result i64)))
        (import "fumehood:tool/progress@0.1.1" "report" (func (param i64)))
        (import "fumehood:tool/progress@0.1.1" "retract" (func))
        (memory (export "memory") 1)
        (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) unreachable)
        (func (export "fumehood:tool/tool@0.1.1#execute") (param i32 i32 i32 i32) (result i32) unreachable)
        (func (export "fumehood:tool/tool@0.1.1#render") (param i32 i32 i32 i32 i32 i32) (result i32) unreachable))"#;
    let component = component_from_core_wat(wat, World::Wit(WORLD));
    let bytes = with_section(&component, "fumehood:manifest", manifest().to_string().as_bytes());
    let reasons = inspect(&bytes).unwrap_err();
    let reasons: Vec<_> =
        reasons.iter().map(|reason| format!("{} {}: {}", reason.rule, reason.at, reason.message)).collect();
    assert_eq!(
        reasons,
        [
            "import/version wasi:random/random@0.2.12-x: this version is not provided; provided is 0.2.0 to 0.2.12",
            "import/function fumehood:tool/progress@0.1.1#report: the function has another type here: `total` is missing \
             among its parameters",
            "import/function fumehood:tool/progress@0.1.1#retract: the interface has no function of this name here",
            "export/function fumehood:tool/tool@0.1.1#execute: the function has another type here, at \
             result.err.failed: `extra` is not one of the fields, which are a closed set",
            "export/function fumehood:tool/tool@0.1.1#render: the function has another type here, at value: it is \
             list, not string",
            "export/function fumehood:tool/tool@0.1.1#present: the function is missing",
        ]
    );
}

#[test]
fn a_component_that_is_no_tool() {
    check(&wat::parse_str("(component)").unwrap(), &["export/missing fumehood:tool/tool"]);
}

#[test]
fn exports_beside_the_tool_are_let_be() {
    const WORLD: &str = "
        package test:guest;
        world guest { include fumehood:tool/tool-component@0.1.0; export init: func(); }
    ";
    let guest = Guest { items: r#"(func (export "init"))"#, ..Guest::default() }.wat();
    let component = component_from_core_wat(&guest, World::Wit(WORLD));
    let bytes = pack(&component, manifest().to_string().as_bytes(), &LIMITS).unwrap();
    assert_eq!(inspect(&bytes).unwrap().exports(), ["init", "fumehood:tool/tool@0.1.0"]);
}

/// `features` off: one module for each, refused by the validator; the twin inside the set passes.
#[test]
fn only_the_features_of_the_engine() {
    let with = |items: &str| {
        let guest = Guest { items, ..Guest::default() };
        component_from_core_wat(&guest.wat(), World::Tool)
    };
    let refused = |items: &str| {
        let bytes = with_section(&with(items), "fumehood:manifest", manifest().to_string().as_bytes());
        let reasons = inspect(&bytes).expect_err(items);
        assert_eq!((reasons.len(), reasons[0].rule), (1, "component/invalid"), "{items}: {reasons:?}");
    };
    check(&with("(func (result v128) (i8x16.splat (i32.const 1)))"), &[]);
    check(&with("(memory 1) (table 1 funcref) (func (result i32 i64) (i32.const 1) (i64.const 2))"), &[]);
    check(&with("(global i32 (i32.add (i32.const 1) (i32.const 2)))"), &[]);
    refused("(memory 1 1 shared)");
    refused("(memory i64 1)");
    refused("(func $f (return_call $f))");
    refused("(func (result v128) (i8x16.relaxed_swizzle (v128.const i64x2 0 0) (v128.const i64x2 0 0)))");
    refused("(tag)");
    refused("(type (struct (field i32)))");
    refused("(type $t (func)) (func (param (ref $t)))");
    refused("(memory 1 (pagesize 1))");
    refused(
        "(func (param i64 i64 i64 i64) (result i64 i64) (i64.add128 (local.get 0) (local.get 1) (local.get 2) (local.get 3)))",
    );
}

/// A component with more wrong functions than anybody reads.
#[test]
fn a_flood_of_reasons_is_bounded() {
    let functions: String = (0..500).map(|index| format!(r#"(export "f{index}" (func))"#)).collect();
    let text = format!(r#"(component (import "wasi:random/random@0.2.0" (instance {functions})))"#);
    let component = wat::parse_str(text).expect("the text assembles");
    let bytes = with_section(&component, "fumehood:manifest", manifest().to_string().as_bytes());
    let reasons = inspect(&bytes).unwrap_err();
    assert_eq!(reasons.len(), 101);
    assert_eq!(reasons[0].at, "wasi:random/random@0.2.0#f0");
    assert_eq!(reasons[100].message, "401 more reasons are not listed");
}

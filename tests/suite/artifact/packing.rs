//! `pack`: a core module or a component, and a manifest, make one file that a host accepts.

use super::*;

fn refused(input: &[u8], manifest: &Value) -> Vec<Finding> {
    match pack(input, manifest.to_string().as_bytes(), &LIMITS) {
        Err(PackError::Refused(reasons)) => reasons,
        other => panic!("{:?}", other.map(|bytes| bytes.len())),
    }
}

#[test]
fn the_manifest_goes_in_byte_for_byte_and_the_result_is_stable() {
    let module = module_from_core_wat(&Guest::default().wat(), World::Tool);
    let json = format!("  {:#}\n", manifest());
    let first = pack(&module, json.as_bytes(), &LIMITS).unwrap();
    assert_eq!(first, pack(&module, json.as_bytes(), &LIMITS).unwrap(), "the same input gives the same bytes");
    assert_eq!(first, pack(&first, json.as_bytes(), &LIMITS).unwrap(), "packing again changes nothing");
    assert!(first.ends_with(json.as_bytes()));
    let mut other = manifest();
    other["version"] = json!("2.0.0");
    let second = pack(&first, other.to_string().as_bytes(), &LIMITS).unwrap();
    assert_eq!(Manifest::list(&second).unwrap().version, "2.0.0", "the old manifest is replaced");
}

/// The adapter comes in only for modules that import preview 1.
#[test]
fn preview1_is_translated() {
    let imports = r#"(import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))"#;
    let execute =
        "(drop (call $random (i32.const 1024) (i32.const 8))) (call $ok (local.get $args) (local.get $args_len))";
    let guest = Guest { imports, execute, ..Guest::default() }.wat();
    let module = module_from_core_wat(&guest, World::Tool);
    let inspected = inspect(&pack(&module, manifest().to_string().as_bytes(), &LIMITS).unwrap()).unwrap();
    let names: Vec<_> = inspected.imports().iter().map(|import| import.name.as_str()).collect();
    assert!(names.iter().any(|name| name.starts_with("wasi:random/random@0.2.")), "{names:?}");
    assert!(inspected.shape().modules > 1);
    let plain = inspect(&self::guest()).unwrap();
    assert!(plain.imports().iter().all(|import| !import.name.starts_with("wasi:")));
}

#[test]
fn a_core_module_without_wit() {
    let reasons = refused(&wat::parse_str("(module)").unwrap(), &json!({ "name": "a" }));
    assert_eq!(reasons[0].rule, "module/no-wit");
    assert!(reasons[0].remedy.contains("wit-bindgen"));
    assert!(reasons.iter().any(|reason| reason.at == "/tools"), "the manifest's faults come with it");
}

#[test]
fn a_core_module_that_is_not_what_it_says() {
    let module = module_from_core_wat("(module)", World::Tool);
    let reasons = refused(&module, &manifest());
    assert_eq!(rules(&reasons), ["module/world "]);
    assert!(reasons[0].message.contains("fumehood:tool/tool@0.1.0"), "{}", reasons[0].message);
    let env = Guest { imports: r#"(import "env" "puts" (func))"#, ..Guest::default() }.wat();
    let reasons = refused(&module_from_core_wat(&env, World::Tool), &manifest());
    assert!(reasons[0].message.contains("env"), "{}", reasons[0].message);
}

#[test]
fn an_invalid_core_module() {
    let module = wat::parse_str("(module (func (result i32)))").unwrap();
    assert_eq!(refused(&module, &manifest())[0].rule, "component/invalid");
}

#[test]
fn refuses_what_a_host_refuses() {
    let component = wat::parse_str("(component)").unwrap();
    let mut wrong = manifest();
    wrong["tools"][0]["name"] = json!("no spaces");
    let reasons = refused(&component, &wrong);
    assert_eq!(rules(&reasons), ["manifest/tool-name /tools/0/name", "export/missing fumehood:tool/tool"]);
    let error = pack(b"\x7fELF", b"{}", &LIMITS).unwrap_err();
    assert!(error.to_string().contains("precompiled native code"), "{error}");
    let error = pack(&component, b"{}", &LoadLimits { bytes: 4 }).unwrap_err();
    assert!(error.to_string().contains("over the size limit of 4 bytes"), "{error}");
}

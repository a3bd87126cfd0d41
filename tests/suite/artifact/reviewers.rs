//! Reviewer components: told apart from tools by what they export and by what their manifest says, and never both.

use fumehood::ComponentKind;

use super::*;
use support::{ReviewGuest, packed_in, reviewer_manifest};

fn reviewer() -> Vec<u8> {
    packed_in(&ReviewGuest::default().wat(), &reviewer_manifest(), World::Reviewer)
}

/// What a vendor reads who packs this.
fn unpacked(core_wat: &str, manifest: &Value, world: World<'_>) -> Vec<String> {
    match pack(&module_from_core_wat(core_wat, world), manifest.to_string().as_bytes(), &LIMITS) {
        Err(PackError::Refused(reasons)) => rules(&reasons),
        other => panic!("{:?}", other.map(|bytes| bytes.len())),
    }
}

#[test]
fn a_plain_reviewer_passes() {
    let inspected = inspect(&reviewer()).unwrap();
    assert_eq!(inspected.kind(), ComponentKind::Reviewer);
    assert_eq!(inspected.interface_version(), "0.1.0");
    assert_eq!(inspected.exports(), ["fumehood:review/reviewer@0.1.0"]);
    assert_eq!(rules(inspected.findings()), Vec::<String>::new());
    assert!(inspected.manifest().tools.is_empty());
    // There is no projector to say anything about.
    assert_eq!(inspected.purity(), None);
    let tool = inspect(&guest()).unwrap();
    assert_eq!(tool.kind(), ComponentKind::Tool);
    assert!(tool.purity().is_some());
    // Listing tells them apart too, from the manifest alone.
    assert_eq!(Manifest::list(&reviewer()).unwrap().kind, ComponentKind::Reviewer);
}

#[test]
fn the_manifest_says_what_the_code_is() {
    assert_eq!(unpacked(&ReviewGuest::default().wat(), &manifest(), World::Reviewer), ["manifest/kind /kind"]);
    assert_eq!(unpacked(&Guest::default().wat(), &reviewer_manifest(), World::Tool), ["manifest/kind /kind"]);
    let mut no_kind = reviewer_manifest();
    no_kind.as_object_mut().unwrap().shift_remove("kind");
    assert_eq!(unpacked(&ReviewGuest::default().wat(), &no_kind, World::Reviewer), ["manifest/missing-field /tools"]);
}

#[test]
fn nothing_is_both() {
    const BOTH: &str = "package test:guest;
        world guest { include fumehood:tool/tool-component@0.1.0; include fumehood:review/review-component@0.1.0; }";
    let guest = Guest::default().wat();
    let items = r#"(func (export "fumehood:review/reviewer@0.1.0#review") (param i32) (result i32) unreachable)"#;
    let both = Guest { items, ..Guest::default() }.wat();
    for manifest in [manifest(), reviewer_manifest()] {
        let refused = unpacked(&both, &manifest, World::Wit(BOTH));
        assert_eq!(refused, ["export/tool-and-reviewer fumehood:review/reviewer@0.1.0"]);
    }
    // The half of it passes.
    packed(&guest, &manifest());
}

#[test]
fn neither_is_refused_by_both_names() {
    let component = wat::parse_str("(component)").unwrap();
    let reasons =
        inspect(&with_section(&component, "fumehood:manifest", manifest().to_string().as_bytes())).unwrap_err();
    assert_eq!(rules(&reasons), ["export/missing fumehood:tool/tool"]);
    assert!(reasons[0].message.contains("fumehood:review/reviewer@0.1.x"), "{}", reasons[0].message);
}

#[test]
fn another_version_or_another_type_is_refused() {
    let check = |wit: &str, export: &str, core: &str, expect: &[&str]| {
        let wat = format!(
            r#"(module (memory (export "memory") 1) (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
                 unreachable) (func (export "{export}") {core} unreachable))"#
        );
        let bytes = component_from_core_wat(&wat, World::Wit(wit));
        let bytes = with_section(&bytes, "fumehood:manifest", reviewer_manifest().to_string().as_bytes());
        assert_eq!(rules(&inspect(&bytes).unwrap_err()), expect);
    };
    check(
        "package test:guest; world guest { export fumehood:review/reviewer@0.2.0; }
         package fumehood:review@0.2.0 { interface reviewer { review: func(); } }",
        "fumehood:review/reviewer@0.2.0#review",
        "",
        &["export/version fumehood:review/reviewer@0.2.0"],
    );
    check(
        "package test:guest; world guest { export fumehood:review/reviewer@0.1.7; }
         package fumehood:review@0.1.7 { interface reviewer { review: func(draft: string) -> string; } }",
        "fumehood:review/reviewer@0.1.7#review",
        "(param i32 i32) (result i32)",
        &["export/function fumehood:review/reviewer@0.1.7#review"],
    );
    check(
        "package test:guest; world guest { export fumehood:review/reviewer@0.1.7; }
         package fumehood:review@0.1.7 { interface reviewer { look: func(); } }",
        "fumehood:review/reviewer@0.1.7#look",
        "",
        &["export/function fumehood:review/reviewer@0.1.7#review"],
    );
}

#[test]
fn a_reviewer_calls_no_tools_and_reports_no_progress() {
    const WORLD: &str = "package test:guest;
        world guest {
          include fumehood:review/review-component@0.1.0;
          import fumehood:tool/progress@0.1.0;
          import fumehood:host/tools@0.1.0;
          import fumehood:host/process@0.1.0;
        }";
    let progress = r#"(import "fumehood:tool/progress@0.1.0" "report" (func (param i64 i32 i64 i32 i32 i32)))"#;
    let tools = r#"(import "fumehood:host/tools@0.1.0" "list" (func (param i32)))"#;
    let run = r#"(import "fumehood:host/process@0.1.0" "run" (func
        (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i32 i64 i32)))"#;
    let guest = |imports: &str| ReviewGuest { imports, ..ReviewGuest::default() }.wat();
    for (import, name) in [(progress, "fumehood:tool/progress@0.1.0"), (tools, "fumehood:host/tools@0.1.0")] {
        let refused = unpacked(&guest(import), &reviewer_manifest(), World::Wit(WORLD));
        assert_eq!(refused, [format!("import/not-for-reviewers {name}")]);
    }
    // A program, by grant, may be what looks at a result.
    let mut asks = reviewer_manifest();
    asks["capabilities"] = json!([{ "capability": "process", "program": "scan", "reason": "It scans." }]);
    let packed = packed_in(&guest(run), &asks, World::Wit(WORLD));
    assert_eq!(rules(inspect(&packed).unwrap().findings()), Vec::<String>::new());
    asks["capabilities"][0] = json!({ "capability": "tools", "tool": "grep", "reason": "It looks around." });
    let refused = unpacked(&guest(run), &asks, World::Wit(WORLD));
    assert_eq!(refused, ["manifest/tools-of-a-reviewer /capabilities/0"]);
}

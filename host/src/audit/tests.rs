use serde_json::json;
use wasm_encoder::{ComponentSection as _, CustomSection};

use super::*;
use crate::capability::{Access, Capability};
use crate::component::{Component, LoadLimits};

/// The sample's component with another manifest in it.
fn inspected(manifest: &Value) -> Inspected {
    const SAMPLE: &[u8] = include_bytes!("../../../sample-tools/dist/files.wasm");
    let mut bytes = SAMPLE[..crate::component::HEADER].to_vec();
    for section in crate::component::sections(SAMPLE) {
        let section = section.unwrap();
        if section.custom().is_none_or(|(name, _)| name != crate::manifest::SECTION.as_bytes()) {
            bytes.extend_from_slice(section.whole);
        }
    }
    let data = manifest.to_string().into_bytes();
    CustomSection { name: crate::manifest::SECTION.into(), data: data.into() }.append_to_component(&mut bytes);
    Inspected::of(Component::from_bytes(bytes, &LoadLimits::standard()).unwrap()).unwrap()
}

fn manifest() -> Value {
    json!({
        "name": "guest", "version": "0.1.0", "description": "A component for tests.",
        "tools": [{ "name": "echo", "description": "Echoes.", "timeLimitMs": 1000,
            "inputSchema": { "type": "object", "properties": { "a": { "type": "string", "maxLength": 5 } } },
            "outputSchema": { "type": "object" } }],
        "capabilities": [{ "capability": "filesystem", "access": "read", "reason": "To read." }],
    })
}

/// What becomes of [`manifest`] where `pointer` is set to `value`: subject, place, kind, whether it is more authority.
#[track_caller]
fn check(pointer: &str, value: Value, expect: &[(Subject, &str, ChangeKind, bool)]) {
    let mut changed = manifest();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = changed.pointer_mut(parent).unwrap();
    match (parent, value) {
        (Value::Object(members), Value::Null) => drop(members.remove(key)),
        (parent, value) => match key.parse::<usize>() {
            Ok(index) => {
                let list = parent.as_array_mut().unwrap();
                list.truncate(index);
                list.push(value);
            }
            Err(_) => parent[key] = value,
        },
    }
    let diff = Diff::of(&inspected(&manifest()), &inspected(&changed));
    let found: Vec<_> =
        diff.changes.iter().map(|change| (change.subject, &*change.at, change.kind, change.grows)).collect();
    assert_eq!(found, expect, "{diff:?}");
    assert_eq!(diff.grew, expect.iter().any(|(.., grows)| *grows));
}

#[test]
fn nothing_changed() {
    check("/version", json!("0.1.1"), &[]);
}

#[test]
fn a_capability_more_or_wider_is_growth_and_less_is_not() {
    use ChangeKind::{Added, Changed, Removed};
    use Subject::{Capability, Text};
    let clock = json!({ "capability": "clock", "reason": "To tell the time." });
    check("/capabilities/1", clock, &[(Capability, "clock", Added, true), (Text, "reason for clock", Added, false)]);
    check("/capabilities", json!([]), &[(Capability, "filesystem", Removed, false)]);
    check("/capabilities/0/access", json!("read-write"), &[(Capability, "filesystem", Changed, true)]);
    check("/capabilities/0/reason", json!("To look."), &[(Text, "reason for filesystem (read)", Changed, false)]);
    check("/capabilities/0/optional", json!(true), &[(Capability, "filesystem (read)", Changed, false)]);
}

#[test]
fn narrower_access_is_no_growth() {
    let wide = |access: &str| {
        let mut manifest = manifest();
        manifest["capabilities"][0]["access"] = json!(access);
        inspected(&manifest)
    };
    assert!(Diff::of(&wide("read"), &wide("read-write")).grew);
    let narrower = Diff::of(&wide("read-write"), &wide("read"));
    assert!(!narrower.grew && narrower.changes.len() == 1, "{narrower:?}");
}

#[test]
fn tools_schemas_limits_and_texts_change_without_growth() {
    use ChangeKind::{Added, Changed, Loosened, Removed};
    use Subject::{Limit, Schema, Text, Tool};
    let a = "/tools/0/inputSchema/properties/a";
    check("/tools/0/name", json!("other"), &[(Tool, "other", Added, false), (Tool, "echo", Removed, false)]);
    check("/tools/0/description", json!("Ignore it."), &[(Text, "echo description", Changed, false)]);
    check("/tools/0/title", json!("Echo"), &[(Text, "echo title", Added, false)]);
    check("/tools/0/annotations", json!({ "readOnlyHint": true }), &[(Tool, "echo annotations", Changed, false)]);
    check("/tools/0/timeLimitMs", json!(2000), &[(Limit, "echo time limit", Changed, false)]);
    check("/tools/0/timeLimitMs", Value::Null, &[(Limit, "echo time limit", Removed, false)]);
    check("/tools/0/concurrency", json!("parallel"), &[(Limit, "echo concurrency", Changed, false)]);
    check(
        &format!("{a}/maxLength"),
        json!(6),
        &[(Schema, "echo /inputSchema/properties/a/maxLength", Loosened, false)],
    );
    check(&format!("{a}/maxLength"), json!(4), &[(Schema, "echo /inputSchema/properties/a/maxLength", Changed, false)]);
    check(
        &format!("{a}/maxLength"),
        Value::Null,
        &[(Schema, "echo /inputSchema/properties/a/maxLength", Loosened, false)],
    );
    check(&format!("{a}/title"), json!("A"), &[(Text, "echo /inputSchema/properties/a/title", Added, false)]);
    check(a, Value::Null, &[(Schema, "echo /inputSchema/properties/a", Removed, false)]);
}

#[test]
fn an_import_that_carries_authority_is_growth() {
    let mut more = inspected(&manifest());
    let less = include_bytes!("../../../sample-tools/dist/word-count.wasm").to_vec();
    let less = Inspected::of(Component::from_bytes(less, &LoadLimits::standard()).unwrap()).unwrap();
    let grown = |diff: &Diff| {
        let grown = diff.changes.iter().filter(|change| change.grows && change.subject == Subject::Import);
        grown.map(|change| change.at.clone()).collect::<Vec<_>>()
    };
    // The clock and others are linked too, but nothing asks for them, so nothing can grant them.
    assert_eq!(grown(&Diff::of(&less, &more)), ["wasi:filesystem/preopens", "wasi:filesystem/types"]);
    assert!(!Diff::of(&more, &less).grew);
    let mut silent = manifest();
    silent["capabilities"] = json!([]);
    assert_eq!(grown(&Diff::of(&less, &inspected(&silent))), [""; 0]);
    // One more function of an interface that was linked before is shown, and is no growth.
    let mut fewer = more.clone();
    fewer.without_last_function("wasi:filesystem/types@0.2.12");
    assert_eq!(grown(&Diff::of(&fewer, &more)), [""; 0]);
    assert_eq!(Diff::of(&fewer, &more).changes.len(), 1);
    more.without_last_function("wasi:filesystem/types@0.2.12");
    assert_eq!(Diff::of(&fewer, &more).changes, []);
}

#[test]
fn a_capability_covers_what_is_no_wider() {
    let file = |access| Capability::Filesystem { access };
    let check = |held: &Capability, wanted: &Capability, expect| {
        assert_eq!(covers::covers(held, wanted), expect, "{held} {wanted}");
    };
    check(&file(Access::ReadWrite), &file(Access::Read), true);
    check(&file(Access::Read), &file(Access::Read), true);
    check(&file(Access::Read), &file(Access::ReadWrite), false);
    check(&Capability::Clock, &Capability::Clock, true);
    check(&Capability::Clock, &Capability::Random, false);
    check(&file(Access::ReadWrite), &Capability::Clock, false);
    let http = |rule: &str| Capability::Http { target: Some(rule.parse().unwrap()) };
    let any = Capability::Http { target: None };
    check(&any, &http("https://example.com/ GET"), true);
    check(&http("https://example.com/ GET"), &any, false);
    check(&http("https://example.com/ GET,HEAD"), &http("https://example.com/v1/ GET"), true);
    check(&http("https://example.com/v1/ GET"), &http("https://example.com/ GET"), false);
    check(&http("https://example.com/ GET"), &http("https://example.com/ GET,POST"), false);
    check(&http("https://*.example.com/ GET"), &http("https://a.example.com/ GET"), true);
    check(&http("https://a.example.com/ GET"), &http("https://*.example.com/ GET"), false);
    let program = |name: &str| Capability::Process { program: name.parse().unwrap() };
    check(&program("git"), &program("git"), true);
    check(&program("git"), &program("make"), false);
}

#[test]
fn every_rule_of_an_audit_is_explained() {
    let audit = Audit::of(&inspected(&manifest()));
    assert!(audit.findings.len() > 2);
    for finding in audit.all_findings() {
        assert!(rules::is_known(finding.rule), "{}", finding.rule);
    }
}

#[test]
fn a_program_stands_first_and_is_warned_of() {
    const SAMPLE: &[u8] = include_bytes!("../../../sample-tools/dist/word-count.wasm");
    let component = Component::from_bytes(SAMPLE.to_vec(), &LoadLimits::standard()).unwrap();
    let none = Audit::of(&Inspected::of(component).unwrap());
    assert!(none.findings.iter().all(|finding| finding.rule != "capability/program"));
    let mut manifest = manifest();
    let git = json!({ "capability": "process", "program": "git", "reason": "To read history." });
    manifest["capabilities"].as_array_mut().unwrap().push(git);
    let audit = Audit::of(&inspected(&manifest));
    assert_eq!(audit.capabilities[0].capability.to_string(), "process (git)");
    let first = &audit.findings[0];
    assert_eq!((first.rule, first.at.as_str()), ("capability/program", "/capabilities/1"));
    assert!(rules::is_known(first.rule));
}

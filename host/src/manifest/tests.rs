use serde_json::{Value, json};

use super::*;
use crate::capability::{Access, CapabilityKind};

fn good() -> Value {
    json!({
        "name": "word-count",
        "version": "0.1.0",
        "description": "Counts words.\n\nIn any script.",
        "tools": [{
            "name": "word_count",
            "title": "Count words",
            "description": "Counts the words of a text.",
            "inputSchema": { "type": "object" },
            "outputSchema": { "type": "object", "description": "line\nbreak" },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
            "concurrency": "parallel",
            "timeLimitMs": 5000,
        }],
        "capabilities": [
            { "capability": "filesystem", "access": "read-write", "reason": "It reads the files it counts.", "optional": true },
            { "capability": "clock", "reason": "It says when it counted." },
        ],
    })
}

/// The manifest with one place replaced (`Null`: removed) has exactly these faults, as `rule pointer`.
fn check(pointer: &str, value: Value, expect: &[&str]) {
    let mut manifest = good();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match manifest.pointer_mut(parent).unwrap() {
        Value::Object(object) if value.is_null() => drop(object.shift_remove(key)),
        Value::Object(object) => drop(object.insert(key.to_owned(), value)),
        Value::Array(array) if key == "-" => array.push(value),
        other => panic!("{other}"),
    }
    let faults: Vec<String> = match Manifest::parse(manifest.to_string().as_bytes()) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.iter().map(|fault| format!("{} {}", fault.rule, fault.at)).collect(),
    };
    assert_eq!(faults, expect, "{pointer}");
}

#[test]
fn reads_what_is_declared() {
    let bytes = good().to_string();
    let manifest = Manifest::parse(bytes.as_bytes()).unwrap();
    assert_eq!((manifest.name.as_str(), manifest.version.as_str()), ("word-count", "0.1.0"));
    assert_eq!(manifest.digest(), Digest::of(bytes.as_bytes()));
    let tool = manifest.tool("word_count").unwrap();
    assert_eq!(tool.title.as_deref(), Some("Count words"));
    assert_eq!(tool.concurrency, Concurrency::Parallel);
    assert_eq!(tool.time_limit, Some(Duration::from_secs(5)));
    assert_eq!(tool.annotations.read_only_hint, Some(true));
    assert_eq!(tool.annotations.destructive_hint, None);
    assert_eq!(tool.output_json()["description"], "line\nbreak");
    assert!(tool.is_callable());
    let [filesystem, clock] = manifest.capabilities.as_slice() else { panic!("two capabilities") };
    assert_eq!(filesystem.capability, Capability::Filesystem { access: Access::ReadWrite });
    assert!(filesystem.optional);
    assert_eq!(clock.capability.kind(), CapabilityKind::Clock);
    assert!(!clock.optional);
    assert!(manifest.tool("Word_Count").is_none());
}

#[test]
fn what_may_be_left_out() {
    check("/capabilities", Value::Null, &[]);
    check("/tools/0/title", Value::Null, &[]);
    check("/tools/0/annotations", Value::Null, &[]);
    check("/tools/0/concurrency", Value::Null, &[]);
    check("/tools/0/timeLimitMs", Value::Null, &[]);
}

#[test]
fn what_may_not() {
    for field in ["name", "version", "description", "tools"] {
        check(&format!("/{field}"), Value::Null, &[&format!("manifest/missing-field /{field}")]);
    }
    for field in ["name", "description", "inputSchema", "outputSchema"] {
        check(&format!("/tools/0/{field}"), Value::Null, &[&format!("manifest/missing-field /tools/0/{field}")]);
    }
    check("/capabilities/1/reason", Value::Null, &["manifest/missing-field /capabilities/1/reason"]);
    check("/capabilities/0/access", Value::Null, &["manifest/access /capabilities/0/access"]);
}

#[test]
fn a_reviewer_has_no_tools_and_calls_none() {
    let reviewer = |change: fn(&mut Value)| {
        let mut manifest = good();
        manifest["kind"] = json!("reviewer");
        manifest.as_object_mut().unwrap().shift_remove("tools");
        change(&mut manifest);
        let read = Manifest::parse(manifest.to_string().as_bytes());
        read.map_err(|faults| faults.iter().map(|fault| format!("{} {}", fault.rule, fault.at)).collect::<Vec<_>>())
    };
    let read = reviewer(|_| ()).unwrap();
    assert_eq!(read.kind, ComponentKind::Reviewer);
    assert!(read.tools.is_empty());
    assert_eq!(read.capabilities.len(), 2);
    let tools = "manifest/tools-of-a-reviewer /tools";
    assert_eq!(reviewer(|manifest| manifest["tools"] = json!([])).unwrap_err(), [tools]);
    assert_eq!(reviewer(|manifest| manifest["tools"] = good()["tools"].clone()).unwrap_err(), [tools]);
    let asks = |manifest: &mut Value| {
        let tools = json!({ "capability": "tools", "tool": "grep", "reason": "It looks around.", "optional": true });
        manifest["capabilities"].as_array_mut().unwrap().push(tools);
    };
    assert_eq!(reviewer(asks).unwrap_err(), ["manifest/tools-of-a-reviewer /capabilities/2"]);
    // A tool may ask for the same.
    let mut tool = good();
    asks(&mut tool);
    assert_eq!(Manifest::parse(tool.to_string().as_bytes()).unwrap().kind, ComponentKind::Tool);
    check("/kind", json!("tool"), &[]);
    for wrong in [json!("Reviewer"), json!("policy"), json!(true)] {
        check("/kind", wrong, &["manifest/kind /kind"]);
    }
}

#[test]
fn names_and_versions() {
    let name = |name: &str, expect: &[&str]| check("/name", json!(name), expect);
    name("0-a", &[]);
    name(&"a".repeat(64), &[]);
    name(&"a".repeat(65), &["manifest/long-text /name"]);
    name("-a", &["manifest/name /name"]);
    name("Word", &["manifest/name /name"]);
    name("", &["manifest/empty-text /name"]);
    let tool = |name: &str, expect: &[&str]| check("/tools/0/name", json!(name), expect);
    tool(&"A-_9".repeat(10), &[]);
    tool(&"a".repeat(41), &["manifest/long-text /tools/0/name"]);
    tool("a.b", &["manifest/tool-name /tools/0/name"]);
    tool("naïve", &["manifest/tool-name /tools/0/name"]);
    let version = |version: &str, expect: &[&str]| check("/version", json!(version), expect);
    version("1.0.0-rc.1+build.7", &[]);
    version("1.0", &["manifest/version /version"]);
    version("01.0.0", &["manifest/version /version"]);
    version("v1.0.0", &["manifest/version /version"]);
}

#[test]
fn unknown_fields_and_wrong_types() {
    check("/author", json!("me"), &["manifest/unknown-field /author"]);
    check("/a~1b", json!(1), &["manifest/unknown-field /a~01b"]);
    check("/tools/0/input_schema", json!({}), &["manifest/unknown-field /tools/0/input_schema"]);
    check("/tools/0/annotations/hint", json!(true), &["manifest/unknown-field /tools/0/annotations/hint"]);
    check("/capabilities/1/access", json!("read"), &["manifest/unknown-field /capabilities/1/access"]);
    check("/tools", json!({}), &["manifest/wrong-type /tools"]);
    check("/tools/0/title", json!(1), &["manifest/wrong-type /tools/0/title"]);
    check("/tools/0/annotations", json!([]), &["manifest/wrong-type /tools/0/annotations"]);
    check(
        "/tools/0/annotations/readOnlyHint",
        json!("yes"),
        &["manifest/wrong-type /tools/0/annotations/readOnlyHint"],
    );
    check("/tools/0/concurrency", json!("Parallel"), &["manifest/concurrency /tools/0/concurrency"]);
    check("/capabilities", json!("clock"), &["manifest/wrong-type /capabilities"]);
}

#[test]
fn limits() {
    check("/tools/0/timeLimitMs", json!(1), &[]);
    check("/tools/0/timeLimitMs", json!(600_000), &[]);
    for wrong in [json!(0), json!(600_001), json!(-1), json!(1.0), json!("5s")] {
        check("/tools/0/timeLimitMs", wrong, &["manifest/time-limit /tools/0/timeLimitMs"]);
    }
    check("/description", json!("d".repeat(4096)), &[]);
    check("/description", json!("d".repeat(4097)), &["manifest/long-text /description"]);
    check("/description", json!(" \n "), &["manifest/empty-text /description"]);
    check("/tools/0/title", json!("two\nlines"), &["manifest/hidden-character /tools/0/title"]);
    check("/tools", json!([]), &["manifest/no-tools /tools"]);
    let tool = good()["tools"][0].clone();
    let tools = |count: usize| {
        let named = |index: usize| {
            let mut tool = tool.clone();
            tool["name"] = json!(format!("tool{index}"));
            tool
        };
        Value::Array((0..count).map(named).collect())
    };
    check("/tools", tools(256), &[]);
    check("/tools", tools(257), &["manifest/too-many-tools /tools"]);
    let error = Manifest::parse(&vec![b' '; MAX_BYTES + 1]).unwrap_err();
    assert_eq!(error[0].rule, "manifest/too-large");
}

#[test]
fn two_tools_of_one_name() {
    for name in ["word_count", "Word_Count", "word-count", "WORD-COUNT"] {
        let mut tool = good()["tools"][0].clone();
        tool["name"] = json!(name);
        check("/tools/-", tool, &["manifest/duplicate-tool /tools/1/name"]);
    }
}

#[test]
fn capabilities() {
    let more = |capability: Value, expect: &[&str]| check("/capabilities/-", capability, expect);
    more(json!({ "capability": "random", "reason": "Dice." }), &[]);
    more(json!({ "capability": "clock", "reason": "Again." }), &["manifest/capability-twice /capabilities/2"]);
    more(
        json!({ "capability": "filesystem", "access": "read", "reason": "Again." }),
        &["manifest/capability-twice /capabilities/2"],
    );
    more(json!({ "capability": "sockets", "reason": "Pages." }), &["manifest/capability /capabilities/2/capability"]);
    more(json!({ "capability": "http", "reason": "Pages." }), &[]);
    more(json!({ "capability": "http", "target": "https://a.example/v1/ GET", "reason": "Pages." }), &[]);
    more(
        json!({ "capability": "http", "target": "a.example", "reason": "Pages." }),
        &["manifest/capability-detail /capabilities/2/target"],
    );
    for (capability, field, good, bad) in [
        ("secret", "name", "github-token", "GitHub token"),
        ("env", "name", "LANG", "LANG=C"),
        ("process", "program", "git", "/usr/bin/git"),
        ("tools", "tool", "word_count", "word count"),
    ] {
        more(json!({ "capability": capability, field: good, "reason": "So." }), &[]);
        let at = format!("/capabilities/2/{field}");
        let detail = format!("manifest/capability-detail {at}");
        more(json!({ "capability": capability, field: bad, "reason": "So." }), &[&detail]);
        let missing = format!("manifest/missing-field {at}");
        more(json!({ "capability": capability, "reason": "So." }), &[&missing]);
    }
    let many = |count: usize| {
        let ask = |n| json!({ "capability": "env", "name": format!("V{n}"), "reason": "So." });
        Value::Array((0..count).map(ask).collect())
    };
    check("/capabilities", many(64), &[]);
    check("/capabilities", many(65), &["manifest/too-many-capabilities /capabilities"]);
    more(json!({ "reason": "Why not?" }), &["manifest/capability /capabilities/2/capability"]);
    more(json!({ "capability": "random", "reason": " " }), &["manifest/empty-text /capabilities/2/reason"]);
    more(
        json!({ "capability": "random", "reason": "Dice.", "optional": "no" }),
        &["manifest/wrong-type /capabilities/2/optional"],
    );
    let mut manifest = good();
    manifest["capabilities"] = json!([{ "capability": "sockets", "reason": "Pages." }]);
    let faults = Manifest::parse(manifest.to_string().as_bytes()).unwrap_err();
    assert_eq!(
        faults[0].to_string(),
        "manifest/capability at /capabilities/0/capability: there is no capability `sockets`; write one of \
         \"filesystem\", \"http\", \"secret\", \"env\", \"clock\", \"random\", \"process\", \"tools\""
    );
}

/// Also in schemas: their descriptions go to the model.
#[test]
fn hidden_text() {
    for pointer in ["/description", "/tools/0/title", "/tools/0/description", "/capabilities/0/reason"] {
        let expect = format!("manifest/hidden-character {pointer}");
        check(pointer, json!("Counts\u{200b} words"), &[&expect]);
        check(pointer, json!("Counts \u{202e}sdrow"), &[&expect]);
        check(pointer, json!("Counts \u{1b}[8mwords"), &[&expect]);
    }
    check(
        "/tools/0/inputSchema/properties",
        json!({ "a/b": { "description": "\u{e0041}" }, "c\u{200d}": {} }),
        &[
            "manifest/hidden-character /tools/0/inputSchema/properties/a~1b/description",
            "manifest/hidden-character /tools/0/inputSchema/properties/c\u{fffd}",
        ],
    );
}

#[test]
fn every_fault_at_once() {
    let text = r#"{ "name": "A", "version": 1, "tools": [ {"name": "x y"}, 7 ], "extra": null, "capabilities": [{}] }"#;
    let faults = Manifest::parse(text.as_bytes()).unwrap_err();
    let faults: Vec<_> = faults.iter().map(|fault| format!("{} {}", fault.rule, fault.at)).collect();
    assert_eq!(
        faults,
        [
            "manifest/unknown-field /extra",
            "manifest/name /name",
            "manifest/wrong-type /version",
            "manifest/missing-field /description",
            "manifest/tool-name /tools/0/name",
            "manifest/missing-field /tools/0/description",
            "manifest/missing-field /tools/0/inputSchema",
            "manifest/missing-field /tools/0/outputSchema",
            "manifest/wrong-type /tools/1",
            "manifest/capability /capabilities/0/capability",
            "manifest/missing-field /capabilities/0/reason",
        ]
    );
}

#[test]
fn a_flood_of_faults_is_bounded() {
    let unknown: serde_json::Map<_, _> = (0..9_000).map(|index| (format!("field{index}"), json!(0))).collect();
    let faults = Manifest::parse(Value::Object(unknown).to_string().as_bytes()).unwrap_err();
    assert_eq!(faults.len(), 101);
    assert_eq!(faults[100].message, "8904 more faults are not listed");
}

#[test]
fn json_that_readers_disagree_on() {
    for text in [r#"{"name":"a","n\u0061me":"b"}"#, "{} {}", "\u{feff}{}", "[1e999]", ""] {
        let faults = Manifest::parse(text.as_bytes()).unwrap_err();
        assert!(faults[0].rule.starts_with("json/"), "{text}: {faults:?}");
    }
    assert_eq!(
        Manifest::parse(b"[]").unwrap_err()[0].to_string(),
        "manifest/wrong-type: this is not an object; write an object"
    );
}

/// One bad schema takes one tool out, not the component.
#[test]
fn an_unusable_schema_concerns_its_tool() {
    let mut manifest = good();
    let mut second = manifest["tools"][0].clone();
    second["name"] = json!("second");
    second["outputSchema"] = json!(7);
    manifest["tools"].as_array_mut().unwrap().push(second);
    let manifest = Manifest::parse(manifest.to_string().as_bytes()).unwrap();
    assert!(manifest.tools[0].is_callable());
    let tool = manifest.tool("second").unwrap();
    assert!(!tool.is_callable());
    assert!(tool.input().is_ok() && tool.output().is_err());
    assert_eq!(tool.findings()[0].at, "/tools/1/outputSchema");
}

/// `tools` tools, each with what `schema` makes of its number for input and output.
fn many_tools(tools: usize, schema: impl Fn(usize) -> Value) -> Vec<String> {
    let mut manifest = good();
    let list = (0..tools).map(|index| {
        let mut tool = manifest["tools"][0].clone();
        tool["name"] = json!(format!("tool{index}"));
        tool["inputSchema"] = schema(2 * index);
        tool["outputSchema"] = schema(2 * index + 1);
        tool
    });
    manifest["tools"] = list.collect::<Vec<_>>().into();
    let faults = Manifest::parse(manifest.to_string().as_bytes()).err().unwrap_or_default();
    faults.into_iter().map(|fault| format!("{} {} {}", fault.rule, fault.at, fault.message)).collect()
}

#[test]
fn patterns_are_counted_over_all_tools() {
    let own = |index: usize| json!({"type": "object", "properties": {"a": {"pattern": format!("^{index}$")}}});
    assert_eq!(many_tools(64, own), [""; 0]);
    let message = "all schemas together hold 130 different regular expressions over the limit of 128";
    assert_eq!(many_tools(65, own), [format!("manifest/too-many-patterns /tools {message}")]);
    let named = |index: usize| json!({"items": [{"patternProperties": {format!("^{index}$"): {}}}]});
    assert_eq!(many_tools(64, named), [""; 0]);
    assert_eq!(many_tools(65, named), [format!("manifest/too-many-patterns /tools {message}")]);
    // Each schema compiles its own, so sharing does not help without end.
    let shared = |_: usize| json!({"type": "object", "patternProperties": {"^a$": {}}, "pattern": "^b$"});
    assert_eq!(many_tools(128, shared), [""; 0]);
    let faults = many_tools(129, shared);
    assert!(faults.len() == 1 && faults[0].contains("hold 516 regular expressions"), "{faults:?}");
    // A property of the name is none.
    let property = |index: usize| json!({"properties": {"pattern": {"title": index.to_string()}}});
    assert_eq!(many_tools(256, property), [""; 0]);
}

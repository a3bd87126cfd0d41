//! Holds a log against the published schema of SARIF 2.1.0.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "it reads the repository, and fails loudly")]

use std::path::Path;

use serde_json::{Value, json};

/// The published schema. Two of its patterns are no regular expressions as JSON Schema knows them (a bracket is closed
/// that was never opened): those of the `language` of a run and of a tool, which no audit has.
pub(crate) fn published() -> jsonschema::Validator {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/schemas/sarif-schema-2.1.0.json");
    let mut schema: Value = serde_json::from_slice(&std::fs::read(schema).unwrap()).unwrap();
    for object in ["run", "toolComponent"] {
        let language = schema.pointer_mut(&format!("/definitions/{object}/properties/language")).unwrap();
        let pattern = language.as_object_mut().unwrap().remove("pattern");
        assert_eq!(pattern, Some(json!("^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$")));
    }
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
}

/// Validates, and returns the results.
#[track_caller]
pub(crate) fn sarif(log: &Value) -> Vec<Value> {
    let validator = published();
    let wrong: Vec<_> = validator.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(log["runs"][0].get("language").is_none() && log["runs"][0]["tool"]["driver"].get("language").is_none());
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    for result in results {
        // The schema cannot say that indices lead to what they name.
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(!rule["help"]["text"].as_str().unwrap().is_empty());
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["index"], 0);
    }
    results.clone()
}

//! The schemas that the crate `fumehood-tool` makes of Rust types: each is admitted without a warning, takes what its type
//! takes, and refuses what it has to. The crate's own test holds the file against the types.

use serde_json::Value;

use super::LIMITS;
use crate::finding::Severity;
use crate::json::Json;
use crate::schema::{Args, Schema, Use};

const TYPES: &str = include_str!("../../../../wit/bindings/rust/tests/types.json");

#[test]
fn every_type_of_the_kit_is_admitted_and_checks_its_values() {
    let cases: Vec<Value> = serde_json::from_str(TYPES).unwrap();
    assert!(cases.len() > 40, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let name = case["type"].as_str().unwrap();
        let texts = |key: &str| case[key].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned());
        if let Some(rule) = case["refused"].as_str() {
            let reasons = Schema::admit(&case["input"], Use::Input).unwrap_err();
            assert!(reasons.iter().any(|reason| reason.rule == rule), "{name}: {reasons:?}");
            continue;
        }
        let [input, output] = [("input", Use::Input), ("output", Use::Output)].map(|(key, purpose)| {
            let schema =
                Schema::admit(&case[key], purpose).unwrap_or_else(|reasons| panic!("{name} {key}: {reasons:?}"));
            let worse = schema.findings().iter().filter(|finding| finding.severity != Severity::Note);
            wrong.extend(worse.map(|finding| format!("{name} {key}: {finding}")));
            schema
        });
        let takes = |schema: &Schema, text: &str| {
            // Not even the JSON gate takes an integer over 2^64-1.
            Json::parse(text.to_owned(), &LIMITS).is_ok_and(|json| schema.check::<Args>(json).is_ok())
        };
        let whether = |does: bool| if does { "takes" } else { "refuses" };
        for (key, schema, expect) in [
            ("takes", &input, true),
            ("gives", &output, true),
            ("refuses", &input, false),
            // What the schema cannot tell apart is the tool's to refuse: that it has to is what makes the case.
            ("refusedByTool", &input, true),
        ] {
            let others = texts(key).filter(|text| takes(schema, text) != expect);
            wrong.extend(others.map(|text| format!("{name} {} {text}", whether(!expect))));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

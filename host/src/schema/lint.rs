//! What a reviewer should know about an admissible schema, and what model APIs refuse of an input schema.
//!
//! The constructs named here made real clients drop a tool, a server or a session; each rule says which.

use std::io;

use serde_json::{Map, Value};

use super::Use;
use super::dialect::Dialect;
use super::graph::Graph;
use super::keywords::{constrains, known};
use super::report::Report;
use crate::json::bounded_pointer;

/// Bytes of a property name that model APIs take.
const PROPERTY_NAME: usize = 64;

/// 2^53: JavaScript reads larger integers as their nearest neighbour.
const EXACT: u64 = 1 << 53;

/// Looks at every subschema.
pub(super) fn lint(graph: &Graph<'_>, dialect: Dialect, purpose: Use, report: &mut Report) {
    for (number, node) in graph.nodes.iter().enumerate() {
        match node.value {
            Value::Object(members) => lint_object(graph, number, members, dialect, purpose, report),
            _ if graph.holder(number) == Some("properties") => report.warn(
                "schema/boolean-property",
                graph.pointer(number),
                "a boolean schema under `properties`",
                "write `{}` for anything; the MCP TypeScript client before version 2 drops the whole server otherwise",
            ),
            _ => {}
        }
    }
    if let Some(Value::Object(root)) = graph.nodes.first().map(|node| node.value) {
        lint_root(root, dialect, purpose, report);
    }
}

fn lint_root(root: &Map<String, Value>, dialect: Dialect, purpose: Use, report: &mut Report) {
    if accepts_anything(root, dialect) {
        report.warn(
            "schema/accepts-anything",
            String::new(),
            "the schema accepts every value",
            "say what the value looks like: `type`, `properties`, `items`",
        );
    }
    let object = root.get("type").and_then(Value::as_str) == Some("object");
    match purpose {
        Use::Output if !object => report.note(
            "schema/root-not-object",
            String::new(),
            "the root is not `\"type\": \"object\"`: clients of MCP 2025-11-25 and earlier get the value as text",
        ),
        Use::Output => {}
        Use::Input => {
            if !object {
                report.refuse(
                    "schema/input-not-object",
                    "/type".into(),
                    "the root of an input schema is not `\"type\": \"object\"`",
                    "write `\"type\": \"object\"` and name the arguments under `properties`",
                );
            }
            for keyword in ["allOf", "anyOf", "oneOf", "not", "enum", "$ref"] {
                if root.contains_key(keyword) {
                    report.warn(
                        "schema/input-root-union",
                        bounded_pointer([keyword]),
                        format!("`{keyword}` at the root of an input schema: model APIs refuse it"),
                        "describe the arguments under `properties` and let the tool check the rest",
                    );
                }
            }
        }
    }
}

fn lint_object(
    graph: &Graph<'_>,
    number: usize,
    members: &Map<String, Value>,
    dialect: Dialect,
    purpose: Use,
    report: &mut Report,
) {
    let at = |keyword: &str| graph.pointer_under(number, Some(keyword));
    for (keyword, value) in members {
        if !known(keyword, dialect) && !keyword.starts_with("x-") {
            report.warn(
                "schema/unknown-keyword",
                at(keyword),
                "not a keyword of the dialect; it has no effect",
                "check the spelling, or start its name with `x-`",
            );
        }
        let whole_form = matches!(keyword.get(..3), Some("min" | "max")) && keyword.len() > "maximum".len();
        match value {
            Value::Number(n) if keyword == "multipleOf" && n.as_f64().is_some_and(|n| n.fract() != 0.0) => report.warn(
                "schema/fractional-multiple",
                at(keyword),
                "a fractional `multipleOf`: clients in JavaScript and Python refuse values that are multiples",
                "use a whole number of smaller units",
            ),
            Value::Number(n) if n.is_f64() && whole_form => report.warn(
                "schema/float-count",
                at(keyword),
                "a count written as a float: strict model APIs refuse it",
                "write it without a fraction",
            ),
            Value::Number(n) if inexact(n) => report.warn(
                "schema/inexact-integer",
                at(keyword),
                "an integer beyond 2^53, which JavaScript clients round",
                "describe such numbers as strings",
            ),
            _ => {}
        }
    }
    if dialect == Dialect::Draft7 && members.contains_key("$ref") && members.len() > 1 {
        let siblings = members.keys().any(|keyword| constrains(keyword, dialect) && keyword != "$ref");
        if siblings {
            report.warn(
                "schema/ignored-beside-ref",
                at("$ref"),
                "draft-07 ignores every keyword beside `$ref`",
                "wrap the `$ref` in an `allOf`, or use 2020-12",
            );
        }
    }
    if dialect == Dialect::Draft202012 && members.contains_key("prefixItems") {
        report.warn(
            "schema/prefix-items",
            at("prefixItems"),
            "clients that know draft-07 only misread `prefixItems`",
            "describe the elements as an object's properties",
        );
    }
    if number > 0 && graph.holder(number) == Some("properties") && accepts_anything(members, dialect) {
        report.note("schema/accepts-anything", graph.pointer(number), "accepts every value");
    }
    lint_format(&at, members, dialect, report);
    if purpose == Use::Input {
        lint_property_names(graph, number, members, report);
    }
}

fn lint_format(at: &impl Fn(&str) -> String, members: &Map<String, Value>, dialect: Dialect, report: &mut Report) {
    let Some(format) = members.get("format").and_then(Value::as_str) else { return };
    if !super::admission::asserts(format, dialect) {
        report.warn(
            "schema/format-not-checked",
            at("format"),
            "no value is checked against this format",
            "add a `pattern`, or use a format of the dialect",
        );
    }
}

fn lint_property_names(graph: &Graph<'_>, number: usize, members: &Map<String, Value>, report: &mut Report) {
    for name in members.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        if name.is_empty() || name.len() > PROPERTY_NAME || !name.bytes().all(plain) {
            let at = format!("{}{}", graph.pointer_under(number, Some("properties")), bounded_pointer([name.as_str()]));
            report.refuse(
                "schema/property-name",
                at,
                "model APIs refuse this property name",
                "use 1 to 64 of A-Z a-z 0-9 _ . -",
            );
        }
    }
}

fn accepts_anything(members: &Map<String, Value>, dialect: Dialect) -> bool {
    !members.keys().any(|keyword| constrains(keyword, dialect))
}

fn inexact(number: &serde_json::Number) -> bool {
    number.as_u64().is_some_and(|n| n > EXACT) || number.as_i64().is_some_and(|n| n.unsigned_abs() > EXACT)
}

/// How heavy a subschema's errors can be: one for each keyword, and what an error copies of the schema, in units of
/// 64 bytes (as [`super::check`] counts a value's text).
pub(super) fn weight(schema: &Value) -> u64 {
    let Value::Object(members) = schema else { return 1 };
    let copied = ["const", "enum", "not", "required", "dependentRequired", "dependencies"];
    let bytes: u64 = copied.iter().filter_map(|keyword| members.get(*keyword)).map(written_len).sum();
    // One error for each missing name.
    let names = members.get("required").and_then(Value::as_array).map_or(0, Vec::len);
    1 + members.len() as u64 + names as u64 + bytes / 64
}

/// Bytes of a value's canonical text.
pub(super) fn written_len(value: &Value) -> u64 {
    struct Count(u64);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Neither the counter nor a `Value` can fail to be written; were it so, nothing would fit.
    serde_json::to_writer(&mut count, value).map_or(u64::MAX, |()| count.0)
}

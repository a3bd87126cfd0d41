//! Admission: from the cheapest check to the dearest, each one only when what it stands on held.

use std::collections::{BTreeMap, BTreeSet};

use jsonschema::{PatternOptions, ValidationError};
use serde_json::{Map, Value, json};

use super::check::{Compiled, with_stack};
use super::cost::cost;
use super::dialect::Dialect;
use super::graph::Graph;
use super::lint::{lint, written_len};
use super::report::Report;
use super::violation::{rebound, told};
use super::work::{STATE_BYTES, States};
use super::{Admitted, MAX_BYTES, MAX_NESTING, MAX_PATTERNS, MAX_SUBSCHEMAS, PATTERN_BYTES, Use};
use crate::finding::Finding;

/// A meta-schema error holds copies of the schema; past this size only the first is told.
const EXPLAINED_BYTES: u64 = 64 << 10;

/// Meta-schema errors listed.
const META_ERRORS: usize = 20;

/// Bytes of a pattern of a dozen states: where measuring begins.
const LEAST_PATTERN: usize = 512;

pub(super) fn admit(schema: &Value, purpose: Use) -> Result<Admitted, Vec<Finding>> {
    let mut report = Report::default();
    let Some(root) = schema.as_object() else {
        let message = "a schema has to be a JSON object";
        report.refuse("schema/not-an-object", String::new(), message, "write `{\"type\": …}`; `{}` accepts anything");
        return Err(report.finish().err().unwrap_or_default());
    };
    if !small(schema, &mut report) {
        return Err(report.finish().err().unwrap_or_default());
    }
    // Nothing below recurses deeper than there are subschemas.
    with_stack(MAX_SUBSCHEMAS, || {
        let dialect = Dialect::of(root).unwrap_or_else(|| {
            report.refuse(
                "schema/unknown-dialect",
                "/$schema".into(),
                "neither JSON Schema 2020-12 nor draft-07",
                "leave `$schema` out for 2020-12",
            );
            Dialect::Draft202012
        });
        let graph = Graph::read(schema, dialect, &mut report);
        lint(&graph, dialect, purpose, &mut report);
        let states = check_patterns(&graph, &mut report);
        let cost = cost(&graph, &states, &mut report);
        check_meta(root, dialect, &mut report);
        let validator = match cost {
            Some(cost) if !report.refused() => compile(root, dialect, &mut report).map(|validator| (cost, validator)),
            _ => None,
        };
        let findings = report.finish()?;
        let Some((cost, validator)) = validator else { return Err(findings) };
        let validator = Compiled::new(validator, cost.subschemas);
        Ok(Admitted { json: schema.clone(), findings, cost, validator })
    })
}

/// Whether the document is small enough for everything that follows. Does not recurse.
fn small(schema: &Value, report: &mut Report) -> bool {
    let mut rest = vec![(schema, 0)];
    while let Some((value, depth)) = rest.pop() {
        let depth = depth + u32::from(value.is_array() || value.is_object());
        if depth > MAX_NESTING {
            report.refuse(
                "schema/too-deep",
                String::new(),
                format!("nested over {MAX_NESTING} deep"),
                "move inner subschemas to `$defs` and refer to them",
            );
            return false;
        }
        match value {
            Value::Array(items) => rest.extend(items.iter().map(|item| (item, depth))),
            Value::Object(members) => rest.extend(members.values().map(|member| (member, depth))),
            _ => {}
        }
    }
    let bytes = written_len(schema);
    if bytes > MAX_BYTES as u64 {
        report.refuse(
            "schema/too-large",
            String::new(),
            format!("{bytes} bytes where {MAX_BYTES} are allowed"),
            "shorten descriptions and enumerations, or split the tool",
        );
        return false;
    }
    true
}

/// Every pattern has to run on the linear engine, and stay small on it. How small, is returned.
fn check_patterns<'a>(graph: &Graph<'a>, report: &mut Report) -> States<'a> {
    let mut patterns: BTreeMap<&'a str, String> = BTreeMap::new();
    for (number, node) in graph.nodes.iter().enumerate() {
        if let Some(pattern) = node.value.get("pattern").and_then(Value::as_str) {
            patterns.entry(pattern).or_insert_with(|| graph.pointer_under(number, Some("pattern")));
        }
        for (pattern, _) in node.value.get("patternProperties").and_then(Value::as_object).into_iter().flatten() {
            patterns.entry(pattern).or_insert_with(|| graph.pointer_under(number, Some("patternProperties")));
        }
    }
    if patterns.len() > MAX_PATTERNS {
        report.refuse(
            "schema/too-many-patterns",
            String::new(),
            format!("{} patterns where {MAX_PATTERNS} are allowed", patterns.len()),
            "check less by pattern",
        );
        return States::new();
    }
    let mut states = States::new();
    for (pattern, at) in patterns {
        let Some(bytes) = compiled_bytes(pattern) else {
            report.refuse(
                "schema/pattern",
                at,
                "the pattern is invalid, too large, or needs look-around or back-references",
                "write a regular expression that runs in linear time, and `maxLength` in place of a count such as `{1,255}`",
            );
            continue;
        };
        states.insert(pattern, bytes as u64 / STATE_BYTES);
        if pattern.contains("\\p") || pattern.contains("\\P") {
            let message = "Python clients cannot read `\\p{…}`";
            report.warn("schema/pattern-classes", at, message, "write the ranges out");
        }
    }
    states
}

/// The least power of two of bytes that a pattern's program fits in; `None` if it is none, or over
/// [`PATTERN_BYTES`]. The engine does not say its size, but refuses what is over a limit.
fn compiled_bytes(pattern: &str) -> Option<usize> {
    let schema = json!({"pattern": pattern});
    let rungs = std::iter::successors(Some(LEAST_PATTERN), |bytes| Some(bytes * 2));
    let mut rungs = rungs.take_while(|&bytes| bytes <= PATTERN_BYTES);
    rungs.find(|&bytes| options(Dialect::Draft202012, bytes).build(&schema).is_ok())
}

fn check_meta(root: &Map<String, Value>, dialect: Dialect, report: &mut Report) {
    let schema = Value::Object(detached(root));
    let meta = match dialect {
        Dialect::Draft202012 => jsonschema::draft202012::meta::validator(),
        Dialect::Draft7 => jsonschema::draft7::meta::validator(),
    };
    if meta.is_valid(&schema) {
        return;
    }
    if written_len(&schema) <= EXPLAINED_BYTES {
        // 2020-12 has a meta-schema for each vocabulary, and each says that 1 is not a schema.
        let mut told = BTreeSet::new();
        let errors = meta.iter_errors(&schema);
        let first = errors.filter(|error| told.insert(error.instance_path().as_str().to_owned()));
        first.take(META_ERRORS).for_each(|error| refuse_error(&error, report));
    } else if let Err(error) = meta.validate(&schema) {
        refuse_error(&error, report);
    }
}

fn refuse_error(error: &ValidationError<'_>, report: &mut Report) {
    let remedy = "see the dialect's specification at json-schema.org";
    report.refuse("schema/invalid", rebound(error.instance_path().as_str()), told(error), remedy);
}

fn compile(root: &Map<String, Value>, dialect: Dialect, report: &mut Report) -> Option<jsonschema::Validator> {
    options(dialect, PATTERN_BYTES)
        .build(&Value::Object(detached(root)))
        .map_err(|error| refuse_error(&error, report))
        .ok()
}

/// The schema without the URI it gives itself. All references are local, so it changes nothing but this: no schema
/// can pose as another that the validator knows.
fn detached(root: &Map<String, Value>) -> Map<String, Value> {
    let mut root = root.clone();
    root.shift_remove("$id");
    root.shift_remove("$schema");
    root
}

/// One set of options for every schema: offline, linear patterns, formats asserted.
fn options(dialect: Dialect, pattern_bytes: usize) -> jsonschema::ValidationOptions<'static> {
    jsonschema::options()
        .with_draft(dialect.draft())
        .offline()
        .with_pattern_options(PatternOptions::regex().size_limit(pattern_bytes).dfa_size_limit(PATTERN_BYTES))
        .should_validate_formats(true)
        .with_format("regex", |_: &str| true)
}

/// Whether values are checked against a format.
pub(super) fn asserts(format: &str, dialect: Dialect) -> bool {
    format != "regex" && options(dialect, PATTERN_BYTES).is_known_format(dialect.draft(), format)
}

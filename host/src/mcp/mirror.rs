//! Parameters that go into headers too, so that what stands between a client and a server sees them: `x-mcp-header`.
//!
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports>, "Custom Headers from Tool Parameters".

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Number, Value};

use super::subschemas::each_subschema;

const KEYWORD: &str = "x-mcp-header";
const PREFIX: &str = "mcp-param-";
/// What a parameter may be that goes into a header.
const TYPES: &[&str] = &["string", "integer", "boolean"];
/// Up to here a float holds every whole number: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Characters of a server's names, in a message.
const SHOWN: usize = 80;

/// Which parameters of a tool go into which headers: their places in the arguments, and the names of the headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mirrored(Vec<(Vec<String>, HeaderName)>);

impl Mirrored {
    /// What an input schema says.
    ///
    /// # Errors
    /// Why a client has to refuse it.
    pub(super) fn of(input: &Map<String, Value>) -> Result<Self, String> {
        let mut found = Self::default();
        if !mentions(input) {
            return Ok(found);
        }
        found.collect(input.get("properties"), &mut Vec::new())?;
        let mut names = HashSet::new();
        if let Some((_, name)) = found.0.iter().find(|(_, name)| !names.insert(name)) {
            return Err(format!("two of its parameters have one `{KEYWORD}`: {name}"));
        }
        if remove(&mut input.clone()) > found.0.len() {
            return Err(format!("`{KEYWORD}` stands in its input schema where it means no one parameter"));
        }
        Ok(found)
    }

    fn collect(&mut self, properties: Option<&Value>, path: &mut Vec<String>) -> Result<(), String> {
        let Some(Value::Object(properties)) = properties else { return Ok(()) };
        for (name, schema) in properties {
            path.push(name.clone());
            if let Some(header) = schema.get(KEYWORD) {
                let shown = || path.join(".").chars().take(SHOWN).collect::<String>().escape_debug().to_string();
                let header = header.as_str().filter(|header| !header.is_empty());
                let header = header.and_then(|name| HeaderName::from_bytes(format!("{PREFIX}{name}").as_bytes()).ok());
                let Some(header) = header else {
                    return Err(format!("`{KEYWORD}` of its parameter {} is no name of a header", shown()));
                };
                if !schema.get("type").and_then(Value::as_str).is_some_and(|kind| TYPES.contains(&kind)) {
                    let types = TYPES.join(", ");
                    return Err(format!("its parameter {} has `{KEYWORD}` and none of the types {types}", shown()));
                }
                self.0.push((path.clone(), header));
            }
            self.collect(schema.get("properties"), path)?;
            path.pop();
        }
        Ok(())
    }

    /// The headers of a call with these arguments: what is not there, or is null, has none.
    pub(super) fn headers(&self, args: &Value) -> HeaderMap {
        let header = |(path, header): &(Vec<String>, HeaderName)| {
            let text = match path.iter().try_fold(args, |value, key| value.get(key))? {
                Value::String(text) => header_text(text),
                Value::Bool(plain) => header_text(&plain.to_string()),
                Value::Number(number) => header_text(&decimal(number)),
                _ => return None,
            };
            Some((header.clone(), text))
        };
        self.0.iter().filter_map(header).collect()
    }
}

/// Whether the keyword is anywhere, be it as a keyword or not.
fn mentions(members: &Map<String, Value>) -> bool {
    fn within(value: &Value) -> bool {
        match value {
            Value::Array(list) => list.iter().any(within),
            Value::Object(members) => mentions(members),
            _ => false,
        }
    }
    members.iter().any(|(key, value)| key == KEYWORD || within(value))
}

/// A whole number without a fraction, however it was written.
fn decimal(number: &Number) -> String {
    match number.as_f64() {
        #[expect(clippy::cast_possible_truncation, reason = "whole, and within what a float holds exactly")]
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() <= EXACT => (float as i64).to_string(),
        _ => number.to_string(),
    }
}

/// Takes every `x-mcp-header` out of a schema, and says how many there were.
pub(super) fn remove(schema: &mut Map<String, Value>) -> usize {
    let mut removed = 0;
    each_subschema(schema, &mut |schema| removed += usize::from(schema.shift_remove(KEYWORD).is_some()));
    removed
}

/// A header that holds any text: the specification of 2026-07-28, under "Value Encoding".
pub(super) fn header_text(text: &str) -> HeaderValue {
    let plain = text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && text.trim() == text && !text.starts_with("=?");
    let text = if plain { text.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(text)) };
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(schema: &Value) -> Result<Mirrored, String> {
        Mirrored::of(schema.as_object().unwrap())
    }

    #[test]
    fn parameters_go_into_their_headers() {
        let mirrored = of(&json!({ "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "x-mcp-header": { "type": "string" },
            "deep": { "type": "object", "properties": {
                "count": { "type": "integer", "x-mcp-header": "Count" },
                "flag": { "type": "boolean", "x-mcp-header": "Flag" },
            } },
            "default": { "default": { "x-mcp-header": "none" } },
        }, "dependentRequired": { "x-mcp-header": ["region"] } }))
        .unwrap();
        let headers = |args: Value| {
            let headers = mirrored.headers(&args);
            let text = |(name, value): (&HeaderName, &HeaderValue)| format!("{name}: {}", value.to_str().unwrap());
            headers.iter().map(text).collect::<Vec<_>>()
        };
        let all = json!({ "region": "eu west", "deep": { "count": 7, "flag": true }, "x-mcp-header": "a" });
        assert_eq!(headers(all), ["mcp-param-region: eu west", "mcp-param-count: 7", "mcp-param-flag: true"]);
        assert_eq!(headers(json!({ "region": null, "deep": 3 })), Vec::<String>::new());
        assert_eq!(headers(json!({ "region": "" })), ["mcp-param-region: "]);
        assert_eq!(headers(json!({ "deep": { "count": 7.0 } })), ["mcp-param-count: 7"]);
        assert_eq!(headers(json!({ "deep": { "count": u64::MAX } })), ["mcp-param-count: 18446744073709551615"]);
        // Not one line more than there is.
        assert_eq!(headers(json!({ "region": "a\r\nhost: b" })), ["mcp-param-region: =?base64?YQ0KaG9zdDogYg==?="]);
    }

    #[test]
    fn what_a_client_has_to_refuse_is_refused_and_can_be_removed() {
        let refused = |properties: Value, part: &str| {
            let mut schema = json!({ "properties": properties, "$defs": {} });
            let why = of(&schema).unwrap_err();
            assert!(why.contains(part), "{why}");
            remove(schema.as_object_mut().unwrap());
            assert_eq!(of(&schema), Ok(Mirrored::default()), "{schema}");
        };
        refused(json!({ "a": { "type": "string", "x-mcp-header": "" } }), "a is no name");
        refused(json!({ "a": { "type": "string", "x-mcp-header": 7 } }), "a is no name");
        refused(json!({ "a": { "type": "string", "x-mcp-header": "b c" } }), "a is no name");
        refused(json!({ "a": { "type": "string", "x-mcp-header": "b\r\nhost" } }), "a is no name");
        refused(json!({ "a": { "type": "object", "x-mcp-header": "b" } }), "types string");
        refused(json!({ "a": { "type": "number", "x-mcp-header": "b" } }), "types string");
        refused(json!({ "a": { "x-mcp-header": "b" } }), "types string");
        refused(json!({ "a": { "type": ["string", "null"], "x-mcp-header": "b" } }), "types string");
        refused(json!({ "a": { "items": { "type": "string", "x-mcp-header": "b" } } }), "no one parameter");
        let twice = json!({ "type": "string", "x-mcp-header": "b" });
        let again = json!({ "type": "string", "x-mcp-header": "B" });
        refused(json!({ "a": twice, "c": { "properties": { "d": again } } }), "one `x-mcp-header`: mcp-param-b");
        assert!(of(&json!({ "x-mcp-header": "b" })).is_err());
    }

    #[test]
    fn any_text_fits_into_a_header() {
        assert_eq!(header_text("read_file"), "read_file");
        assert_eq!(header_text(" a"), "=?base64?IGE=?=");
        assert_eq!(header_text("é"), "=?base64?w6k=?=");
        assert_eq!(header_text("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
    }
}

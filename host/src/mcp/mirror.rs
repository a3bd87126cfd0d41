//! Parameters that go into headers too, so that what stands between a client and a server sees them: `x-mcp-header`.
//!
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports>, "Custom Headers from Tool Parameters".

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::subschemas::each_subschema;

const KEYWORD: &str = "x-mcp-header";
const PREFIX: &str = "mcp-param-";
/// Characters of a server's names, in a message.
const SHOWN: usize = 80;

/// Which parameters of a tool go into which headers: their places in the arguments, and the names of the headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mirrored(Vec<(Vec<String>, HeaderName)>);

impl Mirrored {
    /// What an input schema says, for parameters of these types.
    ///
    /// # Errors
    /// Why a client has to refuse it.
    pub(super) fn of(input: &Map<String, Value>, types: &[&str]) -> Result<Self, String> {
        let mut found = Self::default();
        found.collect(input.get("properties"), &mut Vec::new(), types)?;
        let mut all = 0;
        each_subschema(&mut Value::Object(input.clone()), &mut |schema| {
            all += usize::from(schema.contains_key(KEYWORD));
        });
        if all > found.0.len() {
            return Err(format!("`{KEYWORD}` stands in its input schema where it means no one parameter"));
        }
        Ok(found)
    }

    fn collect(&mut self, properties: Option<&Value>, path: &mut Vec<String>, types: &[&str]) -> Result<(), String> {
        let Some(Value::Object(properties)) = properties else { return Ok(()) };
        for (name, schema) in properties {
            path.push(name.clone());
            if let Some(header) = schema.get(KEYWORD) {
                let shown: String = path.join(".").chars().take(SHOWN).collect::<String>().escape_debug().to_string();
                let header = header.as_str().filter(|header| !header.is_empty());
                let header =
                    header.and_then(|header| HeaderName::from_bytes(format!("{PREFIX}{header}").as_bytes()).ok());
                let Some(header) = header else {
                    return Err(format!("`{KEYWORD}` of its parameter {shown} is no name of a header"));
                };
                if !schema.get("type").and_then(Value::as_str).is_some_and(|kind| types.contains(&kind)) {
                    let types = types.join(", ");
                    return Err(format!("its parameter {shown} has `{KEYWORD}` and none of the types {types}"));
                }
                if self.0.iter().any(|(_, other)| *other == header) {
                    return Err(format!("two of its parameters have one `{KEYWORD}`, {shown} among them"));
                }
                self.0.push((path.clone(), header));
            }
            self.collect(schema.get("properties"), path, types)?;
            path.pop();
        }
        Ok(())
    }

    /// The headers of a call with these arguments: what is not there, or is null, has none.
    pub(super) fn headers(&self, args: &Value) -> HeaderMap {
        let header = |(path, header): &(Vec<String>, HeaderName)| {
            let text = match path.iter().try_fold(args, |value, key| value.get(key))? {
                Value::String(text) => header_text(text),
                plain @ (Value::Bool(_) | Value::Number(_)) => header_text(&plain.to_string()),
                _ => return None,
            };
            Some((header.clone(), text))
        };
        self.0.iter().filter_map(header).collect()
    }
}

/// Takes every `x-mcp-header` out of a schema.
pub(super) fn remove(schema: &mut Map<String, Value>) {
    let mut whole = Value::Object(std::mem::take(schema));
    each_subschema(&mut whole, &mut |schema| drop(schema.shift_remove(KEYWORD)));
    if let Value::Object(whole) = whole {
        *schema = whole;
    }
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

    const TYPES: &[&str] = &["string", "integer", "boolean"];

    fn of(schema: &Value) -> Result<Mirrored, String> {
        Mirrored::of(schema.as_object().unwrap(), TYPES)
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
        } }))
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
        refused(json!({ "a": { "x-mcp-header": "b" } }), "types string");
        refused(json!({ "a": { "type": ["string", "null"], "x-mcp-header": "b" } }), "types string");
        refused(json!({ "a": { "items": { "type": "string", "x-mcp-header": "b" } } }), "no one parameter");
        let twice = json!({ "type": "string", "x-mcp-header": "b" });
        let again = json!({ "type": "string", "x-mcp-header": "B" });
        refused(json!({ "a": twice, "c": { "properties": { "d": again } } }), "c.d among them");
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

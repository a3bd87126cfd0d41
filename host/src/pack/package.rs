//! What Cargo.toml adds to what a component says of itself.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::finding::Finding;

/// The table `[package.metadata.fumehood]` of a Cargo.toml.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Package(Table);

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    name: Option<String>,
    description: Option<String>,
    publisher: Option<String>,
    license: Option<String>,
    homepage: Option<String>,
    source: Option<String>,
    /// As a manifest has them, which is where they are judged.
    #[serde(default)]
    capabilities: Vec<Value>,
}

/// A text about the component, and the custom section that holds it, as `wasm-metadata` names them.
pub(super) type Claim = (&'static str, String);

/// A component's name while it has none.
const UNNAMED: &str = "unnamed";

impl Package {
    /// Reads a Cargo.toml, or rather its one table. A file without the table adds nothing.
    ///
    /// # Errors
    ///
    /// The text is no TOML, or the table holds what it may not.
    pub fn from_cargo(text: &str) -> Result<Self, Finding> {
        const REMEDY: &str = "[package.metadata.fumehood] takes name, description, publisher, license, homepage, source, \
                              and capabilities as a manifest has them";
        let refuse = |error: toml::de::Error| {
            let message = error.to_string().trim_end().replace('\n', "\n  ");
            Finding::refusal("package/cargo", "", message, REMEDY)
        };
        let cargo: toml::Table = text.parse().map_err(refuse)?;
        let table = ["package", "metadata", "fumehood"]
            .iter()
            .try_fold(&toml::Value::Table(cargo.clone()), |value, key| value.get(key))
            .cloned();
        match table {
            Some(table) => Ok(Self(table.try_into().map_err(refuse)?)),
            None => Ok(Self::default()),
        }
    }

    /// A manifest with the capabilities alone, to look at a component before it has said anything.
    pub(super) fn provisional(&self) -> Value {
        json!({
            "name": UNNAMED,
            "version": "0.0.0",
            "description": UNNAMED,
            "tools": [{
                "name": UNNAMED,
                "description": UNNAMED,
                "inputSchema": { "type": "object" },
                "outputSchema": {},
            }],
            "capabilities": self.0.capabilities,
        })
    }

    /// The manifest and the claims, of what the component says and of what is here. Here has the last word.
    pub(super) fn merge(&self, said: &str) -> Result<(Value, Vec<Claim>), Finding> {
        let refuse = |message: String| {
            let remedy = "build it with another version of its kit";
            Finding::refusal("package/description", "", message, remedy)
        };
        let mut manifest: Map<String, Value> = serde_json::from_str(said)
            .map_err(|error| refuse(format!("what the component says is no object: {error}")))?;
        let about = match manifest.remove("package") {
            Some(Value::Object(about)) => about,
            None => Map::new(),
            Some(_) => return Err(refuse("what the component says of its package is no object".into())),
        };
        let Table { name, description, publisher, license, homepage, source, capabilities } = &self.0;
        for (key, text) in [("name", name), ("description", description)] {
            if let Some(text) = text {
                manifest.insert(key.into(), text.as_str().into());
            }
        }
        // Without this, what a component said would be asked for in its vendor's name.
        manifest.insert("capabilities".into(), capabilities.clone().into());
        let claims = [
            ("authors", "publisher", publisher),
            ("licenses", "license", license),
            ("homepage", "homepage", homepage),
            ("source", "source", source),
        ];
        let claims = claims.into_iter().filter_map(|(section, key, own)| {
            let said = || about.get(key).and_then(Value::as_str).map(str::to_owned);
            Some((section, own.clone().or_else(said)?))
        });
        Ok((Value::Object(manifest), claims.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = r#"{"name":"said","version":"1.0.0","package":{"publisher":"P","license":"MIT"},"tools":[]}"#;

    #[test]
    fn a_component_says_and_cargo_adds() {
        let (manifest, claims) = Package::default().merge(SAID).unwrap();
        assert_eq!(manifest, json!({ "name": "said", "version": "1.0.0", "tools": [], "capabilities": [] }));
        assert_eq!(claims, [("authors", "P".to_owned()), ("licenses", "MIT".to_owned())]);

        let cargo = r#"
            [package]
            name = "x"
            version.workspace = true
            [package.metadata.fumehood]
            name = "own"
            publisher = "Own"
            source = "https://a.test/"
            capabilities = [{ capability = "clock", reason = "r", optional = true }]
        "#;
        let (manifest, claims) = Package::from_cargo(cargo).unwrap().merge(SAID).unwrap();
        let capabilities = json!([{ "capability": "clock", "reason": "r", "optional": true }]);
        assert_eq!(manifest, json!({ "name": "own", "version": "1.0.0", "tools": [], "capabilities": capabilities }));
        let expected = [("authors", "Own"), ("licenses", "MIT"), ("source", "https://a.test/")];
        assert_eq!(claims, expected.map(|(section, text)| (section, text.to_owned())));
    }

    #[test]
    fn a_component_asks_for_nothing_by_itself() {
        let said = r#"{"name":"a","capabilities":[{"capability":"http","reason":"r"}]}"#;
        let (manifest, _) = Package::default().merge(said).unwrap();
        assert_eq!(manifest["capabilities"], json!([]));
    }

    #[test]
    fn a_table_of_something_else_is_refused() {
        let check = |cargo: &str, expect: &str| {
            let finding = Package::from_cargo(cargo).unwrap_err();
            assert!(finding.message.contains(expect), "{cargo}: {}", finding.message);
        };
        check("[package", "unclosed table");
        check("[package.metadata.fumehood]\nlicence = 'MIT'", "unknown field `licence`");
        check("[package.metadata.fumehood]\nname = 1", "expected a string");
        check("[package.metadata]\nfumehood = 1", "invalid type");
        for said in ["", "[]", r#"{"package":1}"#] {
            assert_eq!(Package::default().merge(said).unwrap_err().rule, "package/description");
        }
        assert_eq!(Package::from_cargo("[package]\nname = 'x'").unwrap(), Package::default());
    }
}

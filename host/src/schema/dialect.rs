//! The two dialects that are read.

use jsonschema::Draft;
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Draft202012,
    Draft7,
}

impl Dialect {
    /// By `$schema`; absent means 2020-12, as the Model Context Protocol says. `None`: another one.
    pub(super) fn of(schema: &serde_json::Map<String, Value>) -> Option<Self> {
        let Some(uri) = schema.get("$schema") else { return Some(Self::Draft202012) };
        match uri.as_str()?.trim_end_matches('#') {
            "https://json-schema.org/draft/2020-12/schema" => Some(Self::Draft202012),
            "http://json-schema.org/draft-07/schema" => Some(Self::Draft7),
            _ => None,
        }
    }

    pub(super) fn draft(self) -> Draft {
        match self {
            Self::Draft202012 => Draft::Draft202012,
            Self::Draft7 => Draft::Draft7,
        }
    }
}

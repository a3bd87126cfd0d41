//! A canonical value comes out of the gates and from nowhere else.

use fumehood::{CanonicalValue, Json, Schema};

fn check(schema: &Schema, json: Json) -> CanonicalValue {
    schema.check(json).unwrap()
}

fn convert(json: Json) -> CanonicalValue {
    json.into()
}

fn default() -> CanonicalValue {
    CanonicalValue::default()
}

fn main() {
    let _ = (check, convert, default);
}

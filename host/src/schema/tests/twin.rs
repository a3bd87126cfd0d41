//! Random schemas and values: no panic, and the verdict of a slow twin.

use serde_json::{Value, json};

use super::super::{Schema, Use};
use super::{Violations, checked};

/// A seeded generator (xorshift64*), so that a failure repeats.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.roll(if depth == 0 { 6 } else { 9 }) {
            0 => json!(null),
            1 => json!(true),
            2 => json!(0),
            3 => json!(1.0),
            4 => json!(-1.5),
            5 => json!("a"),
            6 => (0..self.roll(3)).map(|_| self.value(depth - 1)).collect(),
            _ => (0..self.roll(3)).map(|_| (self.name(), self.value(depth - 1))).collect(),
        }
    }

    fn name(&mut self) -> String {
        ["a", "b", "é"][self.roll(3)].to_owned()
    }

    fn reference(&mut self) -> Value {
        json!(["#", "#/$defs/a", "#/$defs/b", "#/$defs/c", "#/items", "x"][[0, 1, 1, 2, 2, 3, 4, 5][self.roll(8)]])
    }

    fn schema(&mut self, depth: usize) -> Value {
        if self.roll(8) == 0 {
            return json!(self.roll(2) == 0);
        }
        let mut schema = serde_json::Map::new();
        for _ in 0..=self.roll(2) {
            let leaf = depth == 0;
            let (keyword, value) = match self.roll(if leaf { 8 } else { 19 }) {
                0 | 1 => ("type", json!(["null", "integer", "number", "object", "array", "string"][self.roll(6)])),
                2 => ("const", self.value(1)),
                3 => ("enum", json!([self.value(1), self.value(0)])),
                4 => ("minimum", json!(0.5)),
                5 => ("required", json!([self.name()])),
                6 => ("pattern", json!(["a", "^$", "(?=a)"][[0, 0, 1, 2][self.roll(4)]])),
                7 => ("$ref", self.reference()),
                8 | 9 => ("properties", (0..self.roll(3)).map(|_| (self.name(), self.schema(depth - 1))).collect()),
                10 => ("additionalProperties", self.schema(depth - 1)),
                11 => ("items", self.schema(depth - 1)),
                12 => ("not", self.schema(depth - 1)),
                13 => ("propertyNames", self.schema(depth - 1)),
                14 => ("contains", self.schema(depth - 1)),
                15 => ("if", self.schema(depth - 1)),
                16 => ("then", self.schema(depth - 1)),
                17 => ("maxItems", [json!(1), json!(-1), json!("1")][[0, 0, 0, 0, 1, 2][self.roll(6)]].clone()),
                _ => {
                    let list = (0..=self.roll(2)).map(|_| self.schema(depth - 1)).collect();
                    (["allOf", "anyOf", "oneOf"][self.roll(3)], list)
                }
            };
            schema.insert(keyword.to_owned(), value);
        }
        Value::Object(schema)
    }
}

#[test]
fn agrees_with_a_slow_twin() {
    let mut dice = Dice(0x1234_5678_9abc_def1);
    let (mut admitted, mut valid, mut invalid) = (0, 0, 0);
    for _ in 0..3_000 {
        let mut schema = dice.schema(3);
        if let Value::Object(members) = &mut schema {
            members.insert("$defs".into(), json!({"a": dice.schema(2), "b": dice.schema(2)}));
        }
        let purpose = if dice.roll(4) == 0 { Use::Input } else { Use::Output };
        let gate = match Schema::admit(&schema, purpose) {
            Ok(gate) => gate,
            Err(reasons) => {
                assert!(!reasons.is_empty(), "{schema}");
                continue;
            }
        };
        admitted += 1;
        for _ in 0..8 {
            let value = dice.value(4);
            let got = checked(&gate, value.clone());
            assert_eq!(got.is_ok(), holds(&schema, &schema, &value), "{schema}\n{value}\n{got:?}");
            match got.as_ref().map_err(Violations::list) {
                Ok(()) => valid += 1,
                Err(list) => {
                    invalid += 1;
                    assert!(!list.is_empty() && list.len() <= Violations::MAX, "{schema} {value}");
                }
            }
        }
    }
    assert!(admitted > 500 && valid > 1_000 && invalid > 1_000, "{admitted} {valid} {invalid}");
}

/// The keywords above, as JSON Schema 2020-12 describes them, without haste.
fn holds(root: &Value, schema: &Value, value: &Value) -> bool {
    let Value::Object(members) = schema else { return schema == &json!(true) };
    let holds_all = |list: &Value| list.as_array().unwrap().iter().filter(|branch| holds(root, branch, value)).count();
    members.iter().all(|(keyword, wanted)| match keyword.as_str() {
        "type" => match wanted.as_str().unwrap() {
            "null" => value.is_null(),
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "number" => value.is_number(),
            "object" => value.is_object(),
            "array" => value.is_array(),
            _ => value.is_string(),
        },
        "const" => same(wanted, value),
        "enum" => wanted.as_array().unwrap().iter().any(|option| same(option, value)),
        "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
        "required" => value.as_object().is_none_or(|object| {
            wanted.as_array().unwrap().iter().all(|name| object.contains_key(name.as_str().unwrap()))
        }),
        "pattern" => value.as_str().is_none_or(|text| if wanted == "a" { text.contains('a') } else { text.is_empty() }),
        "$ref" => holds(root, root.pointer(&wanted.as_str().unwrap()[1..]).unwrap(), value),
        "properties" => value.as_object().is_none_or(|object| {
            wanted
                .as_object()
                .unwrap()
                .iter()
                .all(|(name, schema)| object.get(name).is_none_or(|value| holds(root, schema, value)))
        }),
        "additionalProperties" => value.as_object().is_none_or(|object| {
            let named = |name: &str| members.get("properties").is_some_and(|properties| properties.get(name).is_some());
            object.iter().all(|(name, value)| named(name) || holds(root, wanted, value))
        }),
        "items" => value.as_array().is_none_or(|list| list.iter().all(|value| holds(root, wanted, value))),
        "contains" => value.as_array().is_none_or(|list| list.iter().any(|value| holds(root, wanted, value))),
        "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= wanted.as_u64().unwrap()),
        "propertyNames" => {
            value.as_object().is_none_or(|object| object.keys().all(|name| holds(root, wanted, &json!(name))))
        }
        "not" => !holds(root, wanted, value),
        "allOf" => holds_all(wanted) == wanted.as_array().unwrap().len(),
        "anyOf" => holds_all(wanted) > 0,
        "oneOf" => holds_all(wanted) == 1,
        "if" => !holds(root, wanted, value) || members.get("then").is_none_or(|then| holds(root, then, value)),
        _ => true,
    })
}

/// Equal as JSON Schema has it: `1` and `1.0` are the same number.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

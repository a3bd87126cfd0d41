//! The gate against a list of known troubles, and against a slow twin on generated texts.

use serde_json::{Value, json};

use super::{Json, JsonError, JsonLimits, JsonUsage};

const MAX_DEPTH: u32 = JsonLimits::MAX_DEPTH;
const LIMITS: JsonLimits = JsonLimits { bytes: 4096, depth: 64, nodes: 1000 };

/// `Ok`: the canonical text. `Err`: the rule and the pointer.
fn check(text: &str, expect: Result<&str, (&str, &str)>) {
    let got = Json::parse(text, &LIMITS);
    let got = got.as_ref().map(Json::text).map_err(|error| (error.rule(), error.pointer()));
    assert_eq!(got, expect, "{text:?}");
}

#[test]
fn keeps_what_is_lossless() {
    for text in [
        "null",
        "true",
        "-0.0",
        "\"\\u0000\"",
        "\"\u{2028}\u{10ffff}\"",
        "{\"z\":1,\"a\":{\"z\":[],\"a\":{}}}",
        "{\"__proto__\":1,\"constructor\":2,\"\":3}",
        "9007199254740993",
        "18446744073709551615",
        "-9223372036854775808",
        "0.30000000000000004",
        "1e+20",
        "{\"$serde_json::private::Number\":\"1e5\"}",
        "{\"$serde_json::private::RawValue\":\"[1,2]\"}",
    ] {
        check(text, Ok(text));
    }
    check(" [ 1 , \"\\u0061\\/\" ]\n", Ok("[1,\"a/\"]"));
    check("2.2250738585072011e-308", Ok("2.225073858507201e-308"));
    check("-0", Ok("-0.0"));
    check("1E2", Ok("100.0"));
    check("1e-400", Ok("0.0"));
    check("9007199254740993.0", Ok("9007199254740992.0"));
    check("\"\\ud83d\\ude00\"", Ok("\"😀\""));
}

#[test]
fn numbers_stay_numbers() {
    // Another crate of the build turning on `arbitrary_precision` would make every number a map.
    let value = Json::parse("[1, -1, 1.5, 1e20]", &LIMITS).unwrap();
    assert!(value.value().as_array().unwrap().iter().all(Value::is_number));
}

#[test]
fn refuses_what_readers_disagree_on() {
    check("{\"a\":1,\"a\":2}", Err(("json/duplicate-key", "/a")));
    check("{\"a\":1,\"\\u0061\":2}", Err(("json/duplicate-key", "/a")));
    check("[0,{\"b\":{\"a/~\":1,\"c\":2,\"a\\/~\":3}}]", Err(("json/duplicate-key", "/1/b/a~1~0")));
    check("[1,18446744073709551616]", Err(("json/integer-out-of-range", "/1")));
    check("{\"a\":[{\"\\u0062\":-9223372036854775809}]}", Err(("json/integer-out-of-range", "/a/0/b")));
    check("{\"1e20,\\\"\":[1e20,{}],\"b\":100000000000000000000}", Err(("json/integer-out-of-range", "/b")));
    check("100000000000000000000.0", Ok("1e+20"));
    check("[[1e400]]", Err(("json/not-finite", "/0/0")));
    check("-1e400", Err(("json/not-finite", "")));
    check(&"9".repeat(400), Err(("json/not-finite", "")));
}

#[test]
fn refuses_what_is_not_json() {
    check("", Err(("json/empty", "")));
    check(" \r\n\t", Err(("json/empty", "")));
    check("\u{feff}1", Err(("json/byte-order-mark", "")));
    for text in ["1 2", "{}]", "\u{a0}1", "nul", "NaN", "01", "1.", ".5", "+1", "'a'", "[1,]", "[1 2]", "{\"a\":1,}"] {
        check(text, Err(("json/syntax", "")));
    }
    check("{\"a\":[true,\"\\ud800\"]}", Err(("json/syntax", "/a/1")));
    check("{\"a\":\"\\udc00\\ud800\"}", Err(("json/syntax", "/a")));
    check("[\"\u{1}\"]", Err(("json/syntax", "/0")));
    check("[//\n1]", Err(("json/syntax", "/0")));
    check("{1:2}", Err(("json/syntax", "")));
    let error = Json::from_slice(b"[\"\xff\"]", &LIMITS).unwrap_err();
    assert_eq!(error, JsonError::NotUtf8 { offset: 2 });
    let error = Json::from_slice(b"\"\xed\xa0\x80\"", &LIMITS).unwrap_err();
    assert_eq!(error, JsonError::NotUtf8 { offset: 1 }, "a surrogate in UTF-8");
}

#[test]
fn limits_are_exact_and_named() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let limits = JsonLimits { bytes: 1000, depth: 3, nodes: 5 };
    let usage = |text: &str| Json::parse(text, &limits).map(|json| json.usage());
    assert_eq!(usage(" [[[]]]"), Ok(JsonUsage { bytes: 7, depth: 3, nodes: 3 }));
    assert_eq!(usage("\"a\""), Ok(JsonUsage { bytes: 3, depth: 0, nodes: 1 }));
    assert_eq!(
        usage("{\"a\":[{\"b\":[]}]}"),
        Err(JsonError::TooDeep { pointer: "/a/0/b".into(), limit: 3, at_least: 4 })
    );
    assert_eq!(usage("[1,2,3,4]").unwrap().nodes, 5);
    assert_eq!(
        usage("[1,2,{\"k\":3,\"l\":4}]"),
        Err(JsonError::TooManyNodes { pointer: "/2/l".into(), limit: 5, at_least: 6 })
    );
    let small = JsonLimits { bytes: 5, ..limits };
    assert_eq!(Json::parse("[1,2]", &small).unwrap().text(), "[1,2]");
    assert_eq!(Json::parse("[1,2] ", &small), Err(JsonError::TooLarge { limit: 5, used: 6 }));
    assert_eq!(Json::from_slice(b"\xff\xff\xff\xff\xff\xff", &small), Err(JsonError::TooLarge { limit: 5, used: 6 }));
    assert_eq!(Json::parse("1e15", &small), Err(JsonError::TooLarge { limit: 5, used: 18 }), "the canonical text");

    let unbounded = JsonLimits { bytes: u64::MAX, depth: u32::MAX, nodes: u64::MAX };
    let most = MAX_DEPTH as usize;
    assert_eq!(Json::parse(deep(most), &unbounded).unwrap().usage().depth, MAX_DEPTH);
    for levels in [most + 1, most + 2, 1_000_000] {
        let error = Json::parse(deep(levels), &unbounded).unwrap_err();
        assert!(matches!(error, JsonError::TooDeep { limit: MAX_DEPTH, at_least: 128, .. }), "{error}");
    }
}

#[test]
fn takes_values_under_the_same_limits() {
    let limits = JsonLimits { bytes: 20, depth: 3, nodes: 5 };
    let json = Json::from_value(json!({"z": [1.0, -0.0], "a": "b"}), &limits).map_err(|error| error.rule());
    assert_eq!(json, Err("json/too-large"));
    let json = Json::from_value(json!({"z": [1, -0.0]}), &limits).unwrap();
    assert_eq!(json.text(), "{\"z\":[1,-0.0]}");
    assert_eq!(json.usage(), JsonUsage { bytes: 14, depth: 2, nodes: 4 });
    assert_eq!(
        Json::from_value(json!([1, {"a": [[0]]}]), &limits),
        Err(JsonError::TooDeep { pointer: "/1/a/0".into(), limit: 3, at_least: 4 })
    );
    assert_eq!(
        Json::from_value(json!([1, [2, 3, 4]]), &limits),
        Err(JsonError::TooManyNodes { pointer: "/1/2".into(), limit: 5, at_least: 6 })
    );
}

#[test]
fn a_deep_value_is_refused_without_recursion() {
    let on_a_small_stack = std::thread::Builder::new().stack_size(256 << 10).spawn(|| {
        let mut value = Value::Null;
        for _ in 0..1_000_000 {
            value = Value::Array(vec![value]);
        }
        let limits = JsonLimits { bytes: u64::MAX, depth: u32::MAX, nodes: u64::MAX };
        Json::from_value(value, &limits).map_err(|error| error.rule())
    });
    assert_eq!(on_a_small_stack.unwrap().join().unwrap(), Err("json/too-deep"));
}

#[test]
fn messages_repeat_little_of_the_data() {
    let key = format!("{}\u{1b}]0;owned\u{7}", "k".repeat(5_000));
    let limits = JsonLimits { bytes: 100_000, ..LIMITS };
    let key = serde_json::to_string(&key).unwrap();
    for text in [format!("{{{key}:1,{key}:2}}"), format!("{{{key}:{{{key}:\"secret"), format!("[{{{key}:1e999}}]")] {
        let message = Json::parse(&text, &limits).unwrap_err().to_string();
        assert!(message.len() < 400 && !message.contains("secret") && !message.contains('\u{1b}'), "{message}");
    }
    let json = Json::parse("\"secret\"", &LIMITS).unwrap();
    assert!(!format!("{json:?}").contains("secret"));
}

#[test]
fn canonical_text_is_kept_and_any_other_is_written() {
    // Each character that may need an escape, before, on and after the border of a block.
    for c in (0..0x100).filter_map(char::from_u32).chain(['\u{2028}', '\u{10ffff}']) {
        for before in [0, 1, 30, 31, 32, 33, 64] {
            let value =
                json!([{ "k".repeat(before) + &c.to_string(): "v".repeat(before) + &c.to_string() + "w" }, -0.0]);
            let written = value.to_string();
            let text = written.clone();
            let at = text.as_ptr();
            let kept = Json::parse(text, &LIMITS).unwrap();
            assert_eq!((kept.text(), kept.text().as_ptr()), (written.as_str(), at), "U+{:04X}", c as u32);
            for text in [format!(" {written}"), written.replace("},-0.0]", "} ,-0.0]"), written.replace("v", "\\u0076")]
            {
                assert_eq!(Json::parse(text, &LIMITS).unwrap().text(), written);
            }
            assert_eq!(Json::parse(format!("{written}\r\n"), &LIMITS).unwrap().text(), written);
            assert_eq!(Json::from_value(value, &LIMITS).unwrap().text(), written);
        }
    }
    // What was read may go on where its canonical text ends.
    for (text, written) in [("0.50", "0.5"), ("[0.50]", "[0.5]"), ("1E2", "100.0"), ("1.00e+20", "1e+20")] {
        assert_eq!(Json::parse(text.to_owned(), &LIMITS).unwrap().text(), written);
    }
}

/// A seeded generator (xorshift64*), so that a failure repeats.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

const KEYS: &[&str] = &["\"a\"", "\"\\u0061\"", "\"b\"", "\"a\\n\"", "\"a\\u000A\"", "\"\"", "\"/~\"", "\"é\""];
const SCALARS: &[&str] = &[
    "0",
    "-0",
    "1.0",
    "-1",
    "1e2",
    "1E+20",
    "1e-7",
    "1e400",
    "-1e309",
    "9223372036854775807",
    "-9223372036854775808",
    "-9223372036854775809",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "100000000000000000000",
    "100000000000000000000.5",
    "2.5e-308",
    "null",
    "true",
    "false",
    "\"\\u0000\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud83d\"",
    "\"[1,{\\\"\"",
    "\"x\\\\\"",
    "\"\u{7f}\"",
    "01",
    "1.",
    "nan",
    "\"\t\"",
];
const NOISE: &[&str] = &["", "[", "]", "{", "}", ",", ":", "\"", "1", " ", "\u{feff}", "\\"];

fn generate(dice: &mut Dice, depth: usize, out: &mut Vec<String>) {
    let space = dice.pick(&["", "", "", " ", "\n"]);
    out.push(space.into());
    match if depth == 0 { 2 } else { dice.roll(4) } {
        0 => {
            out.push("[".into());
            for index in 0..dice.roll(4) {
                if index > 0 {
                    out.push(",".into());
                }
                generate(dice, depth - 1, out);
            }
            out.push("]".into());
        }
        1 => {
            out.push("{".into());
            for index in 0..dice.roll(4) {
                if index > 0 {
                    out.push(",".into());
                }
                out.push(dice.pick(KEYS).into());
                out.push(":".into());
                generate(dice, depth - 1, out);
            }
            out.push("}".into());
        }
        // Most of the alphabet's head is legal, so that most texts are.
        _ => {
            let legal = dice.roll(8) > 0;
            out.push(dice.pick(if legal { &SCALARS[..7] } else { SCALARS }).into());
        }
    }
    out.push(space.into());
}

#[test]
fn agrees_with_a_slow_twin() {
    let limits = JsonLimits { bytes: 400, depth: 4, nodes: 12 };
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..60_000 {
        let mut tokens = Vec::new();
        let depth = dice.roll(6);
        generate(&mut dice, depth, &mut tokens);
        if dice.roll(4) == 0 {
            let at = dice.roll(tokens.len());
            tokens[at] = dice.pick(NOISE).into();
        }
        let text = tokens.concat();
        let twin = twin::accepts(&text, &limits);
        match Json::parse(&text, &limits) {
            Ok(json) => {
                accepted += 1;
                assert_eq!(twin, Some((json.usage().depth, json.usage().nodes)), "accepted {text:?}");
                let again = Json::parse(json.text(), &limits).unwrap();
                assert_eq!(again.text(), json.text(), "{text:?}");
                assert_eq!(Json::from_value(json.value().clone(), &limits).unwrap(), json, "{text:?}");
                let plain: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(plain.to_string(), json.text(), "{text:?}");
            }
            Err(error) => {
                refused += 1;
                assert_eq!(twin, None, "refused {text:?}: {error}");
            }
        }
    }
    assert!(accepted > 10_000 && refused > 10_000, "{accepted} {refused}: the generator is lopsided");
}

#[test]
fn floats_survive() {
    let mut dice = Dice(7);
    for _ in 0..20_000 {
        let bits = (dice.roll(1 << 31) as u64) << 33 ^ (dice.roll(1 << 31) as u64) << 11 ^ dice.roll(1 << 11) as u64;
        let float = f64::from_bits(bits);
        if float.is_finite() {
            let json = Json::parse(format!("{float:e}"), &LIMITS).unwrap();
            assert_eq!(json.value().as_f64().unwrap().to_bits(), bits);
            let again = Json::parse(json.text(), &LIMITS).unwrap();
            assert_eq!(again.value().as_f64().unwrap().to_bits(), bits, "{}", json.text());
        }
    }
}

/// A naive reader of RFC 8259 that shares nothing with the gate.
mod twin {
    use super::JsonLimits;

    struct Reader<'a> {
        rest: &'a str,
        nodes: u64,
        deepest: u32,
        max_depth: u32,
    }

    /// Depth and nodes of a text that is to be accepted.
    pub(super) fn accepts(text: &str, limits: &JsonLimits) -> Option<(u32, u64)> {
        let mut reader = Reader { rest: text, nodes: 0, deepest: 0, max_depth: limits.depth };
        let written = reader.value(0)?;
        reader.space();
        let fits = text.len() as u64 <= limits.bytes && written <= limits.bytes && reader.nodes <= limits.nodes;
        (fits && reader.rest.is_empty()).then_some((reader.deepest, reader.nodes))
    }

    impl Reader<'_> {
        fn space(&mut self) {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
        }

        fn eat(&mut self, token: &str) -> Option<()> {
            self.space();
            self.rest = self.rest.strip_prefix(token)?;
            Some(())
        }

        /// Bytes of its canonical text.
        fn value(&mut self, depth: u32) -> Option<u64> {
            self.space();
            self.nodes += 1;
            for word in ["null", "true", "false"] {
                if self.eat(word).is_some() {
                    return Some(word.len() as u64);
                }
            }
            match self.rest.chars().next()? {
                '"' => self.string().map(|text| serde_json::to_string(&text).unwrap().len() as u64),
                '[' => self.list("[", "]", depth, |reader, _| reader.value(depth + 1)),
                '{' => {
                    let mut seen: Vec<String> = Vec::new();
                    self.list("{", "}", depth, move |reader, _| {
                        reader.space();
                        let key = reader.string()?;
                        if seen.contains(&key) {
                            return None;
                        }
                        let length = serde_json::to_string(&key).unwrap().len() as u64;
                        seen.push(key);
                        reader.eat(":")?;
                        Some(length + 1 + reader.value(depth + 1)?)
                    })
                }
                _ => self.number(),
            }
        }

        fn list(
            &mut self,
            open: &str,
            close: &str,
            depth: u32,
            mut item: impl FnMut(&mut Self, u64) -> Option<u64>,
        ) -> Option<u64> {
            self.eat(open)?;
            self.deepest = self.deepest.max(depth + 1);
            if depth + 1 > self.max_depth {
                return None;
            }
            let mut length = 2;
            if self.eat(close).is_some() {
                return Some(length);
            }
            for index in 0.. {
                length += item(self, index)? + u64::from(index > 0);
                if self.eat(close).is_some() {
                    return Some(length);
                }
                self.eat(",")?;
            }
            None
        }

        fn string(&mut self) -> Option<String> {
            let body = self.rest.strip_prefix('"')?;
            let mut units: Vec<u16> = Vec::new();
            let mut chars = body.char_indices();
            while let Some((at, c)) = chars.next() {
                match c {
                    '"' => {
                        self.rest = &body[at + 1..];
                        return String::from_utf16(&units).ok();
                    }
                    '\\' => {
                        let (at, escape) = chars.next()?;
                        let unit = match escape {
                            '"' | '\\' | '/' => escape as u16,
                            'b' => 8,
                            'f' => 12,
                            'n' => 10,
                            'r' => 13,
                            't' => 9,
                            'u' => {
                                let hex = body.get(at + 1..at + 5)?;
                                for _ in 0..4 {
                                    chars.next();
                                }
                                if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                                    return None;
                                }
                                u16::from_str_radix(hex, 16).ok()?
                            }
                            _ => return None,
                        };
                        units.push(unit);
                    }
                    c if c < ' ' => return None,
                    c => units.extend(c.encode_utf16(&mut [0; 2]).iter()),
                }
            }
            None
        }

        fn number(&mut self) -> Option<u64> {
            let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
            let (token, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            self.rest = rest;
            let unsigned = token.strip_prefix('-').unwrap_or(token);
            let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            if !(digits(whole) && digits(fraction) && digits(exponent)) || whole.len() > 1 && whole.starts_with('0') {
                return None;
            }
            if whole == unsigned && token != "-0" {
                let most = if token.starts_with('-') { "9223372036854775808" } else { "18446744073709551615" };
                let small = whole.len() < most.len() || whole.len() == most.len() && whole <= most;
                return small.then_some(token.len() as u64);
            }
            let float: f64 = token.parse().ok()?;
            float.is_finite().then(|| serde_json::to_string(&float).unwrap().len() as u64)
        }
    }
}

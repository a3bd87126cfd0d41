//! The value as JSON text, with secrets masked and every other byte as it was: no number is read and written again.

use crate::mask::{mask, masked};
use crate::{pairs, shapes};

/// The masked text, or nothing where there is no secret in it.
///
/// # Errors
/// A text that is no JSON, which no host gives.
pub(crate) fn redacted(json: &str) -> Result<Option<String>, String> {
    let mut walk = Walk::default();
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(quote) = json[at..].find('"') {
        let open = at + quote;
        if json[at..open].trim() != ":" {
            walk.key = None;
        }
        let close = literal_end(json, open).ok_or("the value is no JSON")?;
        let literal = &json[open..close];
        let is_key = json[close..].trim_start().starts_with(':');
        if let Some(text) = walk.text(literal, is_key)? {
            out.push_str(&json[copied..open]);
            out.push_str(&serde_json::to_string(&text).map_err(|error| error.to_string())?);
            copied = close;
        }
        at = close;
    }
    if copied == 0 {
        return Ok(None);
    }
    out.push_str(&json[copied..]);
    Ok(Some(out))
}

/// What was seen on the way.
#[derive(Default)]
struct Walk {
    /// The key whose value comes next.
    key: Option<String>,
    /// A private key began in a string and has not ended: a file's lines may be strings of their own.
    in_private_key: bool,
    /// Masked keys, each of which gets a number: two alike in one object would be no JSON.
    keys: usize,
}

impl Walk {
    fn text(&mut self, literal: &str, is_key: bool) -> Result<Option<String>, String> {
        let text: String = serde_json::from_str(literal).map_err(|error| error.to_string())?;
        if is_key {
            let masked = mask(&text).map(|masked| {
                self.keys += 1;
                if self.keys == 1 { masked } else { format!("{masked} {}", self.keys) }
            });
            self.key = Some(text);
            return Ok(masked);
        }
        let beside = self.key.take().and_then(|key| pairs::kind(&key, &text));
        // A token that is known by itself says more than the name beside it.
        let known = beside.filter(|_| shapes::find(&text).is_empty());
        if let Some(what) = known {
            return Ok(Some(masked(what)));
        }
        if self.in_private_key {
            self.in_private_key = !shapes::closes_private_key(&text);
            if shapes::is_key_line(&text) || !self.in_private_key {
                return Ok(Some(masked("private-key")));
            }
        }
        self.in_private_key |= shapes::opens_private_key(&text);
        Ok(mask(&text))
    }
}

/// Where the string literal that opens there ends, its quotes included.
fn literal_end(json: &str, open: usize) -> Option<usize> {
    let bytes = json.as_bytes();
    let mut at = open + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expect: Option<&str>) {
        let found = redacted(json).unwrap();
        assert_eq!(found.as_deref(), expect, "{json}");
        if let Some(found) = found {
            serde_json::from_str::<serde_json::Value>(&found).unwrap();
        }
    }

    const AWS: &str = "AKIAIOSFODNN7EXAMPLE";

    #[test]
    fn only_strings_change() {
        let json = format!(r#"{{"n":-0.0,"big":12345678901234567890,"e":1e-7,"s":["x","{AWS}"],"u":"\u00fc\"{AWS}"}}"#);
        let expect = r#"{"n":-0.0,"big":12345678901234567890,"e":1e-7,"s":["x","[redacted aws-access-key]"],"u":"ü\"[redacted aws-access-key]"}"#;
        // `"` before the key is a border, so it is found there too.
        check(&json, Some(expect));
        for plain in [r#"{"a":[1,true,null,"b"]}"#, r#""text""#, "3", "[]", r#"{"":""}"#] {
            check(plain, None);
        }
        check(&format!("\"{AWS}\""), Some(r#""[redacted aws-access-key]""#));
    }

    #[test]
    fn keys_are_masked_and_stay_different() {
        let other = "AKIAIOSFODNN7EXAMPLF";
        let json = format!(r#"{{"{AWS}":1,"{other}":{{"a":2}}}}"#);
        check(&json, Some(r#"{"[redacted aws-access-key]":1,"[redacted aws-access-key] 2":{"a":2}}"#));
    }

    #[test]
    fn a_key_says_what_its_value_is() {
        check(r#"{"password":"hunter2","user":"me"}"#, Some(r#"{"password":"[redacted password]","user":"me"}"#));
        check(r#"{"password" : "a b c d"}"#, Some(r#"{"password" : "[redacted password]"}"#));
        // The value has to follow at once.
        check(r#"{"password":["hunter2"],"x":"hunter2"}"#, None);
        check(r#"{"password":7,"x":"hunter2"}"#, None);
        check(r#"["password","hunter2"]"#, None);
        check(&format!(r#"{{"secret":"{AWS}"}}"#), Some(r#"{"secret":"[redacted aws-access-key]"}"#));
    }

    #[test]
    fn a_private_key_line_by_line() {
        let json = r#"[{"n":1,"t":"-----BEGIN PRIVATE KEY-----"},{"n":2,"t":"MIIEvQIBADANBgkqhkiG"},{"n":3,"t":"-----END PRIVATE KEY-----"},{"n":4,"t":"MIIEvQIBADANBgkqhkiG"}]"#;
        let expect = r#"[{"n":1,"t":"[redacted private-key]"},{"n":2,"t":"[redacted private-key]"},{"n":3,"t":"[redacted private-key]"},{"n":4,"t":"MIIEvQIBADANBgkqhkiG"}]"#;
        check(json, Some(expect));
    }
}

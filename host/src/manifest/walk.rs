//! Steps through untrusted JSON that collect every fault on the way instead of stopping at the first.

use serde_json::{Map, Value};

use super::text::{self, Lines};
use crate::finding::Finding;

/// As many faults as a person reads. A megabyte of nonsense could hold a hundred thousand.
const MAX_FAULTS: usize = 100;

/// The faults found so far.
#[derive(Default)]
pub(super) struct Walk {
    faults: Vec<Finding>,
    more: usize,
}

pub(super) type Object = Map<String, Value>;

/// Whether a field may be left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Required,
    Optional,
}

impl Walk {
    /// What was read, if there was no fault.
    pub(super) fn finish<T>(mut self, read: Option<T>) -> Result<T, Vec<Finding>> {
        if self.more > 0 {
            let message = format!("{} more faults are not listed", self.more);
            self.faults.push(Finding::note("manifest/more", "", message));
        }
        match read {
            Some(read) if self.faults.is_empty() => Ok(read),
            _ => Err(self.faults),
        }
    }

    pub(super) fn refuse(
        &mut self,
        rule: &'static str,
        at: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Finding::refusal(rule, clip(at, 200), message, remedy));
        } else {
            self.more += 1;
        }
    }

    pub(super) fn object<'v>(&mut self, value: &'v Value, at: &str, known: &[&str]) -> Option<&'v Object> {
        let Value::Object(object) = value else {
            self.wrong_type(at, "an object");
            return None;
        };
        for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
            let message = format!("there is no field `{}` here", clip(key, 64));
            let remedy = format!("remove it; known are {}", known.join(", "));
            self.refuse("manifest/unknown-field", &join(at, key), message, remedy);
        }
        Some(object)
    }

    pub(super) fn list<'v>(&mut self, object: &'v Object, key: &str) -> Option<&'v [Value]> {
        match object.get(key) {
            Some(Value::Array(list)) => Some(list),
            Some(_) => {
                self.wrong_type(&format!("/{key}"), "an array");
                None
            }
            None => {
                self.missing("", key, Field::Required);
                None
            }
        }
    }

    pub(super) fn flag(&mut self, object: &Object, at: &str, key: &str) -> Option<bool> {
        let value = object.get(key)?;
        let flag = value.as_bool();
        if flag.is_none() {
            self.wrong_type(&format!("{at}/{key}"), "true or false");
        }
        flag
    }

    pub(super) fn line(&mut self, object: &Object, at: &str, key: &str, field: Field, cap: usize) -> Option<String> {
        self.text(object, at, key, field, cap, Lines::One)
    }

    pub(super) fn text(
        &mut self,
        object: &Object,
        at: &str,
        key: &str,
        field: Field,
        cap: usize,
        lines: Lines,
    ) -> Option<String> {
        let text = match object.get(key) {
            None => {
                self.missing(at, key, field);
                return None;
            }
            Some(Value::String(text)) => text,
            Some(_) => {
                self.wrong_type(&format!("{at}/{key}"), "a string");
                return None;
            }
        };
        let at = format!("{at}/{key}");
        let mut good = self.visible(text, &at, lines);
        if text.trim().is_empty() {
            self.refuse("manifest/empty-text", &at, format!("`{key}` is empty"), "write what a reviewer has to know");
            good = false;
        }
        if text.len() > cap {
            let message = format!("`{key}` is {} bytes long", text.len());
            self.refuse("manifest/long-text", &at, message, format!("write at most {cap} bytes"));
            good = false;
        }
        good.then(|| text.clone())
    }

    pub(super) fn visible(&mut self, text: &str, at: &str, lines: Lines) -> bool {
        let Some((offset, character, what)) = text::hidden(text, lines) else { return true };
        let message = format!("U+{:04X} at byte {offset} of this text is {what}", u32::from(character));
        self.refuse("manifest/hidden-character", at, message, "write text that everybody sees");
        false
    }

    fn missing(&mut self, at: &str, key: &str, field: Field) {
        if field == Field::Required {
            let at = format!("{at}/{key}");
            self.refuse("manifest/missing-field", &at, format!("`{key}` is missing"), format!("add \"{key}\""));
        }
    }

    fn wrong_type(&mut self, at: &str, expected: &str) {
        self.refuse("manifest/wrong-type", at, format!("this is not {expected}"), format!("write {expected}"));
    }
}

/// A JSON pointer one step further: RFC 6901, and readable whatever the key holds.
pub(super) fn join(at: &str, key: &str) -> String {
    format!("{at}/{}", clip(&key.replace('~', "~0").replace('/', "~1"), 64))
}

/// At most so many bytes of a text that is not trusted, with nothing in it that a terminal acts on.
pub(super) fn clip(text: &str, bytes: usize) -> String {
    let cut = text.floor_char_boundary(bytes);
    let shown: String = text[..cut]
        .chars()
        .map(|c| if text::hidden(c.encode_utf8(&mut [0; 4]), Lines::One).is_some() { '\u{fffd}' } else { c })
        .collect();
    if cut < text.len() { format!("{shown}…") } else { shown }
}

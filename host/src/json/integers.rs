//! Finds integers that `serde_json` had to round.
//!
//! It reads an integer outside `i64` and `u64` as the nearest `f64` and says nothing. Such a number is at least
//! 2^63 in magnitude, so the texts without one never come here.

/// The keys and indices that lead to the first integer token of `text`, which must be valid JSON, that neither
/// `i64` nor `u64` holds. `1e20` is no integer token.
pub(super) fn first_out_of_range(text: &str) -> Option<Vec<String>> {
    let bytes = text.as_bytes();
    let mut open: Vec<Place> = Vec::new();
    let mut string = (0, 0);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'"' => {
                at = end_of_string(bytes, at);
                string = (start, at);
            }
            b'[' => open.push(Place::Index(0)),
            b'{' => open.push(Place::Key(0, 0)),
            b']' | b'}' => {
                open.pop();
            }
            b',' => {
                if let Some(Place::Index(index)) = open.last_mut() {
                    *index += 1;
                }
            }
            b':' => {
                if let Some(Place::Key(from, to)) = open.last_mut() {
                    (*from, *to) = string;
                }
            }
            b'-' | b'0'..=b'9' => {
                while matches!(bytes.get(at), Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
                    at += 1;
                }
                let token = &text[start..at];
                let integer = !token.contains(['.', 'e', 'E']);
                if integer && token.parse::<i64>().is_err() && token.parse::<u64>().is_err() {
                    return Some(open.iter().map(|place| place.segment(text)).collect());
                }
            }
            _ => {}
        }
    }
    None
}

/// Where in an open container the scan is: at an index, or under the key whose token spans these bytes.
enum Place {
    Index(u64),
    Key(usize, usize),
}

impl Place {
    fn segment(&self, text: &str) -> String {
        match *self {
            Self::Index(index) => index.to_string(),
            Self::Key(from, to) => serde_json::from_str(&text[from..to]).unwrap_or_default(),
        }
    }
}

/// One past the closing quote of a string whose first character is at `at`.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    at
}

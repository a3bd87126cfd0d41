//! Where a text holds secrets, and the text without them.

use crate::{pairs, shapes};

/// A secret in a text: the bytes it takes, and what people call its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Secret {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) what: &'static str,
}

/// What stands where a secret was.
pub(crate) fn masked(what: &str) -> String {
    format!("[redacted {what}]")
}

/// The secrets of a text, in order. Of two that overlap the first one stays, and what the other adds to it goes with it.
pub(crate) fn secrets(text: &str) -> Vec<Secret> {
    let mut all = shapes::find(text);
    all.extend(pairs::find(text));
    // Of two at one place the longer one: a token in a URL's password is a password, whole.
    all.sort_by_key(|secret| (secret.start, std::cmp::Reverse(secret.end)));
    let mut kept: Vec<Secret> = Vec::new();
    for secret in all {
        match kept.last_mut() {
            Some(last) if secret.start < last.end => last.end = last.end.max(secret.end),
            _ => kept.push(secret),
        }
    }
    kept
}

/// The text with each secret masked, or nothing where there is none.
pub(crate) fn mask(text: &str) -> Option<String> {
    let secrets = secrets(text);
    if secrets.is_empty() {
        return None;
    }
    let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
    for Secret { start, end, what } in secrets {
        out.push_str(&text[copied..start]);
        out.push_str(&masked(what));
        copied = end;
    }
    out.push_str(&text[copied..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_around_a_secret_stays() {
        let text = "ä AKIAIOSFODNN7EXAMPLE, then password=hunter22; ü";
        assert_eq!(mask(text).unwrap(), "ä [redacted aws-access-key], then password=[redacted password]; ü");
        assert_eq!(mask("nothing here"), None);
        // What was masked once stays as it is.
        assert_eq!(mask(&mask(text).unwrap()), None);
    }

    #[test]
    fn one_place_has_one_mask() {
        let text = "token: ghp_16C7e42F292c6912E7710c838347Ae178B4a";
        assert_eq!(mask(text).unwrap(), "token: [redacted github-token]");
        assert_eq!(mask("api_key=AKIAIOSFODNN7EXAMPLEx").unwrap(), "api_key=[redacted secret]");
    }
}

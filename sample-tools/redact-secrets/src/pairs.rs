//! Secrets that are recognised by the name beside them: `password=…`, `"api_key": "…"`, and by how random they look.

use std::ops::Range;

use crate::mask::Secret;

/// The most characters of what looks random and is kept as a secret.
const RANDOM: usize = 128;
/// Ends of names, without case, `-`, `_` and `.`.
const PASSWORDS: &[&str] = &["password", "passwd", "passphrase"];
/// The same, of what is no password and is kept as secret.
const SECRETS: &[&str] = &[
    "secret",
    "secretkey",
    "secretaccesskey",
    "apikey",
    "accesskey",
    "privatekey",
    "accesstoken",
    "authtoken",
    "refreshtoken",
    "sessiontoken",
    "clientsecret",
];
/// Ends of names whose values look random and are no secrets.
const HARMLESS: &[&str] = &[
    "id",
    "hash",
    "sha",
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "md5",
    "digest",
    "checksum",
    "integrity",
    "commit",
    "revision",
    "rev",
    "etag",
    "fingerprint",
    "cursor",
    "pagetoken",
    "version",
    "publickey",
];
/// What stands for a value that is not there.
const WORDS: &[&str] = &["null", "none", "nil", "true", "false", "undefined", "required", "optional", "string"];

/// All of them, in order.
pub(crate) fn find(text: &str) -> Vec<Secret> {
    let (mut found, mut read) = (Vec::new(), 0);
    for (at, _) in text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'=' | b':')) {
        // In a value there may be more separators. Reading to its end from each of them would take long.
        if at >= read
            && let Some((value, what)) = pair(text, at)
        {
            read = value.end;
            found.extend(what.map(|what| Secret { start: value.start, end: value.end, what }));
        }
    }
    found
}

/// What the value beside that name is, where the two are all there is, as in JSON.
pub(crate) fn kind(name: &str, value: &str) -> Option<&'static str> {
    classified(&plain(name), value, true)
}

/// The pair around the separator at that place: where its value is, and what, if that is a secret.
fn pair(text: &str, at: usize) -> Option<(Range<usize>, Option<&'static str>)> {
    let name = plain(name_before(&text[..at])?);
    let rest = &text[at + 1..];
    let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let value = &rest[spaces..];
    // `\"` is a quote in a text that is itself in quotes.
    let escaped = usize::from(value.starts_with("\\\""));
    let quote = value[escaped..].chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let start = at + 1 + spaces + quote.map_or(0, |_| escaped + 1);
    // Only the value of a name that says so may be longer than what looks random.
    let said = ends(&name, PASSWORDS) || ends(&name, SECRETS);
    let most = if said { text.len() } else { text.floor_char_boundary(start.saturating_add(RANDOM + 1)) };
    let value = text.get(start..most)?;
    let end = match quote {
        Some(quote) => value.find([quote, '\\', '\n'])?,
        None => value.bytes().position(ends_value).unwrap_or(value.len()),
    };
    let value = &value[..end];
    // `name = other` is code and `name: words` is prose more often than not; there the value has to look like no word.
    let firm = quote.is_some() || (text.as_bytes()[at] == b'=' && spaces == 0);
    let called = quote.is_none() && text[start + end..].starts_with('(');
    let what = classified(&name, value, firm).filter(|_| !called);
    (said || what.is_some()).then_some((start..start + end, what))
}

fn ends_value(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b",;&\"'`<>()[]{}|\\".contains(&byte)
}

/// The identifier that ends where the separator stands, perhaps in quotes.
fn name_before(text: &str) -> Option<&str> {
    let text = text.trim_end_matches([' ', '\t']);
    let text = text.strip_suffix(['"', '\'', '`']).unwrap_or(text);
    let text = text.strip_suffix('\\').unwrap_or(text);
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    // Longer is no name, and looking further would take time.
    let length = text.bytes().rev().take(128).take_while(|byte| name(byte)).count();
    (length > 0).then(|| &text[text.len() - length..])
}

fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '_', '.'], "")
}

fn ends(name: &str, list: &[&str]) -> bool {
    list.iter().any(|end| name.ends_with(end))
}

/// `name` is a plain one.
fn classified(name: &str, value: &str, firm: bool) -> Option<&'static str> {
    let what = if ends(name, PASSWORDS) {
        "password"
    } else if ends(name, SECRETS) {
        "secret"
    } else if looks_random(value) && !ends(name, HARMLESS) {
        return Some("random-value");
    } else {
        return None;
    };
    let stands_for = plain(value.rsplit('.').next().unwrap_or(value));
    let variable = stands_for == name || PASSWORDS.contains(&&*stands_for) || SECRETS.contains(&&*stands_for);
    let is_one = value.len() >= 4 && !placeholder(value) && !variable && (firm || looks_like_no_word(value));
    is_one.then_some(what)
}

fn placeholder(value: &str) -> bool {
    let first = value.as_bytes().first().copied().unwrap_or_default();
    let same = value.bytes().all(|byte| byte == first);
    // A mask that stands there already begins with a bracket.
    same || b"${<%[(".contains(&first) || WORDS.contains(&value.to_ascii_lowercase().as_str())
}

fn looks_like_no_word(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.len() >= 6 && digits > 0 && digits < value.len()
}

/// 24 to 128 letters and digits that change between upper case, lower case and digits as often as chance does, and repeat
/// themselves as little. Paths, names and words do not; hexadecimal digests have one case.
fn looks_random(value: &str) -> bool {
    let bytes = value.as_bytes();
    if !(24..=RANDOM).contains(&bytes.len()) || !bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"-_+=".contains(b))
    {
        return false;
    }
    let class = |byte: u8| match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let every = (0..3).all(|wanted| bytes.iter().filter(|byte| class(**byte) == wanted).count() >= 2);
    // A capital begins a word of `camelCase`: going on in small letters says nothing.
    let changes = |pair: &[u8]| match (class(pair[0]), class(pair[1])) {
        (0, 1) => false,
        (before, after) => before != after,
    };
    let changes = bytes.windows(2).filter(|pair| changes(pair)).count();
    // So random base64 changes at nine of twenty places, and words at one of five.
    every && changes * 10 >= bytes.len() * 3 && bits_a_byte(bytes) >= 3.7
}

/// Shannon's entropy of the bytes: 24 random characters have 4.2 and more, a word of that length 3.5.
fn bits_a_byte(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let share = |count: u32| f64::from(count) / bytes.len() as f64;
    counts.into_iter().filter(|count| *count > 0).map(|count| -share(count) * share(count).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[(&str, &str)]) {
        let found = find(text);
        let found: Vec<_> = found.iter().map(|secret| (secret.what, &text[secret.start..secret.end])).collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn names_that_say_secret() {
        check("DB_PASSWORD=hunter2\nPORT=80", &[("password", "hunter2")]);
        check("https://a.b/?user=me&password=hunter2&x=1", &[("password", "hunter2")]);
        check(r#"{"api_key": "abcd efgh", "n": 1}"#, &[("secret", "abcd efgh")]);
        check(r#"{\"client-secret\":\"abcdefgh\"}"#, &[("secret", "abcdefgh")]);
        check("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", &[("secret", "wJalrXUtnFEMI/K7MDENG")]);
        check("password: hunter2", &[("password", "hunter2")]);
        check("X-Api-Key: 0123abcd", &[("secret", "0123abcd")]);
    }

    #[test]
    fn code_prose_and_placeholders_stay() {
        for plain in [
            "password: must be long",
            "password = get_password()",
            "login(password=password, secret=self.secret)",
            "password=$PASSWORD",
            "password=${X} password=<yours> password=****",
            "password: string",
            "password=null",
            "PWD=/home/me",
            "the password:",
            "token=short",
            "a==b, x: y, p::q, https://example.com",
        ] {
            check(plain, &[]);
        }
    }

    #[test]
    fn what_looks_random() {
        let random = "h7Qx2LpZ9vRt4WmK8sYc1NbD";
        check(&format!("SESSION={random}"), &[("random-value", random)]);
        check(&format!("x = \"{random}\""), &[("random-value", random)]);
        for name in ["commit", "integrity", "file_id", "next_page_token", "sha256"] {
            check(&format!("{name}={random}"), &[]);
        }
        for plain in [
            "name=createHttp2ServerWithOptionsV2Now",
            "hash=da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "value=da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "url=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1A",
        ] {
            check(plain, &[]);
        }
    }

    #[test]
    fn many_separators_are_read_in_a_moment() {
        for piece in ["=:", "a=", "password=(", "password=$", "password='", "password=", "a=\"", " = ", "password: "] {
            let text = piece.repeat((1 << 18) / piece.len());
            let found = find(&text);
            assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start), "{piece}");
        }
    }
}

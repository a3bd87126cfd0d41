//! Secrets that are recognised by themselves, from the prefix their issuer gave them so that they can be found.

use crate::mask::Secret;

/// A prefix, and how many of which characters follow it.
struct Shape {
    what: &'static str,
    prefix: &'static str,
    body: fn(u8) -> bool,
    least: usize,
    most: usize,
}

const fn shape(what: &'static str, prefix: &'static str, body: fn(u8) -> bool, least: usize, most: usize) -> Shape {
    Shape { what, prefix, body, least, most }
}

/// Tokens that may become longer have no upper end.
const ANY: usize = usize::MAX;

/// As their issuers document them; lengths are the least that was ever issued.
static SHAPES: &[Shape] = &[
    // Identifiers of long-term and of temporary keys: "IAM identifiers" in the IAM user guide.
    shape("aws-access-key", "AKIA", upper, 16, 16),
    shape("aws-access-key", "ASIA", upper, 16, 16),
    // "About authentication to GitHub", token formats.
    shape("github-token", "ghp_", alnum, 36, ANY),
    shape("github-token", "gho_", alnum, 36, ANY),
    shape("github-token", "ghu_", alnum, 36, ANY),
    shape("github-token", "ghs_", alnum, 36, ANY),
    shape("github-token", "ghr_", alnum, 36, ANY),
    shape("github-token", "github_pat_", word, 22, ANY),
    // "Token overview", token prefixes: personal, deploy, runner, pipeline trigger, job.
    shape("gitlab-token", "glpat-", dashed, 20, ANY),
    shape("gitlab-token", "gldt-", dashed, 20, ANY),
    shape("gitlab-token", "glrt-", dashed, 20, ANY),
    shape("gitlab-token", "glptt-", dashed, 20, ANY),
    shape("gitlab-token", "glcbt-", dashed, 20, ANY),
    // "Token types": bot, user, legacy, configuration and refresh, app.
    shape("slack-token", "xoxb-", dashed, 20, ANY),
    shape("slack-token", "xoxp-", dashed, 20, ANY),
    shape("slack-token", "xoxa-", dashed, 20, ANY),
    shape("slack-token", "xoxr-", dashed, 20, ANY),
    shape("slack-token", "xoxs-", dashed, 20, ANY),
    shape("slack-token", "xapp-", dashed, 20, ANY),
    shape("slack-webhook", "https://hooks.slack.com/services/", path, 24, ANY),
    // "API keys": live and test, secret and restricted.
    shape("stripe-key", "sk_live_", alnum, 16, ANY),
    shape("stripe-key", "rk_live_", alnum, 16, ANY),
    shape("stripe-key", "sk_test_", alnum, 16, ANY),
    // "API keys" of the Google Cloud documentation.
    shape("google-api-key", "AIza", dashed, 35, 35),
    shape("npm-token", "npm_", alnum, 36, 36),
    shape("pypi-token", "pypi-AgE", dashed, 50, ANY),
    shape("model-api-key", "sk-ant-", dashed, 20, ANY),
    shape("model-api-key", "sk-proj-", dashed, 20, ANY),
];

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn word(byte: u8) -> bool {
    alnum(byte) || byte == b'_'
}

fn dashed(byte: u8) -> bool {
    word(byte) || byte == b'-'
}

fn path(byte: u8) -> bool {
    alnum(byte) || byte == b'/'
}

/// RFC 6750 section 2.1.
fn token68(byte: u8) -> bool {
    dashed(byte) || b".~+/=".contains(&byte)
}

/// How many bytes from there on are of that kind; past `most`, that there are more.
fn run(text: &str, from: usize, kind: fn(u8) -> bool, most: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    rest.iter().take(most.saturating_add(1)).take_while(|byte| kind(**byte)).count()
}

/// All of them, in no order.
pub(crate) fn find(text: &str) -> Vec<Secret> {
    let mut found = private_keys(text);
    let bytes = text.as_bytes();
    let (mut before, mut end) = (b' ', 0);
    for (start, byte) in bytes.iter().copied().enumerate() {
        let secret = match byte {
            // What was read already. Reading it again from each place in it would take long.
            _ if start < end => None,
            // A token begins where a word does.
            b'A'..=b'Z' | b'a'..=b'z' if !word(before) => {
                issued(text, start).or_else(|| web_token(text, start, before)).or_else(|| bearer(text, start))
            }
            b':' if bytes[start..].starts_with(b"://") => url_password(text, start + 3),
            _ => None,
        };
        end = secret.as_ref().map_or(end, |secret| secret.end);
        found.extend(secret);
        before = byte;
    }
    found
}

fn issued(text: &str, start: usize) -> Option<Secret> {
    let rest = &text.as_bytes()[start..];
    SHAPES.iter().filter(|shape| rest.starts_with(shape.prefix.as_bytes())).find_map(|shape| {
        let body = start + shape.prefix.len();
        let length = run(text, body, shape.body, shape.most);
        let end = body + length;
        let ends = !rest.get(end - start).is_some_and(|next| word(*next));
        let fits = (shape.least..=shape.most).contains(&length) && ends;
        fits.then_some(Secret { start, end, what: shape.what })
    })
}

/// A JSON Web Token, signed: RFC 7519. Header and claims are JSON objects, so both begin with `{"` in base64url.
fn web_token(text: &str, start: usize, before: u8) -> Option<Secret> {
    let part = |from: usize, least: usize| Some(run(text, from, dashed, ANY)).filter(|length| *length >= least);
    (before != b'-' && text[start..].starts_with("eyJ")).then_some(())?;
    let claims = start + part(start, 10)? + 1;
    text.get(claims - 1..)?.starts_with(".eyJ").then_some(())?;
    let signature = claims + part(claims, 10)? + 1;
    text.get(signature - 1..)?.starts_with('.').then_some(())?;
    Some(Secret { start, end: signature + part(signature, 16)?, what: "json-web-token" })
}

/// What follows `Bearer` or `Basic` in a header.
fn bearer(text: &str, start: usize) -> Option<Secret> {
    let scheme = ["bearer ", "basic "].into_iter().find(|scheme| {
        text.get(start..start + scheme.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(scheme))
    })?;
    let token = start + scheme.len();
    let length = run(text, token, token68, ANY);
    // Twenty characters are no English word, and a digit is in nearly every token.
    let random = length >= 20 && text.as_bytes()[token..token + length].iter().any(u8::is_ascii_digit);
    random.then_some(Secret { start: token, end: token + length, what: "authorization" })
}

/// `user:password@` of a URL, from behind its `://`.
fn url_password(text: &str, from: usize) -> Option<Secret> {
    let rest = text.get(from..)?;
    let authority = rest.find(|c: char| c.is_whitespace() || "/?#\"'`<>".contains(c)).unwrap_or(rest.len());
    let (user_info, _) = rest[..authority].rsplit_once('@')?;
    let (user, password) = user_info.split_once(':')?;
    let placeholder = password.starts_with(['$', '{', '<', '%', '*', '[']);
    let start = from + user.len() + 1;
    (!password.is_empty() && !placeholder).then_some(Secret { start, end: start + password.len(), what: "password" })
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";

/// PEM and OpenPGP blocks of private keys, RFC 7468 section 2. One without an end reaches to the end of the text.
fn private_keys(text: &str) -> Vec<Secret> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(at) = text[from..].find(BEGIN) {
        let start = from + at;
        from = start + BEGIN.len();
        if !is_private(&text[from..]) {
            continue;
        }
        let end = match text[from..].find(END) {
            Some(at) => {
                let label = from + at + END.len();
                text[label..].find("-----").map_or(text.len(), |dashes| label + dashes + 5)
            }
            None => text.len(),
        };
        found.push(Secret { start, end, what: "private-key" });
        from = end;
    }
    found
}

/// Whether a PEM label is that of a private key: `RSA PRIVATE KEY`, `PGP PRIVATE KEY BLOCK`.
fn is_private(after_begin: &str) -> bool {
    let label = after_begin.split("-----").next().unwrap_or_default();
    label.len() <= 64 && label.contains("PRIVATE KEY")
}

/// Whether a private key begins in this text and does not end in it.
pub(crate) fn opens_private_key(text: &str) -> bool {
    text.rfind(BEGIN).is_some_and(|at| {
        let rest = &text[at + BEGIN.len()..];
        is_private(rest) && !rest.contains(END)
    })
}

/// Whether a private key that began in an earlier text ends in this one.
pub(crate) fn closes_private_key(text: &str) -> bool {
    text.contains(END)
}

/// Whether this could be a line of one: base64 and nothing else.
pub(crate) fn is_key_line(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 16 && text.bytes().all(|byte| alnum(byte) || b"+/=".contains(&byte))
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
    fn issued_tokens() {
        for (what, token) in [
            ("aws-access-key", "AKIAIOSFODNN7EXAMPLE"),
            ("github-token", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
            ("github-token", "github_pat_11ABCDEFG0abcdefghijkl_mnop"),
            ("gitlab-token", "glpat-0123456789-abcdef_XY"),
            ("slack-token", "xoxb-0123456789-abcdefghijklmn"),
            ("stripe-key", "sk_live_4eC39HqLyjWDarjt"),
            ("google-api-key", "AIzaSyA-0123456789_abcdefghijklmnopqrst"),
            ("slack-webhook", "https://hooks.slack.com/services/T00000000/B00000000/abcdefgh"),
        ] {
            check(token, &[(what, token)]);
            check(&format!("x '{token}', y"), &[(what, token)]);
            // Not in the middle of a word.
            check(&format!("x{token}"), &[]);
        }
        for plain in ["AKIA", "AKIAIOSFODNN7EXAMPLExyz", "AKIAIOSFODNN7EXAMPL", "ghp_short", "xoxb-", "a_ghp_name"] {
            check(plain, &[]);
        }
    }

    #[test]
    fn many_beginnings_are_read_in_a_moment() {
        for piece in ["ghp_", "glpat-", "AIza-", "eyJ-", "eyJ.", "bearer ", "a://b", "-----BEGIN ", "xoxb-a."] {
            let text = piece.repeat((1 << 18) / piece.len());
            assert!(find(&text).len() <= 1, "{piece}");
        }
    }

    #[test]
    fn web_tokens_and_headers() {
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N";
        check(token, &[("json-web-token", token)]);
        check("eyJhbGciOiJIUzI1NiJ9.nothing", &[]);
        check("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.", &[]);
        check("Authorization: bearer 0123456789abcdefghij", &[("authorization", "0123456789abcdefghij")]);
        check("the bearer of this letter and of others", &[]);
    }

    #[test]
    fn passwords_in_addresses() {
        check("postgres://me:hunter2@db/x", &[("password", "hunter2")]);
        check("https://me:p:w@example.com", &[("password", "p:w")]);
        for plain in ["https://example.com:443/@me", "https://me@example.com", "x://u:$P@h", "x://u:<pw>@h", "://"] {
            check(plain, &[]);
        }
    }

    #[test]
    fn private_key_blocks() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----";
        check(&format!("a {key} b"), &[("private-key", key)]);
        let open = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl";
        check(open, &[("private-key", open)]);
        check("-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", &[]);
        assert!(opens_private_key(open) && !opens_private_key(key));
        assert!(closes_private_key("-----END OPENSSH PRIVATE KEY-----"));
        assert!(is_key_line("b3BlbnNzaC1rZXktdjEA") && !is_key_line("src/main.rs, line 3"));
    }
}

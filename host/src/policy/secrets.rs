//! Secrets an operator lends: the host puts them into headers, the tool never sees them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::quote::{path_text, toml_list, toml_text};
use crate::capability::http::{HttpRule, HttpRuleError, is_method, is_reserved, plain_name};

/// The longest name of a secret, of an environment variable and of a header here.
const MAX_NAME_BYTES: usize = 64;
/// The longest format: a scheme's name and a few words.
const MAX_FORMAT_BYTES: usize = 256;
/// Headers that say how a body is to be read; a secret has no business in them, and the host needs them as they are.
const NOT_FOR_SECRETS: [&str; 6] =
    ["accept-encoding", "content-encoding", "content-length", "content-type", "if-range", "range"];

/// A secret, where it comes from and which requests carry it.
///
/// Written `github-token env:GITHUB_TOKEN https://api.github.com/`; each URL may be followed by methods. In a policy
/// file it is a table with `name`, one of `env` and `file`, `to`, and where they differ from the standard `header` and
/// `format`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Table", into = "Table")]
pub struct SecretGrant {
    name: String,
    source: SecretSource,
    header: String,
    format: String,
    to: Vec<HttpRule>,
}

/// Where a secret's value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretSource {
    /// In this variable of the host's own environment.
    Env(String),
    /// In this file, which its owner alone may read.
    File(PathBuf),
}

impl fmt::Display for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(variable) => write!(f, "env:{variable}"),
            Self::File(path) => write!(f, "file:{}", path.display()),
        }
    }
}

/// A secret's grant that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretGrantError {
    /// Not a name, a source and at least one URL.
    #[error(
        "secret grant {0:?}: write NAME env:VARIABLE URL or NAME file:PATH URL, \
         for example \"github-token env:GITHUB_TOKEN https://api.github.com/\""
    )]
    Shape(String),
    /// The name has other characters, or too many.
    #[error("secret {0:?}: a name has letters, digits, - and _, at most {MAX_NAME_BYTES} of them")]
    Name(String),
    /// Both sources, or none.
    #[error("secret {0}: write one of env = \"VARIABLE\" and file = \"PATH\"")]
    Source(String),
    /// No variable has that name.
    #[error("secret {0}: {1:?} is not the name of an environment variable")]
    Variable(String, String),
    /// Not a header, or one that the host needs for itself.
    #[error("secret {0}: it cannot go into the header {1:?}; use authorization, or one like x-api-key")]
    Header(String, String),
    /// The format does not hold the secret once.
    #[error("secret {0}: the format {1:?} needs {{}} once, where the secret goes, and printable characters around it")]
    Format(String, String),
    /// It would be sent nowhere.
    #[error("secret {0}: to is empty; name the requests that carry it, for example to = [\"https://api.github.com/\"]")]
    Nowhere(String),
    /// It would be sent anywhere, or to whoever takes a name under `*.com` or `*.github.io`.
    #[error("secret {0}: it would go to every host, or to hosts of anyone's; name the hosts that may have it")]
    Anywhere(String),
    /// One of `to` is no rule.
    #[error("secret {0}: {1}")]
    Rule(String, HttpRuleError),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    env: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
    #[serde(default = "authorization")]
    header: String,
    #[serde(default = "bearer")]
    format: String,
    to: Vec<String>,
}

fn authorization() -> String {
    "authorization".to_owned()
}

fn bearer() -> String {
    "Bearer {}".to_owned()
}

impl TryFrom<Table> for SecretGrant {
    type Error = SecretGrantError;

    fn try_from(table: Table) -> Result<Self, Self::Error> {
        let Table { name, env, file, header, format, to } = table;
        let word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.bytes().all(word) {
            return Err(SecretGrantError::Name(name.chars().take(MAX_NAME_BYTES).collect()));
        }
        let source = match (env, file) {
            (Some(variable), None) if is_variable(&variable) => SecretSource::Env(variable),
            (Some(variable), None) => return Err(SecretGrantError::Variable(name, variable)),
            (None, Some(path)) => SecretSource::File(path),
            _ => return Err(SecretGrantError::Source(name)),
        };
        let header = header.to_ascii_lowercase();
        // RFC 9110, section 5.6.2, has more characters; no header in use needs them.
        if header.is_empty()
            || header.len() > MAX_NAME_BYTES
            || !header.bytes().all(word)
            || is_reserved(&header)
            || NOT_FOR_SECRETS.contains(&plain_name(&header).as_str())
        {
            return Err(SecretGrantError::Header(name, header));
        }
        let printable = format.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && format.trim() == format;
        if format.matches("{}").count() != 1 || format.len() > MAX_FORMAT_BYTES || !printable {
            return Err(SecretGrantError::Format(name, format));
        }
        let to = to.iter().map(|text| text.parse::<HttpRule>()).collect::<Result<Vec<_>, _>>();
        let to = to.map_err(|error| SecretGrantError::Rule(name.clone(), error))?;
        if to.is_empty() {
            return Err(SecretGrantError::Nowhere(name));
        }
        if to.iter().any(HttpRule::is_anyones_host) {
            return Err(SecretGrantError::Anywhere(name));
        }
        Ok(Self { name, source, header, format, to })
    }
}

/// As POSIX has it (Base Definitions, section 8.1), with small letters too.
fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl From<SecretGrant> for Table {
    fn from(grant: SecretGrant) -> Self {
        let (env, file) = match grant.source {
            SecretSource::Env(variable) => (Some(variable), None),
            SecretSource::File(path) => (None, Some(path)),
        };
        let to = grant.to.iter().map(ToString::to_string).collect();
        Self { name: grant.name, env, file, header: grant.header, format: grant.format, to }
    }
}

impl FromStr for SecretGrant {
    type Err = SecretGrantError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shape = || SecretGrantError::Shape(text.to_owned());
        let mut words = text.split_ascii_whitespace();
        let (Some(name), Some(source)) = (words.next(), words.next()) else { return Err(shape()) };
        let (env, file) = match source.split_once(':') {
            Some(("env", variable)) => (Some(variable.to_owned()), None),
            Some(("file", path)) if !path.is_empty() => (None, Some(PathBuf::from(path))),
            _ => return Err(shape()),
        };
        let mut to: Vec<String> = Vec::new();
        for word in words {
            match to.last_mut() {
                Some(url) if is_method(word) && !url.contains(' ') => *url = format!("{url} {word}"),
                _ => to.push(word.to_owned()),
            }
        }
        if to.is_empty() {
            return Err(shape());
        }
        Table { name: name.to_owned(), env, file, header: authorization(), format: bearer(), to }.try_into()
    }
}

/// The short form. It leaves out a header and a format that are not the standard ones.
impl fmt::Display for SecretGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.source)?;
        self.to.iter().try_for_each(|rule| write!(f, " {rule}"))
    }
}

impl SecretGrant {
    /// What manifests and logs call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its value is.
    pub fn source(&self) -> &SecretSource {
        &self.source
    }

    /// The header that carries it, in lower case.
    pub fn header(&self) -> &str {
        &self.header
    }

    /// The header's value, with `{}` where the secret goes.
    pub fn format(&self) -> &str {
        &self.format
    }

    /// The requests that carry it, of those that an http grant allows.
    pub fn to(&self) -> &[HttpRule] {
        &self.to
    }

    /// Whether some request would carry it over plain HTTP, for everyone on the way to read.
    pub fn goes_in_the_clear(&self) -> bool {
        self.to.iter().any(|rule| rule.scheme() == "http")
    }

    pub(super) fn policy_line(&self) -> String {
        let source = match &self.source {
            SecretSource::Env(variable) => format!("env = \"{variable}\""),
            SecretSource::File(path) => format!("file = {}", path_text(path)),
        };
        let (name, header, format) = (&self.name, toml_text(&self.header), toml_text(&self.format));
        let to = toml_list(self.to.iter().map(ToString::to_string));
        format!("grants.secret = [{{ name = \"{name}\", {source}, header = {header}, format = {format}, to = {to} }}]")
    }

    /// The same grant, with a relative file path taken from `base`.
    #[must_use]
    pub fn relative_to(self, base: &Path) -> Self {
        let source = match self.source {
            SecretSource::File(path) => SecretSource::File(base.join(path)),
            env @ SecretSource::Env(_) => env,
        };
        Self { source, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_form() {
        let check = |text: &str, expect: Result<&str, &str>| match (text.parse::<SecretGrant>(), expect) {
            (Ok(grant), Ok(expect)) => {
                assert_eq!(grant.to_string(), expect);
                assert_eq!(expect.parse(), Ok(grant.clone()));
                assert_eq!((grant.header(), grant.format()), ("authorization", "Bearer {}"));
                let table = toml::Table::try_from(&grant).unwrap();
                assert_eq!(table.try_into::<SecretGrant>().unwrap(), grant, "{text}");
            }
            (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{text}: {error}"),
            (found, _) => panic!("{text}: {found:?}"),
        };
        check("t env:T https://a/", Ok("t env:T https://a/ GET,HEAD"));
        check("t file:/run/t https://a/ POST https://b/", Ok("t file:/run/t https://a/ POST https://b/ GET,HEAD"));
        check("t env:T", Err("write NAME"));
        check("t T https://a/", Err("write NAME"));
        check("t file: https://a/", Err("write NAME"));
        check("", Err("write NAME"));
        check("t! env:T https://a/", Err("a name has letters"));
        check("t env:1T https://a/", Err("not the name of an environment variable"));
        check("t env:T=x https://a/", Err("not the name of an environment variable"));
        check("t env:T https://*/", Err("every host"));
        check("t env:T https://*.com/", Err("hosts of anyone's"));
        check("t env:T https://a/ https://*.co.uk/", Err("hosts of anyone's"));
        check("t env:T https://*.github.io/", Err("hosts of anyone's"));
        check("t env:T https://*.example.com/", Ok("t env:T https://*.example.com/ GET,HEAD"));
        check("t env:T https://me.github.io/", Ok("t env:T https://me.github.io/ GET,HEAD"));
        check("t env:T a", Err("write URL"));
        check("t env:T https://a/ TRACE", Err("never allowed"));
    }

    #[test]
    fn the_table_of_a_policy_file() {
        let check = |text: &str, expect: Result<(&str, &str), &str>| {
            let text = format!("name = 't'\nto = ['https://a/']\n{text}");
            match (toml::from_str::<SecretGrant>(&text), expect) {
                (Ok(grant), Ok(expect)) => assert_eq!((grant.header(), grant.format()), expect),
                (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        };
        check("env = 'T'", Ok(("authorization", "Bearer {}")));
        check("env = 'T'\nheader = 'X-API-Key'\nformat = '{}'", Ok(("x-api-key", "{}")));
        check("env = 'T'\nfile = 't'", Err("write one of"));
        check("", Err("write one of"));
        for header in
            ["Host", "content-length", "Content_Length", "Range", "accept-encoding", "x y", "", "transfer-encoding"]
        {
            check(&format!("env = 'T'\nheader = '{header}'"), Err("cannot go into the header"));
        }
        for format in ["Bearer", "{}{}", " {}", "{}\\r\\nX: y", "ä{}"] {
            check(&format!("env = 'T'\nformat = \"{format}\""), Err("needs {} once"));
        }
        check("env = 'T'\nvalue = 'x'", Err("unknown field"));
    }

    #[test]
    fn a_file_is_found_from_the_policys_folder() {
        let grant = |text: &str| text.parse::<SecretGrant>().unwrap().relative_to(Path::new("/etc/policy"));
        assert_eq!(grant("t file:t https://a/").source(), &SecretSource::File("/etc/policy/t".into()));
        assert_eq!(grant("t file:/t https://a/").source(), &SecretSource::File("/t".into()));
        assert!(grant("t env:T http://a/").goes_in_the_clear());
        assert!(!grant("t env:T https://a/").goes_in_the_clear());
    }
}

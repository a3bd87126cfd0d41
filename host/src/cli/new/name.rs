//! What a project may be called.

use std::fmt;

use super::Lang;

/// Tools have names of up to 40 characters in a manifest, and the project's tool is called what the project is.
const MAX_CHARACTERS: usize = 40;

/// `tidy-lines`: a name that is a folder, a package, a component and, with underscores, a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProjectName(String);

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NameError {
    #[error("{given:?} is no name for a tool: {why}; write {rule}{}", like(.suggestion.as_deref()))]
    Malformed { given: String, why: &'static str, rule: &'static str, suggestion: Option<String> },
    #[error("{given:?} is a word that Rust or the project has a use for; write another, such as {given}-tool")]
    Reserved { given: String },
}

const RULE: &str =
    "lower-case letters a to z, digits and single dashes between them, beginning with a letter, up to 40 in all";

fn like(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!(", such as {name}")).unwrap_or_default()
}

impl ProjectName {
    pub(super) fn of(given: &str, lang: Lang) -> Result<Self, NameError> {
        if let Some(why) = fault(given) {
            let suggestion = nearest(given).filter(|name| !is_reserved(name, lang));
            return Err(NameError::Malformed { given: given.to_owned(), why, rule: RULE, suggestion });
        }
        if is_reserved(given, lang) {
            return Err(NameError::Reserved { given: given.to_owned() });
        }
        Ok(Self(given.to_owned()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// With underscores: what the tool is called, and a module or crate.
    pub(super) fn with_underscores(&self) -> String {
        self.0.replace('-', "_")
    }
}

impl fmt::Display for ProjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn fault(name: &str) -> Option<&'static str> {
    let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    match name {
        "" => Some("it is empty"),
        _ if name.contains(['/', '\\']) => Some("it is a path, and the folder is made in the current one"),
        _ if !name.is_ascii() => Some("it has letters outside of ASCII, which hosts and registries refuse"),
        _ if name.contains(|c: char| c.is_ascii_uppercase()) => Some("it has capital letters"),
        _ if !name.chars().all(known) => Some("it has other characters than letters, digits and dashes"),
        _ if !name.starts_with(|c: char| c.is_ascii_lowercase()) => Some("it does not begin with a letter"),
        _ if name.ends_with('-') || name.contains("--") => Some("a dash stands alone, between two letters or digits"),
        _ if name.len() > MAX_CHARACTERS => Some("it is too long"),
        _ => None,
    }
}

/// The name that was meant, where that can be told.
fn nearest(given: &str) -> Option<String> {
    let file = given.rsplit(['/', '\\']).find(|part| !part.is_empty())?;
    let words = file.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    name.truncate(MAX_CHARACTERS);
    let name = name.trim_end_matches('-').trim_start_matches(|c: char| !c.is_ascii_lowercase()).to_owned();
    // What is left of a word in another script is another word.
    (file.is_ascii() && fault(&name).is_none()).then_some(name)
}

/// What Rust keeps for itself, and what the template depends on: a crate of this name would not build.
const RUST: &str = "abstract alloc as async await become box break const continue core crate do dyn else enum extern \
                    false final fn for fumehood-tool gen if impl in let loop macro match mod move mut override priv \
                    proc-macro pub ref return schemars self serde static std struct super test trait true try type \
                    typeof unsafe unsized use virtual where while yield";

fn is_reserved(name: &str, lang: Lang) -> bool {
    match lang {
        Lang::Rust => RUST.split(' ').any(|word| word == name),
        // The name is no module there: only a folder, and a text in the manifest.
        Lang::Js | Lang::Python | Lang::C => false,
    }
}

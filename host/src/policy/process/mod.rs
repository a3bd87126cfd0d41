//! Programs an operator grants: which file, with which arguments, in which environment.

mod pattern;
mod text;
mod wide;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use self::text::{Word, words};
use super::grant::Grant;
use super::quote::{path_text, toml_list, toml_text};
use crate::capability::{Name, NameError};
pub use pattern::{ArgPattern, ArgPatternError};

/// As much of a program's name as a message repeats, where it is none.
const NAME_SHOWN: usize = 64;
/// As much of the arguments as the tool is told again: it made them, and a model has to recognise them.
const ARGS_SHOWN: usize = 512;
/// What is easily missed about the patterns, where an argument may be an option.
const HINT: &str =
    " (an argument that begins with `-`, `+` or `@` has to be granted word for word, or by `-*` or `-...`)";
/// The longest denial text. A command that is longer than this is denied without the line that would allow it: a person
/// has to read the line, and where nothing is granted at all, a model does.
const DENIAL_BYTES: usize = 8 << 10;

/// One program that a tool may run, as long as its arguments match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Table", into = "Table")]
pub struct ProcessGrant {
    name: String,
    path: PathBuf,
    args: ArgPattern,
    env: BTreeMap<String, String>,
}

/// How a policy file writes it: one `[[grants.process]]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    name: String,
    path: PathBuf,
    #[serde(default)]
    args: ArgPattern,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

/// A process grant that is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessGrantError {
    /// The short form has no `NAME:` or nothing behind it.
    #[error(
        "{0:?} names no program and file; write NAME:/PATH ARGUMENTS, for example \
         \"git:/usr/bin/git log --oneline *\""
    )]
    Shape(String),
    /// The name is none.
    #[error("the program's name: {0}")]
    Name(#[from] NameError),
    /// The file is not named in full.
    #[error("program {name}: {path:?} is not the absolute path of a file; write it like \"/usr/bin/{name}\"")]
    Path {
        /// Which program.
        name: String,
        /// What stands for its file.
        path: PathBuf,
    },
    /// A variable that cannot be one.
    #[error(
        "program {name}: {variable:?} cannot be an environment variable; write NAME=VALUE without zero bytes, and \
         no `=` in the name"
    )]
    Variable {
        /// Which program.
        name: String,
        /// The variable.
        variable: String,
    },
    /// A quote that is not closed, an unknown escape.
    #[error("program {name}: {fault}")]
    Text {
        /// Which program.
        name: String,
        /// What is wrong.
        fault: String,
    },
    /// The argument pattern.
    #[error("program {name}: {source}")]
    Args {
        /// Which program.
        name: String,
        /// What is wrong with its pattern.
        source: ArgPatternError,
    },
}

impl ProcessGrant {
    /// # Errors
    /// A name, a path or a variable that cannot be one.
    pub fn new(
        name: impl Into<String>,
        path: impl Into<PathBuf>,
        args: ArgPattern,
        env: BTreeMap<String, String>,
    ) -> Result<Self, ProcessGrantError> {
        let (name, path) = (name.into(), path.into());
        name.parse::<Name>()?;
        let file = path.as_os_str().as_encoded_bytes();
        if !path.is_absolute() || file.ends_with(b"/") || file.contains(&0) || path.file_name().is_none() {
            return Err(ProcessGrantError::Path { name, path });
        }
        for (key, value) in &env {
            if key.is_empty() || key.contains(['=', '\0']) || value.contains('\0') {
                return Err(ProcessGrantError::Variable { name, variable: key.clone() });
            }
        }
        Ok(Self { name, path, args, env })
    }

    /// What a tool calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file that runs.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the arguments have to look like.
    pub fn args(&self) -> &ArgPattern {
        &self.args
    }

    /// The whole environment it runs in.
    pub fn env(&self) -> &BTreeMap<String, String> {
        &self.env
    }

    /// Whether it may run with these arguments.
    pub fn allows(&self, args: &[String]) -> bool {
        self.args.matches(args)
    }

    /// Why this grant gives more than it seems to, if it does: a program that runs what it is told to run, or a pattern
    /// that lets every option through.
    pub fn width(&self) -> Option<String> {
        wide::width(self)
    }

    /// The line that grants it at the top of a policy file.
    pub fn policy_line(&self) -> String {
        let mut line =
            format!("grants.process = [{{ name = {}, path = {}", toml_text(&self.name), path_text(&self.path));
        if !self.args.is_empty() {
            line.push_str(&format!(", args = {}", toml_list(self.args.items())));
        }
        if !self.env.is_empty() {
            let pairs = self.env.iter().map(|(key, value)| format!("{} = {}", toml_text(key), toml_text(value)));
            line.push_str(&format!(", env = {{ {} }}", pairs.collect::<Vec<_>>().join(", ")));
        }
        line.push_str(" }]");
        line
    }
}

/// A command that no grant allows. A grant holds what is the operator's alone, as the values of variables and where a
/// program lies, so there are two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProgramDenied {
    /// For the tool, and so for a model: made of what the tool said itself.
    pub(crate) told: String,
    /// For the operator: with the line that would allow exactly this command.
    pub(crate) logged: String,
}

/// The grant that lets a tool run this program with these arguments.
///
/// # Errors
/// None does.
pub(crate) fn permit<'a>(
    grants: &'a [ProcessGrant],
    program: &str,
    args: &[String],
) -> Result<&'a ProcessGrant, ProgramDenied> {
    let mut named = grants.iter().filter(|grant| grant.name == program).peekable();
    let known = named.peek().copied();
    named.find(|grant| grant.allows(args)).ok_or_else(|| ProgramDenied {
        told: told(known.is_some(), program, args),
        logged: denial(known, program, args),
    })
}

/// What the tool asked for, escaped and cut.
fn told(known: bool, program: &str, args: &[String]) -> String {
    let program = text::shown(program, NAME_SHOWN);
    if !known {
        return format!("the program {program} is not granted at all; the operator's log names the grant");
    }
    let (mut shown, mut left) = (String::new(), ARGS_SHOWN);
    for (index, arg) in args.iter().enumerate() {
        if left == 0 {
            shown.push_str(&format!(" and {} more", args.len() - index));
            break;
        }
        shown.push_str(&format!(" {}", text::shown(arg, left)));
        // An empty one takes room too.
        left = left.saturating_sub(arg.len().max(1));
    }
    let what = if args.is_empty() { "without arguments".to_owned() } else { format!("with the arguments{shown}") };
    // True of any grant, so it tells nothing of this one.
    let hint = if args.iter().any(|arg| pattern::may_be_option(arg)) { HINT } else { "" };
    format!("the program {program} is not granted {what}{hint}; the operator's log names the grant")
}

/// Why a command does not run, with the line that would allow it and nothing else. A program that no grant knows is taken
/// to lie in `/usr/bin`, where a system of today keeps nearly all of them. With a grant, the line repeats its variables and
/// its path: it is the operator's.
pub(crate) fn denial(known: Option<&ProcessGrant>, program: &str, args: &[String]) -> String {
    let (path, env) = match known {
        Some(grant) => (grant.path.clone(), grant.env.clone()),
        None => (Path::new("/usr/bin").join(program), BTreeMap::new()),
    };
    let what = if known.is_some() { "with these arguments" } else { "at all" };
    let Ok(exact) = ArgPattern::exactly(args)
        .map_err(|_too_long| ())
        .and_then(|args| ProcessGrant::new(program, path, args, env).map_err(|_name| ()))
    else {
        return format!("the program {} is not granted {what}", text::shown(program, NAME_SHOWN));
    };
    let text = format!("the program {program} is not granted {what}; {}", Grant::Process(exact).lines());
    if text.len() <= DENIAL_BYTES {
        text
    } else {
        format!("the program {program} is not granted {what}, and the {} of them are too long to show", args.len())
    }
}

impl TryFrom<Table> for ProcessGrant {
    type Error = ProcessGrantError;

    fn try_from(Table { name, path, args, env }: Table) -> Result<Self, Self::Error> {
        Self::new(name, path, args, env)
    }
}

impl From<ProcessGrant> for Table {
    fn from(ProcessGrant { name, path, args, env }: ProcessGrant) -> Self {
        Self { name, path, args, env }
    }
}

/// `NAME:[VARIABLE=VALUE …] /PATH [ARGUMENT …]`. Words are separated by spaces; one in double quotes is taken as it
/// stands, with the escapes `\" \\ \n \r \t \0 \u{…}`. For the arguments see [`ArgPattern`].
impl FromStr for ProcessGrant {
    type Err = ProcessGrantError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shape = || ProcessGrantError::Shape(text.to_owned());
        let (name, rest) = text.split_once(':').ok_or_else(shape)?;
        let named = |fault| ProcessGrantError::Text { name: name.to_owned(), fault };
        let mut words = words(rest).map_err(named)?.into_iter().peekable();
        let mut env = BTreeMap::new();
        while let Some(Word { text, .. }) = words.next_if(|word| !word.text.starts_with('/') && word.text.contains('='))
        {
            let (key, value) = text.split_once('=').unwrap_or((&text, ""));
            if env.insert(key.to_owned(), value.to_owned()).is_some() {
                return Err(named(format!("the variable {key:?} is set twice; write it once")));
            }
        }
        let path = words.next().ok_or_else(shape)?.text;
        let args = ArgPattern::from_words(words)
            .map_err(|source| ProcessGrantError::Args { name: name.to_owned(), source })?;
        Self::new(name, path, args, env)
    }
}

/// The short form.
impl fmt::Display for ProcessGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.name)?;
        for (key, value) in &self.env {
            write!(f, "{} ", text::word(&format!("{key}={value}")))?;
        }
        f.write_str(&text::word(&self.path.to_string_lossy()))?;
        if self.args.is_empty() { Ok(()) } else { write!(f, " {}", self.args) }
    }
}

#[cfg(test)]
mod tests;

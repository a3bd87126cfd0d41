//! `--capability`: one thing that a new tool asks for, in a word.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use fumehood::{Access, Capability};
use serde_json::{Value, json};

use super::Lang;

/// What is asked for, with a reason to begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked(Capability);

/// Worlds of `wit/worlds.wit` in the libraries.
pub(super) const PLAIN: &str = "component";
const HTTP: &str = "component-with-http";

const FORMS: &str = "write filesystem:read, filesystem:read-write, http, http:https://example.com/, secret:NAME, env:NAME, \
                     process:PROGRAM, tools:TOOL, clock or random";

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        fn named<T: FromStr<Err: fmt::Display>>(detail: Option<&str>, kind: &str) -> Result<T, String> {
            let detail = detail.ok_or_else(|| format!("{kind} needs a name; write {kind}:NAME"))?;
            detail.parse().map_err(|error: T::Err| format!("{kind}: {error}"))
        }
        let (kind, detail) = match text.split_once(':') {
            Some((kind, detail)) => (kind, Some(detail)),
            None => (text, None),
        };
        Ok(Self(match (kind, detail) {
            ("filesystem", Some("read")) => Capability::Filesystem { access: Access::Read },
            ("filesystem", Some("read-write")) => Capability::Filesystem { access: Access::ReadWrite },
            ("filesystem", _) => return Err("write filesystem:read or filesystem:read-write".to_owned()),
            ("http", None) => Capability::Http { target: None },
            ("http", detail) => Capability::Http { target: Some(named(detail, "http")?) },
            ("secret", detail) => Capability::Secret { name: named(detail, "secret")? },
            ("env", detail) => Capability::Env { name: named(detail, "env")? },
            ("process", detail) => Capability::Process { program: named(detail, "process")? },
            ("tools", detail) => Capability::Tools { tool: named(detail, "tools")? },
            ("clock", None) => Capability::Clock,
            ("random", None) => Capability::Random,
            ("clock" | "random", Some(_)) => return Err(format!("{kind} takes nothing more; write {kind}")),
            _ => return Err(format!("there is no such capability; {FORMS}")),
        }))
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Asked {
    /// As a manifest has it. Optional, since no template uses any of it: a new project runs, and passes its check, as it is.
    pub(super) fn request(&self) -> Value {
        let mut request = serde_json::to_value(&self.0).unwrap_or_default();
        if let Some(object) = request.as_object_mut() {
            object.insert("reason".to_owned(), json!(self.reason()));
            object.insert("optional".to_owned(), json!(true));
        }
        request
    }

    /// What is true of every tool that asks for it. The vendor says it better.
    fn reason(&self) -> String {
        match &self.0 {
            Capability::Filesystem { access: Access::Read } => {
                "Reads files in the folders that it is given.".to_owned()
            }
            Capability::Filesystem { access: Access::ReadWrite } => {
                "Reads and writes files in the folders that it is given.".to_owned()
            }
            Capability::Http { target: Some(target) } => format!("Makes requests to {target}."),
            Capability::Http { target: None } => "Makes requests to the hosts that it is given.".to_owned(),
            Capability::Secret { name } => format!("Makes requests that carry {name}."),
            Capability::Env { name } => format!("Reads the variable {name}."),
            Capability::Clock => "Reads the time.".to_owned(),
            Capability::Random => "Draws random numbers.".to_owned(),
            Capability::Process { program } => format!("Runs the program {program}."),
            Capability::Tools { tool } => format!("Calls the tool {tool}."),
        }
    }

    /// Whether what is asked for is reached through an operating system's interface: the tool then needs one.
    pub(super) const fn needs_wasi(&self) -> bool {
        !matches!(self.0, Capability::Process { .. } | Capability::Tools { .. })
    }

    /// The world of the other languages that links the interface, where no WASI runtime does by itself.
    const fn world(&self) -> Option<&'static str> {
        match self.0 {
            Capability::Http { .. } | Capability::Secret { .. } => Some(HTTP),
            Capability::Process { .. } => Some("component-with-process"),
            Capability::Tools { .. } => Some("component-with-tools"),
            _ => None,
        }
    }

    /// The feature of the Rust crate that has the interface, where the standard library has none.
    pub(super) const fn feature(&self) -> Option<&'static str> {
        match self.0 {
            Capability::Http { .. } | Capability::Secret { .. } => Some("http"),
            Capability::Process { .. } | Capability::Tools { .. } => Some("host"),
            _ => None,
        }
    }
}

/// Holds what is asked for against the rule of manifests: nothing twice, and folders once.
///
/// # Errors
/// Something is asked for again.
pub(super) fn distinct(asked: &[Asked]) -> Result<(), String> {
    let folders = |one: &Asked| matches!(one.0, Capability::Filesystem { .. });
    for (index, one) in asked.iter().enumerate() {
        if asked.iter().take(index).any(|earlier| earlier == one || folders(earlier) && folders(one)) {
            return Err(format!("{one} is asked for twice; ask once, for the most that is needed"));
        }
    }
    Ok(())
}

/// The world that a component in this language is built against, where its template names one.
///
/// # Errors
/// The language's toolchain or library cannot link what is asked for.
pub(super) fn world(lang: Lang, asked: &[Asked]) -> Result<&'static str, String> {
    let worlds: BTreeSet<_> = asked.iter().filter_map(Asked::world).collect();
    let http = worlds.contains(HTTP);
    match lang {
        // The crate has features in place of worlds.
        Lang::Rust => Ok(PLAIN),
        Lang::C if !worlds.is_empty() => {
            Err("the library for C has no requests, programs or other tools; take --lang rust or --lang python"
                .to_owned())
        }
        Lang::Js if http => Err(
            "no request can be linked into JavaScript yet: componentize-qjs fails on wasi:http; take --lang rust or \
                 --lang python"
                .to_owned(),
        ),
        Lang::C | Lang::Js | Lang::Python => match worlds.len() {
            0 | 1 => Ok(worlds.first().copied().unwrap_or(PLAIN)),
            _ => Err(
                "in this language a project begins with one of requests, programs and other tools; ask for one, and \
                      write a world with the others into the library's wit/worlds.wit, or take --lang rust"
                    .to_owned(),
            ),
        },
    }
}

//! The operator's lists: which calls are denied, and for which somebody is asked.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use super::{CallPolicy, Proposed, Ruling};
use crate::manifest::name_key;

/// Calls by the names of their tools. What no list names may run. A tool that both name is denied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallRules {
    deny: Vec<ToolPattern>,
    ask: Vec<ToolPattern>,
}

/// Names of tools: one (`write`), those that begin alike (`files_*`), or all (`*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPattern {
    name: String,
    /// Whether `name` is only how they begin.
    begins: bool,
}

/// A text that is no [`ToolPattern`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no tools; write a tool's name such as `write`, the beginning of names such as `files_*`, or `*`")]
pub struct ToolPatternError(String);

impl CallRules {
    /// Neither list names any.
    pub fn none() -> Self {
        Self::default()
    }

    /// Deny calls of these tools.
    #[must_use]
    pub fn deny(mut self, tools: ToolPattern) -> Self {
        self.deny.push(tools);
        self
    }

    /// Ask somebody before each call of these tools.
    #[must_use]
    pub fn ask(mut self, tools: ToolPattern) -> Self {
        self.ask.push(tools);
        self
    }

    /// Whether neither list names any.
    pub fn is_empty(&self) -> bool {
        self.deny.is_empty() && self.ask.is_empty()
    }

    /// What is denied, then what is asked for.
    pub fn lists(&self) -> (&[ToolPattern], &[ToolPattern]) {
        (&self.deny, &self.ask)
    }

    /// The patterns that name none of these tools: slips of the pen, most of them.
    pub fn idle<'a>(&self, tools: impl IntoIterator<Item = &'a str>) -> Vec<&ToolPattern> {
        let tools: Vec<_> = tools.into_iter().collect();
        let all = self.deny.iter().chain(&self.ask);
        all.filter(|pattern| !tools.iter().any(|tool| pattern.matches(tool))).collect()
    }

    fn ruling(&self, tool: &str) -> Ruling {
        let first = |list: &[ToolPattern]| list.iter().find(|pattern| pattern.matches(tool)).map(ToString::to_string);
        if let Some(pattern) = first(&self.deny) {
            return Ruling::Deny { reason: format!("calls of {pattern} are denied") };
        }
        match first(&self.ask) {
            Some(pattern) => Ruling::Ask { reason: format!("calls of {pattern} need a yes") },
            None => Ruling::Allow,
        }
    }
}

impl CallPolicy for CallRules {
    fn name(&self) -> &str {
        "calls"
    }

    fn rule(&self, proposed: &Proposed<'_>) -> Ruling {
        self.ruling(&proposed.tool.name)
    }
}

impl ToolPattern {
    fn matches(&self, tool: &str) -> bool {
        // As a registry tells names apart: who denies `Files-Write` means `files_write`.
        let (own, tool) = (name_key(&self.name), name_key(tool));
        if self.begins { tool.starts_with(&own) } else { tool == own }
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, if self.begins { "*" } else { "" })
    }
}

impl FromStr for ToolPattern {
    type Err = ToolPatternError;

    fn from_str(text: &str) -> Result<Self, ToolPatternError> {
        let (name, begins) = text.strip_suffix('*').map_or((text, false), |name| (name, true));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        // As long as a tool's name may be, which no pattern needs to be longer than.
        if name.len() <= 40 && name.bytes().all(plain) && (begins || !name.is_empty()) {
            Ok(Self { name: name.to_owned(), begins })
        } else {
            Err(ToolPatternError(text.chars().take(64).collect()))
        }
    }
}

impl<'de> Deserialize<'de> for ToolPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> ToolPattern {
        text.parse().unwrap()
    }

    #[test]
    fn a_denial_holds_and_what_no_list_names_may_run() {
        let rules =
            CallRules::none().ask(pattern("files_*")).deny(pattern("files_delete")).ask(pattern("files_delete"));
        let check = |tool: &str, expect: fn(&Ruling) -> bool| assert!(expect(&rules.ruling(tool)), "{tool}");
        check("files_delete", |ruling| matches!(ruling, Ruling::Deny { reason } if reason.contains("files_delete")));
        check("files_read", |ruling| matches!(ruling, Ruling::Ask { reason } if reason.contains("files_*")));
        check("file", |ruling| *ruling == Ruling::Allow);
        check("Files-Delete", |ruling| matches!(ruling, Ruling::Deny { .. }));
        assert!(rules.idle(["files_delete"]).is_empty());
        assert_eq!(rules.idle(["files_read", "other"]).len(), 2);
        let all = CallRules::none().deny(pattern("*"));
        assert!(matches!(all.ruling("anything"), Ruling::Deny { .. }));
    }

    #[test]
    fn what_names_no_tool_is_refused() {
        for text in ["", "a b", "*a", "a*b", "a**", "ä", &"x".repeat(41)] {
            let error = text.parse::<ToolPattern>().unwrap_err().to_string();
            assert!(error.contains("files_*"), "{error}");
        }
        assert_eq!(pattern("files_*").to_string(), "files_*");
    }
}

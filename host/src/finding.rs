//! What a check says about a component: one line a person can act on.

use serde::Serialize;

/// How much a [`Finding`] weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The component, or the one tool named, cannot be used.
    Refusal,
    /// Usable, but a reviewer should know.
    Warning,
    /// Worth knowing; nothing to do.
    Note,
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Refusal => "refusal",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

/// One result of a check: what was found, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How much it weighs.
    pub severity: Severity,
    /// The rule that speaks, `area/name`, stable between versions: `manifest/unknown-field`, `schema/too-deep`.
    pub rule: &'static str,
    /// Where: a JSON pointer into the manifest or schema, an import or export name, a byte offset. Empty: the whole.
    pub at: String,
    /// What is wrong.
    pub message: String,
    /// What to write or do instead. Empty where nothing is to be done.
    pub remedy: String,
}

impl Finding {
    /// A finding that refuses.
    pub fn refusal(
        rule: &'static str,
        at: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Refusal, rule, at: at.into(), message: message.into(), remedy: remedy.into() }
    }

    /// A finding that warns.
    pub fn warning(
        rule: &'static str,
        at: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::refusal(rule, at, message, remedy) }
    }

    /// A finding that only informs.
    pub fn note(rule: &'static str, at: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::refusal(rule, at, message, "") }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.rule)?;
        if !self.at.is_empty() {
            write!(f, " at {}", self.at)?;
        }
        write!(f, ": {}", self.message)?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        Ok(())
    }
}

//! A report for people, for programs, and for what shows the results of tests.

mod junit;
mod text;

use serde_json::Value;

use super::{Report, Verdict};
use crate::{Audit, Finding, Severity};

impl Report {
    /// For a terminal. It holds texts of the tool.
    pub fn text(&self) -> String {
        text::page(self)
    }

    /// JUnit's XML, one test case for each check: what most systems that run tests show.
    pub fn junit(&self) -> String {
        junit::document(self)
    }

    /// A log in the format SARIF 2.1.0, each finding a result. `file`: the path of the component, as results shall name it.
    pub fn sarif(&self, file: &str) -> Value {
        let findings: Vec<_> = self.checks.iter().flat_map(|check| &check.findings).cloned().collect();
        Audit::sarif_of_findings(&findings, file)
    }
}

/// How a finding begins: what weighs most is seen first.
const fn word(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Refusal => "problem",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

impl Verdict {
    /// As reports write it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Passed => "passed",
            Self::Warned => "warned",
            Self::Failed => "failed",
        }
    }
}

//! What the checks found.

use serde::Serialize;

use super::headroom::Peak;
use super::table::{self, About};
use crate::{Digest, Finding, Severity};

/// How one check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It could not be made. [`Check::line`] says why.
    Skipped,
    /// It holds.
    Passed,
    /// It holds, and the vendor should know something.
    Warned,
    /// It does not hold.
    Failed,
}

/// One check: its verdict and what is behind it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Check {
    /// Its row in [`ALL`](super::ALL).
    pub id: &'static str,
    /// How it ended.
    pub verdict: Verdict,
    /// The verdict in words, one line: `100 of 100 calls`.
    pub line: String,
    /// What is behind it, the worst first. A [`Severity::Refusal`] fails the check, a warning warns, a note says.
    pub findings: Vec<Finding>,
    /// Where the documentation explains it.
    pub page: String,
}

impl Check {
    /// A check whose verdict is that of its worst finding.
    ///
    /// - `id`: of a row of [`ALL`](super::ALL).
    /// - `line`: what to say where nothing fails and nothing warns; otherwise the findings are counted.
    pub fn of(id: &'static str, line: impl Into<String>, mut findings: Vec<Finding>) -> Self {
        findings.sort_by_key(|finding| finding.severity);
        let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
        let (refusals, warnings) = (count(Severity::Refusal), count(Severity::Warning));
        let (verdict, line) = match (refusals, warnings) {
            (0, 0) => (Verdict::Passed, line.into()),
            (0, warnings) => (Verdict::Warned, counted(warnings, "warning")),
            (refusals, 0) => (Verdict::Failed, counted(refusals, "problem")),
            (refusals, warnings) => {
                (Verdict::Failed, format!("{}, {}", counted(refusals, "problem"), counted(warnings, "warning")))
            }
        };
        Self { id, verdict, line, findings, page: page(id) }
    }

    /// A check that could not be made.
    pub fn skipped(id: &'static str, why: impl Into<String>) -> Self {
        Self { id, verdict: Verdict::Skipped, line: why.into(), findings: Vec::new(), page: page(id) }
    }
}

fn page(id: &str) -> String {
    table::about(id).map(About::page).unwrap_or_default()
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// All checks of one component.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Report {
    /// Of the component, as its manifest has it. `None` where there is none to read.
    pub name: Option<String>,
    /// As the manifest has it.
    pub version: Option<String>,
    /// SHA-256 of what was checked. `None` where that is larger than any component: it was not read to its end.
    pub digest: Option<Digest>,
    /// What the generated calls were drawn from.
    pub seed: u64,
    /// Each check, in the order of [`ALL`](super::ALL).
    pub checks: Vec<Check>,
    /// What the runs used of each limit at most.
    pub headroom: Vec<Peak>,
}

/// How many checks ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "see `Verdict`")]
pub struct Counts {
    pub passed: usize,
    pub warned: usize,
    pub failed: usize,
    pub skipped: usize,
}

impl Report {
    /// How many checks ended how.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for check in &self.checks {
            match check.verdict {
                Verdict::Passed => counts.passed += 1,
                Verdict::Warned => counts.warned += 1,
                Verdict::Failed => counts.failed += 1,
                Verdict::Skipped => counts.skipped += 1,
            }
        }
        counts
    }
}

//! Collects findings, bounded: a schema of a hundred thousand unknown keywords makes one page.

use crate::finding::{Finding, Severity};

/// Findings kept. Twice what a person reads.
const MOST: usize = 100;

#[derive(Default)]
pub(super) struct Report {
    refusals: Vec<Finding>,
    remarks: Vec<Finding>,
    left_out: usize,
    refused: bool,
}

impl Report {
    pub(super) fn add(&mut self, finding: Finding) {
        let refusal = finding.severity == Severity::Refusal;
        self.refused |= refusal;
        let list = if refusal { &mut self.refusals } else { &mut self.remarks };
        if list.len() < MOST {
            list.push(finding);
        } else {
            self.left_out += 1;
        }
    }

    pub(super) fn refuse(&mut self, rule: &'static str, at: String, message: impl Into<String>, remedy: &str) {
        self.add(Finding::refusal(rule, at, message, remedy));
    }

    pub(super) fn warn(&mut self, rule: &'static str, at: String, message: impl Into<String>, remedy: &str) {
        self.add(Finding::warning(rule, at, message, remedy));
    }

    pub(super) fn note(&mut self, rule: &'static str, at: String, message: impl Into<String>) {
        self.add(Finding::note(rule, at, message));
    }

    pub(super) fn refused(&self) -> bool {
        self.refused
    }

    /// The remarks, or every reason to refuse.
    pub(super) fn finish(self) -> Result<Vec<Finding>, Vec<Finding>> {
        let refused = self.refused;
        let mut list = if refused { self.refusals } else { self.remarks };
        list.sort_by_key(|finding| finding.severity);
        if self.left_out > 0 {
            let message = format!("{} more findings are not listed", self.left_out);
            list.push(Finding::note("schema/more-findings", "", message));
        }
        if refused { Err(list) } else { Ok(list) }
    }
}

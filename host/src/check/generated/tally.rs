//! What all tools of a component came to.

use std::collections::BTreeMap;

use super::{CALLS, DRAWABLE, IDS, PROJECTIONS, VALUES};
use crate::Finding;
use crate::check::{Check, Settings};

/// Counts of runs, and what was found.
#[derive(Default)]
pub(super) struct Tally {
    /// Schemas that were to be drawn from.
    pub(super) schemas: u64,
    /// Calls with valid arguments, and how many of them gave a value.
    pub(super) calls: u64,
    pub(super) worked: u64,
    /// Calls whose arguments the tool says are invalid.
    pub(super) disputed: u64,
    /// Calls with invalid arguments.
    pub(super) wrong: u64,
    /// Values of which content and card were made.
    pub(super) projections: u64,
    findings: BTreeMap<&'static str, Vec<Finding>>,
}

impl Tally {
    pub(super) fn found(&mut self, id: &'static str, finding: Finding) {
        let findings = self.findings.entry(id).or_default();
        // A projector that fails for what a call returned fails for what is drawn, too.
        if !findings.iter().any(|other| other.at == finding.at && other.severity == finding.severity) {
            findings.push(finding);
        }
    }

    /// The checks that were asked for.
    pub(super) fn checks(mut self, settings: &Settings) -> Vec<Check> {
        let wanted = IDS.into_iter().filter(|id| settings.wants(id));
        wanted
            .map(|id| {
                let findings = self.findings.remove(id).unwrap_or_default();
                let runs = match id {
                    DRAWABLE => self.schemas,
                    CALLS | VALUES => self.calls,
                    _ => self.projections,
                };
                if runs == 0 && findings.is_empty() {
                    return Check::skipped(id, self.nothing(id));
                }
                Check::of(id, self.line(id), findings)
            })
            .collect()
    }

    fn nothing(&self, id: &str) -> &'static str {
        match id {
            DRAWABLE => "no tool has schemas that a host admits",
            _ if self.schemas == 0 => "no tool has schemas that a host admits",
            _ => "nothing can be drawn from the schemas: see the check `drawable`",
        }
    }

    fn line(&self, id: &str) -> String {
        let Self { schemas, calls, worked, disputed, wrong, projections, .. } = self;
        match id {
            DRAWABLE => format!("{schemas} schemas can be drawn from"),
            CALLS => {
                let failed = calls - worked;
                let disputed = if *disputed > 0 { format!(" ({disputed} with invalid-args)") } else { String::new() };
                format!(
                    "{calls} calls: {worked} worked, {failed} failed politely{disputed}; {wrong} wrong ones refused"
                )
            }
            VALUES => format!("{worked} values match their schemas"),
            PROJECTIONS => format!("{projections} values drawn, each shown"),
            super::FUEL => format!("{projections} values drawn, each shown within the fuel"),
            _ => format!("{projections} values drawn: the same content and card again, and from other code"),
        }
    }
}

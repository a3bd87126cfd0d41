//! How near to its limits a tool ran.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Check;
use crate::{Finding, LimitName, Usage, Used};

/// Of a limit, in percent: with a fifth to spare, a somewhat larger call still works.
const NEAR: u64 = 80;

/// The most that any run used of each limit.
#[derive(Clone, Debug, Default)]
pub struct Headroom(BTreeMap<LimitName, Peak>);

/// The run that used most of one limit, in proportion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Peak {
    /// What was used, of what.
    #[serde(flatten)]
    pub used: Used,
    /// Which run that was: `cases/basic.json: An empty text`.
    pub run: String,
}

impl Headroom {
    /// Take note of a run under the limits that the tool has in earnest. Runs under tightened limits do not count.
    ///
    /// - `run`: names the run, for whoever wants to see it again. Called only where it is the new peak.
    pub fn note(&mut self, usage: &Usage, run: impl Fn() -> String) {
        // Time has a row even where it rounds to nothing: which rows there are must not depend on the machine.
        for used in usage.iter().filter(|used| used.used > 0 || used.limit == LimitName::WallClock) {
            let higher = |peak: &Peak| share(&used) > share(&peak.used);
            if self.0.get(&used.limit).is_none_or(higher) {
                self.0.insert(used.limit, Peak { used, run: run() });
            }
        }
    }

    /// The check that nothing comes near a limit.
    pub(super) fn check(&self) -> Check {
        let near = self.0.values().filter(|peak| peak.percent() > NEAR);
        let findings = near.map(|peak| {
            let Used { limit, used, max, .. } = peak.used;
            let message = format!("{used} of {max} {} used ({} %), by {}", limit.unit(), peak.percent(), peak.run);
            let remedy = "let the tool do with less, or say in its documentation what limit it takes";
            Finding::warning("check/headroom", limit.key(), message, remedy)
        });
        // How long a run takes is another number each time, and has its row all the same.
        let counted = self.0.values().filter(|peak| peak.used.limit != LimitName::WallClock);
        let nearest = counted.max_by_key(|peak| share(&peak.used));
        match nearest {
            None => Check::skipped("headroom", "nothing was run"),
            Some(peak) => Check::of(
                "headroom",
                format!("at most {} % of a limit, {}", peak.percent(), peak.used.limit),
                findings.collect(),
            ),
        }
    }

    /// Each limit of which anything was used, in the order in which limits are shown.
    pub fn peaks(&self) -> impl Iterator<Item = &Peak> {
        self.0.values()
    }
}

impl Peak {
    /// Used, in percent of the limit, rounded down.
    pub fn percent(&self) -> u64 {
        u64::try_from(u128::from(self.used.used) * 100 / u128::from(self.used.max.max(1))).unwrap_or(u64::MAX)
    }
}

/// What part of the limit was used, in millionths.
fn share(used: &Used) -> u128 {
    u128::from(used.used) * 1_000_000 / u128::from(used.max.max(1))
}

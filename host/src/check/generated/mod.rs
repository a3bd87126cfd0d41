//! Calls whose arguments are drawn from the input schema, and projections of values drawn from the output schema.
//!
//! What a draw is depends on the seed, its index and the schema alone: the same draw comes again whatever else is checked,
//! and however many run side by side. The first draw that fails a check is shrunk to the least that fails the same one.

mod calls;
mod fault;
mod projections;
mod shrinking;
mod subject;
mod tally;

use subject::Subject;
use tally::Tally;

use super::{Check, Headroom, Loaded, Settings};

/// Whether values can be drawn from the schemas.
const DRAWABLE: &str = "drawable";
/// Whether calls end politely.
const CALLS: &str = "generated-calls";
/// Whether what `execute` returns matches its schema.
const VALUES: &str = "generated-values";
/// Whether the projectors take every value of the schema.
const PROJECTIONS: &str = "generated-projections";
/// Whether they do it within their fuel.
const FUEL: &str = "projector-fuel";
/// Whether they make the same of the same.
const SAME: &str = "same-bytes";

/// The check of another module that every run feeds.
const HEADROOM: &str = "headroom";

/// The checks of this module, in the order of the table.
const IDS: [&str; 6] = [DRAWABLE, CALLS, VALUES, PROJECTIONS, FUEL, SAME];

/// The rule that a finding of a check speaks by.
fn rule(id: &str) -> &'static str {
    match id {
        DRAWABLE => "check/drawable",
        CALLS => "check/generated-calls",
        VALUES => "check/generated-values",
        FUEL => "check/projector-fuel",
        SAME => "check/same-bytes",
        _ => "check/generated-projections",
    }
}

/// Draws that run side by side before any of them is looked at: as many as keep a small machine busy, and few enough that
/// a tool that fails each time, slowly, is not waited for long.
const BATCH: u64 = 16;

/// Make the generated calls. The checks are those of the table whose ids are about generated calls, each once.
pub(super) async fn run(loaded: &Loaded, settings: &Settings, headroom: &mut Headroom) -> Vec<Check> {
    if settings.calls == 0 {
        let wanted = IDS.into_iter().filter(|id| settings.wants(id));
        return wanted.map(|id| Check::skipped(id, "no generated calls were asked for")).collect();
    }
    let mut tally = Tally::default();
    for tool in &loaded.inspected.manifest().tools {
        let Some(subject) = Subject::of(tool, loaded, settings, &mut tally) else { continue };
        let wants = |ids: &[&str]| ids.iter().any(|id| settings.wants(id));
        if wants(&[CALLS, VALUES, PROJECTIONS, FUEL, HEADROOM]) {
            calls::make(&subject, headroom, &mut tally).await;
        }
        if wants(&[PROJECTIONS, FUEL, SAME, HEADROOM]) {
            projections::make(&subject, headroom, &mut tally).await;
        }
    }
    tally.checks(settings)
}

/// The indices of a run, in batches.
fn batches(draws: u64) -> impl Iterator<Item = std::ops::Range<u64>> {
    (0..draws.div_ceil(BATCH)).map(move |batch| batch * BATCH..((batch + 1) * BATCH).min(draws))
}

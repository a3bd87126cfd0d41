//! Calls whose arguments are drawn from the input schema, and projections of values drawn from the output schema.

use super::{Check, Headroom, Loaded, Settings};

/// Make the generated calls. The checks are those of the table whose ids are about generated calls, each once.
pub(super) async fn run(_loaded: &Loaded, _settings: &Settings, _headroom: &mut Headroom) -> Vec<Check> {
    Vec::new()
}

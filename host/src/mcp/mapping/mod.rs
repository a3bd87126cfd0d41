//! What crosses the wire, and how: tools, schemas, results. No I/O, no state but the [`Overflow`] store.
//!
//! The tables of `docs/mcp-mapping.md` say what each file here does; its tests hold each line of them.

mod budget;
mod content;
mod media;
mod overflow;
mod result;
mod schema;
mod tool;

use rmcp::model::ProtocolVersion;

pub(super) use budget::Budget;
pub(super) use overflow::{Overflow, OverflowLimits};
pub(super) use result::{Wire, result};
pub(super) use tool::{Origin, Schemas, tool};

/// Which of the two protocols a peer speaks. They differ in what an output schema and a structured result may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Era {
    /// 2025-11-25 and earlier: both are objects.
    Legacy,
    /// 2026-07-28 and later: any schema object, any JSON value.
    Modern,
}

impl Era {
    /// Versions are dates, so their texts are in order.
    pub(super) fn of(version: &ProtocolVersion) -> Self {
        if version.as_str() < ProtocolVersion::V_2026_07_28.as_str() { Self::Legacy } else { Self::Modern }
    }
}

/// Keys of `_meta`. The prefix is ours; what it may look like: the specification, `basic/index#meta`.
pub(super) mod key {
    /// On a tool: which component it comes from.
    pub(in crate::mcp) const COMPONENT: &str = "fumehood/component";
    /// On a tool: which mounted server it comes from.
    pub(in crate::mcp) const MOUNTED: &str = "fumehood/mounted";
    /// On a success: what a person sees.
    pub(in crate::mcp) const CARD: &str = "fumehood/card";
    /// On a failure: kind and code.
    pub(in crate::mcp) const FAILURE: &str = "fumehood/failure";
    /// On a success: JSON pointers into `structuredContent`.
    pub(in crate::mcp) const UNSAFE_INTEGERS: &str = "fumehood/unsafeIntegers";
    /// On a tool: the view that draws its results (MCP Apps, 2026-01-26).
    pub(in crate::mcp) const UI: &str = "ui";
    /// The same, as hosts read it before that revision.
    pub(in crate::mcp) const UI_FLAT: &str = "ui/resourceUri";
}

/// The one view, which draws all six cards.
pub(super) const CARD_URI: &str = "ui://fumehood/card.html";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_fall_into_two_eras() {
        let check = |version: ProtocolVersion, era| assert_eq!(Era::of(&version), era, "{}", version.as_str());
        check(ProtocolVersion::V_2024_11_05, Era::Legacy);
        check(ProtocolVersion::V_2025_11_25, Era::Legacy);
        check(ProtocolVersion::V_2026_07_28, Era::Modern);
        check(serde_json::from_value("2027-01-01".into()).unwrap(), Era::Modern);
    }
}

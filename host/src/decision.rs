//! What was decided about authority during one call: each denial, and each granted capability when it is first used.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::capability::CapabilityKind;

/// Enough to see what a call was after. A guest may ask a million times.
const MAX_DENIALS: usize = 256;
/// Longer targets are cut: a guest chose them.
const MAX_TARGET: usize = 512;

/// One decision. A guest chose the target: show it escaped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decision {
    /// Whether it was allowed.
    pub allowed: bool,
    /// Which kind of authority. `None`: one that no capability gives.
    pub capability: Option<CapabilityKind>,
    /// What for: a URL, a program with its arguments, a tool's name. Empty where the kind says all.
    pub target: String,
    /// What decided: the grant, or why there is none.
    pub rule: String,
}

/// One line for an operator, such as `denied http "https://example.com/": nothing grants it`.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.allowed { "allowed" } else { "denied" })?;
        if let Some(kind) = self.capability {
            write!(f, " {kind}")?;
        }
        if !self.target.is_empty() {
            write!(f, " {:?}", self.target)?;
        }
        write!(f, ": {}", self.rule)
    }
}

/// The decisions of one call. Every clone writes to the same list.
#[derive(Clone, Debug)]
pub(crate) struct Decisions {
    tool: Arc<str>,
    list: Arc<Mutex<List>>,
}

#[derive(Debug, Default)]
struct List {
    kept: Vec<Decision>,
    seen: HashSet<Decision>,
    denials: usize,
    dropped: u64,
}

impl Decisions {
    pub(crate) fn of(tool: &str) -> Self {
        Self { tool: tool.into(), list: Arc::default() }
    }

    /// A grant is used. Only the first use of a grant for a kind is recorded.
    pub(crate) fn allowed(&self, capability: CapabilityKind, target: &str, rule: &str) {
        self.record(true, Some(capability), target, rule);
    }

    /// Something was asked for and not allowed.
    pub(crate) fn denied(&self, capability: impl Into<Option<CapabilityKind>>, target: &str, rule: &str) {
        self.record(false, capability.into(), target, rule);
    }

    /// What was recorded until now, and how many more there were than are kept.
    pub(crate) fn take(&self) -> (Vec<Decision>, u64) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let list = std::mem::take(&mut *list);
        (list.kept, list.dropped)
    }

    fn record(&self, allowed: bool, capability: Option<CapabilityKind>, target: &str, rule: &str) {
        let target = shortened(target);
        // A grant is used a thousand times for a thousand targets; the first shows that it is used.
        let key = Decision {
            allowed,
            capability,
            target: if allowed { String::new() } else { target.clone() },
            rule: rule.to_owned(),
        };
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        if list.seen.contains(&key) {
            return;
        }
        // There are no more uses to record than grants. Denials are the guest's to multiply.
        if !allowed && list.denials >= MAX_DENIALS {
            list.dropped += 1;
            if list.dropped == 1 {
                tracing::warn!(
                    target: "fumehood::decision",
                    { fumehood.tool = &*self.tool },
                    "more denials than are recorded: this call's later ones are counted only"
                );
            }
            return;
        }
        list.denials += usize::from(!allowed);
        list.kept.push(Decision { target: target.clone(), ..key.clone() });
        list.seen.insert(key);
        drop(list);
        let (tool, target) = (&*self.tool, target.escape_debug());
        let capability = capability.map_or("none", CapabilityKind::name);
        if allowed {
            tracing::info!(
                target: "fumehood::decision",
                { fumehood.tool = tool, fumehood.capability = capability, fumehood.target = %target, fumehood.rule = rule },
                "allowed"
            );
        } else {
            tracing::warn!(
                target: "fumehood::decision",
                { fumehood.tool = tool, fumehood.capability = capability, fumehood.target = %target, fumehood.rule = rule },
                "denied"
            );
        }
    }
}

fn shortened(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_TARGET)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_is_recorded_once_and_each_denial_once() {
        let decisions = Decisions::of("t");
        for _ in 0..3 {
            decisions.allowed(CapabilityKind::Http, "https://a.example/1", "https://a.example/ GET");
            decisions.allowed(CapabilityKind::Http, "https://a.example/2", "https://a.example/ GET");
            decisions.denied(CapabilityKind::Http, "https://b.example/", "nothing grants it");
            decisions.denied(CapabilityKind::Http, "https://c.example/", "nothing grants it");
        }
        let (kept, dropped) = decisions.take();
        let targets: Vec<_> = kept.iter().map(|decision| (decision.allowed, decision.target.as_str())).collect();
        assert_eq!(
            targets,
            [(true, "https://a.example/1"), (false, "https://b.example/"), (false, "https://c.example/")]
        );
        assert_eq!(dropped, 0);
    }

    /// A guest cannot hide the use of a grant behind a flood of denials.
    #[test]
    fn a_use_after_a_flood_is_recorded() {
        let decisions = Decisions::of("t");
        for number in 0..1_000 {
            decisions.denied(CapabilityKind::Http, &format!("https://{number}.example/"), "no");
        }
        decisions.allowed(CapabilityKind::Process, "git log", "git");
        assert_eq!(
            decisions.take().0.last().map(|made| (made.allowed, made.target.clone())),
            Some((true, "git log".to_owned()))
        );
    }

    #[test]
    fn a_flood_is_counted_and_not_kept() {
        let decisions = Decisions::of("t");
        for number in 0..1_000 {
            decisions.denied(CapabilityKind::Http, &format!("https://{number}.example/{}", "ä".repeat(1_000)), "no");
        }
        let (kept, dropped) = decisions.take();
        assert_eq!((kept.len(), dropped), (MAX_DENIALS, 1_000 - MAX_DENIALS as u64));
        assert!(kept.iter().all(|decision| decision.target.len() <= MAX_TARGET));
    }
}

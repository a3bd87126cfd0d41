//! The intersection: what the component asks for, cut down to what is allowed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::grant::{Grant, grant_line};
use super::grants::Grants;
use super::http::HttpAccess;
use super::limits::{LimitName, Limits};
use super::mounts::Mount;
use super::{Denied, Policy, Section, Selector};
use crate::capability::{Access, Capability};
use crate::consent::CallRules;
use crate::finding::Finding;
use crate::inspect::Inspected;

/// A component that may run, with what it was granted and the limits it runs under. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Approved(Arc<Approval>);

#[derive(Debug)]
struct Approval {
    inspected: Inspected,
    grants: Grants,
    limits: Limits,
    findings: Vec<Finding>,
    policy_files: Vec<PathBuf>,
    calls: CallRules,
}

impl Approved {
    /// What was approved.
    pub fn inspected(&self) -> &Inspected {
        &self.0.inspected
    }

    /// What it may use.
    pub fn grants(&self) -> &Grants {
        &self.0.grants
    }

    /// Which of its calls are denied, and for which somebody is asked.
    pub(crate) fn calls(&self) -> &CallRules {
        &self.0.calls
    }

    /// The limits of each call, before a tool's own time limit tightens one.
    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// Where the policy was read from.
    pub(crate) fn policy_files(&self) -> impl Iterator<Item = &Path> {
        self.0.policy_files.iter().map(PathBuf::as_path)
    }

    /// Where the manifest and the policy differ: asked and not granted, granted and not asked, granted very widely.
    pub fn findings(&self) -> &[Finding] {
        &self.0.findings
    }
}

impl Approved {
    /// For projecting values and nothing else: no grant, and limits that no recorded call can have been over.
    pub(crate) fn for_projecting(inspected: Inspected, memory_bytes: u64) -> Self {
        let mut limits = Limits::standard();
        for name in LimitName::ALL {
            limits.set_by_policy(*name, *name.range().end());
        }
        limits.set_by_policy(LimitName::Memory, memory_bytes);
        let grants = Grants { granted: Vec::new(), http: Arc::new(HttpAccess::new([], Vec::new())) };
        let (findings, policy_files, calls) = (Vec::new(), Vec::new(), CallRules::none());
        Self(Arc::new(Approval { inspected, grants, limits, findings, policy_files, calls }))
    }
}

impl Policy {
    /// Cut what the component asks for down to what is allowed.
    ///
    /// # Errors
    /// Something it cannot do without is not allowed; each reason names the line that would allow it.
    pub fn approve(&self, inspected: Inspected) -> Result<Approved, Denied> {
        let Effective { allowed, limits, by_name } = self.effective(&inspected);
        let (mut granted, mut denials, mut findings) = (Vec::new(), Vec::new(), Vec::new());
        for request in &inspected.manifest().capabilities {
            let mut answered = false;
            for grant in allowed.iter().filter(|grant| grant.answers(&request.capability)) {
                answered = true;
                let grant = match (grant, &request.capability) {
                    (Grant::Filesystem(mount), Capability::Filesystem { access }) => {
                        Grant::Filesystem(cut(mount, *access, &mut findings))
                    }
                    (grant, _) => grant.clone(),
                };
                if !granted.contains(&grant) {
                    granted.push(grant);
                }
            }
            if answered {
                continue;
            }
            let asked = format!("asks for {} ({:?}) and nothing grants it", request.capability, request.reason);
            let kind = request.capability.kind().name();
            let remedy = grant_line(&request.capability);
            if request.optional {
                findings.push(Finding::warning("policy/not-granted", kind, asked, remedy));
            } else {
                denials.push(Finding::refusal("policy/not-granted", kind, asked, remedy));
            }
        }
        findings.extend(unasked(&allowed, &inspected));
        findings.extend(granted.iter().filter_map(wide));
        findings.extend(granted.iter().filter_map(|grant| match grant {
            Grant::Tools(tool) => Some(Finding::note(
                "policy/tool-by-name",
                tool.as_str(),
                "the grant is for whichever tool has this name where it is called: look at the components that are loaded \
                 together",
            )),
            _ => None,
        }));
        if by_name && !granted.is_empty() {
            findings.push(Finding::note(
                "policy/by-name",
                "",
                "some grants are for the name of this component, which any vendor may give to another; a digest, or an \
                 approval, names the one component",
            ));
        }
        if !denials.is_empty() {
            return Err(Denied(denials));
        }
        let asked = inspected.manifest().capabilities.iter().filter_map(|request| match &request.capability {
            Capability::Http { target } => Some(target.as_ref()),
            _ => None,
        });
        let rules =
            granted.iter().filter_map(|grant| if let Grant::Http(grant) = grant { Some(grant.clone()) } else { None });
        let http = Arc::new(HttpAccess::new(asked, rules.collect()));
        let grants = Grants { granted, http };
        let (policy_files, calls) = (self.files.clone(), self.calls.clone());
        Ok(Approved(Arc::new(Approval { inspected, grants, limits, findings, policy_files, calls })))
    }

    /// What holds for one component, before its manifest is asked.
    fn effective(&self, inspected: &Inspected) -> Effective {
        let mut sections: Vec<_> = self.components.iter().filter(|(selector, _)| selector.selects(inspected)).collect();
        // By name before by digest: what comes later holds.
        sections.sort_by_key(|(selector, _)| matches!(selector, Selector::Digest(_)));
        let by_name = sections
            .iter()
            .any(|(selector, section)| matches!(selector, Selector::Name(_)) && !section.grants.is_empty());
        let inherit = sections.iter().all(|(_, section)| section.inherit);
        let sections = sections.into_iter().map(|(_, section)| section);
        let mut allowed: Vec<Grant> = Vec::new();
        let mut set: BTreeMap<LimitName, u64> = self.all.limits.clone();
        for section in inherit.then_some(&self.all).into_iter().chain(sections.clone()) {
            allowed.retain(|earlier| !section.grants.iter().any(|later| replaces(later, earlier)));
            allowed.extend(section.grants.iter().filter(|grant| !allowed.contains(grant)).cloned().collect::<Vec<_>>());
        }
        set.extend(sections.flat_map(|section: &Section| section.limits.iter().map(|(name, value)| (*name, *value))));
        let mut limits = Limits::standard();
        for (name, value) in set {
            limits.set_by_policy(name, value);
        }
        Effective { allowed, limits, by_name }
    }
}

struct Effective {
    allowed: Vec<Grant>,
    limits: Limits,
    by_name: bool,
}

/// Whether a more specific grant takes the place of another.
fn replaces(later: &Grant, earlier: &Grant) -> bool {
    match (later, earlier) {
        (Grant::Filesystem(later), Grant::Filesystem(earlier)) => later.guest == earlier.guest,
        _ => super::same_name(later, earlier),
    }
}

/// Grants that the manifest does not ask for: they stay unused.
fn unasked(allowed: &[Grant], inspected: &Inspected) -> Vec<Finding> {
    let asked =
        |grant: &Grant| inspected.manifest().capabilities.iter().any(|request| grant.answers(&request.capability));
    let unasked = allowed.iter().filter(|grant| !asked(grant));
    unasked
        .map(|grant| {
            Finding::warning(
                "policy/unasked",
                grant.kind().name(),
                format!("the policy allows {grant} and the manifest does not ask for it: it is not granted"),
                "leave the grant out, or ask the vendor why the manifest is silent",
            )
        })
        .collect()
}

fn wide(grant: &Grant) -> Option<Finding> {
    let why = grant.width()?;
    let remedy = "grant less, where the tool can do with less";
    Some(Finding::warning("policy/wide", grant.kind().name(), format!("`{grant}` {why}"), remedy))
}

fn cut(mount: &Mount, asked: Access, findings: &mut Vec<Finding>) -> Mount {
    let access = mount.access.min(asked);
    if access < asked {
        let wider = Mount { access: asked, ..mount.clone() };
        findings.push(Finding::warning(
            "policy/narrower",
            mount.guest.as_str(),
            format!("the manifest asks for {asked} and the policy allows {access}"),
            format!("to allow it: --mount {}", wider.short_form()),
        ));
    }
    Mount { access, ..mount.clone() }
}

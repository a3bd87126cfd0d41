//! One approval, with enough of what was approved to say later what changed.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::component::Digest;
use crate::finding::Finding;
use crate::manifest::{ComponentKind, Manifest, ToolManifest};
use crate::policy::{Approved, EnvGrant, Grant, Mount, ProcessGrant};

/// One approved component. Texts and schemas are kept as their digests: enough to tell that one changed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Record {
    /// Its name, as the manifest has it.
    pub name: String,
    /// Its version, as the manifest has it.
    pub version: String,
    /// Of the whole file.
    pub digest: Digest,
    /// Of the manifest.
    pub manifest: Digest,
    /// The version of the interface that it exports: `0.1.0` of `fumehood:tool`; `fumehood:review@0.1.0`.
    pub wit: String,
    /// The grants that were shown, each as the line of a policy file that gives it, with absolute paths, and
    /// with digests for the values of variables.
    pub grants: Vec<String>,
    description: Digest,
    /// What it asks for, with the digest of the reason.
    #[serde(default)]
    asks: BTreeMap<String, Digest>,
    #[serde(default)]
    tools: BTreeMap<String, ToolRecord>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ToolRecord {
    /// Title and description.
    texts: Digest,
    input: Digest,
    output: Digest,
    /// Hints, concurrency, time limit.
    behaviour: Digest,
}

impl Record {
    pub(super) fn of(approved: &Approved, base: &Path) -> Self {
        let inspected = approved.inspected();
        let manifest = inspected.manifest();
        let Manifest { name, version, description, tools, capabilities, .. } = manifest;
        let optional = |optional| if optional { ", optional" } else { "" };
        let asks = capabilities
            .iter()
            .map(|request| (format!("{}{}", request.capability, optional(request.optional)), of_text(&request.reason)));
        Self {
            name: name.clone(),
            version: version.clone(),
            digest: inspected.digest(),
            manifest: manifest.digest(),
            wit: match inspected.kind() {
                ComponentKind::Tool => inspected.interface_version().to_owned(),
                kind => format!("{}@{}", kind.package(), inspected.interface_version()),
            },
            grants: approved.grants().iter().map(|grant| recorded(grant, base)).collect(),
            description: of_text(description),
            asks: asks.collect(),
            tools: tools.iter().map(|tool| (tool.name.clone(), ToolRecord::of(tool))).collect(),
        }
    }

    /// What differs between what was approved and what is there, beside the grants.
    pub(super) fn differences(&self, now: &Self) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut changed = |at: String, what: &str| found.push(Finding::refusal("lock/changed", at, what, ""));
        if self.wit != now.wit {
            changed(String::new(), &format!("the interface was {} and is {}", self.wit, now.wit));
        }
        if self.version != now.version {
            changed("/version".to_owned(), &format!("the version was {:?} and is {:?}", self.version, now.version));
        }
        if self.description != now.description {
            changed("/description".to_owned(), "the description changed");
        }
        for (ask, reason) in &now.asks {
            match self.asks.get(ask) {
                None => changed("/capabilities".to_owned(), &format!("it now asks for {ask}")),
                Some(before) if before != reason => {
                    changed("/capabilities".to_owned(), &format!("the reason for {ask} changed"));
                }
                Some(_) => {}
            }
        }
        for ask in self.asks.keys().filter(|ask| !now.asks.contains_key(*ask)) {
            changed("/capabilities".to_owned(), &format!("it no longer asks for {ask}"));
        }
        for (name, tool) in &now.tools {
            let at = format!("/tools/{name}");
            let Some(before) = self.tools.get(name) else {
                changed(at, "this tool is new");
                continue;
            };
            for (differs, what) in [
                (before.texts != tool.texts, "its title or description changed"),
                (before.input != tool.input, "its input schema changed"),
                (before.output != tool.output, "its output schema changed"),
                (before.behaviour != tool.behaviour, "its hints, concurrency or time limit changed"),
            ] {
                if differs {
                    changed(at.clone(), what);
                }
            }
        }
        for name in self.tools.keys().filter(|name| !now.tools.contains_key(*name)) {
            changed(format!("/tools/{name}"), "this tool is gone");
        }
        if found.is_empty() && self.manifest == now.manifest {
            let message = "the manifest is the approved one: what changed is code, data or another section";
            found.push(Finding::refusal("lock/changed", "", message, ""));
        }
        found
    }

    /// Where the grants are not the approved ones.
    pub(super) fn grant_differences(&self, now: &Self) -> Vec<Finding> {
        let more = now.grants.iter().filter(|grant| !self.grants.contains(grant)).map(|grant| {
            let message = format!("it would be granted {grant}, which was not approved");
            Finding::refusal("lock/grants", "", message, "grant what was approved, or approve it again")
        });
        let less = self.grants.iter().filter(|grant| !now.grants.contains(grant)).map(|grant| {
            let message = format!("it was approved with {grant}, which the policy does not grant");
            Finding::refusal("lock/grants", "", message, "grant what was approved, or approve it again")
        });
        more.chain(less).collect()
    }
}

impl ToolRecord {
    fn of(tool: &ToolManifest) -> Self {
        let ToolManifest { title, description, annotations, concurrency, time_limit, .. } = tool;
        Self {
            texts: of_text(&format!("{title:?} {description:?}")),
            input: of_text(&tool.input_json().to_string()),
            output: of_text(&tool.output_json().to_string()),
            behaviour: of_text(&format!("{annotations:?} {concurrency:?} {time_limit:?}")),
        }
    }
}

fn of_text(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

/// The grant as it is recorded. Directories are those that it leads to now: approved in one place, `.` does not mean
/// another, and a link that is put in the way later is a difference. Values of variables are recorded as digests.
fn recorded(grant: &Grant, base: &Path) -> String {
    let digest = |value: &str| of_text(value).to_string();
    let grant = match grant.clone() {
        Grant::Filesystem(mount) => {
            let mount = mount.relative_to(base);
            let host = mount.host.canonicalize().unwrap_or(mount.host);
            Grant::Filesystem(Mount { host, ..mount })
        }
        Grant::Secret(secret) => Grant::Secret(secret.relative_to(base)),
        Grant::Env(EnvGrant { name, value }) => Grant::Env(EnvGrant { name, value: value.as_deref().map(digest) }),
        Grant::Process(process) => {
            let env = process.env().iter().map(|(name, value)| (name.clone(), digest(value))).collect();
            let path = process.path().canonicalize().unwrap_or_else(|_| process.path().to_owned());
            let digested = ProcessGrant::new(process.name(), path, process.args().clone(), env);
            Grant::Process(digested.unwrap_or(process))
        }
        other => other,
    };
    grant.policy_line()
}

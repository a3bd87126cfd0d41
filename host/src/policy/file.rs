//! The policy file: TOML, with every fault at its line and column.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::env::EnvGrant;
use super::grant::Grant;
use super::http::HttpGrant;
use super::mounts::{GuestPath, Mount};
use super::process::ProcessGrant;
use super::secrets::SecretGrant;
use super::{Policy, PolicyError, Section, Selector};
use crate::capability::{Access, ToolName};
use crate::consent::{CallRules, ToolPattern};
use crate::finding::Finding;

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    /// For every component.
    #[serde(default)]
    grants: GrantsTable,
    #[serde(default)]
    limits: LimitsTable,
    /// Calls, by the names of their tools.
    #[serde(default)]
    calls: CallsTable,
    /// For one component, by its name in the manifest or by its digest.
    #[serde(default)]
    component: BTreeMap<Spanned<String>, ComponentTable>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallsTable {
    #[serde(default)]
    deny: Vec<ToolPattern>,
    #[serde(default)]
    ask: Vec<ToolPattern>,
}

type LimitsTable = BTreeMap<Spanned<String>, Spanned<u64>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ComponentTable {
    /// Whether the grants for every component hold for this one too.
    #[serde(default = "yes")]
    inherit: bool,
    #[serde(default)]
    grants: GrantsTable,
    #[serde(default)]
    limits: LimitsTable,
}

const fn yes() -> bool {
    true
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantsTable {
    #[serde(default)]
    filesystem: Vec<Spanned<MountTable>>,
    #[serde(default)]
    http: Vec<Spanned<HttpGrant>>,
    #[serde(default)]
    secret: Vec<Spanned<SecretGrant>>,
    #[serde(default)]
    env: Vec<Spanned<EnvGrant>>,
    #[serde(default)]
    clock: bool,
    #[serde(default)]
    random: bool,
    #[serde(default)]
    process: Vec<Spanned<ProcessGrant>>,
    #[serde(default)]
    tools: Vec<Spanned<ToolName>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MountTable {
    host: std::path::PathBuf,
    #[serde(default = "GuestPath::root")]
    guest: GuestPath,
    #[serde(default = "read")]
    access: Access,
}

const fn read() -> Access {
    Access::Read
}

/// Reads a file's text. Relative paths in it are taken from `base`.
pub(super) fn policy(text: &str, base: &Path) -> Result<Policy, PolicyError> {
    let file: PolicyFile = toml::from_str(text).map_err(|error| PolicyError::Syntax(Box::new(error)))?;
    let mut faults = Faults { text, found: Vec::new() };
    let mut policy = Policy::nothing();
    policy.calls = file.calls.deny.into_iter().fold(policy.calls, CallRules::deny);
    policy.calls = file.calls.ask.into_iter().fold(policy.calls, CallRules::ask);
    faults.fill(&mut policy.all, file.grants, file.limits, base);
    for (key, table) in file.component {
        let mut section = Section { inherit: table.inherit, ..Section::default() };
        faults.fill(&mut section, table.grants, table.limits, base);
        match key.get_ref().parse::<Selector>() {
            Ok(selector) => policy.components.push((selector, section)),
            Err(fault) => faults.add(key.span().start, fault),
        }
    }
    if faults.found.is_empty() { Ok(policy) } else { Err(PolicyError::Invalid(faults.found)) }
}

struct Faults<'a> {
    text: &'a str,
    found: Vec<Finding>,
}

impl Faults<'_> {
    fn add(&mut self, offset: usize, fault: Finding) {
        self.found.push(Finding { at: position(self.text, offset), ..fault });
    }

    fn fill(&mut self, section: &mut Section, grants: GrantsTable, limits: LimitsTable, base: &Path) {
        let mut all: Vec<(usize, Result<Grant, String>)> = Vec::new();
        for table in grants.filesystem {
            let at = table.span().start;
            let MountTable { host, guest, access } = table.into_inner();
            all.push((at, Ok(Grant::Filesystem(Mount { host, guest, access }.relative_to(base)))));
        }
        all.extend(grants.http.into_iter().map(|table| (table.span().start, Ok(Grant::Http(table.into_inner())))));
        for table in grants.secret {
            let at = table.span().start;
            all.push((at, Ok(Grant::Secret(table.into_inner().relative_to(base)))));
        }
        for table in grants.env {
            let at = table.span().start;
            all.push((at, table.into_inner().checked().map(Grant::Env).map_err(|error| error.to_string())));
        }
        all.extend(grants.clock.then_some((0, Ok(Grant::Clock))));
        all.extend(grants.random.then_some((0, Ok(Grant::Random))));
        all.extend(
            grants.process.into_iter().map(|table| (table.span().start, Ok(Grant::Process(table.into_inner())))),
        );
        all.extend(grants.tools.into_iter().map(|tool| (tool.span().start, Ok(Grant::Tools(tool.into_inner())))));
        for (at, grant) in all {
            let added = match grant {
                Ok(grant) => section.add(grant),
                Err(message) => Err(Finding::refusal("policy/grant", "", message, "")),
            };
            if let Err(fault) = added {
                self.add(at, fault);
            }
        }
        for (key, value) in limits {
            if let Err(fault) = section.set_limit(key.get_ref(), *value.get_ref()) {
                self.add(key.span().start, fault);
            }
        }
    }
}

fn position(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    format!("line {line}, column {column}")
}

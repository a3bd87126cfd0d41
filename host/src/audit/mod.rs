//! What a reviewer reads of a component, as plain data: who it claims to be, what it asks for, what it can reach, what
//! its texts may do to their reader, and what a policy would give it.
//!
//! [`Audit`] serialises to JSON; [`Audit::markdown`] and [`Audit::sarif`] are the other two forms that leave a program.
//! [`Diff`] puts two components side by side and says whether authority grew.

mod covers;
mod diff;
mod loosened;
mod markdown;
mod rules;
mod sarif;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::Value;

use crate::capability::CapabilityKind;
use crate::component::Digest;
use crate::finding::Finding;
use crate::inspect::{Import, Inspected, Projectors, Provenance, Purity, Shape};
use crate::manifest::{ComponentKind, Concurrency, Request, ToolAnnotations};
use crate::policy::{Approved, Denied, Grant, Grants};

pub use diff::{Change, ChangeKind, Diff, DiffSide, Subject};

/// What there is to know of a component without running it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Audit {
    /// What it is for: its tools are called, or it reads the results of calls.
    pub kind: ComponentKind,
    /// Of the component, as the vendor names it.
    pub name: String,
    /// Its version, as the vendor numbers it.
    pub version: String,
    /// For people.
    pub description: String,
    /// SHA-256 of the file.
    pub digest: Digest,
    /// SHA-256 of the manifest.
    pub manifest_digest: Digest,
    /// The version of `fumehood:tool`, or of `fumehood:review`, that it speaks.
    pub interface: String,
    /// Size of the file.
    pub bytes: u64,
    /// What the binary says about its making.
    pub provenance: Provenance,
    /// Its tools. A reviewer has none.
    pub tools: Vec<AuditedTool>,
    /// What it asks for, and why; programs, the widest there is, first.
    pub capabilities: Vec<Request>,
    /// What it links, and what each takes.
    pub imports: Vec<Import>,
    /// What it exports.
    pub exports: Vec<String>,
    /// Whether the projectors can reach an import. A reviewer has none.
    pub projectors: Option<Projectors>,
    /// How large it is.
    pub shape: Shape,
    /// What a reviewer should know: of the schemas, of imports against what is asked for, of the texts.
    pub findings: Vec<Finding>,
    /// What a policy gives, if one was asked.
    pub policy: Option<PolicyAnswer>,
}

/// One tool of an [`Audit`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AuditedTool {
    /// Its name.
    pub name: String,
    /// For people.
    pub title: Option<String>,
    /// For models.
    pub description: String,
    /// Whether both schemas can be used.
    pub callable: bool,
    /// Hints, which nobody checks.
    pub annotations: ToolAnnotations,
    /// Whether calls may overlap.
    pub concurrency: Concurrency,
    /// How long a call may take, in milliseconds, where the manifest says so.
    pub time_limit_ms: Option<u64>,
    /// As the vendor wrote it.
    pub input_schema: Value,
    /// As the vendor wrote it.
    pub output_schema: Value,
}

/// What a policy gives a component.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PolicyAnswer {
    /// Whether it may run.
    pub allowed: bool,
    /// What it may use, if it may run.
    pub grants: Option<Grants>,
    /// Where manifest and policy differ, what is missing, and what of the grants is wider than a tool needs.
    pub findings: Vec<Finding>,
}

impl Audit {
    /// Reads everything, code included: see [`Inspected::purity`] for what that takes.
    pub fn of(inspected: &Inspected) -> Self {
        let manifest = inspected.manifest();
        let tools = manifest.tools.iter().map(|tool| AuditedTool {
            name: tool.name.clone(),
            title: tool.title.clone(),
            description: tool.description.clone(),
            callable: tool.is_callable(),
            annotations: tool.annotations,
            concurrency: tool.concurrency,
            // A manifest's time limit is ten minutes at most.
            time_limit_ms: tool.time_limit.map(|limit| limit.as_millis() as u64),
            input_schema: tool.input_json().clone(),
            output_schema: tool.output_json().clone(),
        });
        let mut findings: Vec<_> = widest(&manifest.capabilities).collect();
        findings.extend_from_slice(inspected.findings());
        findings.extend(inspected.text_hazards());
        Self {
            kind: inspected.kind(),
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            description: manifest.description.clone(),
            digest: inspected.digest(),
            manifest_digest: manifest.digest(),
            interface: inspected.interface_version().to_owned(),
            bytes: inspected.component().bytes().len() as u64,
            provenance: inspected.provenance(),
            tools: tools.collect(),
            capabilities: first(&manifest.capabilities, |request| request.capability.kind()),
            imports: inspected.imports().to_vec(),
            exports: inspected.exports().to_vec(),
            projectors: inspected.purity().cloned(),
            shape: *inspected.shape(),
            findings,
            policy: None,
        }
    }

    /// Adds what a policy decided about the same component.
    #[must_use]
    pub fn with_policy(self, decision: &Result<Approved, Denied>) -> Self {
        let policy = match decision {
            Ok(approved) => PolicyAnswer {
                allowed: true,
                grants: Some(approved.grants().clone()),
                findings: approved.findings().to_vec(),
            },
            Err(Denied(reasons)) => PolicyAnswer { allowed: false, grants: None, findings: reasons.clone() },
        };
        Self { policy: Some(policy), ..self }
    }

    /// One page of Markdown. Texts of the tool are escaped: none can make a heading, a link, a picture or HTML.
    pub fn markdown(&self) -> String {
        markdown::page(self)
    }

    /// A log in the format SARIF 2.1.0: each finding a result, the two projectors too. `file` is the path of the
    /// component, as results shall name it.
    pub fn sarif(&self, file: &str) -> Value {
        sarif::log(self, file)
    }

    /// [`Audit::sarif`] for findings alone: the reasons for which a file is refused, or what checks of it found.
    pub fn sarif_of_findings(findings: &[Finding], file: &str) -> Value {
        sarif::of_findings(findings, file)
    }

    /// The package whose interface it exports.
    pub fn interface_package(&self) -> &'static str {
        self.kind.package()
    }

    /// The two projectors, by name.
    fn projectors(&self) -> impl Iterator<Item = (&'static str, &Purity)> {
        let both = self.projectors.as_ref().map(|both| [("render", &both.render), ("present", &both.present)]);
        both.into_iter().flatten()
    }

    /// All findings, those of the policy last.
    fn all_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().chain(self.policy.iter().flat_map(|policy| &policy.findings))
    }
}

impl PolicyAnswer {
    /// What the component may use, each in its short form: `filesystem=./notes:/notes:ro`, `clock`. Programs, the widest
    /// there is, first.
    pub fn given(&self) -> Vec<String> {
        let grants: Vec<_> = self.grants.iter().flat_map(Grants::iter).cloned().collect();
        first(&grants, Grant::kind).iter().map(ToString::to_string).collect()
    }
}

/// The same, with what is about programs before the rest.
fn first<T: Clone>(list: &[T], kind: impl Fn(&T) -> CapabilityKind) -> Vec<T> {
    let mut list = list.to_vec();
    list.sort_by_key(|item| kind(item) != CapabilityKind::Process);
    list
}

/// A warning for each program that is asked for.
fn widest(requests: &[Request]) -> impl Iterator<Item = Finding> {
    let programs = requests.iter().enumerate();
    let programs = programs.filter(|(_, request)| request.capability.kind() == CapabilityKind::Process);
    programs.map(|(index, request)| {
        Finding::warning(
            "capability/program",
            format!("/capabilities/{index}"),
            format!(
                "{} is the widest capability there is: what the program may do, outside of every sandbox, the tool may do",
                request.capability
            ),
            "grant it with arguments that say exactly what for, or not at all",
        )
    })
}

//! What can be told of a component without running it.

use std::collections::BTreeMap;

use super::Check;
use crate::{Component, ComponentError, Finding, InspectError, Inspected, LoadLimits, Manifest, Severity};

/// The checks of this file, in the order of the table.
const IDS: [&str; 10] =
    ["component", "manifest", "interface", "names", "texts", "schemas", "portable", "capabilities", "reasons", "size"];

/// Fewer letters and digits do not say when to choose a tool: "Gets data." has 8 of them.
const MIN_DESCRIPTION: usize = 12;
/// Fewer words do not either.
const MIN_WORDS: usize = 3;
/// A verb and what it is done to: "Lists directories."
const MIN_REASON_WORDS: usize = 2;

/// Of a size at which a host begins to refuse, in percent: from here on the next release may be over it.
const SIZE_WARNING: u64 = 75;

/// Looks at bytes. `None` where no host would load them; the checks say why.
///
/// Costs what inspecting does: up to a second for the largest.
pub(super) fn at(bytes: Vec<u8>, limits: &LoadLimits) -> (Vec<Check>, Option<Inspected>) {
    let refused = match Component::from_bytes(bytes, limits) {
        Ok(component) => match Inspected::of(component) {
            Ok(inspected) => return (checks(&inspected, limits), Some(inspected)),
            Err(InspectError::Refused(findings)) => findings,
        },
        Err(error) => {
            let rule = match error {
                ComponentError::TooLarge { .. } => "check/size",
                _ => "check/component",
            };
            vec![Finding::refusal(rule, "", error.to_string(), "give the file that `fumehood pack` writes")]
        }
    };
    let mut by_check = sorted(refused);
    let check = |id| match by_check.remove(id) {
        Some(findings) => Check::of(id, "", findings),
        None => Check::skipped(id, "no host loads the component: first mend what fails"),
    };
    (IDS.map(check).into(), None)
}

fn checks(inspected: &Inspected, limits: &LoadLimits) -> Vec<Check> {
    let manifest = inspected.manifest();
    let mut findings = inspected.findings().to_vec();
    findings.extend(inspected.text_hazards());
    findings.extend(names(manifest));
    findings.extend(texts(manifest));
    findings.extend(reasons(manifest));
    let bytes = inspected.component().bytes().len() as u64;
    findings.extend(size(bytes, limits));
    let mut by_check = sorted(findings);
    let tools = manifest.tools.len();
    let line = |id: &str| match id {
        "component" => format!("a component, {}", inspected.digest()),
        "manifest" => format!("{} {}", manifest.name, manifest.version),
        "interface" => format!("{} {}", manifest.kind.package(), inspected.interface_version()),
        "capabilities" => {
            let asked: Vec<_> = manifest.capabilities.iter().map(|request| request.capability.to_string()).collect();
            if asked.is_empty() {
                "it asks for nothing".to_owned()
            } else {
                format!("it asks for {}", asked.join(", "))
            }
        }
        "reasons" if manifest.capabilities.is_empty() => "there is nothing to give a reason for".to_owned(),
        "reasons" => format!("{} with a reason", counted(manifest.capabilities.len(), "capability", "capabilities")),
        "size" => format!("{bytes} bytes of at most {}", limits.bytes),
        _ => counted(tools, "tool", "tools"),
    };
    IDS.map(|id| Check::of(id, line(id), by_check.remove(id).unwrap_or_default())).into()
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Findings by the check that they belong to.
fn sorted(findings: Vec<Finding>) -> BTreeMap<&'static str, Vec<Finding>> {
    let mut sorted: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for finding in findings {
        sorted.entry(check_of(&finding)).or_default().push(finding);
    }
    sorted
}

/// The check that a rule belongs to.
fn check_of(finding: &Finding) -> &'static str {
    let (area, name) = finding.rule.split_once('/').unwrap_or((finding.rule, ""));
    match (area, name) {
        ("check", name) => IDS.into_iter().find(|id| *id == name).unwrap_or("component"),
        ("component", "too-large") => "size",
        ("component" | "module", _) => "component",
        ("manifest", "name" | "tool-name" | "duplicate-tool") => "names",
        ("manifest", "empty-text" | "long-text" | "hidden-character") if finding.at.ends_with("/reason") => "reasons",
        ("manifest", "empty-text" | "long-text" | "hidden-character") | ("text", _) => "texts",
        (
            "manifest",
            "access"
            | "capability"
            | "capability-detail"
            | "capability-twice"
            | "too-many-capabilities"
            | "unused-capability",
        )
        | ("import", "not-asked" | "constants")
        | ("capability" | "policy", _) => "capabilities",
        ("manifest", "too-many-patterns") => "schemas",
        ("schema", _) if finding.severity == Severity::Refusal => "schemas",
        ("schema", _) => "portable",
        ("export" | "import", _) => "interface",
        _ => "manifest",
    }
}

fn names(manifest: &Manifest) -> Vec<Finding> {
    let mut seen = BTreeMap::new();
    let mut findings = Vec::new();
    for (index, tool) in manifest.tools.iter().enumerate() {
        let Some(title) = &tool.title else { continue };
        if let Some(first) = seen.insert(title.to_lowercase(), index) {
            let message = format!("{} has the title of tool {first}: {title:?}", tool.name);
            let remedy = "give each tool a title of its own: people choose by it";
            findings.push(Finding::refusal("check/names", format!("/tools/{index}/title"), message, remedy));
        }
    }
    findings
}

fn texts(manifest: &Manifest) -> Vec<Finding> {
    let (mut seen, mut findings) = (BTreeMap::new(), Vec::new());
    for (index, tool) in manifest.tools.iter().enumerate() {
        let at = format!("/tools/{index}/description");
        let text = tool.description.trim();
        if too_short(text, MIN_WORDS) {
            let message = format!("{text:?} is too short to choose {} by", tool.name);
            let remedy = "say what it does, of what, and what it gives back: a model has nothing else to go by";
            findings.push(Finding::refusal("check/texts", &at, message, remedy));
        } else if let Some(first) = seen.insert(text.to_lowercase(), index) {
            let message = format!("{} has the description of tool {first}", tool.name);
            let remedy = "say where the two differ: a model has nothing else to go by";
            findings.push(Finding::refusal("check/texts", &at, message, remedy));
        }
    }
    findings
}

/// Scripts without spaces between words are counted by their letters alone.
fn too_short(text: &str, words: usize) -> bool {
    let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
    letters == 0 || text.is_ascii() && (letters < MIN_DESCRIPTION || text.split_whitespace().count() < words)
}

fn reasons(manifest: &Manifest) -> Vec<Finding> {
    let (mut seen, mut findings) = (BTreeMap::new(), Vec::new());
    for (index, request) in manifest.capabilities.iter().enumerate() {
        let at = format!("/capabilities/{index}/reason");
        let text = request.reason.trim();
        if too_short(text, MIN_REASON_WORDS) {
            let message = format!("{text:?} does not say why it asks for {}", request.capability);
            let remedy = "say what the tool does with it: an operator decides by it";
            findings.push(Finding::refusal("check/reasons", &at, message, remedy));
        } else if let Some(first) = seen.insert(text.to_lowercase(), request) {
            // Two hosts, or two variables, may well be for one thing.
            if first.capability.kind() != request.capability.kind() {
                let message = format!("{} has the reason of {}", request.capability, first.capability);
                let remedy = "say of each what it is for: an operator may give one and not the other";
                findings.push(Finding::refusal("check/reasons", &at, message, remedy));
            }
        }
    }
    findings
}

fn size(bytes: u64, limits: &LoadLimits) -> Option<Finding> {
    let most = limits.bytes;
    (bytes > most / 100 * SIZE_WARNING).then(|| {
        let message = format!("{bytes} bytes, near to the {most} that hosts load");
        let remedy = "leave out debug information and what the tool does not use, or make two components of it";
        Finding::warning("check/size", "", message, remedy)
    })
}

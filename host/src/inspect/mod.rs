//! A component, looked at without compiling or running anything: what it declares, what it links, whether this host can
//! use it. The stages go from cheap to dear, and each bounds the next: manifest and shape first, then validation, then
//! the comparison of types.

mod escape;
mod hazards;
mod interface;
mod provenance;
mod purity;
mod shape;
mod types;
mod wit;

use std::sync::{Arc, OnceLock};

use wasmparser::{Parser, Payload, Validator, WasmFeatures};

pub use interface::Import;
use interface::Surface;
pub use provenance::{Claim, Dependency, Producer, Provenance, Sbom};
pub use purity::{Doubt, Projectors, Purity};
pub use shape::Shape;
pub(crate) use shape::malformed;

use crate::capability::{CapabilityKind, Need};
use crate::component::{Component, Digest};
use crate::finding::{Finding, Severity};
use crate::manifest::{self, ComponentKind, Manifest, Reasons};

/// A component that this host can use, as far as can be known without compiling it.
#[derive(Clone, Debug)]
pub struct Inspected {
    component: Component,
    manifest: Manifest,
    shape: Shape,
    imports: Vec<Import>,
    exports: Vec<String>,
    version: String,
    findings: Vec<Finding>,
    purity: Arc<OnceLock<Projectors>>,
}

/// Why a component cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InspectError {
    /// Every reason at once, as far as the bytes make sense.
    #[error("the component is refused: {}", Reasons(.0))]
    Refused(Vec<Finding>),
}

/// The WebAssembly that a component may be made of. The engine is configured to the same set. Every toolchain we know
/// of stays inside it; each feature outside is one more way to make a compiler or a limit fail.
pub(crate) fn features() -> WasmFeatures {
    // WebAssembly 2.0 with SIMD, bulk memory, reference types and multi-value. MULTI_MEMORY is what the engine's own
    // adapters between components are written in; EXTENDED_CONST is what position-independent code needs.
    // GC_TYPES is what `externref` takes, and the engine is built without the garbage collector.
    WasmFeatures::WASM2.difference(WasmFeatures::GC_TYPES)
        | WasmFeatures::MULTI_MEMORY
        | WasmFeatures::EXTENDED_CONST
        | WasmFeatures::COMPONENT_MODEL
}

impl Inspected {
    /// Looks at a component.
    ///
    /// # Errors
    ///
    /// [`InspectError::Refused`] with all the reasons. A tool whose schema cannot be used is none: it cannot be called,
    /// and [`Inspected::findings`] says why.
    pub fn of(component: Component) -> Result<Self, InspectError> {
        let bytes = component.bytes();
        let manifest = manifest::read_section(bytes).and_then(Manifest::parse);
        let surface = shape::measure(bytes).and_then(|shape| Ok((shape, surface(bytes)?)));
        let (manifest, (shape, surface)) = match (manifest, surface) {
            (Ok(manifest), Ok((shape, surface))) if !refuses(&surface.findings) => (manifest, (shape, surface)),
            (manifest, surface) => {
                let mut reasons = manifest.err().unwrap_or_default();
                reasons.extend(surface.map_or_else(|reasons| reasons, |(_, surface)| surface.findings));
                // A file that is cut short is found by both.
                reasons.dedup_by(|a, b| a == b);
                return Err(InspectError::Refused(reasons));
            }
        };
        let kind = surface.kind.unwrap_or_default();
        let mut unmatched = unmatched(&manifest, kind, &surface.imports);
        unmatched.extend(misdeclared(&manifest, kind));
        if refuses(&unmatched) {
            return Err(InspectError::Refused(unmatched));
        }
        let mut findings = surface.findings.clone();
        findings.extend(manifest.tools.iter().flat_map(|tool| tool.findings()));
        findings.extend(unmatched);
        findings.extend(surface.notes());
        let Surface { imports, exports, version, .. } = surface;
        let version = version.unwrap_or_default();
        Ok(Self { component, manifest, shape, imports, exports, version, findings, purity: Arc::default() })
    }

    /// The bytes that were looked at.
    pub fn component(&self) -> &Component {
        &self.component
    }

    /// Their SHA-256.
    pub fn digest(&self) -> Digest {
        self.component.digest()
    }

    /// What the vendor declares.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How large it is.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The interfaces it links, in its own order.
    pub fn imports(&self) -> &[Import] {
        &self.imports
    }

    /// The names it exports, in its own order. Those beside the tool interface are not used.
    pub fn exports(&self) -> &[String] {
        &self.exports
    }

    /// What it is for.
    pub fn kind(&self) -> ComponentKind {
        self.manifest.kind
    }

    /// The version of `fumehood:tool/tool`, or of `fumehood:review/reviewer`, that it exports: `0.1.0`.
    pub fn interface_version(&self) -> &str {
        &self.version
    }

    /// Whether the projectors can reach an import at all. The first call reads all of the code, 10 MB of it in half a
    /// second where this crate is not optimised; later ones and those of clones cost nothing. A reviewer has none.
    pub fn purity(&self) -> Option<&Projectors> {
        let analyse = || purity::analyse(self.component.bytes(), &format!("{}@{}", interface::TOOL, self.version));
        (self.kind() == ComponentKind::Tool).then(|| self.purity.get_or_init(analyse))
    }

    /// What the binary says about its making. Reads section headers, and the sections that say so.
    pub fn provenance(&self) -> Provenance {
        Provenance::of(self.component.bytes())
    }

    /// What the texts that the tool supplies may do to who reads them: rules `text/…`. See [`Finding::at`] for where; a
    /// custom section is named without a slash.
    pub fn text_hazards(&self) -> Vec<Finding> {
        hazards::find(&self.manifest, &self.provenance())
    }

    /// What a reviewer should know. A refusal among them concerns one tool, which cannot be called.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

#[cfg(test)]
impl Inspected {
    /// As if the component linked one function less of that import.
    pub(crate) fn without_last_function(&mut self, import: &str) {
        let import = self.imports.iter_mut().find(|candidate| candidate.name == import);
        import.and_then(|import| import.functions.pop()).expect("it is linked");
    }
}

fn refuses(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Refusal)
}

/// Holds a core module against the same limits and features as the modules of a component.
pub(crate) fn check_module(bytes: &[u8]) -> Result<(), Vec<Finding>> {
    shape::measure(bytes)?;
    match Validator::new_with_features(features()).validate_all(bytes) {
        Ok(_) => Ok(()),
        Err(error) => Err(vec![malformed(&error)]),
    }
}

/// Validates, and compares what is imported and exported with our WIT.
fn surface(bytes: &[u8]) -> Result<Surface, Vec<Finding>> {
    let refuse = |error: wasmparser::Error| vec![malformed(&error)];
    let types = Validator::new_with_features(features()).validate_all(bytes).map_err(refuse)?;
    let (mut imports, mut exports) = (Vec::new(), Vec::new());
    let mut level = 0u32;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(refuse)? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => level += 1,
            Payload::End(_) => level = level.saturating_sub(1),
            Payload::ComponentImportSection(section) if level == 0 => {
                for import in section {
                    imports.push(import.map_err(refuse)?.name.name);
                }
            }
            Payload::ComponentExportSection(section) if level == 0 => {
                for export in section {
                    exports.push(export.map_err(refuse)?.name.name);
                }
            }
            _ => {}
        }
    }
    Ok(Surface::of(types.as_ref(), imports, exports))
}

/// Where what is asked for and what is linked do not meet.
fn unmatched(manifest: &Manifest, kind: ComponentKind, imports: &[Import]) -> Vec<Finding> {
    let granted = match kind {
        ComponentKind::Tool => "execute",
        ComponentKind::Reviewer => "review",
    };
    let mut findings = Vec::new();
    for kind in CapabilityKind::ALL {
        // A secret goes into requests: it has no interface of its own.
        let interface = if kind == CapabilityKind::Secret { CapabilityKind::Http } else { kind };
        let linked_for = |kind| imports.iter().filter(|import| import.need == Need::Capability(kind)).count();
        let linked = linked_for(interface);
        let asked = manifest.capabilities.iter().position(|request| request.capability.kind() == kind);
        match (asked, linked) {
            // A program starts in a granted directory, which a tool that runs programs need not open itself.
            (Some(_), 0) if kind == CapabilityKind::Filesystem && linked_for(CapabilityKind::Process) > 0 => {}
            (Some(index), 0) => findings.push(Finding::warning(
                "manifest/unused-capability",
                format!("/capabilities/{index}"),
                format!("`{kind}` is asked for, but no interface that needs it is linked"),
                "remove the request",
            )),
            (None, 1..) if kind == CapabilityKind::Secret => {}
            (None, 1..) if !kind.is_linked_by_runtimes() => findings.push(Finding::refusal(
                "import/not-asked",
                kind.name(),
                format!("`{kind}` is linked ({linked} imports), and the manifest does not ask for it"),
                match kind {
                    CapabilityKind::Http => "ask for `http` in the manifest, with the reason, or build without it \
                                             (componentize-js: disable the features `http` and `fetch-event`)"
                        .to_owned(),
                    _ => format!("ask for `{kind}` in the manifest, with the reason, or build without it"),
                },
            )),
            (None, 1..) => findings.push(Finding::note(
                "import/not-asked",
                kind.name(),
                format!(
                    "`{kind}` is linked ({linked} imports) and not asked for: in {granted}, its functions give constants or \
                     denials"
                ),
            )),
            _ => {}
        }
    }
    findings
}

/// Where what the manifest says the component is, and what its code is, do not meet.
fn misdeclared(manifest: &Manifest, kind: ComponentKind) -> Option<Finding> {
    let (declared, exported) = (manifest.kind, interface::exported(kind));
    let remedy = match kind {
        ComponentKind::Tool => "leave `kind` out and declare the tools, or export fumehood:review/reviewer",
        ComponentKind::Reviewer => "write \"kind\": \"reviewer\" and leave `tools` out, or export fumehood:tool/tool",
    };
    (declared != kind).then(|| {
        let message =
            format!("the manifest is that of a {declared}, and the component exports `{exported}`: it is a {kind}");
        Finding::refusal("manifest/kind", "/kind", message, remedy)
    })
}

//! Makes the one file a vendor ships: a component with its manifest inside.

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wasm_encoder::{ComponentSection as _, CustomSection};
use wasmparser::{Parser, Payload};
use wit_component::ComponentEncoder;

use crate::component::{self, Component, ComponentError, LoadLimits};
use crate::finding::Finding;
use crate::inspect::{self, InspectError, Inspected};
use crate::manifest::{Manifest, Reasons, SECTION};

/// Why no component came out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The input is neither a core module nor a component.
    #[error(transparent)]
    Input(#[from] ComponentError),
    /// No component can be made of the module, or a host would refuse it; every reason at once.
    #[error("this cannot be packed: {}", Reasons(.0))]
    Refused(Vec<Finding>),
}

/// Puts a manifest into a component, making one of a core module first.
///
/// - `input`: a component of any language, or a core module with embedded WIT, as wit-bindgen makes them. What a core
///   module imports from `wasi_snapshot_preview1` is translated to WASI 0.2. A manifest that is already there is replaced.
/// - `manifest`: the JSON, which goes in byte for byte.
///
/// The result is looked at with the code a host uses, so what comes out here is accepted there. The same input gives the
/// same bytes.
///
/// # Errors
///
/// See [`PackError`].
pub fn pack(input: &[u8], manifest: &[u8], limits: &LoadLimits) -> Result<Vec<u8>, PackError> {
    if input.len() as u64 > limits.bytes {
        return Err(ComponentError::TooLarge { limit: limits.bytes }.into());
    }
    let bare = match component::recognise(input) {
        Ok(()) => without_manifest(input),
        Err(ComponentError::CoreModule) => encode(input),
        Err(error) => return Err(error.into()),
    };
    let mut packed = bare.map_err(|mut reasons| {
        reasons.extend(Manifest::parse(manifest).err().unwrap_or_default());
        PackError::Refused(reasons)
    })?;
    CustomSection { name: SECTION.into(), data: manifest.into() }.append_to_component(&mut packed);
    let component = Component::from_bytes(packed, limits)?;
    match Inspected::of(component) {
        Ok(inspected) => Ok(inspected.component().bytes().to_vec()),
        Err(InspectError::Refused(reasons)) => Err(PackError::Refused(reasons)),
    }
}

/// Everything of a component but its manifest, section for section.
fn without_manifest(input: &[u8]) -> Result<Vec<u8>, Vec<Finding>> {
    let mut bytes = Vec::with_capacity(input.len());
    bytes.extend_from_slice(&input[..component::HEADER]);
    for section in component::sections(input) {
        let section = section.map_err(|broken| vec![broken.refusal()])?;
        if section.custom().is_none_or(|(name, _)| name != SECTION.as_bytes()) {
            bytes.extend_from_slice(section.whole);
        }
    }
    Ok(bytes)
}

/// A component of a core module that carries its WIT.
fn encode(module: &[u8]) -> Result<Vec<u8>, Vec<Finding>> {
    inspect::check_module(module)?;
    let encoded = reads(module).map_err(|error| vec![inspect::malformed(&error)])?;
    if !encoded.wit {
        let message =
            "the core module holds no WIT (a custom section `component-type…`), so nobody knows what it exports";
        let remedy = "build it with wit-bindgen against the world fumehood:tool/tool-component, or embed that world with \
                      `wasm-tools component embed`";
        return Err(vec![Finding::refusal("module/no-wit", "", message, remedy)]);
    }
    // wit-component's errors are chains of causes; all of them go into the one text.
    let refuse = |error: &dyn std::fmt::Display| {
        let remedy = "let the module export and import what its world says, under the names that wit-bindgen gives";
        vec![Finding::refusal("module/world", "", format!("{error:#}"), remedy)]
    };
    let mut encoder = ComponentEncoder::default().validate(true);
    encoder = encoder.module(module).map_err(|error| refuse(&error))?;
    if encoded.preview1 {
        encoder = encoder
            .adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER)
            .map_err(|error| refuse(&error))?;
    }
    encoder.encode().map_err(|error| refuse(&error))
}

/// What decides how a core module is encoded.
#[derive(Default)]
struct Reads {
    wit: bool,
    preview1: bool,
}

fn reads(module: &[u8]) -> Result<Reads, wasmparser::Error> {
    let mut reads = Reads::default();
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::CustomSection(section) => reads.wit |= section.name().starts_with("component-type"),
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    reads.preview1 |= import?.module == WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME;
                }
            }
            _ => {}
        }
    }
    Ok(reads)
}

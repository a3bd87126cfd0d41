//! Makes the one file a vendor ships: a component with its manifest inside.

mod debug;
mod package;
mod prune;

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wasm_encoder::{ComponentSection as _, CustomSection, RawSection, Section as _};
use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, metadata};

use crate::component::{self, Component, ComponentError, LoadLimits};
use crate::finding::{Finding, Severity};
use crate::inspect::{self, InspectError, Inspected};
use crate::manifest::{Manifest, Reasons, SECTION};
pub use debug::strip_debug;
use package::Claim;
pub use package::Package;
use prune::{Exports, prune};

/// The interface of `wit/kit`, through which a component says what it is, up to its patch number.
const DESCRIBE: &str = "fumehood:tool-kit/describe@0.1.";

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
    /// No manifest was given, and the component has no way to say one.
    #[error(
        "the component does not say what it is (it exports no {DESCRIBE}x, as tools made with the crate fumehood-tool do); \
         write a manifest, and give it with --manifest"
    )]
    NotDescribed,
}

/// Puts a manifest into a component, making one of a core module first.
///
/// - `input`: a component of any language, or a core module with embedded WIT, as wit-bindgen makes them. What a core
///   module imports from `wasi_snapshot_preview1` is translated to WASI 0.2. A manifest that is already there is replaced.
/// - `manifest`: the JSON, which goes in byte for byte.
///
/// What only `fumehood:tool-kit/describe` leads to is taken out: nobody asks once there is a manifest. Of a core module the
/// export goes too; in a component it stays, and traps.
///
/// The result is looked at with the code a host uses, so what comes out here is accepted there. The same input gives the
/// same bytes.
///
/// # Errors
///
/// See [`PackError`].
pub fn pack(input: &[u8], manifest: &[u8], limits: &LoadLimits) -> Result<Vec<u8>, PackError> {
    let bare = bare(input, Describe::Leave, limits);
    Ok(finish(bare, manifest, &[], limits)?.component().bytes().to_vec())
}

/// A component with a manifest that asks for what the package asks for and says nothing else: enough to run it sealed,
/// and ask.
pub(crate) fn to_describe(input: &[u8], package: &Package, limits: &LoadLimits) -> Result<Inspected, PackError> {
    // Its answer, and nothing else: what the tools need takes time to compile, and debug information to carry along.
    let bare = bare(&strip_debug(input), Describe::Keep, limits)?;
    let mut packed = pruned(bare, is_a_tool).map_err(PackError::Refused)?;
    section(&mut packed, SECTION, package.provisional().to_string().as_bytes());
    let inspected = inspected(packed, limits)?;
    let describes = |export: &String| export.starts_with(DESCRIBE);
    if inspected.exports().iter().any(describes) { Ok(inspected) } else { Err(PackError::NotDescribed) }
}

/// [`pack`] with the manifest that the component said itself, and what the package adds. Here a tool that no host could call
/// is refused, too: its schemas come from types, and nobody has read them yet.
pub(crate) fn described(
    input: &[u8],
    said: &str,
    package: &Package,
    limits: &LoadLimits,
) -> Result<Vec<u8>, PackError> {
    let (manifest, claims) = package.merge(said).map_err(|finding| PackError::Refused(vec![finding]))?;
    let bare = bare(input, Describe::Leave, limits);
    let inspected = finish(bare, manifest.to_string().as_bytes(), &claims, limits)?;
    let refusals = inspected.findings().iter().filter(|finding| finding.severity == Severity::Refusal);
    let refusals: Vec<_> = refusals.cloned().collect();
    if refusals.is_empty() { Ok(inspected.component().bytes().to_vec()) } else { Err(PackError::Refused(refusals)) }
}

/// Whether the component can still be asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Describe {
    Keep,
    Leave,
}

fn bare(input: &[u8], describe: Describe, limits: &LoadLimits) -> Result<Vec<u8>, PackError> {
    if input.len() as u64 > limits.bytes {
        return Err(ComponentError::TooLarge { limit: limits.bytes }.into());
    }
    let bare = match component::recognise(input) {
        Ok(()) => without(input, SECTION)
            .and_then(|bare| if describe == Describe::Leave { pruned(bare, describes) } else { Ok(bare) }),
        Err(ComponentError::CoreModule) => encode(input, describe),
        Err(error) => return Err(error.into()),
    };
    bare.map_err(PackError::Refused)
}

fn finish(
    bare: Result<Vec<u8>, PackError>,
    manifest: &[u8],
    claims: &[Claim],
    limits: &LoadLimits,
) -> Result<Inspected, PackError> {
    let mut packed = match bare {
        Err(PackError::Refused(mut reasons)) => {
            reasons.extend(Manifest::parse(manifest).err().unwrap_or_default());
            return Err(PackError::Refused(reasons));
        }
        bare => bare?,
    };
    for (name, text) in claims {
        packed = without(&packed, name).map_err(PackError::Refused)?;
        section(&mut packed, name, text.as_bytes());
    }
    section(&mut packed, SECTION, manifest);
    inspected(packed, limits)
}

fn inspected(packed: Vec<u8>, limits: &LoadLimits) -> Result<Inspected, PackError> {
    Inspected::of(Component::from_bytes(packed, limits)?)
        .map_err(|InspectError::Refused(reasons)| PackError::Refused(reasons))
}

fn section(component: &mut Vec<u8>, name: &str, data: &[u8]) {
    CustomSection { name: name.into(), data: data.into() }.append_to_component(component);
}

/// Whether a core module exports this for [`DESCRIBE`]: the function, or what frees its result.
fn describes(export: &str) -> bool {
    export.strip_prefix("cabi_post_").unwrap_or(export).starts_with(DESCRIBE)
}

/// Whether a core module exports this for the interface that hosts call.
fn is_a_tool(export: &str) -> bool {
    export.strip_prefix("cabi_post_").unwrap_or(export).starts_with("fumehood:tool/")
}

/// A component without the code that only those exports of its modules lead to. They stay, and trap.
fn pruned(component: Vec<u8>, goes: fn(&str) -> bool) -> Result<Vec<u8>, Vec<Finding>> {
    /// The section of a component that holds a core module:
    /// <https://github.com/WebAssembly/component-model/blob/main/design/mvp/Binary.md#component-definitions>.
    const MODULE: u8 = 1;
    let mut bytes = component[..component::HEADER].to_vec();
    for section in component::sections(&component) {
        let section = section.map_err(|broken| vec![broken.refusal()])?;
        let pruned = match section.id {
            // What is malformed is said when the whole is looked at.
            MODULE => prune(section.payload, goes, Exports::Trap).unwrap_or_default(),
            _ => None,
        };
        match pruned {
            Some(module) => RawSection { id: MODULE, data: &module }.append_to_component(&mut bytes),
            None => bytes.extend_from_slice(section.whole),
        }
    }
    Ok(bytes)
}

/// A core module whose answer nobody needs any more, without the code that made it and without the export.
fn silent_module(module: &[u8]) -> Result<Option<Vec<u8>>, Vec<Finding>> {
    let Some(pruned) = prune(module, describes, Exports::Go).map_err(|error| vec![inspect::malformed(&error)])? else {
        return Ok(None);
    };
    let (stripped, mut bindings) = metadata::decode(&pruned).map_err(|error| world(&error))?;
    let mut module = stripped.unwrap_or(pruned);
    let exports = bindings.resolve.worlds[bindings.world].exports.keys().cloned().collect::<Vec<_>>();
    for export in exports {
        if bindings.resolve.name_world_key(&export).starts_with(DESCRIBE) {
            bindings.resolve.worlds[bindings.world].exports.shift_remove(&export);
        }
    }
    let (world_id, producers) = (bindings.world, bindings.producers.as_ref());
    // Read back, the world has the name that the encoder gives to what it joins, the adapter's world among it: as a world
    // of its own it needs one of its own.
    if let Some(package) = bindings.resolve.worlds[world_id].package {
        let name = &mut bindings.resolve.packages[package].name;
        let before = name.clone();
        (name.namespace, name.name) = ("fumehood".into(), "packed".into());
        let name = name.clone();
        bindings.resolve.package_names.shift_remove(&before);
        bindings.resolve.package_names.insert(name, package);
    }
    let wit = metadata::encode(&bindings.resolve, world_id, StringEncoding::UTF8, producers);
    let wit = wit.map_err(|error| world(&error))?;
    CustomSection { name: "component-type".into(), data: wit.into() }.append_to(&mut module);
    Ok(Some(module))
}

/// Everything of a component but the custom sections of that name, section for section.
fn without(input: &[u8], name: &str) -> Result<Vec<u8>, Vec<Finding>> {
    let mut bytes = Vec::with_capacity(input.len());
    bytes.extend_from_slice(&input[..component::HEADER]);
    for section in component::sections(input) {
        let section = section.map_err(|broken| vec![broken.refusal()])?;
        if section.custom().is_none_or(|(own, _)| own != name.as_bytes()) {
            bytes.extend_from_slice(section.whole);
        }
    }
    Ok(bytes)
}

/// A component of a core module that carries its WIT.
fn encode(module: &[u8], describe: Describe) -> Result<Vec<u8>, Vec<Finding>> {
    inspect::check_module(module)?;
    let encoded = reads(module).map_err(|error| vec![inspect::malformed(&error)])?;
    if !encoded.wit {
        let message =
            "the core module holds no WIT (a custom section `component-type…`), so nobody knows what it exports";
        let remedy = "build it with wit-bindgen against the world fumehood:tool/tool-component, or embed that world with \
                      `wasm-tools component embed`";
        return Err(vec![Finding::refusal("module/no-wit", "", message, remedy)]);
    }
    let silent = if describe == Describe::Leave { silent_module(module)? } else { None };
    let module = silent.as_deref().unwrap_or(module);
    let mut encoder = ComponentEncoder::default().validate(true);
    encoder = encoder.module(module).map_err(|error| world(&error))?;
    if encoded.preview1 {
        encoder = encoder
            .adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER)
            .map_err(|error| world(&error))?;
    }
    encoder.encode().map_err(|error| world(&error))
}

/// wit-component's errors are chains of causes; all of them go into the one text.
fn world(error: &dyn std::fmt::Display) -> Vec<Finding> {
    let remedy = "let the module export and import what its world says, under the names that wit-bindgen gives";
    vec![Finding::refusal("module/world", "", format!("{error:#}"), remedy)]
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

//! Components for tests, made from plain core WebAssembly text: no guest toolchain is needed.
//!
//! ```text
//! mod support;
//! let component = support::packed(&support::Guest::default().wat(), &support::manifest());
//! ```
#![allow(dead_code, unused_imports, reason = "each test target uses its own part")]

mod guest;
mod guest_file;
mod review_guest;
mod watch;

use fumehood::{Failure, Outcome, Success};
pub(crate) use guest::Guest;
pub(crate) use guest_file::GuestFile;
pub(crate) use review_guest::ReviewGuest;
use serde_json::{Value, json};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

pub(crate) use self::watch::Watch;

/// The WIT package of this repository, with its dependencies beside it.
pub(crate) const WIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../wit");
/// The package `fumehood:host`, beside it.
const HOST_WIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../wit/host");
/// The package `fumehood:review`, beside it.
const REVIEW_WIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../wit/review");

/// The world a core module is written against. Imports that the module does not have are dropped from the component.
#[derive(Clone, Copy, Debug)]
pub(crate) enum World<'a> {
    /// `fumehood:tool/tool-component`.
    Tool,
    /// `fumehood:tool/tool-component-on-wasi`.
    ToolOnWasi,
    /// `fumehood:host/tool-component-with-host-on-wasi`.
    ToolWithHost,
    /// `fumehood:review/review-component-on-wasi`.
    Reviewer,
    /// A WIT text of one package with one world, which may name our packages and WASI 0.2.12. More
    /// packages can be written into it as `package a:b { … }`.
    Wit(&'a str),
}

/// A core module with its world embedded: what a toolchain hands to `fumehood pack`.
pub(crate) fn module_from_core_wat(core_wat: &str, world: World<'_>) -> Vec<u8> {
    let mut module = wat::parse_str(core_wat).unwrap_or_else(|error| panic!("{error}"));
    let mut resolve = Resolve::default();
    let (ours, _) = resolve.push_dir(WIT).expect("wit/ parses");
    let (host, _) = resolve.push_dir(HOST_WIT).expect("wit/host parses");
    let (review, _) = resolve.push_dir(REVIEW_WIT).expect("wit/review parses");
    let (package, name) = match world {
        World::Tool => (ours, Some("tool-component")),
        World::ToolOnWasi => (ours, Some("tool-component-on-wasi")),
        World::ToolWithHost => (host, Some("tool-component-with-host-on-wasi")),
        World::Reviewer => (review, Some("review-component-on-wasi")),
        World::Wit(text) => (resolve.push_source("test.wit", text).unwrap_or_else(|error| panic!("{error:?}")), None),
    };
    let world = resolve.select_world(&[package], name).expect("the world exists");
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("the world embeds");
    module
}

/// A component without a manifest. Core exports and imports carry their canonical names:
/// `(export "fumehood:tool/tool@0.1.0#execute")`, `(import "fumehood:tool/progress@0.1.0" "report" …)`, and a memory and
/// `cabi_realloc`; [`Guest`] writes them.
pub(crate) fn component_from_core_wat(core_wat: &str, world: World<'_>) -> Vec<u8> {
    ComponentEncoder::default()
        .module(&module_from_core_wat(core_wat, world))
        .expect("the module holds a world")
        .validate(true)
        .encode()
        .unwrap_or_else(|error| panic!("{error:?}"))
}

/// A component as a vendor ships it, through the same [`fumehood::pack()`] that vendors use: it refuses what a host
/// refuses. For components that a host must refuse, see [`component_from_core_wat`] and [`with_section`].
pub(crate) fn packed(core_wat: &str, manifest: &Value) -> Vec<u8> {
    packed_in(core_wat, manifest, World::ToolWithHost)
}

/// The same for a component of another world.
pub(crate) fn packed_in(core_wat: &str, manifest: &Value, world: World<'_>) -> Vec<u8> {
    let module = module_from_core_wat(core_wat, world);
    fumehood::pack(&module, manifest.to_string().as_bytes(), &fumehood::LoadLimits::standard())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The component with one more custom section at its end, unchecked.
pub(crate) fn with_section(component: &[u8], name: &str, data: &[u8]) -> Vec<u8> {
    use wasm_encoder::{ComponentSection as _, CustomSection};
    let mut bytes = component.to_vec();
    CustomSection { name: name.into(), data: data.into() }.append_to_component(&mut bytes);
    bytes
}

/// A small manifest that nothing is wrong with: component `guest`, one tool `echo` that takes and returns any object.
pub(crate) fn manifest() -> Value {
    json!({
        "name": "guest",
        "version": "0.1.0",
        "description": "A component for tests.",
        "tools": [{
            "name": "echo",
            "description": "Returns its arguments.",
            "inputSchema": { "type": "object" },
            "outputSchema": { "type": "object" },
        }],
    })
}

/// The same for a reviewer: component `looker`.
pub(crate) fn reviewer_manifest() -> Value {
    json!({ "kind": "reviewer", "name": "looker", "version": "0.1.0", "description": "A reviewer for tests." })
}

/// The value and what is shown of it.
pub(crate) fn success(outcome: Outcome) -> Success {
    match outcome {
        Outcome::Success(success) => success,
        Outcome::Failure(failure) => panic!("{failure:?}"),
    }
}

/// Why there is no value.
pub(crate) fn failure(outcome: Outcome) -> Failure {
    match outcome {
        Outcome::Failure(failure) => failure,
        Outcome::Success(success) => panic!("{success:?}"),
    }
}

//! Many tools out of one.

use std::path::Path;

use fumehood::LoadLimits;
use serde_json::Value;

/// The sample tool that is called. It imports nothing.
pub(crate) const WORD_COUNT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sample-tools/dist/word-count.wasm");
/// What a person would ask: 44 bytes, 9 words.
pub(crate) const TEXT: &str = "the quick brown fox jumps over the lazy dog\n";

/// As many as one page of a list holds.
pub(crate) const MANY: usize = 1_000;

/// The name of a copy's tool.
pub(crate) fn name(number: usize) -> String {
    format!("word_count_{number:04}")
}

/// Fills a directory with components of their own names, one tool each, packed as a vendor packs them.
pub(crate) fn fill(directory: &Path, count: usize) {
    std::fs::create_dir_all(directory).unwrap();
    let wasm = std::fs::read(WORD_COUNT).unwrap();
    let mut manifest = manifest(&wasm);
    for number in 0..count {
        manifest["name"] = format!("word-count-{number:04}").into();
        manifest["tools"][0]["name"] = name(number).into();
        let packed = fumehood::pack(&wasm, manifest.to_string().as_bytes(), &LoadLimits::standard()).unwrap();
        std::fs::write(directory.join(format!("{number:04}.wasm")), packed).unwrap();
    }
}

/// The manifest that a component holds, as it was written.
fn manifest(wasm: &[u8]) -> Value {
    let mut sections = wasmparser::Parser::new(0).parse_all(wasm).map(Result::unwrap);
    let section = sections.find_map(|payload| match payload {
        wasmparser::Payload::CustomSection(section) if section.name() == "fumehood:manifest" => Some(section.data()),
        _ => None,
    });
    serde_json::from_slice(section.unwrap()).unwrap()
}

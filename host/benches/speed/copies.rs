//! Many tools out of one.

use std::path::Path;

use wasm_encoder::{ComponentSection as _, CustomSection};

/// The sample tool that the benchmarks call. It imports nothing.
pub(crate) const WORD_COUNT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sample-tools/dist/word-count.wasm");

/// Fills a directory with copies of word-count. Each has a section of its own, so that nothing takes two for one.
#[expect(clippy::disallowed_methods, reason = "a benchmark makes its own files")]
pub(crate) fn fill(directory: &Path, count: u32) {
    std::fs::create_dir_all(directory).unwrap();
    for number in 0..count {
        let mut wasm = std::fs::read(WORD_COUNT).unwrap();
        let data = &number.to_le_bytes()[..];
        CustomSection { name: "copy".into(), data: data.into() }.append_to_component(&mut wasm);
        std::fs::write(directory.join(format!("{number}.wasm")), wasm).unwrap();
    }
}

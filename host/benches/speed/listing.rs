//! What listing tools costs: files are read and their manifests parsed; nothing is compiled, no schema is built.

use std::hint::black_box;
use std::path::Path;

use criterion::Criterion;
use fumehood::{Manifest, ToolManifest};

use crate::copies;
use crate::turns::in_turn;

fn list(directory: &Path) -> Vec<ToolManifest> {
    let mut tools = Vec::new();
    for entry in directory.read_dir().unwrap() {
        #[expect(clippy::disallowed_methods, reason = "the benchmark names the directory")]
        let wasm = std::fs::read(entry.unwrap().path()).unwrap();
        tools.extend(Manifest::list(&wasm).unwrap().tools);
    }
    tools
}

pub(crate) fn listing(c: &mut Criterion) {
    let directories = [10, 100, 1_000].map(|count| {
        let directory = tempfile::tempdir().unwrap();
        copies::fill(directory.path(), count);
        assert_eq!(list(directory.path()).len(), count as usize);
        directory
    });
    let [ten, hundred, mut thousand] =
        directories.each_ref().map(|directory| || drop(black_box(list(directory.path()))));
    // As many tools in each.
    let mut ten = || (0..100).for_each(|_| ten());
    let mut hundred = || (0..10).for_each(|_| hundred());
    let turns = in_turn(c, ("listing", "1000"), 1, [&mut thousand, &mut ten, &mut hundred]);
    turns.print("listing: ratio per tool, 1000/10", "flat", |[thousand, ten, _]| thousand / ten);
    turns.print("listing: ratio per tool, 100/10", "flat", |[_, ten, hundred]| hundred / ten);
    turns.print_times(["1000 tools", "100 times 10 tools", "10 times 100 tools"]);
}

//! What the crate for tools in Rust costs a call, beside bare bindings.

use std::hint::black_box;
use std::path::Path;

use criterion::Criterion;
use fumehood::Outcome;
use serde_json::json;

use crate::turns::in_turn;
use crate::{TEXT, load, runtime};

/// Where `sample-tools/build.sh` leaves the least tool there is, in both ways. Nobody ships it, so it is not committed.
const BUILT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sample-tools/target/noop");

pub(crate) fn least_tool(c: &mut Criterion) {
    let [kit, bare] = ["kit.wasm", "raw.wasm"].map(|name| Path::new(BUILT).join(name));
    if !kit.exists() || !bare.exists() {
        println!("==> the least tool on the crate: not measured; run sample-tools/build.sh first");
        return;
    }
    let runtime = runtime();
    let [kit, bare] = [kit, bare].map(|file| {
        let toolset = runtime.block_on(load(&file));
        let name = toolset.tools()[0].name.clone();
        (toolset, name)
    });
    let call = |(toolset, name): &(_, String)| {
        let toolset: &fumehood::Toolset = toolset;
        match runtime.block_on(toolset.call(name, json!({ "text": TEXT }))) {
            Outcome::Success(success) => drop(black_box(success)),
            Outcome::Failure(failure) => panic!("{}: {}", failure.code, failure.message),
        }
    };
    let turns = in_turn(c, ("kit", "the least tool"), 64, [&mut || call(&kit), &mut || call(&bare)]);
    turns.print("kit: ratio of a call on the crate/on bare bindings", "bound 1.1", |[kit, bare]| kit / bare);
    turns.print_times(["on the crate", "on bare bindings"]);
}

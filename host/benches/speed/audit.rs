//! What a reviewer waits for: inspection, and on top of it the reading of all of the code.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::Criterion;
use fumehood::{Audit, Component, Inspected, LoadLimits, Purity};

use crate::guests::{Guest, manifest, packed};
use crate::turns::in_turn;

/// Half of what may be in a component.
const FUNCTIONS: usize = 20_000;
/// With these, a function has some 500 bytes: what compilers write on average.
const STEPS: usize = 80;

/// A tool of 10 MB of code, all of which `render` can reach: by calls, and through a table.
fn large() -> Component {
    let mut items = format!("(type $f (func (param i32))) (table {FUNCTIONS} funcref) (elem (i32.const 0) func");
    (0..FUNCTIONS).for_each(|n| write!(items, " $f{n}").unwrap());
    items.push(')');
    for n in 0..FUNCTIONS {
        write!(items, "(func $f{n} (param i32)").unwrap();
        (0..STEPS).for_each(|_| items.push_str(" local.get 0 i32.const 1 i32.add drop"));
        let next = (n + 1) % FUNCTIONS;
        let far = (n * 7919 + 1) % FUNCTIONS;
        write!(items, " local.get 0 call $f{next} local.get 0 call $f{far}").unwrap();
        items.push_str(" local.get 0 local.get 0 call_indirect (type $f))");
    }
    let render = "(call $f0 (i32.const 0)) (call $text (local.get $value) (local.get $value_len))";
    let guest = Guest { items: &items, render, ..Guest::default() };
    component(packed(&guest.wat(), &manifest()))
}

fn component(bytes: Vec<u8>) -> Component {
    Component::from_bytes(bytes, &LoadLimits::standard()).unwrap()
}

pub(crate) fn reading(c: &mut Criterion) {
    let large = large();
    assert!((9_000_000..12_000_000).contains(&large.bytes().len()), "{} bytes", large.bytes().len());
    assert_eq!(Inspected::of(large.clone()).unwrap().purity().unwrap().render, Purity::Proved);
    #[expect(clippy::disallowed_methods, reason = "the benchmark names the file")]
    let sample =
        component(std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../sample-tools/dist/files.wasm")).unwrap());
    for (name, component) in [("10 MB", large), ("files", sample)] {
        let inspected = || Inspected::of(component.clone()).unwrap();
        let turns = in_turn(
            c,
            ("audit", name),
            1,
            [&mut || drop(black_box(inspected())), &mut || drop(black_box(inspected().purity().cloned())), &mut || {
                drop(black_box(Audit::of(&inspected())))
            }],
        );
        let what = format!("audit of {name}: ratio with purity/without");
        turns.print(&what, "interactive", |[inspect, purity, _]| purity / inspect);
        turns.print_times(["inspect", "with purity", "whole audit"]);
    }
}

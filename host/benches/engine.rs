//! What the engine's two main choices cost: loading kept code against compiling, and explicit against virtual bounds.
#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first surprise")]

#[path = "../src/engine/mod.rs"]
#[expect(dead_code, unreachable_pub, unused_imports, reason = "the engine is private to its crate")]
mod engine;

use std::{hint::black_box, sync::Arc};

use criterion::{Criterion, criterion_group, criterion_main};
use engine::*;
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;
use wasmtime::{
    Store,
    component::{Component, InstancePre, Linker},
};

/// Grows its memory, as every allocator does, and works on it: stores and loads in a loop of `x` rounds.
const GUEST: &str = r#"(component
  (core module $m
    (memory 17)
    (func (export "run") (param i32) (result i32) (local i32 i32)
      (drop (memory.grow (i32.const 1)))
      (loop $l
        (i32.store (i32.and (i32.mul (local.get 1) (i32.const 52)) (i32.const 0xffffc)) (local.get 2))
        (local.set 2 (i32.add (local.get 2)
          (i32.load (i32.and (i32.mul (local.get 1) (i32.const 36)) (i32.const 0xffffc)))))
        (local.set 1 (i32.add (local.get 1) (i32.const 1)))
        (br_if $l (i32.lt_u (local.get 1) (local.get 0))))
      (local.get 2)))
  (core instance $i (instantiate $m))
  (func (export "run") (param "x" u32) (result u32) (canon lift (core func $i "run"))))"#;

fn settings(bounds: Bounds, cache: CacheLocation) -> EngineSettings {
    EngineSettings { bounds, ..EngineSettings::standard(Compiler::InProcess, cache) }
}

fn load(runtime: &Runtime, engine: &Engine, wasm: &Arc<[u8]>) -> Component {
    let sha256 = Sha256::digest(wasm).into();
    runtime.block_on(engine.component(Arc::clone(wasm), sha256, 0, |_| ())).unwrap()
}

async fn call(engine: &Engine, guest: &InstancePre<()>, x: u32) -> u32 {
    let _slot = engine.slot().await;
    let _ticking = engine.ticking();
    let mut store = Store::new(engine.wasmtime(), ());
    store.set_fuel(u64::MAX).unwrap();
    store.set_epoch_deadline(1);
    store.epoch_deadline_async_yield_and_update(1);
    let instance = guest.instantiate_async(&mut store).await.unwrap();
    let run = instance.get_typed_func::<(u32,), (u32,)>(&mut store, "run").unwrap();
    run.call_async(&mut store, (x,)).await.unwrap().0
}

fn code(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let wasm: Arc<[u8]> = wat::parse_str(GUEST).unwrap().into();
    let home = tempfile::tempdir().unwrap();
    let cached = CacheLocation::Directory(home.path().join("cache"));
    let mut group = c.benchmark_group("code");
    for (name, cache) in [("compiled", CacheLocation::Off), ("cached", cached)] {
        let engine = Engine::new(settings(Bounds::Explicit, cache)).unwrap();
        load(&runtime, &engine, &wasm);
        group.bench_function(name, |b| b.iter(|| load(&runtime, &engine, &wasm)));
    }
}

fn bounds(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let wasm: Arc<[u8]> = wat::parse_str(GUEST).unwrap().into();
    for (work, rounds) in [("call", 1), ("compute", 1_000_000)] {
        let mut group = c.benchmark_group(work);
        for bounds in [Bounds::Explicit, Bounds::Virtual] {
            let engine = Engine::new(settings(bounds, CacheLocation::Off)).unwrap();
            let component = load(&runtime, &engine, &wasm);
            let guest = Linker::new(engine.wasmtime()).instantiate_pre(&component).unwrap();
            group.bench_function(format!("{bounds:?}"), |b| {
                b.iter(|| runtime.block_on(call(&engine, &guest, black_box(rounds))))
            });
        }
    }
}

criterion_group!(benches, code, bounds);
criterion_main!(benches);

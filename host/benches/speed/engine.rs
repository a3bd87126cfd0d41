//! What the engine's choices cost: kept code against compiling, explicit against virtual bounds, one engine for all
//! against leaner ones, and projectors that can give way against such that cannot.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::Criterion;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::bare::engine::{Bounds, CacheLocation, Compiler, Engine, EngineSettings};
use crate::bare::{self, Bare};
use crate::copies::WORD_COUNT;
use crate::turns::in_turn;
use crate::{TEXT, runtime};

pub(crate) fn code(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    #[expect(clippy::disallowed_methods, reason = "the benchmark names the file")]
    let wasm: Arc<[u8]> = std::fs::read(WORD_COUNT).unwrap().into();
    let sha256 = Sha256::digest(&wasm).into();
    let home = tempfile::tempdir().unwrap();
    let load = |engine: &Engine| runtime.block_on(engine.component(Arc::clone(&wasm), sha256, 0, |_| ())).unwrap();
    let [compiling, cached] = [CacheLocation::Off, CacheLocation::Directory(home.path().join("cache"))]
        .map(|cache| Engine::new(EngineSettings::standard(Compiler::InProcess, cache)).unwrap());
    load(&cached);
    let turns = in_turn(c, ("code", "cached"), 1, [&mut || drop(load(&cached)), &mut || drop(load(&compiling))]);
    turns.print("word-count's code: ratio compiled/cached", "no bound", |[cached, compiled]| compiled / cached);
    turns.print_times(["cached", "compiled"]);
}

/// A text long enough for the guest's own work to be all there is.
fn long_args() -> String {
    json!({ "text": TEXT.repeat((1 << 20) / TEXT.len()) }).to_string()
}

pub(crate) fn bounds(c: &mut Criterion) {
    let runtime = runtime();
    let engines = [Bounds::Explicit, Bounds::Virtual].map(bare::engine);
    let _ticking = engines.each_ref().map(Engine::ticking);
    let [explicit, guarded] = engines.each_ref().map(|engine| Bare::load(engine.wasmtime(), Path::new(WORD_COUNT)));
    for (name, most, args) in [("call", 64, json!({ "text": TEXT }).to_string()), ("compute", 1, long_args())] {
        let run = |bare: &Bare| drop(black_box(runtime.block_on(bare.execute("word_count", &args))));
        let turns = in_turn(c, ("bounds", name), most, [&mut || run(&explicit), &mut || run(&guarded)]);
        turns.print(&format!("{name}: ratio explicit/virtual"), "no bound", |[explicit, guarded]| explicit / guarded);
        turns.print_times(["explicit", "virtual"]);
    }
    // Calls on two threads at once: what a memory's growth costs the other thread.
    let args = json!({ "text": TEXT }).to_string();
    let two = |bare: &Bare| {
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let runtime = crate::runtime();
                    for _ in 0..2_000 {
                        black_box(runtime.block_on(bare.execute("word_count", &args)));
                    }
                });
            }
        });
    };
    let turns = in_turn(c, ("bounds", "2 threads"), 1, [&mut || two(&explicit), &mut || two(&guarded)]);
    turns.print("2 threads: ratio explicit/virtual", "no bound", |[explicit, guarded]| explicit / guarded);
    turns.print_times(["explicit, 4000 calls", "virtual, 4000 calls"]);
}

/// `execute` needs epochs only; the engine it shares with the projectors counts fuel and makes NaNs canonical as well.
pub(crate) fn one_engine(c: &mut Criterion) {
    let runtime = runtime();
    let args = long_args();
    let ours = bare::engine(Bounds::Explicit);
    let _ticking = ours.ticking();
    let lean = |fuel: bool, epochs: bool| {
        let mut config = wasmtime::Config::new();
        config.concurrency_support(false).signals_based_traps(false).memory_guard_size(0);
        config.async_stack_size(4 << 20).max_wasm_stack(2 << 20).consume_fuel(fuel).epoch_interruption(epochs);
        Bare::counting(&wasmtime::Engine::new(&config).unwrap(), Path::new(WORD_COUNT), fuel, epochs)
    };
    let competitors =
        [Bare::load(ours.wasmtime(), Path::new(WORD_COUNT)), lean(false, false), lean(false, true), lean(true, false)];
    let [all, neither, epochs, fuel] =
        competitors.each_ref().map(|bare| || drop(black_box(runtime.block_on(bare.execute("word_count", &args)))));
    let (mut all, mut neither, mut epochs, mut fuel) = (all, neither, epochs, fuel);
    let turns = in_turn(c, ("one engine", "all"), 1, [&mut all, &mut neither, &mut epochs, &mut fuel]);
    turns.print("compute: ratio one engine/epochs only", "no bound", |[all, _, epochs, _]| all / epochs);
    turns.print("compute: ratio epochs only/neither", "no bound", |[_, neither, epochs, _]| epochs / neither);
    turns.print("compute: ratio fuel only/neither", "no bound", |[_, neither, _, fuel]| fuel / neither);
    turns.print_times(["fuel, epochs, NaNs", "neither", "epochs", "fuel"]);
}

pub(crate) fn giving_way(c: &mut Criterion) {
    let runtime = runtime();
    let engine = bare::engine(Bounds::Explicit);
    let _ticking = engine.ticking();
    let bare = Bare::load(engine.wasmtime(), Path::new(WORD_COUNT));
    let args = json!({ "text": TEXT }).to_string();
    let value = runtime.block_on(bare.execute("word_count", &args));
    let turns = in_turn(
        c,
        ("render", "asynchronous"),
        64,
        [&mut || drop(black_box(runtime.block_on(bare.render("word_count", &args, &value)))), &mut || {
            drop(black_box(bare.render_synchronously("word_count", &args, &value)))
        }],
    );
    turns.print("render: ratio asynchronous/synchronous", "no bound", |[gives_way, holds]| gives_way / holds);
    turns.print_times(["asynchronous", "synchronous"]);
}

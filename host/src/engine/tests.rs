//! The engine as its users see it. What needs processes of its own is in `tests/suite/compile_worker.rs`.

use std::{
    pin::pin,
    sync::Mutex,
    task::{Context, Poll, Waker},
    time::Duration,
};

use sha2::{Digest, Sha256};
use wasmtime::{
    Store,
    component::{Instance, Linker},
};

use super::*;

fn settings() -> EngineSettings {
    // Small: tests run side by side, and each reserves its own pool.
    EngineSettings { slots: 4, ..EngineSettings::standard(Compiler::InProcess, CacheLocation::Off) }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn component(wat: &str) -> Arc<[u8]> {
    wat::parse_str(wat).unwrap().into()
}

/// A component whose core module has `body`; each of `exports` is lifted as `func(x: u32) -> u32`.
fn lifted(body: &str, exports: &[&str]) -> Arc<[u8]> {
    let lifts: String = exports
        .iter()
        .map(|name| {
            format!(r#"(func (export "{name}") (param "x" u32) (result u32) (canon lift (core func $i "{name}")))"#)
        })
        .collect();
    component(&format!("(component (core module $m {body}) (core instance $i (instantiate $m)) {lifts})"))
}

fn add(what: u32) -> Arc<[u8]> {
    lifted(
        &format!(r#"(func (export "add") (param i32) (result i32) (i32.add (local.get 0) (i32.const {what})))"#),
        &["add"],
    )
}

fn digest(wasm: &[u8]) -> [u8; 32] {
    Sha256::digest(wasm).into()
}

async fn load(engine: &Engine, wasm: &Arc<[u8]>, body: u64) -> (Result<Component, CompileError>, Vec<CompileStage>) {
    let stages = Mutex::new(Vec::new());
    let result = engine.component(Arc::clone(wasm), digest(wasm), body, |s| stages.lock().unwrap().push(s)).await;
    (result, stages.into_inner().unwrap())
}

async fn instantiate(engine: &Engine, component: &Component) -> (Store<()>, Instance) {
    let mut store = Store::new(engine.wasmtime(), ());
    store.set_fuel(u64::MAX).unwrap();
    store.set_epoch_deadline(1);
    store.epoch_deadline_async_yield_and_update(1);
    let instance = Linker::new(engine.wasmtime()).instantiate_async(&mut store, component).await.unwrap();
    (store, instance)
}

async fn call(store: &mut Store<()>, instance: &Instance, name: &str, x: u32) -> wasmtime::Result<u32> {
    let function = instance.get_typed_func::<(u32,), (u32,)>(&mut *store, name)?;
    Ok(function.call_async(&mut *store, (x,)).await?.0)
}

#[test]
fn says_where_code_came_from() {
    let home = tempfile::tempdir().unwrap();
    let cached = EngineSettings { cache: CacheLocation::Directory(home.path().join("cache")), ..settings() };
    let (wasm, compiled) = (add(1), CodeOrigin::Compiled(Tier::Optimised));
    let full = [CompileStage::Waiting, CompileStage::Compiling(Tier::Optimised), CompileStage::Ready(compiled)];
    runtime().block_on(async {
        for (settings, second) in [(cached, &[CompileStage::Ready(CodeOrigin::Cached)][..]), (settings(), &full)] {
            assert_eq!(load(&Engine::new(settings.clone()).unwrap(), &wasm, 0).await.1, full);
            let engine = Engine::new(settings).unwrap();
            let (component, stages) = load(&engine, &wasm, 0).await;
            assert_eq!(stages, second);
            let (mut store, instance) = instantiate(&engine, &component.unwrap()).await;
            assert_eq!(call(&mut store, &instance, "add", 41).await.unwrap(), 42);
            assert_eq!(engine.notices(), [""; 0]);
        }
    });
}

#[test]
fn what_is_compiled_in_haste_is_plain_and_not_kept() {
    let home = tempfile::tempdir().unwrap();
    let patient = EngineSettings { cache: CacheLocation::Directory(home.path().join("cache")), ..settings() };
    let hasty = EngineSettings { haste: true, ..patient.clone() };
    let wasm = add(3);
    let last = |stages: Vec<CompileStage>| stages.last().copied();
    let compiled = |tier| Some(CompileStage::Ready(CodeOrigin::Compiled(tier)));
    runtime().block_on(async {
        for _twice in 0..2 {
            let engine = Engine::new(hasty.clone()).unwrap();
            assert_eq!(last(load(&engine, &wasm, 0).await.1), compiled(Tier::Plain));
        }
        let engine = Engine::new(patient.clone()).unwrap();
        let stages = Mutex::new(Vec::new());
        engine.hasty_component(wasm.clone(), digest(&wasm), |s| stages.lock().unwrap().push(s)).await.unwrap();
        assert_eq!(last(stages.into_inner().unwrap()), compiled(Tier::Plain));
        assert_eq!(last(load(&Engine::new(patient).unwrap(), &wasm, 0).await.1), compiled(Tier::Optimised));
        // What another host has made well serves who is in haste, too.
        let engine = Engine::new(hasty).unwrap();
        assert_eq!(last(load(&engine, &wasm, 0).await.1), Some(CompileStage::Ready(CodeOrigin::Cached)));
    });
}

#[test]
fn a_cache_that_cannot_be_written_costs_only_the_cache() {
    let home = tempfile::tempdir().unwrap();
    let cache = CacheLocation::Directory(home.path().join("cache"));
    let engine = Engine::new(EngineSettings { cache, cache_bytes: 1, ..settings() }).unwrap();
    runtime().block_on(async {
        for _twice in 0..2 {
            let (component, _) = load(&engine, &add(2), 0).await;
            let (mut store, instance) = instantiate(&engine, &component.unwrap()).await;
            assert_eq!(call(&mut store, &instance, "add", 1).await.unwrap(), 3);
        }
    });
    let notices = engine.notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("cache_bytes = 1"), "{notices:?}");
}

#[test]
fn a_cache_that_cannot_be_opened_is_a_notice_and_an_unsafe_one_an_error() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    std::fs::File::create_new(&file).unwrap();
    let engine = Engine::new(EngineSettings { cache: CacheLocation::Directory(file), ..settings() }).unwrap();
    assert!(engine.notices()[0].contains("compiled code is not kept"), "{:?}", engine.notices());
    let link = home.path().join("link");
    std::os::unix::fs::symlink(home.path(), &link).unwrap();
    let refused = Engine::new(EngineSettings { cache: CacheLocation::Directory(link), ..settings() });
    assert!(matches!(refused.err(), Some(EngineError::Cache(CacheError::Unsafe { .. }))));
}

#[test]
fn settings_are_refused_with_all_reasons() {
    let program = "relative".into();
    let wrong = EngineSettings { slots: 0, compiler: Compiler::ChildProcess { program }, ..settings() };
    let Some(EngineError::Settings { problems }) = Engine::new(wrong).err() else { panic!("accepted") };
    assert_eq!(problems.len(), 2);
}

#[test]
fn those_who_come_together_share_one_compile() {
    let engine = Engine::new(settings()).unwrap();
    let wasm = add(3);
    let (first, second) = runtime().block_on(async { tokio::join!(load(&engine, &wasm, 0), load(&engine, &wasm, 0)) });
    assert!(first.0.is_ok() && second.0.is_ok());
    assert_eq!(first.1.len(), 3);
    assert_eq!(second.1, [CompileStage::Ready(CodeOrigin::Compiled(Tier::Optimised))]);
}

#[test]
fn another_takes_over_from_a_cancelled_one() {
    let engine = Engine::new(settings()).unwrap();
    let wasm = add(4);
    runtime().block_on(async {
        let mut second = pin!(load(&engine, &wasm, 0));
        {
            let mut first = pin!(load(&engine, &wasm, 0));
            let mut context = Context::from_waker(Waker::noop());
            assert!(first.as_mut().poll(&mut context).is_pending());
            assert!(second.as_mut().poll(&mut context).is_pending());
        }
        let (component, stages) = second.await;
        assert!(component.is_ok());
        assert_eq!(stages.len(), 3);
    });
}

#[test]
fn what_is_no_component_is_refused() {
    let engine = Engine::new(settings()).unwrap();
    let artifact: Arc<[u8]> = engine.wasmtime().precompile_component(&add(5)).unwrap().into();
    let text: Arc<[u8]> = b"(component)"[..].into();
    let module: Arc<[u8]> = component("(module)");
    runtime().block_on(async {
        for (what, wasm) in [("code", artifact), ("text", text), ("module", module), ("nothing", [].into())] {
            let (result, _) = load(&engine, &wasm, 0).await;
            assert!(matches!(result, Err(CompileError::Refused { .. })), "{what}: {result:?}");
        }
    });
}

#[test]
fn a_large_body_is_compiled_plainly() {
    let engine = Engine::new(settings()).unwrap();
    runtime().block_on(async {
        for (body, tier) in [(compile::OPTIMISED_BODY, Tier::Optimised), (compile::OPTIMISED_BODY + 1, Tier::Plain)] {
            let (_, stages) = load(&engine, &add(6), body).await;
            assert_eq!(stages.last(), Some(&CompileStage::Ready(CodeOrigin::Compiled(tier))));
        }
    });
}

#[test]
fn both_tiers_give_the_same_result_for_the_same_fuel() {
    let wasm = lifted(
        r#"(func (export "sum") (param i32) (result i32) (local i32)
             (loop $l (local.set 1 (i32.add (local.get 1) (i32.mul (local.get 0) (local.get 0))))
               (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
               (br_if $l (local.get 0)))
             (local.get 1))"#,
        &["sum"],
    );
    for bounds in [Bounds::Explicit, Bounds::Virtual] {
        let engine = Engine::new(EngineSettings { bounds, ..settings() }).unwrap();
        let results = [0, u64::MAX].map(|body| {
            runtime().block_on(async {
                let (component, _) = load(&engine, &wasm, body).await;
                let (mut store, instance) = instantiate(&engine, &component.unwrap()).await;
                let sum = call(&mut store, &instance, "sum", 1000).await.unwrap();
                (sum, store.get_fuel().unwrap())
            })
        });
        assert_eq!(results[0], results[1]);
        assert_eq!(results[0].0, 333_833_500);
    }
}

#[test]
fn an_in_process_compile_is_given_up_at_the_wall() {
    // 20 000 pairs take hundreds of milliseconds.
    let pairs = "i32.const 1431655765 i32.mul i32.const 858993459 i32.xor ".repeat(20_000);
    let wasm = lifted(&format!(r#"(func (export "f") (param i32) (result i32) local.get 0 {pairs})"#), &["f"]);
    let mut limits = CompileLimits::standard();
    limits.wall_ms = Scaled { base: 1, per_mib: 0 };
    let engine = Engine::new(EngineSettings { compile_limits: limits, ..settings() }).unwrap();
    let (result, _) = runtime().block_on(load(&engine, &wasm, 0));
    let error = result.unwrap_err();
    assert!(matches!(error, CompileError::Limit { limit: CompileLimit::Wall, allowed: 1, .. }), "{error}");
}

/// Advisory RUSTSEC-2026-0088: a slot of the pool showed its last guest's memory to the next, in the mode that is
/// our standard one.
#[test]
fn a_reused_slot_shows_nothing_of_its_last_guest() {
    let wasm = lifted(
        r#"(memory 1)
           (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
           (func (export "fill") (param i32) (result i32)
             (memory.fill (i32.const 0) (i32.const 0xa5) (i32.mul (local.get 0) (i32.const 65536))) (i32.const 0))
           (func (export "peek") (param i32) (result i32) (i32.load8_u (local.get 0)))
           (func (export "dirty") (param i32) (result i32) (local i32)
             (loop $l
               (if (i32.load8_u (local.get 1)) (then (return (i32.const 1))))
               (local.set 1 (i32.add (local.get 1) (i32.const 1)))
               (br_if $l (i32.lt_u (local.get 1) (local.get 0))))
             (i32.const 0))"#,
        &["grow", "fill", "peek", "dirty"],
    );
    for bounds in [Bounds::Explicit, Bounds::Virtual] {
        // One slot: the next guest gets what the last one had. 4 pages stay resident in it, 200 do not.
        let engine = Engine::new(EngineSettings { bounds, slots: 1, ..settings() }).unwrap();
        for pages in [4, 200] {
            runtime().block_on(async {
                let (component, _) = load(&engine, &wasm, 0).await;
                let component = component.unwrap();
                {
                    let (mut store, first) = instantiate(&engine, &component).await;
                    assert_eq!(call(&mut store, &first, "grow", pages - 1).await.unwrap(), 1);
                    call(&mut store, &first, "fill", pages).await.unwrap();
                    assert_eq!(call(&mut store, &first, "peek", pages * 65536 - 1).await.unwrap(), 0xa5);
                }
                let (mut store, fresh) = instantiate(&engine, &component).await;
                assert_eq!(call(&mut store, &fresh, "dirty", 65536).await.unwrap(), 0);
                assert_eq!(call(&mut store, &fresh, "grow", pages - 1).await.unwrap(), 1);
                assert_eq!(call(&mut store, &fresh, "dirty", pages * 65536).await.unwrap(), 0);
                drop(store);
                let (mut store, small) = instantiate(&engine, &component).await;
                let error = call(&mut store, &small, "peek", 65536).await.unwrap_err();
                assert_eq!(error.downcast_ref(), Some(&wasmtime::Trap::MemoryOutOfBounds), "{bounds:?} {error:#}");
            });
        }
    }
}

#[test]
fn the_largest_component_fits_the_smallest_pool() {
    let full = |kind: &str, count: u32| kind.repeat(count as usize);
    let large = format!(
        "(core module $l {} {})",
        full("(memory 1)", super::config::MEMORIES / 2),
        full(&format!("(table {} funcref)", super::config::TABLE_ELEMENTS), super::config::TABLES / 2)
    );
    let instances = full("(core instance (instantiate $l))", 2)
        + &full("(core instance (instantiate $s))", super::config::CORE_INSTANCES - 2);
    let wasm = component(&format!("(component {large} (core module $s) {instances})"));
    let engine = Engine::new(EngineSettings { slots: 1, ..settings() }).unwrap();
    runtime().block_on(async {
        let component = load(&engine, &wasm, 0).await.0.unwrap();
        for _again in 0..2 {
            let _slot = engine.slot(0).await;
            instantiate(&engine, &component).await;
        }
    });
}

#[test]
fn a_full_pool_queues() {
    let engine = Engine::new(EngineSettings { slots: 2, ..settings() }).unwrap();
    runtime().block_on(async {
        let (one, _two) = (engine.slot(0).await, engine.slot(0).await);
        let mut third = pin!(engine.slot(0));
        assert!(matches!(third.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending));
        drop(one);
        let _third = third.await;
    });
}

/// Calls of every level may wait for a review with their own slots in hand.
#[test]
fn reviews_have_room_of_their_own() {
    let engine = Engine::new(EngineSettings { slots: 1, ..settings() }).unwrap();
    runtime().block_on(async {
        let mut held = Vec::new();
        for level in 0..=Engine::NESTED_LEVELS {
            held.push(engine.slot(level).await);
        }
        let one = engine.review_slot().await;
        let mut second = pin!(engine.review_slot());
        assert!(matches!(second.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending));
        drop(held);
        let _call = engine.slot(0).await;
        drop(one);
        let _second = second.await;
    });
}

#[test]
fn a_busy_guest_yields_while_ticking() {
    let wasm = lifted(r#"(func (export "spin") (param i32) (result i32) (loop $l (br $l)) unreachable)"#, &["spin"]);
    let engine = Engine::new(settings()).unwrap();
    runtime().block_on(async {
        let component = load(&engine, &wasm, 0).await.0.unwrap();
        let (mut store, instance) = instantiate(&engine, &component).await;
        let _ticking = engine.ticking();
        let spinning = tokio::time::timeout(Duration::from_millis(20), call(&mut store, &instance, "spin", 0)).await;
        assert!(spinning.is_err(), "ended by itself");
    });
}

//! The three exports on bare wasmtime: the least that an honest host does, and no gate.

use std::path::Path;

use wasmtime::component::{Component, ComponentExportIndex, ComponentNamedList, Lift, Linker, Lower};
use wasmtime::{Engine, Store, StoreLimits, StoreLimitsBuilder};

use self::bindings::exports::fumehood::tool::tool::{Card, ContentBlock, ToolError};
use self::bindings::{ToolComponent, ToolComponentPre};

#[path = "../../src/bindings.rs"]
pub(crate) mod bindings;
// The very configuration of the host, its pool and its ticker: the baseline has no other.
#[path = "../../src/engine/mod.rs"]
#[expect(dead_code, unreachable_pub, unused_imports, reason = "the engine is private to its crate")]
pub(crate) mod engine;

/// An engine as the host makes it.
pub(crate) fn engine(bounds: engine::Bounds) -> engine::Engine {
    let settings = engine::EngineSettings::standard(engine::Compiler::InProcess, engine::CacheLocation::Off);
    engine::Engine::new(engine::EngineSettings { bounds, ..settings }).unwrap()
}

/// A component without imports, compiled and linked.
pub(crate) struct Bare {
    engine: Engine,
    pre: ToolComponentPre<StoreLimits>,
    /// Found once, as the host does it.
    exports: Exports,
    counts_fuel: bool,
    sees_epochs: bool,
}

struct Exports {
    execute: ComponentExportIndex,
    render: ComponentExportIndex,
    present: ComponentExportIndex,
}

type Rendered = Result<Vec<ContentBlock>, String>;
type Presented = Result<Option<Card>, String>;

impl Bare {
    /// On an engine as the host makes it.
    pub(crate) fn load(engine: &Engine, file: &Path) -> Self {
        Self::counting(engine, file, true, true)
    }

    /// On an engine that may do without fuel or epochs.
    pub(crate) fn counting(engine: &Engine, file: &Path, counts_fuel: bool, sees_epochs: bool) -> Self {
        #[expect(clippy::disallowed_methods, reason = "the benchmark names the file")]
        let component = Component::new(engine, std::fs::read(file).unwrap()).unwrap();
        let interface = component.get_export_index(None, "fumehood:tool/tool@0.1.0").unwrap();
        let export = |name| component.get_export_index(Some(&interface), name).unwrap();
        let exports = Exports { execute: export("execute"), render: export("render"), present: export("present") };
        let pre = ToolComponentPre::new(Linker::new(engine).instantiate_pre(&component).unwrap()).unwrap();
        Self { engine: engine.clone(), pre, exports, counts_fuel, sees_epochs }
    }

    fn store(&self) -> Store<StoreLimits> {
        let limits = StoreLimitsBuilder::new().memory_size(256 << 20).trap_on_grow_failure(true).build();
        let mut store = Store::new(&self.engine, limits);
        store.limiter(|limits| limits);
        if self.counts_fuel {
            store.set_fuel(2_000_000_000).unwrap();
        }
        store
    }

    /// A guest in it gives way at each tick.
    fn yielding(&self) -> Store<StoreLimits> {
        let mut store = self.store();
        if self.sees_epochs {
            store.set_epoch_deadline(1);
            store.epoch_deadline_async_yield_and_update(1);
        }
        store
    }

    async fn instance(&self) -> (Store<StoreLimits>, ToolComponent) {
        let mut store = self.yielding();
        let instance = self.pre.instantiate_async(&mut store).await.unwrap();
        (store, instance)
    }

    pub(crate) async fn execute(&self, tool: &str, args: &str) -> String {
        let (mut store, instance) = self.instance().await;
        instance.fumehood_tool_tool().call_execute(&mut store, tool, args).await.unwrap().unwrap()
    }

    pub(crate) async fn render(&self, tool: &str, args: &str, value: &str) -> Vec<ContentBlock> {
        let (mut store, instance) = self.instance().await;
        instance.fumehood_tool_tool().call_render(&mut store, tool, args, value).await.unwrap().unwrap()
    }

    /// [`Self::render`] on this thread's own stack. Such a guest cannot give way: nothing but fuel ends it.
    pub(crate) fn render_synchronously(&self, tool: &str, args: &str, value: &str) -> Vec<ContentBlock> {
        let mut store = self.store();
        // A tick a millisecond: never.
        store.set_epoch_deadline(u64::MAX >> 1);
        let instance = self.pre.instance_pre().instantiate(&mut store).unwrap();
        let render = &self.exports.render;
        let render = instance.get_typed_func::<(&str, &str, &str), (Rendered,)>(&mut store, render).unwrap();
        render.call(&mut store, (tool, args, value)).unwrap().0.unwrap()
    }

    pub(crate) async fn present(&self, tool: &str, args: &str, value: &str) -> Option<Card> {
        let (mut store, instance) = self.instance().await;
        instance.fumehood_tool_tool().call_present(&mut store, tool, args, Some(value)).await.unwrap().unwrap()
    }

    /// All three, and of each instance the types of that one export are compared: what the bindings do to the other two, no
    /// host has to.
    pub(crate) async fn sparing(&self, tool: &str, args: &str) -> (String, Vec<ContentBlock>, Option<Card>) {
        let Exports { execute, render, present } = &self.exports;
        let value = self.one::<_, Result<String, ToolError>>(execute, (tool, args)).await.unwrap();
        let content = self.one::<_, Rendered>(render, (tool, args, value.as_str())).await.unwrap();
        let card = self.one::<_, Presented>(present, (tool, args, Some(value.as_str()))).await.unwrap();
        (value, content, card)
    }

    async fn one<P: ComponentNamedList + Lower, R: 'static>(&self, export: &ComponentExportIndex, params: P) -> R
    where
        (R,): ComponentNamedList + Lift,
    {
        let mut store = self.yielding();
        let instance = self.pre.instance_pre().instantiate_async(&mut store).await.unwrap();
        let function = instance.get_typed_func::<P, (R,)>(&mut store, export).unwrap();
        function.call_async(&mut store, params).await.unwrap().0
    }

    /// All three, each in an instance of its own.
    pub(crate) async fn call(&self, tool: &str, args: &str) -> (Vec<ContentBlock>, Option<Card>) {
        let value = self.execute(tool, args).await;
        (self.render(tool, args, &value).await, self.present(tool, args, &value).await)
    }
}

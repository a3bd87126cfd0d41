//! One export of a component, linked and found once.

use wasmtime::component::{ComponentExportIndex, ComponentNamedList, InstancePre, Lift, Lower};
use wasmtime::{Engine, Store, format_err};

use super::state::State;
use super::stop::Export;

/// An export that can be called. Each call has an instance of its own, of which nothing but this one function is typed: to
/// compare the types of its neighbours too, as the bindings for a whole world do, takes longer than a small tool runs.
pub(super) struct Entry {
    pre: InstancePre<State>,
    function: ComponentExportIndex,
}

impl Entry {
    /// The function of this name in an interface that the component exports, or in a later patch of its version.
    pub(super) fn new(pre: InstancePre<State>, interface: &str, export: Export) -> wasmtime::Result<Self> {
        let component = pre.component();
        let instance = component.get_export_index(None, interface);
        let function = instance.and_then(|instance| component.get_export_index(Some(&instance), export.name()));
        let function = function.ok_or_else(|| format_err!("{interface} with {export} is not exported"))?;
        Ok(Self { pre, function })
    }

    pub(super) fn engine(&self) -> &Engine {
        self.pre.engine()
    }

    /// A fresh instance, and one call.
    pub(super) async fn call<P, R>(&self, store: &mut Store<State>, params: P) -> wasmtime::Result<R>
    where
        P: ComponentNamedList + Lower,
        R: 'static,
        (R,): ComponentNamedList + Lift,
    {
        let instance = self.pre.instantiate_async(&mut *store).await?;
        let function = instance.get_typed_func::<P, (R,)>(&mut *store, &self.function)?;
        let (answer,) = function.call_async(store, params).await?;
        Ok(answer)
    }
}

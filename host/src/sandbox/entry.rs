//! One export of a component, linked and found once.

use wasmtime::component::{Component, ComponentExportIndex, ComponentNamedList, InstancePre, Lift, Lower};
use wasmtime::{Engine, Store, format_err};

use super::LinkError;
use super::link::{self, Sandbox};
use super::state::State;
use super::stop::Export;

/// An export that can be called. Each call has an instance of its own, of which nothing but this one function is typed: to
/// compare the types of its neighbours too, as the bindings for a whole world do, takes longer than a small tool runs.
pub(super) struct Entry {
    pub(super) export: Export,
    pre: InstancePre<State>,
    function: ComponentExportIndex,
}

impl Entry {
    /// The sandbox's export, in its interface or in a later patch of that version.
    pub(super) fn link(engine: &Engine, component: &Component, sandbox: Sandbox<'_>) -> Result<Self, LinkError> {
        let pre = link::link(engine, component, sandbox).map_err(LinkError::Imports)?;
        let export = sandbox.export();
        let interface = component.get_export_index(None, export.interface());
        let function = interface.and_then(|interface| component.get_export_index(Some(&interface), export.name()));
        let missing = || LinkError::Imports(format_err!("{} with {export} is not exported", export.interface()));
        Ok(Self { export, pre, function: function.ok_or_else(missing)? })
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

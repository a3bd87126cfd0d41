//! Where guests run: the granted sandbox for `execute`, the sealed one for `render` and `present`.
//!
//! Each export call has a store and an instance of its own, so nothing outlives it. Only [`granted`] takes
//! grants; nothing in [`sealed`] could be given any.

mod convert;
mod environment;
mod granted;
pub(crate) mod http;
mod link;
mod log;
mod meter;
mod mounts;
mod process;
mod sealed;
mod state;
mod stop;
mod tools;

use std::path::Path;
use std::sync::Arc;

use wasmtime::component::Component;
use wasmtime::{CallHook, Engine, Store, UpdateDeadline};

use crate::bindings::ToolComponentPre;
use crate::capability::CapabilityKind;
use crate::decision::Decisions;
use crate::policy::{Approved, LimitName, Limits, Usage};

pub(crate) use convert::{Malformed, checked_content, json_limits};
pub use environment::EnvironmentError;
pub(crate) use granted::GrantedSandbox;
pub use granted::ToolError;
pub use log::GuestLog;
pub(crate) use meter::Exceeded;
pub use mounts::OpenMountError;
pub use process::NoProgramsError;
pub(crate) use process::{SUPERVISE, supervise};
pub(crate) use sealed::{ProjectorStop, SealedSandbox};
pub use state::{Progress, ProgressSink};
pub(crate) use stop::{Export, Interrupt, Stop};
pub(crate) use tools::{CallError, CallableTools, Caller};

use self::http::{HttpContext, LoadedSecret, Network, SecretError, TlsRootsError};
use link::Sandbox;
use meter::Meter;
use mounts::OpenMount;
use process::Programs;
use state::State;

/// Live handles of the component model's own, per store.
const MAX_HANDLES: usize = 2_000;
/// Epoch ticks between two yields: at one tick a millisecond, others wait a millisecond for their turn.
const YIELD_TICKS: u64 = 1;

/// A compiled component, linked for each of its three exports.
pub(crate) struct Program {
    execute: ToolComponentPre<State>,
    render: ToolComponentPre<State>,
    present: ToolComponentPre<State>,
    approved: Approved,
    mounts: Arc<[OpenMount]>,
    programs: Option<Arc<Programs>>,
    environment: Vec<(String, String)>,
    secrets: Arc<[LoadedSecret]>,
    /// Where requests are granted.
    network: Option<Network>,
    /// Each grant that is recorded when it is first used.
    first_uses: Vec<(CapabilityKind, Arc<str>)>,
    uses_wasi: bool,
}

/// A compiled component that cannot be made ready to run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// A granted directory cannot be opened.
    #[error(transparent)]
    Mount(#[from] OpenMountError),
    /// A granted variable has no value.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// A granted secret has no value that can be used.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsRootsError),
    /// A program is granted, and this host cannot run any.
    #[error(transparent)]
    Programs(#[from] NoProgramsError),
    /// An import has another type than the host's.
    #[error("cannot link: {0:#}")]
    Imports(wasmtime::Error),
}

impl Program {
    /// `worker` is what supervises programs: without one, none can be granted.
    pub(crate) fn link(
        engine: &Engine,
        worker: Option<&Path>,
        component: &Component,
        approved: Approved,
        network: Option<Network>,
    ) -> Result<Self, LinkError> {
        let pre = |sandbox| {
            let pre = link::link(engine, component, sandbox).map_err(LinkError::Imports)?;
            ToolComponentPre::new(pre).map_err(LinkError::Imports)
        };
        let asked = approved.inspected().manifest().capabilities.iter().map(|request| request.capability.clone());
        let asked: Vec<_> = asked.collect();
        let mounts: Arc<[_]> = approved.grants().mounts().map(OpenMount::open).collect::<Result<_, _>>()?;
        let programs = Programs::granted(&approved, worker, &mounts)?;
        let environment = approved.grants().env().map(environment::variable).collect::<Result<_, _>>()?;
        let secrets = approved.grants().secrets().map(LoadedSecret::load).collect::<Result<_, _>>()?;
        let network = match network {
            _ if !approved.grants().holds(CapabilityKind::Http) => None,
            None => Some(Network::standard()?),
            own => own,
        };
        let first_uses = approved.grants().iter().map(|grant| (grant.kind(), grant.label().into())).collect();
        let uses_wasi = component.component_type().imports(engine).any(|(name, _)| name.starts_with("wasi:"));
        Ok(Self {
            execute: pre(Sandbox::Granted { grants: approved.grants(), asked: &asked })?,
            render: pre(Sandbox::Sealed(Export::Render))?,
            present: pre(Sandbox::Sealed(Export::Present))?,
            approved,
            mounts,
            programs,
            environment,
            secrets,
            network,
            first_uses,
            uses_wasi,
        })
    }

    pub(crate) fn approved(&self) -> &Approved {
        &self.approved
    }

    /// What requests go through, where any are granted.
    fn http(&self, decisions: &Decisions, limits: &Limits) -> Option<HttpContext> {
        let network = self.network.clone()?;
        let access = Arc::clone(self.approved.grants().http());
        Some(HttpContext::new(
            access,
            Arc::clone(&self.secrets),
            network,
            decisions.clone(),
            limits.value(LimitName::HttpRequests),
        ))
    }

    fn pre(&self, export: Export) -> &ToolComponentPre<State> {
        match export {
            Export::Execute => &self.execute,
            Export::Render => &self.render,
            Export::Present => &self.present,
        }
    }

    /// A fresh store under these limits. `fuel` bounds the work, `bytes` what the export may return.
    fn store(&self, export: Export, state: State, fuel: u64, bytes: u64) -> wasmtime::Result<Store<State>> {
        let result_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let argument_bytes = export.argument_bytes();
        let mut store = Store::new(self.pre(export).engine(), state);
        store.limiter(|state| &mut state.meter);
        store.set_fuel(fuel)?;
        store.epoch_deadline_callback(|mut context| {
            context.data_mut().meter.forgive_yield();
            Ok(UpdateDeadline::Yield(YIELD_TICKS))
        });
        store.set_epoch_deadline(YIELD_TICKS);
        store.set_hostcall_fuel(result_bytes);
        store.set_max_component_handles(MAX_HANDLES);
        // wasmtime has one bound for what a guest hands over, be it to an import or as a result; here they differ.
        store.call_hook(move |mut context, hook| match hook {
            CallHook::CallingHost => {
                context.set_hostcall_fuel(argument_bytes);
                Ok(())
            }
            CallHook::ReturningFromWasm => {
                context.set_hostcall_fuel(result_bytes);
                Ok(())
            }
            // On the way back: only then is it known whether the guest called, or was made to yield.
            CallHook::ReturningFromHost => Ok(context.data_mut().count_host_call()?),
            CallHook::CallingWasm => Ok(()),
        });
        Ok(store)
    }
}

/// What one export call used and wrote.
pub(crate) struct Report {
    pub(crate) log: GuestLog,
    /// The wasm backtrace of a trap, for the operator.
    pub(crate) backtrace: Option<String>,
    /// The first request that was not sent, in words for a model.
    pub(crate) denied_request: Option<String>,
}

impl Report {
    fn nothing() -> Self {
        Self { log: GuestLog::default(), backtrace: None, denied_request: None }
    }

    fn of(store: &Store<State>, usage: &mut Usage, error: Option<&wasmtime::Error>) -> Self {
        let state = store.data();
        state.meter.add_to(usage);
        let (log, kept) = state.take_log();
        usage.at_least(LimitName::LogBytes, kept);
        let backtrace =
            error.and_then(|error| error.downcast_ref::<wasmtime::WasmBacktrace>()).map(ToString::to_string);
        Self { log, backtrace, denied_request: state.take_http_denial() }
    }
}

fn meter(limits: &Limits) -> Meter {
    Meter::new(*limits)
}

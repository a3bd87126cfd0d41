//! Where guests run: the granted sandbox for `execute` and `review`, the sealed one for `render` and `present`.
//!
//! Each export call has a store and an instance of its own, so nothing outlives it. Only [`granted`] and [`review`] take
//! grants; nothing in [`sealed`] could be given any.

mod convert;
mod describe;
mod draft;
mod entry;
mod environment;
mod granted;
mod held;
pub(crate) mod http;
mod link;
mod log;
mod meter;
mod mounts;
mod process;
mod review;
mod sealed;
mod state;
mod stop;
mod tools;
mod trace;

use std::path::Path;

use wasmtime::component::Component;
use wasmtime::{CallHook, Engine, Store, UpdateDeadline};

use crate::backtrace::Backtrace;
use crate::policy::{Approved, LimitName, Limits, Usage};

pub(crate) use convert::{Malformed, checked_content, json_limits};
pub(crate) use describe::DescribeProgram;
pub(crate) use draft::{GuestDraft, GuestFailureKind};
pub use environment::EnvironmentError;
pub(crate) use granted::GrantedSandbox;
pub use granted::ToolError;
pub use log::GuestLog;
pub(crate) use meter::Exceeded;
pub use mounts::OpenMountError;
pub use process::NoProgramsError;
pub(crate) use process::{SUPERVISE, supervise};
pub(crate) use review::{ReviewAnswer, ReviewSandbox, ReviewStop};
pub(crate) use sealed::{ProjectorStop, SealedSandbox};
pub use state::{Progress, ProgressSink};
pub(crate) use stop::{Export, Interrupt, Stop};
pub(crate) use tools::{CallError, CallableTools, Caller};
pub(crate) use trace::{PLACES, places};

use self::http::{Network, SecretError, TlsRootsError};
use entry::Entry;
use held::Held;
use link::Sandbox;
use meter::Meter;
use state::State;

/// Live handles of the component model's own, per store.
const MAX_HANDLES: usize = 2_000;
/// Epoch ticks between two yields: at one tick a millisecond, others wait a millisecond for their turn.
const YIELD_TICKS: u64 = 1;

/// A compiled tool component, linked for each of its three exports.
pub(crate) struct Program {
    execute: Entry,
    render: Entry,
    present: Entry,
    held: Held,
}

/// A compiled reviewer component, linked for its one export.
pub(crate) struct ReviewProgram {
    review: Entry,
    held: Held,
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

/// What of the host a program uses besides its engine.
pub(crate) struct Machine<'a> {
    /// Starts what must be able to be ended.
    pub(crate) worker: Option<&'a Path>,
    /// The same program, where places of traps are wanted.
    pub(crate) places: Option<&'a Path>,
    /// Where requests go, if not where the system's own would.
    pub(crate) network: Option<Network>,
}

/// Native code becomes a program of one kind.
pub(crate) trait Linked: Sized + Send + 'static {
    /// It runs once.
    const ONCE: bool = false;

    /// `machine.worker` is what supervises programs of the machine: without one, none can be granted.
    fn link(
        engine: &Engine,
        machine: Machine<'_>,
        component: &Component,
        approved: Approved,
    ) -> Result<Self, LinkError>;
}

impl Linked for Program {
    fn link(
        engine: &Engine,
        machine: Machine<'_>,
        component: &Component,
        approved: Approved,
    ) -> Result<Self, LinkError> {
        let held = Held::open(engine, machine, component, approved)?;
        let entry = |sandbox| Entry::link(engine, component, sandbox);
        Ok(Self {
            execute: entry(held.sandbox(Export::Execute))?,
            render: entry(Sandbox::Sealed(Export::Render))?,
            present: entry(Sandbox::Sealed(Export::Present))?,
            held,
        })
    }
}

impl Linked for ReviewProgram {
    fn link(
        engine: &Engine,
        machine: Machine<'_>,
        component: &Component,
        approved: Approved,
    ) -> Result<Self, LinkError> {
        let held = Held::open(engine, machine, component, approved)?;
        let review = Entry::link(engine, component, held.sandbox(Export::Review))?;
        Ok(Self { review, held })
    }
}

impl Program {
    pub(crate) fn approved(&self) -> &Approved {
        &self.held.approved
    }
}

impl ReviewProgram {
    pub(crate) fn approved(&self) -> &Approved {
        &self.held.approved
    }
}

/// A fresh store for one call, under these limits. `fuel` bounds the work, `bytes` what the export may return.
fn store(entry: &Entry, state: State, fuel: u64, bytes: u64) -> wasmtime::Result<Store<State>> {
    let result_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let argument_bytes = entry.export.argument_bytes();
    let mut store = Store::new(entry.engine(), state);
    store.limiter(|state| &mut state.meter);
    store.set_fuel(fuel)?;
    store.epoch_deadline_callback(|mut context| {
        context.data_mut().tick()?;
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

/// What one export call used and wrote.
pub(crate) struct Report {
    pub(crate) log: GuestLog,
    /// Where it was when it trapped, for the operator.
    pub(crate) backtrace: Option<Backtrace>,
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
        Self { log, backtrace: error.and_then(trace::of), denied_request: state.take_http_denial() }
    }
}

fn meter(limits: &Limits) -> Meter {
    Meter::new(*limits)
}

//! Where a component says what it is, once, when it is packed: sealed, like a projector.

use wasmtime::Engine;
use wasmtime::component::Component;

use super::entry::Entry;
use super::link::Sandbox;
use super::sealed::HOST_CALLS;
use super::state::State;
use super::stop::{Export, Stop};
use super::{LinkError, Linked, Machine, meter, store};
use crate::policy::{Approved, LimitName, Limits};

/// The most that a component says: twice a manifest, which may be a mebibyte long.
const BYTES: u64 = 2 << 20;

/// A compiled component, linked for that one question.
pub(crate) struct DescribeProgram {
    describe: Entry,
    uses_wasi: bool,
}

/// Why it said nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DescribeStop {
    #[error("{0}")]
    Stopped(Stop),
    /// It says that it cannot, one reason a line.
    #[error("{0}")]
    Refused(String),
}

impl Linked for DescribeProgram {
    const ONCE: bool = true;

    fn link(
        engine: &Engine,
        _machine: Machine<'_>,
        component: &Component,
        _approved: Approved,
    ) -> Result<Self, LinkError> {
        let describe = Entry::link(engine, component, Sandbox::Sealed(Export::Describe))?;
        let uses_wasi = component.component_type().imports(engine).any(|(name, _)| name.starts_with("wasi:"));
        Ok(Self { describe, uses_wasi })
    }
}

impl DescribeProgram {
    /// What the component says. Bounded by fuel, memory and bytes, under a projector's limits; there is no clock to it.
    pub(crate) async fn ask(&self) -> Result<String, DescribeStop> {
        let limits = Limits::standard();
        let stopped =
            |error: wasmtime::Error| DescribeStop::Stopped(Stop::sort(&error, &limits, LimitName::ContentBytes));
        let state = State::sealed(meter(&limits.capped(LimitName::HostCalls, HOST_CALLS)), self.uses_wasi);
        let fuel = limits.value(LimitName::ProjectorFuel);
        let mut store = store(&self.describe, state, fuel, BYTES).map_err(stopped)?;
        let said = self.describe.call::<_, Result<String, String>>(&mut store, ()).await.map_err(stopped)?;
        said.map_err(DescribeStop::Refused)
    }
}

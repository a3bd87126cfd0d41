//! From what was inspected to what can be called, once for each world.

use std::io;
use std::sync::Arc;

use super::Engines;
use crate::{Host, Inspected, LoadError, Network, Policy, Resolve, Resolved, TlsRoots, Toolset};

/// A component, and where it is compiled.
#[derive(Clone)]
pub(super) struct Loading {
    pub(super) inspected: Inspected,
    /// Whether cases get what they grant themselves, wherever it reaches.
    pub(super) trust_cases: bool,
    /// With the machine's own network.
    host: Host,
    /// Without any.
    alone: Host,
    /// The other engine, with and without.
    other: Host,
    other_alone: Host,
}

/// Finds nobody: what a tool asks for in an empty world goes nowhere.
struct Nowhere;

impl Resolve for Nowhere {
    fn resolve<'a>(&'a self, host: &'a str, _port: u16) -> Resolved<'a> {
        Box::pin(async move { Err(io::Error::other(format!("{host} is not looked up while a tool is checked"))) })
    }
}

impl Loading {
    /// # Errors
    /// The TLS library cannot be set up.
    pub(super) fn new(inspected: Inspected, engines: &Engines, trust_cases: bool) -> Result<Self, String> {
        let roots = TlsRoots::of_the_web().map_err(|error| error.to_string())?;
        let nowhere = Network::new(Arc::new(Nowhere), roots);
        let Engines { first, other } = engines.clone();
        let (alone, other_alone) =
            (first.clone().reaching_through(nowhere.clone()), other.clone().reaching_through(nowhere));
        Ok(Self { inspected, trust_cases, host: first, alone, other, other_alone })
    }

    /// With these grants, and the machine's network where they lead to it.
    pub(super) async fn under(&self, policy: &Policy) -> Result<Toolset, LoadError> {
        self.host.compile(policy.approve(self.inspected.clone())?).await
    }

    /// With these grants, and no network whatever they say.
    pub(super) async fn alone(&self, policy: &Policy) -> Result<Toolset, LoadError> {
        self.alone.compile(policy.approve(self.inspected.clone())?).await
    }

    /// The same on the other engine. `alone`: without a network.
    pub(super) async fn on_the_other(&self, policy: &Policy, alone: bool) -> Result<Toolset, LoadError> {
        let host = if alone { &self.other_alone } else { &self.other };
        host.compile(policy.approve(self.inspected.clone())?).await
    }
}

//! What a component holds between its calls: what was granted, opened and loaded once.

use std::sync::Arc;

use wasmtime::Engine;
use wasmtime::component::Component;

use super::http::{HttpContext, LoadedSecret, Network};
use super::link::Sandbox;
use super::mounts::OpenMount;
use super::process::Programs;
use super::stop::Export;
use super::trace::Places;
use super::{LinkError, Machine, Report, environment};
use crate::capability::{Capability, CapabilityKind};
use crate::decision::Decisions;
use crate::policy::{Approved, LimitName, Limits};

/// What each store of a granted sandbox is made with.
pub(super) struct Held {
    pub(super) approved: Approved,
    /// What the manifest asks for: nothing else can be granted.
    asked: Vec<Capability>,
    pub(super) mounts: Arc<[OpenMount]>,
    pub(super) programs: Option<Arc<Programs>>,
    pub(super) environment: Vec<(String, String)>,
    secrets: Arc<[LoadedSecret]>,
    /// Where requests are granted.
    network: Option<Network>,
    /// Each grant that is recorded when it is first used.
    pub(super) first_uses: Vec<(CapabilityKind, Arc<str>)>,
    pub(super) uses_wasi: bool,
    /// Where places of traps are wanted.
    pub(super) places: Option<Places>,
}

impl Held {
    pub(super) fn open(
        engine: &Engine,
        machine: Machine<'_>,
        component: &Component,
        approved: Approved,
    ) -> Result<Self, LinkError> {
        let Machine { worker, places, network } = machine;
        let places = places.map(Places::through);
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
        Ok(Self { approved, asked, mounts, programs, environment, secrets, network, first_uses, uses_wasi, places })
    }

    /// The sandbox that an export with grants is linked for.
    pub(super) fn sandbox(&self, export: Export) -> Sandbox<'_> {
        Sandbox::Granted { export, grants: self.approved.grants(), asked: &self.asked }
    }

    /// Say where in the source a trap was.
    pub(super) async fn locate(&self, mut report: Report) -> Report {
        if let (Some(places), Some(trace)) = (&self.places, &mut report.backtrace) {
            places.find(self.approved.inspected().component().bytes(), trace).await;
        }
        report
    }

    /// What requests go through, where any are granted.
    pub(super) fn http(&self, decisions: &Decisions, limits: &Limits) -> Option<HttpContext> {
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
}

//! What each sandbox answers to each import of a component.

use std::sync::Arc;

use wasmtime::Engine;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, HasSelf, InstancePre, Linker, Val};
use wasmtime_wasi::WasiView as _;
use wasmtime_wasi::cli::{WasiCli, WasiCliView as _};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView as _};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView as _};
use wasmtime_wasi::p2::bindings::{cli, clocks, filesystem, random};
use wasmtime_wasi::random::{WasiRandom, WasiRandomCtx};

use super::state::State;
use super::stop::{DeniedImport, Export, Remedy};
use super::{process, tools};
use crate::bindings::fumehood::tool::progress;
use crate::bindings::host;
use crate::capability::{self, Capability, CapabilityKind, Need, Sealed};
use crate::policy::{self, Grants};

/// Which sandbox a linker is for.
#[derive(Clone, Copy)]
pub(super) enum Sandbox<'a> {
    Granted {
        export: Export,
        grants: &'a Grants,
        /// What the manifest asks for: nothing else can be granted.
        asked: &'a [Capability],
    },
    Sealed(Export),
}

impl Sandbox<'_> {
    /// What runs in it.
    pub(super) fn export(&self) -> Export {
        match *self {
            Self::Granted { export, .. } | Self::Sealed(export) => export,
        }
    }
}

/// Resolve the component's imports for one sandbox.
///
/// WASI is linked whole, because its interfaces share resource types, and then each function the component
/// imports is looked up in the one table of [`capability`] and replaced by a denial unless it is harmless,
/// a constant, or granted.
pub(super) fn link(
    engine: &Engine,
    component: &Component,
    sandbox: Sandbox<'_>,
) -> wasmtime::Result<InstancePre<State>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
    progress::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state)?;
    host::Imports::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state)?;
    linker.allow_shadowing(true);
    if let Sandbox::Granted { grants, .. } = sandbox {
        note_uses(&mut linker, grants)?;
    }
    for (import, item) in component.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(instance) = item.ty else { continue };
        let mut interface = linker.instance(&linked_name(import))?;
        for (function, item) in instance.exports(engine) {
            if !matches!(item.ty, ComponentItem::ComponentFunc(_)) {
                continue;
            }
            if let Some(denied) = denial(import, function, sandbox) {
                let asked: Arc<[Capability]> = match sandbox {
                    Sandbox::Granted { asked, .. } => asked.into(),
                    Sandbox::Sealed(_) => Arc::default(),
                };
                interface.func_new(function, move |_, _, params, _| {
                    Err(wasmtime::Error::new(exactly(denied.clone(), &asked, params)))
                })?;
            }
        }
    }
    linker.instantiate_pre(component)
}

/// Link once more what is granted and used without the host being asked, so that its first use is seen.
fn note_uses(linker: &mut Linker<State>, grants: &Grants) -> wasmtime::Result<()> {
    if grants.holds(CapabilityKind::Filesystem) {
        filesystem::types::add_to_linker::<State, WasiFilesystem>(linker, |state| {
            state.uses(CapabilityKind::Filesystem);
            state.filesystem()
        })?;
    }
    if grants.holds(CapabilityKind::Env) {
        cli::environment::add_to_linker::<State, WasiCli>(linker, |state| {
            state.uses(CapabilityKind::Env);
            state.cli()
        })?;
    }
    if grants.holds(CapabilityKind::Clock) {
        clocks::wall_clock::add_to_linker::<State, WasiClocks>(linker, |state| {
            state.uses(CapabilityKind::Clock);
            state.clocks()
        })?;
        clocks::monotonic_clock::add_to_linker::<State, WasiClocks>(linker, |state| {
            state.uses(CapabilityKind::Clock);
            state.clocks()
        })?;
    }
    if grants.holds(CapabilityKind::Random) {
        fn random(state: &mut State) -> &mut WasiRandomCtx {
            state.uses(CapabilityKind::Random);
            state.ctx().ctx.random()
        }
        random::random::add_to_linker::<State, WasiRandom>(linker, random)?;
        random::insecure::add_to_linker::<State, WasiRandom>(linker, random)?;
        random::insecure_seed::add_to_linker::<State, WasiRandom>(linker, random)?;
    }
    Ok(())
}

/// The denial that stands in for a function, unless this sandbox answers it.
fn denial(import: &str, function: &str, sandbox: Sandbox<'_>) -> Option<DeniedImport> {
    let denied = |export, remedy| Some(DeniedImport { export, import: spoken_name(import, function), remedy });
    let row = capability::lookup(import);
    let sealed = row.map_or(Sealed::Denied, |row| capability::sealed(row, function));
    match (sandbox, row.map_or(Need::Never, |row| row.need)) {
        (Sandbox::Sealed(export), _) if sealed == Sealed::Denied => denied(export, Remedy::None),
        (Sandbox::Sealed(_), _) | (Sandbox::Granted { .. }, Need::Runtime) => None,
        (Sandbox::Granted { export, .. }, Need::Never) => denied(export, Remedy::None),
        (Sandbox::Granted { export, grants, asked }, Need::Capability(kind)) => {
            // Without the grant, what the sealed sandbox answers is answered here too, and the same way.
            let asked = asked.iter().find(|capability| capability.kind() == kind);
            let remedy = asked.map_or(Remedy::Ask(kind), |capability| Remedy::Grant(capability.clone()));
            if grants.holds(kind) || sealed != Sealed::Denied { None } else { denied(export, remedy) }
        }
    }
}

/// What a program is run with, and which tool is called, only the call itself says: the line that allows it names just
/// that.
fn exactly(mut denied: DeniedImport, asked: &[Capability], params: &[Val]) -> DeniedImport {
    let kind = match &denied.remedy {
        Remedy::Grant(asked) => asked.kind(),
        _ => return denied,
    };
    let text = match kind {
        CapabilityKind::Process => process::asked_for(params).map(|(program, args)| {
            let named =
                |asked: &Capability| matches!(asked, Capability::Process { program: name } if name.as_str() == program);
            asked.iter().any(named).then(|| policy::denial(None, program, &args))
        }),
        CapabilityKind::Tools => tools::asked_for(params).map(|name| {
            let named = |asked: &Capability| matches!(asked, Capability::Tools { tool } if *tool == name);
            asked.iter().any(named).then(|| tools::denial(&name))
        }),
        _ => None,
    };
    match text {
        Some(Some(text)) => denied.remedy = Remedy::Exactly(kind, text),
        Some(None) => denied.remedy = Remedy::Ask(kind),
        None => {}
    }
    denied
}

/// The name under which the linker holds an import. An older WASI 0.2 import is served by the version the host
/// links, and a denial has to replace that one: under its own name it would make a second interface without
/// the first one's resource types.
fn linked_name(import: &str) -> String {
    match import.split_once('@') {
        Some((name, version)) if name.starts_with("wasi:") && version.starts_with("0.2.") => {
            format!("{name}@{}", capability::LINKED_WASI)
        }
        _ => import.to_owned(),
    }
}

/// `wasi:clocks/wall-clock@0.2.12` and `now` as people write them: `wasi:clocks/wall-clock.now`.
fn spoken_name(import: &str, function: &str) -> String {
    let interface = import.split_once('@').map_or(import, |(name, _)| name);
    let function = function.rsplit_once(']').map_or(function, |(_, name)| name);
    format!("{interface}.{function}")
}

//! What a store holds: fresh for each export call.

use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::ResourceTable;
use wasmtime_wasi::{
    Deterministic, FsPerms, HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView,
};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpHooks, WasiHttpView};

use super::held::Held;
use super::http::{FIELD_BYTES, HttpContext, NoHttp};
use super::log::{Capture, GuestLog};
use super::meter::{Exceeded, Meter};
use super::process::Programs;
use super::tools::CallableTools;
use super::trace::Late;
use crate::bindings::fumehood::tool::progress;
use crate::capability::{Access, CapabilityKind};
use crate::decision::Decisions;
use crate::policy::LimitName;

/// The most random bytes of one request: 64 KiB, a thousand times what a runtime's start needs.
const MAX_RANDOM_BYTES: u64 = 64 << 10;
/// Live handles into the host's tables. A thousand open files are many; the default is a million.
const MAX_RESOURCES: usize = 2_000;
/// The seed of hash maps where randomness is not granted. Any constant serves.
const FIXED_SEED: u128 = 0x6675_6d65_686f_6f64;

/// How far a call has come, as the tool says. A tool chose the numbers and the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Units done.
    pub done: u64,
    /// Units in all, where known.
    pub total: Option<u64>,
    /// One line for a person, at most 1,024 bytes.
    pub message: Option<String>,
}

/// Who is told of progress. Called on the thread that runs the guest: return soon.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// A longer message is cut here; it is one line of a terminal or a client's progress bar.
const MAX_PROGRESS_MESSAGE: usize = 1_024;

pub(crate) struct State {
    pub(super) meter: Meter,
    progress: Option<ProgressSink>,
    granted: Option<Granted>,
    /// Nothing where the component imports nothing of WASI: making one costs more than a small tool's whole call.
    wasi: Option<Wasi>,
    late: Late,
}

/// What only `execute` and `review` have.
struct Granted {
    decisions: Decisions,
    /// What is granted of the kinds that are used without the host being asked each time, until the first use.
    unused: Vec<(CapabilityKind, Arc<str>)>,
    programs: Option<Arc<Programs>>,
    tools: Option<CallableTools>,
}

struct Wasi {
    ctx: WasiCtx,
    fields: WasiHttpCtx,
    /// Nothing where no request is granted.
    http: Option<HttpContext>,
    no_http: NoHttp,
    table: ResourceTable,
    capture: Capture,
}

impl Wasi {
    fn new(mut ctx: WasiCtxBuilder, capture: Capture) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_RESOURCES);
        ctx.stdout(capture.stdout()).stderr(capture.stderr()).max_random_size(MAX_RANDOM_BYTES);
        let mut fields = WasiHttpCtx::new();
        fields.set_field_size_limit(FIELD_BYTES);
        Self { ctx: ctx.build(), fields, http: None, no_http: NoHttp, table, capture }
    }

    /// A context with no authority: constant answers only.
    fn sealed(meter: &Meter) -> Self {
        let mut ctx = WasiCtxBuilder::new();
        stop_clocks(&mut ctx);
        fix_random(&mut ctx);
        Self::new(ctx, Capture::new(meter.limits().value(LimitName::LogBytes)))
    }
}

impl State {
    /// A state with no authority.
    pub(super) fn sealed(meter: Meter, uses_wasi: bool) -> Self {
        let wasi = uses_wasi.then(|| Wasi::sealed(&meter));
        Self { meter, progress: None, granted: None, wasi, late: Late::default() }
    }

    /// A state with what was granted and nothing else.
    pub(super) fn granted(
        meter: Meter,
        held: &Held,
        decisions: Decisions,
        tools: Option<CallableTools>,
        progress: Option<ProgressSink>,
    ) -> wasmtime::Result<Self> {
        let http = held.http(&decisions, meter.limits());
        let (unused, programs) = (held.first_uses.clone(), held.programs.clone());
        let granted = Some(Granted { decisions, unused, programs, tools });
        if !held.uses_wasi {
            return Ok(Self { meter, progress, granted, wasi: None, late: Late::default() });
        }
        let grants = held.approved.grants();
        let mut ctx = WasiCtxBuilder::new();
        for mount in held.mounts.iter() {
            let perms = match mount.access() {
                Access::Read => FsPerms::ReadOnly,
                Access::ReadWrite => FsPerms::ReadWrite,
            };
            ctx.preopened_dir(mount.path(), mount.guest(), perms)?;
        }
        ctx.envs(&held.environment);
        if !grants.clock() {
            stop_clocks(&mut ctx);
        }
        if !grants.random() {
            fix_random(&mut ctx);
        }
        let capture = Capture::new(meter.limits().value(LimitName::LogBytes));
        let wasi = Some(Wasi { http, ..Wasi::new(ctx, capture) });
        Ok(Self { meter, progress, granted, wasi, late: Late::default() })
    }

    /// Who says when its time is over.
    pub(super) fn told_by(mut self, late: &Late) -> Self {
        self.late = late.clone();
        self
    }

    /// A tick of the engine's clock. What follows is a yield, or the end.
    pub(super) fn tick(&mut self) -> wasmtime::Result<()> {
        self.meter.forgive_yield();
        Ok(self.late.check()?)
    }

    /// A granted kind is used: the first time is a decision worth recording.
    pub(super) fn uses(&mut self, kind: CapabilityKind) {
        let Some(Granted { decisions, unused, .. }) = &mut self.granted else { return };
        unused.retain(|(granted, rule)| {
            if *granted == kind {
                decisions.allowed(kind, "", rule);
            }
            *granted != kind
        });
    }

    /// A call into the host has returned. The one past a limit is the guest's last.
    pub(super) fn count_host_call(&mut self) -> Result<(), Exceeded> {
        self.meter.count_host_call()?;
        match self.wasi.as_ref().and_then(|wasi| wasi.http.as_ref()) {
            Some(http) => self.meter.requests_made(http.made()),
            None => Ok(()),
        }
    }

    /// The first request that was not sent.
    pub(super) fn take_http_denial(&self) -> Option<String> {
        let denied = self.wasi.as_ref()?.http.as_ref()?.take_denial()?;
        Some(denied.for_a_model())
    }

    /// What may be run, and who hears of it. Nothing in a projector, nor where no program is granted.
    pub(super) fn programs(&self) -> Option<(Arc<Programs>, Decisions)> {
        let granted = self.granted.as_ref()?;
        Some((granted.programs.clone()?, granted.decisions.clone()))
    }

    /// What may be called, and who hears of it. Nothing in a projector, nor where no tool is granted.
    pub(super) fn tools(&self) -> Option<(CallableTools, Decisions)> {
        let granted = self.granted.as_ref()?;
        Some((granted.tools.clone()?, granted.decisions.clone()))
    }

    /// What the guest wrote, and how many bytes of it were kept.
    pub(super) fn take_log(&self) -> (GuestLog, u64) {
        self.wasi.as_ref().map(|wasi| wasi.capture.take()).unwrap_or_default()
    }
}

fn stop_clocks(ctx: &mut WasiCtxBuilder) {
    ctx.wall_clock(Standing).monotonic_clock(Standing);
}

fn fix_random(ctx: &mut WasiCtxBuilder) {
    ctx.secure_random(fixed_random()).insecure_random(fixed_random()).insecure_random_seed(FIXED_SEED);
}

/// Every byte once, then again from the start: not random, and the same everywhere.
fn fixed_random() -> Deterministic {
    Deterministic::new((0..=u8::MAX).map(|byte| byte.wrapping_mul(167).wrapping_add(13)).collect())
}

/// A clock at zero.
struct Standing;

impl HostMonotonicClock for Standing {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        0
    }
}

impl HostWallClock for Standing {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let Self { meter, wasi, .. } = self;
        let wasi = wasi.get_or_insert_with(|| Wasi::sealed(meter));
        WasiCtxView { ctx: &mut wasi.ctx, table: &mut wasi.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        let Self { meter, wasi, .. } = self;
        let Wasi { fields, http, no_http, table, .. } = wasi.get_or_insert_with(|| Wasi::sealed(meter));
        let hooks: &mut dyn WasiHttpHooks = match http {
            Some(context) => context,
            None => no_http,
        };
        WasiHttpCtxView { hooks, table, ctx: fields }
    }
}

impl progress::Host for State {
    fn report(&mut self, done: u64, total: Option<u64>, message: Option<String>) -> wasmtime::Result<()> {
        if let Some(sink) = &self.progress {
            let message = message.map(|mut text| {
                text.truncate(text.floor_char_boundary(MAX_PROGRESS_MESSAGE));
                text
            });
            sink(Progress { done, total, message });
        }
        Ok(())
    }
}

impl crate::bindings::fumehood::tool::types::Host for State {}

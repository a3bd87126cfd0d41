//! From wasm to native code: which tier, in which process, how often.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::Duration,
};

use tokio::sync::{Semaphore, oneshot};

use super::{
    child,
    config::Recipe,
    error::{CompileError, CompileLimit},
    settings::{CompileLimits, Compiler},
};

/// How hard the compiler optimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The usual one. It merges equal values, which can make a function hold thousands of them at once, and then its
    /// time grows with the square of the function: 479 KB took 139 s, 0.6 s plainly.
    Optimised,
    /// No merging. Guests run up to 15 % slower and do the same, fuel included. A function that holds thousands of
    /// values by itself is slow here as well (79 KB took 11 s): that is what the limits are for.
    Plain,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Optimised => "optimised",
            Self::Plain => "plain",
        })
    }
}

/// Where a component's code came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeOrigin {
    /// The code cache.
    Cached,
    /// The compiler.
    Compiled(Tier),
}

/// What a load is doing, for progress displays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompileStage {
    /// Not in the cache; waiting for a free compiler.
    Waiting,
    /// Compiling. A second one of these follows a first that met a limit.
    Compiling(Tier),
    /// Ready to run.
    Ready(CodeOrigin),
}

/// The largest function body that is optimised, in bytes. The largest of an honest component seen is 416 KB (Python);
/// above, trying costs more than it can bring.
pub(super) const OPTIMISED_BODY: u64 = 512 << 10;

/// The compilers of one engine.
pub(super) struct Compilers {
    compiler: Compiler,
    limits: CompileLimits,
    recipe: Recipe,
    identity: [u8; 32],
    free: Arc<Semaphore>,
}

impl Compilers {
    /// `recipe` and `identity` are those of the engine that will run the code.
    pub(super) fn new(compiler: Compiler, limits: CompileLimits, recipe: Recipe, identity: [u8; 32]) -> Self {
        // One compile uses all cores, though not evenly: one for every two cores fills the gaps, more of them would
        // only make each other miss the wall limit.
        let at_once = thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2));
        Self { compiler, limits, recipe, identity, free: Arc::new(Semaphore::new(at_once)) }
    }

    /// Native code for `wasm`. `largest_body` is the size of its largest function body in bytes.
    pub(super) async fn compile(
        &self,
        wasm: &Arc<[u8]>,
        largest_body: u64,
        progress: &(dyn Fn(CompileStage) + Send + Sync),
    ) -> Result<(Vec<u8>, Tier), CompileError> {
        let first = if largest_body > OPTIMISED_BODY { Tier::Plain } else { Tier::Optimised };
        match self.attempt(wasm, first, progress).await {
            // In this process the first attempt is still running: a second would only join it.
            Err(CompileError::Limit { .. }) if first == Tier::Optimised && self.compiler != Compiler::InProcess => {
                self.attempt(wasm, Tier::Plain, progress).await
            }
            result => result,
        }
    }

    async fn attempt(
        &self,
        wasm: &Arc<[u8]>,
        tier: Tier,
        progress: &(dyn Fn(CompileStage) + Send + Sync),
    ) -> Result<(Vec<u8>, Tier), CompileError> {
        progress(CompileStage::Waiting);
        let Ok(permit) = Arc::clone(&self.free).acquire_owned().await else {
            return Err(CompileError::Unavailable { reason: "its compilers are closed".into() });
        };
        progress(CompileStage::Compiling(tier));
        let budget = Budget::new(&self.limits, wasm.len(), tier);
        let recipe = Recipe { tier, ..self.recipe };
        let artifact = match &self.compiler {
            Compiler::InProcess => in_process(recipe, Arc::clone(wasm), budget, permit).await?,
            Compiler::ChildProcess { program } => {
                child::Job { program, recipe, identity: self.identity, budget }.run(wasm).await?
            }
        };
        Ok((artifact, tier))
    }
}

/// [`CompileLimits`] for one attempt at one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    pub(super) wall_ms: u64,
    pub(super) cpu_seconds: u64,
    pub(super) address_space_bytes: u64,
    pub(super) artifact_bytes: u64,
    tier: Tier,
}

impl Budget {
    pub(super) fn new(limits: &CompileLimits, wasm_bytes: usize, tier: Tier) -> Self {
        let size = u64::try_from(wasm_bytes).unwrap_or(u64::MAX);
        Self {
            wall_ms: limits.wall_ms.for_size(size),
            cpu_seconds: limits.cpu_seconds.for_size(size),
            address_space_bytes: limits.address_space_bytes.for_size(size),
            artifact_bytes: limits.artifact_bytes.for_size(size),
            tier,
        }
    }

    pub(super) fn wall(&self) -> Duration {
        Duration::from_millis(self.wall_ms)
    }

    pub(super) fn exceeded(&self, limit: CompileLimit, used: impl Into<String>) -> CompileError {
        let allowed = match limit {
            CompileLimit::Wall => self.wall_ms,
            CompileLimit::Cpu => self.cpu_seconds,
            CompileLimit::AddressSpace => self.address_space_bytes,
            CompileLimit::Artifact => self.artifact_bytes,
        };
        CompileError::Limit { limit, allowed, used: used.into(), tier: self.tier }
    }
}

/// A thread of its own, not the runtime's: a compile cannot be stopped, and a runtime that ends waits for its own.
/// The thread keeps `permit` until it really ends.
async fn in_process(
    recipe: Recipe,
    wasm: Arc<[u8]>,
    budget: Budget,
    permit: tokio::sync::OwnedSemaphorePermit,
) -> Result<Vec<u8>, CompileError> {
    let (answer, result) = oneshot::channel();
    thread::Builder::new()
        .name("fumehood-compile".into())
        .spawn(move || {
            let result = local(recipe, &wasm);
            drop(permit);
            // Nobody waits any more: the caller was cancelled or timed out.
            let _unwanted = answer.send(result);
        })
        .map_err(|error| CompileError::Unavailable { reason: format!("no thread to compile on: {error}") })?;
    let artifact = match tokio::time::timeout(budget.wall(), result).await {
        Err(_elapsed) => {
            return Err(budget.exceeded(CompileLimit::Wall, "still compiling when it passed, and until it ends"));
        }
        Ok(Err(_dropped)) => return Err(LocalError::Panicked("without a message".into()).into()),
        Ok(Ok(result)) => result?,
    };
    if artifact.len() as u64 > budget.artifact_bytes {
        return Err(budget.exceeded(CompileLimit::Artifact, format!("{} bytes of code", artifact.len())));
    }
    Ok(artifact)
}

/// How a compile in this process can fail.
#[derive(Debug)]
pub(super) enum LocalError {
    Refused(String),
    OutOfMemory(String),
    Panicked(String),
}

impl From<LocalError> for CompileError {
    fn from(error: LocalError) -> Self {
        match error {
            LocalError::Refused(reason) => Self::Refused { reason },
            LocalError::OutOfMemory(reason) => Self::Unavailable { reason },
            LocalError::Panicked(message) => Self::Crashed { how: format!("panicked: {message}"), log: String::new() },
        }
    }
}

/// The most bytes of a compiler's message that are kept: it quotes names of the component.
const MESSAGE_BYTES: usize = 4 << 10;

/// Compiles here and now. Wasmtime counts panics of its compiler as bugs without security impact, so they happen.
pub(super) fn local(recipe: Recipe, wasm: &[u8]) -> Result<Vec<u8>, LocalError> {
    // Nothing that a panic could leave half changed is seen again: the engine is this call's own.
    let outcome = catch_unwind(AssertUnwindSafe(|| recipe.compiler()?.precompile_component(wasm)));
    match outcome {
        Ok(Ok(artifact)) => Ok(artifact),
        Ok(Err(error)) if error.is::<wasmtime::OutOfMemory>() => Err(LocalError::OutOfMemory(format!("{error:#}"))),
        Ok(Err(error)) => Err(LocalError::Refused(shortened(format!("{error:#}")))),
        Err(panic) => {
            let message = panic
                .downcast_ref::<&str>()
                .map(ToString::to_string)
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "without a message".into());
            Err(LocalError::Panicked(shortened(message)))
        }
    }
}

fn shortened(mut message: String) -> String {
    message.truncate(message.floor_char_boundary(MESSAGE_BYTES));
    message
}

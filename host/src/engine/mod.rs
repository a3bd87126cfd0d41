//! The engine: the only code that configures wasmtime, and the only code that makes native code.
//!
//! One engine serves every component and both sandboxes (`docs/decisions/0001-one-engine.md`). It knows bytes and
//! digests, nothing of manifests, policies or calls: whoever asks for code has approved the component before.

mod cache;
mod child;
mod compile;
mod config;
mod error;
mod native;
mod protocol;
mod settings;
mod shared;
mod ticker;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime::component::Component;

use self::{cache::Cache, compile::Compilers, shared::Flights, ticker::Ticker};
pub use self::{
    compile::{CodeOrigin, CompileStage, Tier},
    error::{CacheError, CompileError, CompileLimit, EngineError},
    settings::{Bounds, CacheLocation, CompileLimits, Compiler, EngineSettings, MAX_MEMORY_BYTES, MAX_SLOTS, Scaled},
};
pub(crate) use self::{
    ticker::Ticking,
    worker::{COMPILE, WORKER, bound_this_process, compile},
};

/// The most notices kept: a disk that stays full would otherwise add one per load.
const NOTICES: usize = 32;

/// How code is made where it is not in the cache.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// To run well and often. It is kept.
    Optimised {
        /// In bytes, over all modules.
        largest_body: u64,
    },
    /// To run soon. It is not kept: who comes next wants it optimised.
    Hasty,
}

/// Makes components runnable and lends out the room to run them.
pub(crate) struct Engine {
    wasmtime: wasmtime::Engine,
    compilers: Compilers,
    cache: Option<Arc<Cache>>,
    flights: Flights,
    /// For top-level calls, and for each level of calls below them.
    slots: [Arc<Semaphore>; 1 + Engine::NESTED_LEVELS],
    /// For reviews.
    reviews: Arc<Semaphore>,
    worker: Option<PathBuf>,
    trap_places: bool,
    haste: bool,
    ticker: Arc<Ticker>,
    notices: Mutex<Vec<String>>,
}

impl Engine {
    /// Elements in one table, at most: what the pool has room for.
    pub(crate) const TABLE_ELEMENTS: usize = config::TABLE_ELEMENTS;
    /// How deep calls of tools by tools may nest below a top-level call.
    pub(crate) const NESTED_LEVELS: usize = config::NESTED_LEVELS as usize;

    /// Reserves the pool, or falls back to allocation on demand with a notice; opens the cache, or goes without it,
    /// with a notice.
    ///
    /// # Errors
    ///
    /// Settings that cannot hold, all at once; a machine that cannot run wasm; a cache directory that is not safe.
    pub(crate) fn new(settings: EngineSettings) -> Result<Self, EngineError> {
        let problems = settings.problems();
        if !problems.is_empty() {
            return Err(EngineError::Settings { problems });
        }
        let (wasmtime, recipe, notice) =
            config::running(&settings).map_err(|error| EngineError::Configuration { reason: format!("{error:#}") })?;
        let mut notices = Vec::from_iter(notice);
        let identity = config::code_identity(&wasmtime);
        let cache = match &settings.cache {
            CacheLocation::Off => None,
            CacheLocation::Directory(path) => match Cache::open(path, identity, settings.cache_bytes) {
                Ok(cache) => Some(Arc::new(cache)),
                Err(error @ CacheError::Io { .. }) => {
                    notices.push(format!("{}; compiled code is not kept", chain(&error)));
                    None
                }
                Err(error) => return Err(error.into()),
            },
        };
        let ticker = Ticker::start(wasmtime.weak()).map_err(EngineError::Ticker)?;
        let slots = std::array::from_fn(|level| {
            let slots = if level == 0 { settings.slots } else { config::nested_slots(settings.slots) };
            Arc::new(Semaphore::new(slots as usize))
        });
        let reviews = Arc::new(Semaphore::new(config::review_slots(settings.slots) as usize));
        let worker = match &settings.compiler {
            Compiler::InProcess => None,
            Compiler::ChildProcess { program } => Some(program.clone()),
        };
        let compilers = Compilers::new(settings.compiler, settings.compile_limits, recipe, identity);
        let (trap_places, haste) = (settings.trap_places, settings.haste);
        let (flights, notices) = (Flights::new(), Mutex::new(notices));
        Ok(Self { wasmtime, compilers, cache, flights, slots, reviews, worker, trap_places, haste, ticker, notices })
    }

    /// A component ready to instantiate: from the cache, or compiled and then kept there.
    ///
    /// Tasks that ask for the same digest at the same time share one compile; when the one that does it is
    /// cancelled, another takes over. Dropping the future kills a compile worker that nobody else waits for.
    ///
    /// `sha256` is the digest of `wasm`: the caller vouches for it. `largest_body` is the size of the largest
    /// function body in bytes, over all modules: above 512 KiB the compiler does not optimise.
    ///
    /// # Errors
    ///
    /// See [`CompileError`]. The cache never causes one.
    pub(crate) async fn component(
        &self,
        wasm: Arc<[u8]>,
        sha256: [u8; 32],
        largest_body: u64,
        progress: impl Fn(CompileStage) + Send + Sync,
    ) -> Result<Component, CompileError> {
        let how = if self.haste { How::Hasty } else { How::Optimised { largest_body } };
        self.component_made(wasm, sha256, how, progress).await
    }

    /// [`Self::component`] for code that runs once or a few times: compiled plainly, and not kept.
    pub(crate) async fn hasty_component(
        &self,
        wasm: Arc<[u8]>,
        sha256: [u8; 32],
        progress: impl Fn(CompileStage) + Send + Sync,
    ) -> Result<Component, CompileError> {
        self.component_made(wasm, sha256, How::Hasty, progress).await
    }

    async fn component_made(
        &self,
        wasm: Arc<[u8]>,
        sha256: [u8; 32],
        how: How,
        progress: impl Fn(CompileStage) + Send + Sync,
    ) -> Result<Component, CompileError> {
        let load = || self.load_or_compile(&wasm, sha256, how, &progress);
        let (component, origin) = self.flights.join(sha256, load).await?;
        progress(CompileStage::Ready(origin));
        Ok(component)
    }

    async fn load_or_compile(
        &self,
        wasm: &Arc<[u8]>,
        sha256: [u8; 32],
        how: How,
        progress: &(dyn Fn(CompileStage) + Send + Sync),
    ) -> Result<(Component, CodeOrigin), CompileError> {
        if let Some(cache) = &self.cache {
            let (cache, engine) = (Arc::clone(cache), self.wasmtime.clone());
            let found = blocking(move || cache.load(&engine, sha256)).await?;
            if let Some(component) = found {
                return Ok((component, CodeOrigin::Cached));
            }
        }
        // Too large a body is compiled plainly.
        let largest_body = if let How::Optimised { largest_body } = how { largest_body } else { u64::MAX };
        let (code, tier) = self.compilers.compile(wasm, largest_body, progress).await?;
        let cache = self.cache.clone().filter(|_| how != How::Hasty);
        let engine = self.wasmtime.clone();
        let (component, kept) = blocking(move || {
            let component = native::load(&engine, native::Native::Fresh(&code))?;
            // Only what this engine loads is worth keeping.
            let kept = cache.map_or(Ok(()), |cache| cache.store(sha256, &code));
            Ok((component, kept))
        })
        .await?
        .map_err(|error: wasmtime::Error| CompileError::Load { reason: format!("{error:#}") })?;
        if let Err(error) = kept {
            self.note(chain(&error));
        }
        Ok((component, CodeOrigin::Compiled(tier)))
    }

    /// Room for one component instance. Waits, in order, while all slots of the level are taken; with it in hand,
    /// instantiation cannot find the pool full. Keep it until the store is dropped.
    ///
    /// Level 0 is for top-level calls, level 1 for the calls that these make of other tools, and so on down to
    /// [`Self::NESTED_LEVELS`]. A call keeps its slot while it waits for the next level's, and never waits for one of its
    /// own level or above: whoever holds a slot of the last level waits for none, so it ends and frees one, and so does
    /// then the level before. With one pool for all, calls that hold every slot could wait for each other.
    pub(crate) async fn slot(&self, level: usize) -> OwnedSemaphorePermit {
        Self::one_of(&self.slots[level]).await
    }

    /// Room for one reviewer's instance, beside every level: a call of any level waits for one with its own slot in hand,
    /// and whoever holds one waits for no other, since a reviewer calls nothing.
    pub(crate) async fn review_slot(&self) -> OwnedSemaphorePermit {
        Self::one_of(&self.reviews).await
    }

    async fn one_of(slots: &Arc<Semaphore>) -> OwnedSemaphorePermit {
        match Arc::clone(slots).acquire_owned().await {
            Ok(permit) => permit,
            Err(_closed) => unreachable!("the semaphore is never closed"),
        }
    }

    /// The program that is started where something has to be ended from outside, if the embedder named one.
    pub(crate) fn worker(&self) -> Option<&Path> {
        self.worker.as_deref()
    }

    /// The same, where places in the source are wanted of a trap.
    pub(crate) fn places(&self) -> Option<&Path> {
        self.worker().filter(|_| self.trap_places)
    }

    /// Guests are interruptible while the result lives. Hold one for the length of each call, and give its store
    /// `set_epoch_deadline(1)` and `epoch_deadline_async_yield_and_update(1)`: it then yields every [`TICK`](ticker::TICK), and a
    /// timeout around the call can end it there.
    pub(crate) fn ticking(&self) -> Ticking {
        self.ticker.ticking()
    }

    /// The engine itself, for stores and linkers.
    pub(crate) fn wasmtime(&self) -> &wasmtime::Engine {
        &self.wasmtime
    }

    /// What the operator should know: one line each, oldest first.
    pub(crate) fn notices(&self) -> Vec<String> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, notice: String) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if notices.len() < NOTICES && !notices.contains(&notice) {
            notices.push(notice);
        }
    }
}

/// Runs file and memory work where it does not hold up other tasks.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, CompileError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| CompileError::Unavailable { reason: format!("loading its code was interrupted: {error}") })
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        line = format!("{line}: {cause}");
        source = cause.source();
    }
    line
}

#[cfg(test)]
mod tests;

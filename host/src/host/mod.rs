//! From a file to tools that can be called: the stages before a call, in order.

mod describe;
mod guard;

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

pub use describe::DescribeError;

use crate::call::{ComponentReviewer, Deferred, NotLoaded, Projector, Toolset};
use crate::component::{Component, ComponentError, Digest, LoadLimits};
use crate::engine::{CacheLocation, CompileError, CompileLimit, CompileStage, Engine, EngineError, EngineSettings};
use crate::inspect::{InspectError, Inspected};
use crate::lock::{LockFile, LockFileError};
use crate::manifest::ComponentKind;
use crate::outcome::Code;
use crate::policy::{Approved, Denied, LimitName, Policy};
use crate::sandbox::http::Network;
use crate::sandbox::{LinkError, Linked, Machine, Program, ReviewProgram};

/// One engine with its pool of instances and its cache of compiled code. Cheap to clone; make one per process.
#[derive(Clone)]
pub struct Host {
    engine: Arc<Engine>,
    memory_bytes: u64,
    cache: Option<Arc<Path>>,
    lock: Option<Arc<LockFile>>,
    network: Option<Network>,
    /// What no tool may change, and what that is.
    kept_away: Arc<Vec<(PathBuf, &'static str)>>,
}

/// A component that did not become a [`Toolset`]. Each case belongs to one stage.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be opened.
    #[error("{}: {source}", .path.display())]
    Open {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The file is not the one that was listed.
    #[error("{} has changed since it was listed: it was {listed} and is {now}; list it again", .path.display())]
    Changed {
        /// Which file.
        path: PathBuf,
        /// What it was.
        listed: Digest,
        /// What it is.
        now: Digest,
    },
    /// The file is not a component, or too large.
    #[error(transparent)]
    Component(#[from] ComponentError),
    /// The component is not a tool component: every reason.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// It is a reviewer, and stands where a tool is meant.
    #[error(
        "{name} is a reviewer, not a tool: nobody calls it. It reads the results of calls: give it as --review FILE, or load \
         it with Host::load_reviewer"
    )]
    Reviewer {
        /// The component's name.
        name: String,
    },
    /// It is a tool, and stands where a reviewer is meant.
    #[error(
        "{name} is a tool, not a reviewer: it cannot look at results. Run it or serve it, or load it with Host::load"
    )]
    Tool {
        /// The component's name.
        name: String,
    },
    /// The policy does not let it run: every reason.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// In locked mode: it is not what was approved, or the lock file cannot be read.
    #[error(transparent)]
    Lock(#[from] LockFileError),
    /// The policy allows more memory than this host's pool has for one instance.
    #[error(
        "the policy allows memory-bytes = {asked} and this host has {most} for one instance; \
         lower the limit or raise EngineSettings::memory_bytes"
    )]
    Memory {
        /// What the policy allows.
        asked: u64,
        /// What the engine has.
        most: u64,
    },
    /// A granted directory would give the tool the code cache: its key, and with it native code in this process.
    #[error(
        "the granted directory {} and the code cache {} lie in one another; grant a narrower directory, or keep the \
         cache elsewhere (--cache DIR, --no-cache)", .mount.display(), .cache.display()
    )]
    Cache {
        /// What the policy grants.
        mount: PathBuf,
        /// Where compiled code is kept.
        cache: PathBuf,
    },
    /// A granted directory would let the tool change what it, or another tool, is granted.
    #[error(
        "the granted directory {} may be written to and holds {what} ({}): a tool could give itself more than it was \
         granted; grant a narrower directory, grant it read-only, or keep {what} elsewhere",
        .mount.display(), .path.display()
    )]
    Governs {
        /// What the policy grants.
        mount: PathBuf,
        /// What lies in it.
        path: PathBuf,
        /// What that is.
        what: &'static str,
    },
    /// It cannot be compiled, or not within the limits.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A granted directory cannot be opened, or an import does not fit.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// A thread of the host ended.
    #[error("the host failed: {0}")]
    Fault(String),
}

impl Host {
    /// Make an engine. Costs some milliseconds and, with the pool, a lot of address space but no memory.
    ///
    /// # Errors
    /// The settings contradict each other, or the cache's directory is not safe to use.
    pub fn new(settings: EngineSettings) -> Result<Self, EngineError> {
        let memory_bytes = settings.memory_bytes;
        let cache = match &settings.cache {
            CacheLocation::Off => None,
            CacheLocation::Directory(path) => Some(path.clone()),
        };
        let engine = Arc::new(Engine::new(settings)?);
        // The engine has made the directory, or does without it.
        let cache = cache.and_then(|path| path.canonicalize().ok()).map(Arc::from);
        Ok(Self { engine, memory_bytes, cache, lock: None, network: None, kept_away: Arc::default() })
    }

    /// Locked mode: from here on this host compiles only what the lock file approves, with the grants that were approved,
    /// and each call asks again. The check before a call reads the file's metadata, and the file only when it changed.
    #[must_use]
    pub fn locked_by(mut self, lock: LockFile) -> Self {
        self.lock = Some(Arc::new(lock));
        self
    }

    /// Refuse components whose grants let them change this file, or what lies in this directory: whoever can put a component
    /// where components are served from gives it the grants of its name. `what` says what it is: `the served directory`.
    #[must_use]
    pub fn keeping_away(mut self, path: impl Into<PathBuf>, what: &'static str) -> Self {
        Arc::make_mut(&mut self.kept_away).push((path.into(), what));
        self
    }

    /// The lock file, in locked mode.
    pub fn lock_path(&self) -> Option<&Path> {
        self.lock.as_deref().map(LockFile::path)
    }

    /// Find and trust servers in another way than the system's resolver and the authorities of the web.
    #[must_use]
    pub fn reaching_through(mut self, network: Network) -> Self {
        self.network = Some(network);
        self
    }

    /// What an operator should know: a fallback that was taken, a cache that cannot be written. One line each.
    pub fn notices(&self) -> Vec<String> {
        self.engine.notices()
    }

    /// Read, inspect, approve and compile a file.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub async fn load(&self, path: impl AsRef<Path>, policy: &Policy) -> Result<Toolset, LoadError> {
        let inspected = expect(ComponentKind::Tool, inspect(path.as_ref().to_owned()).await?)?;
        self.compile(policy.approve(inspected)?).await
    }

    /// Read, inspect, approve and compile a reviewer.
    ///
    /// # Errors
    /// As [`Self::load`]; [`LoadError::Tool`] where the component is none.
    pub async fn load_reviewer(&self, path: impl AsRef<Path>, policy: &Policy) -> Result<ComponentReviewer, LoadError> {
        let inspected = expect(ComponentKind::Reviewer, inspect(path.as_ref().to_owned()).await?)?;
        self.compile_reviewer(policy.approve(inspected)?).await
    }

    /// Read, inspect and approve a file, and compile it when one of its tools is first called. Until then only the manifest
    /// is kept; the file is then read again, and has to be the same.
    ///
    /// # Errors
    /// As [`Self::load`], but for those of compiling and linking.
    pub async fn list(&self, path: impl AsRef<Path>, policy: Arc<Policy>) -> Result<Deferred, LoadError> {
        let path = path.as_ref().to_owned();
        let approved = policy.approve(expect(ComponentKind::Tool, inspect(path.clone()).await?)?)?;
        self.check(&approved)?;
        let (host, listed) = (self.clone(), approved.inspected().digest());
        let load = move || {
            let (host, policy, path) = (host.clone(), policy.clone(), path.clone());
            async move {
                let inspected = inspect(path.clone()).await?;
                if inspected.digest() != listed {
                    return Err(LoadError::Changed { path, listed, now: inspected.digest() });
                }
                host.compile(policy.approve(inspected)?).await
            }
        };
        let load = Box::new(move || -> Pin<Box<dyn Future<Output = _> + Send>> {
            let load = load();
            Box::pin(async move { load.await.map_err(NotLoaded::from) })
        });
        Ok(Deferred::new(&approved, load))
    }

    /// Compile what was approved, or take it from the cache.
    ///
    /// # Errors
    /// [`LoadError::Reviewer`], [`LoadError::Lock`], [`LoadError::Memory`], [`LoadError::Cache`], [`LoadError::Governs`], [`LoadError::Compile`] or [`LoadError::Link`].
    pub async fn compile(&self, approved: Approved) -> Result<Toolset, LoadError> {
        self.compile_watched(approved, |_| ()).await
    }

    /// [`Self::compile`], telling what it is at.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub async fn compile_watched(
        &self,
        approved: Approved,
        watch: impl Fn(CompileStage) + Send + Sync,
    ) -> Result<Toolset, LoadError> {
        is(ComponentKind::Tool, approved.inspected())?;
        let program = self.linked::<Program>(approved, watch).await?;
        Ok(Toolset::new(self.engine.clone(), program, self.lock.clone()))
    }

    /// [`Self::compile`] for a reviewer.
    ///
    /// # Errors
    /// As [`Self::compile`], with [`LoadError::Tool`] in place of [`LoadError::Reviewer`].
    pub async fn compile_reviewer(&self, approved: Approved) -> Result<ComponentReviewer, LoadError> {
        is(ComponentKind::Reviewer, approved.inspected())?;
        let program = self.linked::<ReviewProgram>(approved, |_| ()).await?;
        Ok(ComponentReviewer::new(self.engine.clone(), program, self.lock.clone()))
    }

    /// Read, inspect and compile a component for its projectors alone: nothing is granted, and `execute` cannot be called. No
    /// policy is asked, and no lock.
    ///
    /// # Errors
    /// As [`Self::load`], but for what a policy or a lock refuses.
    pub async fn load_projector(&self, path: impl AsRef<Path>) -> Result<Projector, LoadError> {
        let inspected = expect(ComponentKind::Tool, inspect(path.as_ref().to_owned()).await?)?;
        let host = Self { lock: None, ..self.clone() };
        let approved = Approved::for_projecting(inspected, self.memory_bytes);
        Ok(Projector::new(host.compile(approved).await?))
    }

    /// Code, and what of the machine it is linked to.
    async fn linked<P: Linked>(
        &self,
        approved: Approved,
        watch: impl Fn(CompileStage) + Send + Sync,
    ) -> Result<P, LoadError> {
        self.check(&approved)?;
        let component = approved.inspected().component();
        let (bytes, digest) = (component.shared_bytes(), *component.digest().as_bytes());
        let code = if P::ONCE {
            self.engine.hasty_component(bytes, digest, watch).await?
        } else {
            self.engine.component(bytes, digest, approved.inspected().shape().largest_body, watch).await?
        };
        // Opens directories, which may hang where they are remote.
        let (engine, network) = (self.engine.clone(), self.network.clone());
        let link = move || {
            let machine = Machine { worker: engine.worker(), places: engine.places(), network };
            P::link(engine.wasmtime(), machine, &code, approved)
        };
        let program = tokio::task::spawn_blocking(link);
        Ok(program.await.map_err(|error| LoadError::Fault(error.to_string()))??)
    }

    /// Whether what was approved may run here.
    fn check(&self, approved: &Approved) -> Result<(), LoadError> {
        if let Some(lock) = &self.lock {
            lock.check(approved)?;
        }
        let asked = approved.limits().value(LimitName::Memory);
        if asked > self.memory_bytes {
            return Err(LoadError::Memory { asked, most: self.memory_bytes });
        }
        guard::check(approved, self.cache.as_deref(), self.lock.as_deref(), self.engine.worker(), &self.kept_away)
    }
}

/// Whether it is what is meant: otherwise the operator reads what it is and where it belongs, before anything of grants.
fn is(meant: ComponentKind, inspected: &Inspected) -> Result<(), LoadError> {
    let name = || inspected.manifest().name.clone();
    match inspected.kind() {
        kind if kind == meant => Ok(()),
        ComponentKind::Reviewer => Err(LoadError::Reviewer { name: name() }),
        ComponentKind::Tool => Err(LoadError::Tool { name: name() }),
    }
}

fn expect(meant: ComponentKind, inspected: Inspected) -> Result<Inspected, LoadError> {
    is(meant, &inspected).map(|()| inspected)
}

impl From<LoadError> for NotLoaded {
    fn from(error: LoadError) -> Self {
        let code = match &error {
            LoadError::Compile(CompileError::Refused { .. } | CompileError::Limit { .. }) => Code::Denied,
            LoadError::Open { .. } | LoadError::Link(_) | LoadError::Fault(_) | LoadError::Compile(_) => {
                Code::HostFault
            }
            _ => Code::Denied,
        };
        // An operator can mend all others without a new component, and a compiler that a busy machine did not let finish
        // may finish the next time.
        let lasting = match &error {
            LoadError::Compile(CompileError::Limit { limit, .. }) => *limit != CompileLimit::Wall,
            LoadError::Compile(CompileError::Refused { .. }) => true,
            _ => false,
        };
        Self { code, cause: error.to_string(), lasting }
    }
}

/// Read and inspect a file, away from the threads that serve calls: it costs up to tens of milliseconds.
///
/// # Errors
/// [`LoadError::Open`], [`LoadError::Component`] or [`LoadError::Inspect`].
pub async fn inspect(path: PathBuf) -> Result<Inspected, LoadError> {
    let work = move || {
        #[expect(
            clippy::disallowed_methods,
            reason = "the caller names the component's file; it is read through a cap"
        )]
        let file = std::fs::File::open(&path);
        let file = file.map_err(|source| LoadError::Open { path, source })?;
        let component = Component::read(file, &LoadLimits::standard())?;
        Ok(Inspected::of(component)?)
    };
    tokio::task::spawn_blocking(work).await.map_err(|error| LoadError::Fault(error.to_string()))?
}

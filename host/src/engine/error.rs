//! What can go wrong in the engine: making it, making code, keeping code.

use std::{fmt, io, path::PathBuf, sync::Arc};

use super::compile::Tier;

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// Settings that cannot hold.
    #[error("engine settings: {}", problems.join("; "))]
    Settings {
        /// One line each.
        problems: Vec<String>,
    },
    /// Wasmtime refused the configuration: this processor or system lacks something.
    #[error("this machine cannot run WebAssembly as configured: {reason}")]
    Configuration {
        /// Wasmtime's reasons.
        reason: String,
    },
    /// The thread that keeps guests interruptible could not start.
    #[error("cannot start the thread that interrupts guests")]
    Ticker(#[source] io::Error),
    /// The code cache is not safe to use.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

/// Why a directory may not hold native code.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// Somebody else could put code there.
    #[error("code cache `{}`: `{}` {fault}; {remedy}", directory.display(), at.display())]
    Unsafe {
        /// The directory asked for.
        directory: PathBuf,
        /// The part of its path at fault.
        at: PathBuf,
        /// What is wrong with it.
        fault: String,
        /// What to do.
        remedy: &'static str,
    },
    /// It cannot be made, opened or written. The host works without it.
    #[error("code cache `{}`: cannot {action}", directory.display())]
    Io {
        /// The directory asked for.
        directory: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// A limit that a compile met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompileLimit {
    /// `wall_ms`.
    Wall,
    /// `cpu_seconds`.
    Cpu,
    /// `address_space_bytes`.
    AddressSpace,
    /// `artifact_bytes`.
    Artifact,
}

impl fmt::Display for CompileLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wall => "wall_ms",
            Self::Cpu => "cpu_seconds",
            Self::AddressSpace => "address_space_bytes",
            Self::Artifact => "artifact_bytes",
        })
    }
}

/// Why there is no native code for a component. Cheap to clone: all who wait for one compile get the same answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// Not a component this engine accepts.
    #[error("the compiler refused the component: {reason}")]
    Refused {
        /// The compiler's reasons, at most a few KiB.
        reason: String,
    },
    /// A limit of [`CompileLimits`](super::CompileLimits) was met; so was it by the cheaper attempt, if `tier` says so.
    #[error("compiling the component ({tier}) exceeded {limit} = {allowed}: {used}")]
    Limit {
        /// Which limit.
        limit: CompileLimit,
        /// Its value for this component, in the limit's unit.
        allowed: u64,
        /// What was seen when it was met.
        used: String,
        /// How hard the last attempt optimised.
        tier: Tier,
    },
    /// The compiler itself died or panicked.
    #[error("the compiler {how}")]
    Crashed {
        /// The signal or panic.
        how: String,
        /// What it wrote to standard error, at most 8 KiB, for the operator.
        log: String,
    },
    /// The compile worker could not be started.
    #[error("cannot start the compile worker `{}`", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system said.
        #[source]
        source: Arc<io::Error>,
    },
    /// The program does not speak the protocol of compile workers.
    #[error("`{}` is no compile worker of this host: {fault}", program.display())]
    Protocol {
        /// The program.
        program: PathBuf,
        /// What it did.
        fault: String,
        /// What it wrote to standard error, at most 8 KiB, for the operator.
        log: String,
    },
    /// The engine does not accept the code that was made: a fault of this host.
    #[error("the engine refused its own code: {reason}")]
    Load {
        /// Wasmtime's reasons.
        reason: String,
    },
    /// The host is out of threads or shutting down.
    #[error("the host cannot compile now: {reason}")]
    Unavailable {
        /// What was missing.
        reason: String,
    },
}

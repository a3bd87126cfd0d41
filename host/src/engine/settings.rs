//! What an embedder may choose about the engine. Every value is explicit: [`EngineSettings::standard`] is a
//! starting point to change field by field, not a `Default` that code falls into.

use std::path::PathBuf;

/// How guest memory accesses are kept inside their memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// A compare before each access. No system call per call and no signal handler; Spectre-safe. Costs guest
    /// compute 3 % (Rust, Python) to 19 % (JavaScript), and wins 5 to 25 times per call under threads.
    Explicit,
    /// Guard pages and a SIGSEGV handler. Fastest guest compute; each memory growth is an `mprotect`, which
    /// interrupts every core that runs this process.
    Virtual,
}

/// Where native code is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// In this process. A hostile component can hold a core for minutes and allocate gigabytes: only for
    /// components that are trusted. Of [`CompileLimits`] only `wall_ms` and `artifact_bytes` hold, and a compile
    /// that is given up on keeps running until it ends by itself.
    InProcess,
    /// In a child process, under every one of [`CompileLimits`], killed when it is no longer wanted.
    ChildProcess {
        /// Absolute path of a program whose `main` begins with a call of `fumehood::worker_main`. The `fumehood`
        /// binary does. The same program supervises the programs that tools run.
        program: PathBuf,
    },
}

/// Where compiled code is kept between runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheLocation {
    /// Nowhere: each host compiles anew.
    Off,
    /// In a directory of this host's alone, made with mode 0700 if missing. Refused when somebody else could put
    /// a file there.
    Directory(PathBuf),
}

/// A limit that grows with the component: `base + per_mib * size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaled {
    /// The amount for an empty component.
    pub base: u64,
    /// What each MiB (2^20 bytes) of component adds, in proportion for parts of a MiB.
    pub per_mib: u64,
}

impl Scaled {
    /// The limit for a component of `bytes` bytes, rounded up.
    pub fn for_size(self, bytes: u64) -> u64 {
        let scaled = (u128::from(self.per_mib) * u128::from(bytes)).div_ceil(1 << 20);
        self.base.saturating_add(u64::try_from(scaled).unwrap_or(u64::MAX))
    }
}

/// What one compile may use. Each attempt (optimised, then plain) has the whole of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileLimits {
    /// Time on the wall, in milliseconds, without the wait for a free compiler.
    pub wall_ms: Scaled,
    /// Processor time over all threads, in seconds (`RLIMIT_CPU`).
    pub cpu_seconds: Scaled,
    /// Address space, in bytes (`RLIMIT_AS`).
    pub address_space_bytes: Scaled,
    /// Size of the native code with its tables, in bytes.
    pub artifact_bytes: Scaled,
}

impl CompileLimits {
    /// Roomy for honest components, short for compile bombs.
    ///
    /// Measured on two cores, optimised: 60 KB of Rust 0.07 s; 12 MB of JavaScript 13 s and 350 MB; 18 MB of Python
    /// 16 s and 335 MB. Their code is 2 to 4 times the component. A 577 KB bomb would take 89 s, a 2 MB one 2.6 GB.
    pub const fn standard() -> Self {
        Self {
            // Six times the processor time: on a machine that a dozen others keep busy, an honest component must
            // still pass. What a bomb costs is the next line.
            wall_ms: Scaled { base: 60_000, per_mib: 36_000 },
            // 14 MB of JavaScript took 49 s on two busy cores, 18 MB of Python 42 s: they get 93 s and 116 s, twice as much.
            cpu_seconds: Scaled { base: 10, per_mib: 6 },
            // 1 GiB covers program, thread stacks and allocator reservations; the rest is twice the peak above.
            address_space_bytes: Scaled { base: 1 << 30, per_mib: 64 << 20 },
            // Small components carry fixed tables; 16 times is four times the worst ratio above.
            artifact_bytes: Scaled { base: 16 << 20, per_mib: 16 << 20 },
        }
    }
}

/// How an engine is set up. One engine serves every component and both sandboxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSettings {
    /// How memory accesses are checked.
    pub bounds: Bounds,
    /// How many calls may run at once, 1 to [`MAX_SLOTS`]; a further one waits. One call holds one instance at a time.
    /// For the calls that tools make of other tools there is half as much room again, set apart, and as much for
    /// reviews.
    pub slots: u32,
    /// The largest linear memory any policy may allow, in bytes: 1 to [`MAX_MEMORY_BYTES`].
    pub memory_bytes: u64,
    /// Where native code is made.
    pub compiler: Compiler,
    /// What one compile may use.
    pub compile_limits: CompileLimits,
    /// Where compiled code is kept.
    pub cache: CacheLocation,
    /// The most bytes the code cache may hold; the least recently used entries make room.
    pub cache_bytes: u64,
    /// Whether the frames of a trap get their places in the source, where a component has debug information. It is read by a
    /// process of [`Compiler::ChildProcess`]'s program, one a trap: for whoever writes tools, and not for whoever serves them.
    /// Without such a program there are names alone.
    pub trap_places: bool,
    /// Compile plainly, and keep nothing of it: for components that change faster than they are called. Their code is there in
    /// half of the time, and up to 15 % slower.
    pub haste: bool,
}

/// The most slots: each reserves eight memories of 4 GiB, and 1000 of them with the room for nested calls and
/// reviews use half of the 128 TiB that a process can address.
pub const MAX_SLOTS: u32 = 1_000;

/// The largest linear memory of 32-bit wasm.
pub const MAX_MEMORY_BYTES: u64 = 4 << 30;

impl EngineSettings {
    /// Explicit bounds, 64 slots, 512 MiB memories, compiled by `compiler` under [`CompileLimits::standard`], code
    /// kept in at most 2 GiB at `cache`, no places of traps, no haste.
    ///
    /// 64 slots is far more than the cores of most hosts and reserves 4 TiB of address space (no memory). 512 MiB is
    /// what Python components ask for. 2 GiB holds about fifty of the largest components.
    pub fn standard(compiler: Compiler, cache: CacheLocation) -> Self {
        Self {
            bounds: Bounds::Explicit,
            slots: 64,
            memory_bytes: 512 << 20,
            compiler,
            compile_limits: CompileLimits::standard(),
            cache,
            cache_bytes: 2 << 30,
            trap_places: false,
            haste: false,
        }
    }

    /// All that is wrong with these settings; empty when nothing is.
    pub(super) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if !(1..=MAX_SLOTS).contains(&self.slots) {
            problems.push(format!("slots is {}; write 1 to {MAX_SLOTS}", self.slots));
        }
        if !(1..=MAX_MEMORY_BYTES).contains(&self.memory_bytes) {
            problems.push(format!("memory_bytes is {}; write 1 to {MAX_MEMORY_BYTES}", self.memory_bytes));
        }
        if let Compiler::ChildProcess { program } = &self.compiler
            && !program.is_absolute()
        {
            problems.push(format!("compiler program `{}` is not an absolute path", program.display()));
        }
        if let CacheLocation::Directory(path) = &self.cache
            && !path.is_absolute()
        {
            problems.push(format!("cache directory `{}` is not an absolute path", path.display()));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: impl FnOnce(&mut EngineSettings), expect: &[&str]) {
        let mut settings = EngineSettings::standard(Compiler::InProcess, CacheLocation::Off);
        change(&mut settings);
        let problems = settings.problems();
        assert_eq!(problems.len(), expect.len(), "{problems:?}");
        for (problem, part) in problems.iter().zip(expect) {
            assert!(problem.contains(part), "{problem} lacks {part}");
        }
    }

    #[test]
    fn every_problem_is_named_at_once() {
        check(|_| (), &[]);
        check(|s| s.slots = 0, &["slots is 0"]);
        check(
            |s| {
                s.slots = MAX_SLOTS + 1;
                s.memory_bytes = MAX_MEMORY_BYTES + 1;
                s.compiler = Compiler::ChildProcess { program: "fumehood".into() };
                s.cache = CacheLocation::Directory("cache".into());
            },
            &["slots is 1001", "memory_bytes is 4294967297", "`fumehood` is not", "`cache` is not"],
        );
    }

    #[test]
    fn limits_scale_and_round_up() {
        let limit = Scaled { base: 5, per_mib: 2 };
        assert_eq!(limit.for_size(0), 5);
        assert_eq!(limit.for_size(1), 6);
        assert_eq!(limit.for_size(3 << 20), 11);
        assert_eq!(Scaled { base: u64::MAX, per_mib: u64::MAX }.for_size(u64::MAX), u64::MAX);
    }
}

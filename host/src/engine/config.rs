//! The only place that configures wasmtime.

use std::{
    hash::{Hash, Hasher},
    num::NonZeroUsize,
};

use sha2::{Digest, Sha256};
use wasmtime::{
    Config, Enabled, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig, WasmBacktraceDetails, WasmFeatures,
};

use super::{
    compile::Tier,
    settings::{Bounds, EngineSettings},
};

/// Core instances in one component instance, fused adapters included. A Python component holds 14 modules.
pub(super) const CORE_INSTANCES: u32 = 64;
/// Linear memories in one component instance. Components of every toolchain seen have one; composed ones a few.
pub(super) const MEMORIES: u32 = 8;
/// Tables in one component instance.
pub(super) const TABLES: u32 = 32;
/// How deep calls of tools by tools may nest below a top-level call. Each level has room of its own.
pub(super) const NESTED_LEVELS: u32 = 4;
/// Elements in one table. The largest seen is 7 688 (JavaScript).
pub(super) const TABLE_ELEMENTS: usize = 20_000;
/// Stack of guest code, in bytes: recursive parsers of interpreted guests fail at 512 KiB with 3000 levels.
const WASM_STACK: usize = 2 << 20;
/// Stack of a whole call, in bytes: guest code plus as much again for host functions.
const CALL_STACK: usize = 4 << 20;

/// The accepted features, a closed list: what a later wasmtime turns on by itself stays off here.
/// `multi_memory` must stay: without it wasmtime 48 panics on components with fused adapters.
const FEATURES: WasmFeatures = WasmFeatures::MUTABLE_GLOBAL
    .union(WasmFeatures::SATURATING_FLOAT_TO_INT)
    .union(WasmFeatures::SIGN_EXTENSION)
    .union(WasmFeatures::REFERENCE_TYPES)
    .union(WasmFeatures::MULTI_VALUE)
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::SIMD)
    .union(WasmFeatures::FLOATS)
    .union(WasmFeatures::MULTI_MEMORY)
    .union(WasmFeatures::EXTENDED_CONST)
    .union(WasmFeatures::COMPONENT_MODEL);

/// All that decides which native code comes out for a component. Two engines of one recipe load each other's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recipe {
    pub(super) bounds: Bounds,
    /// Memories reserve no address space ahead: for machines that cannot reserve a pool.
    pub(super) frugal: bool,
    pub(super) tier: Tier,
}

impl Recipe {
    /// An engine that can compile but is not meant to run anything: it reserves nothing.
    pub(super) fn compiler(self) -> wasmtime::Result<wasmtime::Engine> {
        wasmtime::Engine::new(&self.config())
    }

    fn config(self) -> Config {
        let mut config = Config::new();
        config
            .wasm_features(WasmFeatures::all().difference(FEATURES), false)
            .wasm_features(FEATURES, true)
            // No component-model async: its code is the newest and had the most memory faults of 2026.
            .concurrency_support(false)
            // Fuel is the budget of projectors: the same on every machine. Epochs let a busy guest yield.
            .consume_fuel(true)
            .epoch_interruption(true)
            .cranelift_nan_canonicalization(true)
            .max_wasm_stack(WASM_STACK)
            .async_stack_size(CALL_STACK)
            // Stacks are reused between guests, and compiled wasm never reads a slot it has not written. Zeroing them
            // is an madvise for each call, which interrupts every core of the process (docs/decisions/0002).
            .async_stack_zeroing(false)
            .memory_init_cow(true)
            .generate_address_map(true)
            // Wasmtime would read debug information in this process, and an environment variable would make it; see
            // docs/decisions/0015.
            .wasm_backtrace_details(WasmBacktraceDetails::Disable)
            // Enough to find the fault; a deep recursion must not fill the log.
            .wasm_backtrace_max_frames(NonZeroUsize::new(20))
            .cranelift_opt_level(match self.tier {
                Tier::Optimised => OptLevel::Speed,
                Tier::Plain => OptLevel::None,
            });
        if self.bounds == Bounds::Explicit {
            config.signals_based_traps(false).memory_guard_size(0);
        }
        if self.frugal {
            // 1 MiB of room after a memory that had to move, against moving it again at each page.
            config.memory_reservation(0).memory_reservation_for_growth(1 << 20);
        }
        config
    }
}

/// The engine that runs guests, from a pool where one can be reserved, and what the operator should know.
pub(super) fn running(settings: &EngineSettings) -> wasmtime::Result<(wasmtime::Engine, Recipe, Option<String>)> {
    let recipe = Recipe { bounds: settings.bounds, frugal: false, tier: Tier::Optimised };
    let mut config = recipe.config();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(settings)));
    let refusal = match wasmtime::Engine::new(&config) {
        Ok(engine) => return Ok((engine, recipe, None)),
        Err(error) => error,
    };
    // Without address space to reserve, guard pages cannot replace checks.
    let recipe = Recipe { bounds: Bounds::Explicit, frugal: true, tier: Tier::Optimised };
    let notice = format!(
        "no pool of {} instances could be reserved ({refusal:#}); memory is allocated call by call with explicit bounds \
         checks, which is slower: lower `slots` or lift the address space limit (ulimit -v)",
        settings.slots
    );
    Ok((recipe.compiler()?, recipe, Some(notice)))
}

/// Room at each level of nesting. Few calls nest: an eighth of the top-level calls may do so at once, and the rest wait.
pub(super) const fn nested_slots(slots: u32) -> u32 {
    slots.div_ceil(8)
}

/// Room for reviews: half of the top-level calls may be in one at a time. A review lasts as long as one more projector, or
/// as long as it waits for what it was granted; the rest wait.
pub(super) const fn review_slots(slots: u32) -> u32 {
    slots.div_ceil(2)
}

/// Room for `slots` component instances, those of nested calls and those of reviews, each as large as a component may be:
/// with a slot in hand, no instantiation finds the pool full.
fn pool(settings: &EngineSettings) -> PoolingAllocationConfig {
    let instances = settings.slots + NESTED_LEVELS * nested_slots(settings.slots) + review_slots(settings.slots);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(instances)
        .total_core_instances(instances * CORE_INSTANCES)
        .total_memories(instances * MEMORIES)
        .total_tables(instances * TABLES)
        .total_stacks(instances)
        .max_core_instances_per_component(CORE_INSTANCES)
        .max_memories_per_component(MEMORIES)
        .max_tables_per_component(TABLES)
        .max_memories_per_module(MEMORIES)
        .max_tables_per_module(TABLES)
        .table_elements(TABLE_ELEMENTS)
        .max_memory_size(usize::try_from(settings.memory_bytes).unwrap_or(usize::MAX))
        // What stays resident in a free slot is zeroed by hand instead of returned to the system: the first 256 KiB
        // hold what small guests touch. Resident memory is at most slots times these. More would be a burden: what one
        // large call has touched stays resident, and every call after it in that slot zeroes it again.
        .linear_memory_keep_resident(256 << 10)
        .table_keep_resident(64 << 10)
        .async_stack_keep_resident(64 << 10)
        // Asks the system which pages are there and are not the image's (Linux 6.7), and zeroes only those.
        .pagemap_scan(Enabled::Auto);
    pool
}

/// Names the code an engine makes and loads: wasmtime's version and settings, the processor, and this host's version.
pub(super) fn code_identity(engine: &wasmtime::Engine) -> [u8; 32] {
    struct Feed(Sha256);
    impl Hasher for Feed {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        /// Not used: the digest is taken whole.
        fn finish(&self) -> u64 {
            0
        }
    }
    let mut feed = Feed(Sha256::new_with_prefix(concat!("fumehood ", env!("CARGO_PKG_VERSION"), "\0")));
    engine.precompile_compatibility_hash().hash(&mut feed);
    feed.0.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: Recipe = Recipe { bounds: Bounds::Explicit, frugal: false, tier: Tier::Optimised };

    fn identity(recipe: Recipe) -> [u8; 32] {
        code_identity(&recipe.compiler().unwrap())
    }

    #[test]
    fn identity_tells_every_recipe_apart() {
        assert_eq!(identity(RECIPE), identity(RECIPE));
        assert_ne!(identity(RECIPE), identity(Recipe { bounds: Bounds::Virtual, ..RECIPE }));
        assert_ne!(identity(RECIPE), identity(Recipe { frugal: true, ..RECIPE }));
        assert_ne!(identity(RECIPE), identity(Recipe { tier: Tier::Plain, ..RECIPE }));
    }

    /// One test for the whole list: a feature is accepted or refused by compiling a module that needs it.
    fn accepted(wat: &str) -> bool {
        let wasm = wat::parse_str(format!("(component (core module {wat}))")).unwrap();
        RECIPE.compiler().unwrap().precompile_component(&wasm).is_ok()
    }

    #[test]
    fn features_are_the_closed_list() {
        for on in [
            "(memory 1) (memory 1)",
            "(func (result v128) (v128.const i64x2 0 0))",
            "(memory 1) (func (memory.fill (i32.const 0) (i32.const 0) (i32.const 0)))",
            "(table 1 funcref) (table 1 funcref)",
            "(func (result i32 i32) i32.const 0 i32.const 0)",
            "(global i32 (i32.add (i32.const 1) (i32.const 2)))",
        ] {
            assert!(accepted(on), "{on} must be accepted");
        }
        for off in [
            "(memory i64 1)",
            "(memory 1 1 shared)",
            "(memory 1 (pagesize 1))",
            "(func $f (return_call $f))",
            // Needs the collector.
            "(table 1 externref)",
            "(type (struct))",
            "(tag)",
            "(func (param v128) (result v128) (i32x4.relaxed_trunc_f32x4_s (local.get 0)))",
            "(func (param i64 i64 i64 i64) (result i64 i64) (i64.add128 (local.get 0) (local.get 1) (local.get 2) (local.get 3)))",
        ] {
            assert!(!accepted(off), "{off} must be refused");
        }
    }
}

//! The thread that lets a busy guest be interrupted: it moves the engine's epoch on every [`TICK`] while calls run.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use wasmtime::EngineWeak;

/// How often a busy guest hands its thread back, and so how late a timeout can be noticed.
pub(super) const TICK: Duration = Duration::from_millis(1);

/// Ticks without a call after which the thread sleeps until the next one: 100 ms, longer than the gaps of a busy
/// host, short enough that an idle one wakes no processor.
const IDLE_TICKS: u32 = 100;

struct Shared {
    calls: AtomicUsize,
    asleep: AtomicBool,
    stop: AtomicBool,
}

/// Lives as long as its engine or any [`Ticking`].
pub(super) struct Ticker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    pub(super) fn start(engine: EngineWeak) -> io::Result<Arc<Self>> {
        let shared = Arc::new(Shared {
            calls: AtomicUsize::new(0),
            asleep: AtomicBool::new(false),
            stop: AtomicBool::new(false),
        });
        let seen = Arc::clone(&shared);
        let thread = thread::Builder::new().name("fumehood-epoch".into()).spawn(move || run(&engine, &seen))?;
        Ok(Arc::new(Self { shared, thread: Some(thread) }))
    }

    /// Epochs advance until the result is dropped. Costs an atomic add while others run.
    pub(super) fn ticking(self: &Arc<Self>) -> Ticking {
        self.shared.calls.fetch_add(1, SeqCst);
        // Sequentially consistent with the other side's store and re-check: one of the two sees the other.
        if self.shared.asleep.load(SeqCst) {
            self.wake();
        }
        Ticking { ticker: Arc::clone(self) }
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.stop.store(true, SeqCst);
        self.wake();
        if let Some(thread) = self.thread.take() {
            // It can only have ended: it neither panics nor blocks on anything but us.
            let _ended = thread.join();
        }
    }
}

/// While this exists, guests of the engine are interruptible. Hold one for the length of each call.
#[must_use]
pub(crate) struct Ticking {
    ticker: Arc<Ticker>,
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.ticker.shared.calls.fetch_sub(1, SeqCst);
    }
}

fn run(engine: &EngineWeak, shared: &Shared) {
    let mut idle = 0;
    while !shared.stop.load(SeqCst) {
        thread::park_timeout(TICK);
        let Some(engine) = engine.upgrade() else { return };
        engine.increment_epoch();
        drop(engine);
        idle = if shared.calls.load(SeqCst) == 0 { idle + 1 } else { 0 };
        if idle >= IDLE_TICKS {
            shared.asleep.store(true, SeqCst);
            while shared.calls.load(SeqCst) == 0 && !shared.stop.load(SeqCst) {
                thread::park();
            }
            shared.asleep.store(false, SeqCst);
            idle = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// Far more than a loaded machine needs for any of these, so that a failure is no accident.
    const SOON: Duration = Duration::from_secs(60);

    fn wait_for(what: &str, mut seen: impl FnMut() -> bool) {
        let start = Instant::now();
        while !seen() {
            assert!(start.elapsed() < SOON, "waited {SOON:?} for {what}");
            thread::yield_now();
        }
    }

    /// A guest that runs until the epoch moves: it traps then.
    fn epoch_moves(engine: &wasmtime::Engine) {
        let wasm = wat::parse_str("(module (func (export \"spin\") (loop $l (br $l))))").unwrap();
        let module = wasmtime::Module::from_binary(engine, &wasm).unwrap();
        let mut store = wasmtime::Store::new(engine, ());
        store.set_epoch_deadline(1);
        let instance = wasmtime::Instance::new(&mut store, &module, &[]).unwrap();
        let spin = instance.get_typed_func::<(), ()>(&mut store, "spin").unwrap();
        let error = spin.call(&mut store, ()).unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&wasmtime::Trap::Interrupt));
    }

    #[test]
    fn sleeps_when_idle_and_wakes_for_the_next_call() {
        let engine = wasmtime::Engine::new(wasmtime::Config::new().epoch_interruption(true)).unwrap();
        let ticker = Ticker::start(engine.weak()).unwrap();
        for _round in 0..2 {
            let call = ticker.ticking();
            epoch_moves(&engine);
            drop(call);
            wait_for("sleep", || ticker.shared.asleep.load(SeqCst));
        }
    }

    #[test]
    fn outlives_its_engine_handle_only_for_a_call() {
        let engine = wasmtime::Engine::new(wasmtime::Config::new().epoch_interruption(true)).unwrap();
        let ticker = Ticker::start(engine.weak()).unwrap();
        let shared = Arc::clone(&ticker.shared);
        let call = ticker.ticking();
        drop(ticker);
        epoch_moves(&engine);
        drop(call);
        // The thread was joined, and its handle is gone with it.
        assert_eq!(Arc::strong_count(&shared), 1);
    }
}

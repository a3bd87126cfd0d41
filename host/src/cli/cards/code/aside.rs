//! Work that cannot be interrupted, done aside, and waited for no longer than agreed.
//!
//! A grammar is a set of regular expressions, and one line can keep one of them busy for minutes. Nothing stops it from
//! outside; so it runs on a thread of its own. At most one such thread runs at a time, and the process does not wait for it
//! when it ends.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Busy,
    /// Busy longer than someone had time: nobody waits for it any more.
    Overdue,
}

/// Where such work is done.
pub(super) struct Aside {
    state: Mutex<State>,
    freed: Condvar,
}

impl Aside {
    pub(super) const fn new() -> Self {
        Self { state: Mutex::new(State::Free), freed: Condvar::new() }
    }

    /// What `work` gives until then. Giving is answered by `None` when nobody takes it any more: then it should end.
    pub(super) fn collect<T: Send + 'static>(
        &'static self,
        until: Instant,
        work: impl FnOnce(&dyn Fn(T) -> Option<()>) + Send + 'static,
    ) -> Vec<T> {
        if !self.begin(until) {
            return Vec::new();
        }
        // A few ahead, so that neither waits for the other each time.
        let (sender, receiver) = sync_channel(64);
        let thread = std::thread::Builder::new().name("highlight".to_owned()).spawn(move || {
            let _end = End(self);
            work(&|one| sender.send(one).ok());
        });
        match thread {
            Ok(_) => self.take(&receiver, until),
            Err(_) => {
                drop(End(self));
                Vec::new()
            }
        }
    }

    fn take<T>(&self, receiver: &Receiver<T>, until: Instant) -> Vec<T> {
        let mut taken = Vec::new();
        loop {
            match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(one) => taken.push(one),
                Err(RecvTimeoutError::Disconnected) => return taken,
                Err(RecvTimeoutError::Timeout) => {
                    let mut state = self.state();
                    if *state == State::Busy {
                        *state = State::Overdue;
                    }
                    return taken;
                }
            }
        }
    }

    /// Wait for the thread before to end, but not for one that was waited for in vain.
    fn begin(&self, until: Instant) -> bool {
        let left = until.saturating_duration_since(Instant::now());
        let busy = |state: &mut State| *state == State::Busy;
        let waited = self.freed.wait_timeout_while(self.state(), left, busy);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let free = *state == State::Free;
        if free {
            *state = State::Busy;
        }
        free
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a thread, also by a panic.
struct End(&'static Aside);

impl Drop for End {
    fn drop(&mut self) {
        *self.0.state() = State::Free;
        self.0.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    fn later() -> Instant {
        Instant::now() + Duration::from_secs(600)
    }

    #[test]
    fn what_is_given_in_time_is_taken() {
        static ASIDE: Aside = Aside::new();
        for _ in 0..3 {
            let given = ASIDE.collect(later(), |give| (0..1_000).map_while(give).for_each(drop));
            assert_eq!(given.len(), 1_000);
        }
    }

    #[test]
    fn a_panic_ends_what_is_given_and_nothing_else() {
        static ASIDE: Aside = Aside::new();
        let given = ASIDE.collect(later(), |give| {
            give(1);
            std::panic::resume_unwind(Box::new("a grammar"));
        });
        assert_eq!(given, [1]);
        assert_eq!(ASIDE.collect(later(), |give| _ = give(2)), [2]);
    }

    #[test]
    fn nobody_waits_for_work_that_does_not_end() {
        static ASIDE: Aside = Aside::new();
        let (release, released) = channel::<()>();
        let given = ASIDE.collect(Instant::now(), move |give| {
            let _ = released.recv();
            give(1);
        });
        assert!(given.is_empty());
        // It is still at work, and will be: however much time there is, nothing is waited for.
        assert!(ASIDE.collect(later(), |give| _ = give(2)).is_empty());
        drop(release);
        let ended = ASIDE.freed.wait_while(ASIDE.state(), |state| *state != State::Free);
        drop(ended.expect("nothing panics with the lock"));
        assert_eq!(ASIDE.collect(later(), |give| _ = give(3)), [3]);
    }
}

//! The host's hold on a supervisor: whatever the program did to it, it ends, and what it supervised ends with it.
//!
//! A supervisor ends by itself when its input does. But its program is a process of the same user, and may stop it or
//! kill it. So a thread stands by from before the supervisor starts, and sees it off once the hold is dropped.

use std::convert::Infallible;
use std::io;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::oneshot;

/// How long the last drop waits for supervisors that have not ended. A healthy one takes milliseconds, one that has to be
/// ended [`GRACE`](end::GRACE) and some more.
const LAST_WAIT: Duration = Duration::from_secs(10);

/// Everything that this component has running.
pub(super) struct Holds {
    /// Each thread has a clone, and says nothing: when the last is gone, so are they.
    alive: Option<Sender<Infallible>>,
    all_gone: Mutex<Receiver<Infallible>>,
}

/// One supervisor. Dropping it lets a thread see to its end.
pub(super) struct Hold {
    held: Sender<Infallible>,
    gone: oneshot::Receiver<()>,
}

impl Holds {
    pub(super) fn new() -> Self {
        let (alive, all_gone) = channel();
        Self { alive: Some(alive), all_gone: Mutex::new(all_gone) }
    }

    /// Start a supervisor. Its thread comes first: where there is no room for one, nothing is started.
    pub(super) fn start(&self, command: &mut Command) -> io::Result<(Hold, ChildStdin, ChildStdout)> {
        let (held, dropped) = channel::<Infallible>();
        let (hand, handed) = channel::<Child>();
        let (tell, gone) = oneshot::channel();
        let alive = self.alive.clone();
        thread::Builder::new().name("fumehood-program".into()).spawn(move || {
            if let Ok(child) = handed.recv() {
                let _dropped = dropped.recv();
                end::end(child);
            }
            let _nobody_waits = tell.send(());
            drop(alive);
        })?;
        let mut child = command.spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        hand.send(child).map_err(|_| io::Error::other("its thread is gone"))?;
        let hold = Hold { held, gone };
        match (input, output) {
            (Some(input), Some(output)) => Ok((hold, ChildStdin::from_std(input)?, ChildStdout::from_std(output)?)),
            _ => Err(io::Error::other("its streams are missing")),
        }
    }
}

/// A command ends with its last component, and its threads with it: not before they are done.
impl Drop for Holds {
    fn drop(&mut self) {
        self.alive = None;
        let all_gone = self.all_gone.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _all_gone_or_late = all_gone.recv_timeout(LAST_WAIT);
    }
}

impl Hold {
    /// Drop it, and wait until the supervisor and what it supervised are no more.
    pub(super) async fn ended(self) {
        drop(self.held);
        let _gone = self.gone.await;
    }
}

#[cfg(target_os = "linux")]
mod end {
    use std::process::Child;
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

    use crate::sandbox::process::descendants::Processes;

    /// How long a supervisor may take to end before the host kills what is below it. It mostly takes milliseconds; where
    /// it takes longer, two that kill are no worse than one.
    pub(super) const GRACE: Duration = Duration::from_secs(1);
    /// Between two looks. A look is one system call, and the first comes at once.
    const LOOK: Duration = Duration::from_millis(1);
    /// Between two looks at most, when something takes long to die.
    const LONG_LOOK: Duration = Duration::from_millis(100);

    /// See to it that a supervisor ends, and that nothing of its session is left.
    pub(super) fn end(mut child: Child) {
        let supervisor = Pid::from_child(&child);
        let processes = Processes::open().ok();
        // While it is not collected, nobody else gets its number.
        let well = until_it_ends(supervisor, processes.as_ref());
        if let (false, Some(processes)) = (well, &processes) {
            let mut pause = LOOK;
            // One that was killed has adopted nobody any more: what stayed in its session is all that can be found.
            while processes.kill_session(supervisor).is_ok_and(|left| !left.is_empty()) {
                thread::sleep(pause);
                pause = (pause * 2).min(LONG_LOOK);
            }
        }
        let _collected = child.wait();
    }

    /// Whether it ended as it should: with nothing left below it.
    fn until_it_ends(supervisor: Pid, processes: Option<&Processes>) -> bool {
        let (began, mut pause) = (Instant::now(), LOOK);
        loop {
            match waitid(WaitId::Pid(supervisor), WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT)
            {
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Ok(Some(status)) => return status.exit_status() == Some(0),
                Err(_not_ours) => return false,
            }
            let late = began.elapsed();
            if late > GRACE {
                // It adopts whoever is orphaned as long as it lives, stopped or not: so it goes last.
                let left = processes.and_then(|processes| processes.kill_below(supervisor).ok());
                if late > 2 * GRACE && left.is_none_or(|left| left.is_empty()) {
                    let _gone = kill_process(supervisor, Signal::KILL);
                }
            }
            // Its program may have stopped it, and may do it again.
            let _gone = kill_process(supervisor, Signal::CONT);
            thread::sleep(pause);
            pause = (pause * 2).min(LONG_LOOK);
        }
    }
}

/// Nothing is granted here, and so nothing started.
#[cfg(not(target_os = "linux"))]
mod end {
    pub(super) fn end(mut child: std::process::Child) {
        let _gone = child.kill();
        let _collected = child.wait();
    }
}

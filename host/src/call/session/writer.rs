//! The thread that writes a session's events down: in the order in which they were handed over, whoever waits for them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};

use tokio::sync::oneshot;

use super::super::run::panic_text;
use crate::session::{Event, Recorder};

/// Told of each event after it was written down.
pub(super) type Watch = Arc<dyn Fn(&Event) + Send + Sync>;

/// Events that are written in one go, and so with one wait for the disk. More calls than this do not end at once.
const TOGETHER: usize = 64;

/// The near end of the thread. The thread ends when this is dropped and everything handed over is written.
pub(super) struct Writer {
    queue: mpsc::Sender<Handed>,
}

struct Handed {
    events: Vec<Event>,
    written: oneshot::Sender<Result<(), String>>,
}

impl Writer {
    /// # Errors
    /// The system gives no thread.
    pub(super) fn start(recorder: Option<Arc<dyn Recorder>>, watches: Vec<Watch>) -> std::io::Result<Self> {
        let (queue, handed) = mpsc::channel();
        let work = move || write_all(&handed, recorder.as_deref(), &watches);
        std::thread::Builder::new().name("fumehood-session".to_owned()).spawn(work)?;
        Ok(Self { queue })
    }

    /// Hand events over, now, and hear later whether they are written.
    pub(super) fn write(&self, events: Vec<Event>) -> impl Future<Output = Result<(), String>> + Send + use<> {
        let (written, answer) = oneshot::channel();
        // Without the thread the answer never comes, and the sender's end is gone with it.
        let _ = self.queue.send(Handed { events, written });
        async { answer.await.unwrap_or_else(|_| Err("the session's writer has ended".to_owned())) }
    }
}

fn write_all(handed: &mpsc::Receiver<Handed>, recorder: Option<&dyn Recorder>, watches: &[Watch]) {
    while let Ok(first) = handed.recv() {
        let (mut events, mut ends) = (Vec::new(), Vec::new());
        let more = std::iter::from_fn(|| handed.try_recv().ok());
        for Handed { events: of_one, written } in std::iter::once(first).chain(more).take(TOGETHER) {
            events.extend(of_one);
            ends.push((events.len(), written));
        }
        let together = record(recorder, &events);
        let alone = ends.len() == 1;
        let mut from = 0;
        for (to, written) in ends {
            let own = &events[from..to];
            from = to;
            let done = match &together {
                // None of them is written, and perhaps for one that the others have no part in: it is too long.
                Err(_) if !alone => record(recorder, own),
                done => done.clone(),
            };
            if done.is_ok() {
                own.iter().for_each(|event| watches.iter().for_each(|watch| tell(watch, event)));
            }
            // Whoever asked may be gone: then it is written all the same.
            let _ = written.send(done);
        }
    }
}

fn record(recorder: Option<&dyn Recorder>, events: &[Event]) -> Result<(), String> {
    let Some(recorder) = recorder else { return Ok(()) };
    match catch_unwind(AssertUnwindSafe(|| recorder.record(events))) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(format!("the session's log: {error}")),
        Err(panic) => Err(format!("the session's log panicked: {}", panic_text(&*panic))),
    }
}

/// One that fails changes nothing, and keeps no other from hearing.
fn tell(watch: &Watch, event: &Event) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| watch(event))) {
        let panic = panic_text(&*panic);
        tracing::warn!(target: "fumehood::session", panic, "whoever watches the session's events panicked");
    }
}

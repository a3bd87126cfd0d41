//! Where a guest is when its time is over.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A guest that computes gets to its next tick within a millisecond, on a busy machine within some. One that waits for the
/// host does not, and is nowhere in its own code that would help.
const LAST_LOOK: Duration = Duration::from_millis(100);

/// Tells a guest that its time is over, so that it traps where it is. Made where places of traps are wanted: otherwise the
/// call is dropped, which takes no time and leaves no trace.
#[derive(Clone, Default)]
pub(in crate::sandbox) struct Late(Option<Arc<AtomicBool>>);

/// The trap of a guest whose time is over.
#[derive(Debug, thiserror::Error)]
#[error("its time is over")]
pub(in crate::sandbox) struct TimeIsOver;

impl Late {
    pub(in crate::sandbox) fn where_wanted(wanted: bool) -> Self {
        Self(wanted.then(Arc::default))
    }

    /// At each tick of the guest's.
    pub(in crate::sandbox) fn check(&self) -> Result<(), TimeIsOver> {
        match &self.0 {
            Some(late) if late.load(Ordering::Relaxed) => Err(TimeIsOver),
            _ => Ok(()),
        }
    }

    /// The error that says where the guest is, if it gets to its next tick.
    pub(in crate::sandbox) async fn look<T>(
        &self,
        called: Pin<&mut impl Future<Output = wasmtime::Result<T>>>,
    ) -> Option<wasmtime::Error> {
        self.0.as_ref()?.store(true, Ordering::Relaxed);
        tokio::time::timeout(LAST_LOOK, called).await.ok()?.err().filter(|error| error.is::<TimeIsOver>())
    }
}

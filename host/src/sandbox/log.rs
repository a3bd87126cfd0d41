//! What a guest writes to standard output and standard error: kept up to a bound, never passed on.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// The most one `write` may carry. Guests ask before they write; 64 KiB is what wasmtime's own streams allow.
const WRITE_PERMIT: usize = 64 << 10;

/// Text that a guest wrote, for an operator's eyes. A guest chose every byte of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuestLog {
    /// Standard output, lossily read as UTF-8.
    pub stdout: String,
    /// Standard error, lossily read as UTF-8.
    pub stderr: String,
    /// Bytes past the limit, which were dropped.
    pub dropped: u64,
}

impl GuestLog {
    /// Whether the guest wrote nothing.
    pub fn is_empty(&self) -> bool {
        self.stdout.is_empty() && self.stderr.is_empty() && self.dropped == 0
    }
}

#[derive(Default)]
struct Captured {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    room: u64,
    dropped: u64,
}

#[derive(Clone, Copy)]
enum Channel {
    Stdout,
    Stderr,
}

/// One store's captured output. Both channels share one bound.
#[derive(Clone)]
pub(super) struct Capture(Arc<Mutex<Captured>>);

impl Capture {
    pub(super) fn new(bytes: u64) -> Self {
        Self(Arc::new(Mutex::new(Captured { room: bytes, ..Captured::default() })))
    }

    pub(super) fn stdout(&self) -> impl StdoutStream + 'static {
        Sink { capture: self.clone(), channel: Channel::Stdout }
    }

    pub(super) fn stderr(&self) -> impl StdoutStream + 'static {
        Sink { capture: self.clone(), channel: Channel::Stderr }
    }

    /// What was kept, and its size in bytes.
    pub(super) fn take(&self) -> (GuestLog, u64) {
        let captured = std::mem::take(&mut *self.lock());
        let kept = (captured.stdout.len() + captured.stderr.len()) as u64;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let log = GuestLog { stdout: text(captured.stdout), stderr: text(captured.stderr), dropped: captured.dropped };
        (log, kept)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Captured> {
        // Nothing in here leaves the buffers half-changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, channel: Channel, bytes: &[u8]) {
        let mut captured = self.lock();
        let kept = bytes.len().min(usize::try_from(captured.room).unwrap_or(usize::MAX));
        captured.room -= kept as u64;
        captured.dropped += (bytes.len() - kept) as u64;
        match channel {
            Channel::Stdout => captured.stdout.extend_from_slice(&bytes[..kept]),
            Channel::Stderr => captured.stderr.extend_from_slice(&bytes[..kept]),
        }
    }
}

#[derive(Clone)]
struct Sink {
    capture: Capture,
    channel: Channel,
}

impl IsTerminal for Sink {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Sink {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait]
impl Pollable for Sink {
    async fn ready(&mut self) {}
}

impl OutputStream for Sink {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.capture.write(self.channel, &bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_PERMIT)
    }
}

impl AsyncWrite for Sink {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        self.capture.write(self.channel, bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

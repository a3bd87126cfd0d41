//! What one call has come to so far, and what ends it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Span;

use super::failing::shortened;
use super::{Callable, Made};
use crate::manifest::Manifest;
use crate::outcome::{Code, Diagnostic, Failure, Outcome, Success};
use crate::policy::{LimitName, Limits, Usage};
use crate::sandbox::Interrupt;

/// What a call has come to so far. It outlives the pipeline, so that a cancelled call still says what it used.
pub(super) struct Run {
    pub(super) limits: Limits,
    pub(super) usage: Usage,
    pub(super) diagnostic: Diagnostic,
}

/// Boxed: a failure carries the usage of every limit, and the stages hand it up through six functions.
pub(super) type Staged<T> = Result<T, Box<Failure>>;

impl Run {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, usage: Usage::none(limits), diagnostic: Diagnostic::default() }
    }

    /// The outcome, with all that was used and left behind. `Err`: a panic's text.
    pub(super) fn ended(mut self, ended: Result<Staged<Success>, String>, span: &Span) -> Outcome {
        let mut failure = match ended {
            Ok(Ok(mut success)) => {
                success.usage = self.usage;
                success.diagnostic = self.diagnostic;
                return Outcome::Success(success);
            }
            Ok(Err(failure)) => failure,
            Err(panic) => self.fault(panic),
        };
        span.record("error.type", failure.code.as_str());
        self.leave_with(&mut failure);
        Outcome::Failure(*failure)
    }

    /// The same for what is no whole call.
    pub(super) fn ended_early<T>(mut self, ended: Result<Staged<T>, String>) -> Staged<T> {
        let ended = ended.unwrap_or_else(|panic| Err(self.fault(panic)));
        ended.map_err(|mut failure| {
            self.leave_with(&mut failure);
            failure
        })
    }

    fn leave_with(self, failure: &mut Failure) {
        failure.usage = self.usage;
        failure.diagnostic = Diagnostic { cause: failure.diagnostic.cause.take(), ..self.diagnostic };
    }

    pub(super) fn success(&mut self, Made { value, content, card }: Made) -> Staged<Success> {
        let card = card.ok_or_else(|| self.fault("a top-level call without a card".to_owned()))?;
        Ok(Success { value, content, card, card_cut: None, usage: self.usage, diagnostic: Diagnostic::default() })
    }

    pub(super) fn wall_clock(&self) -> Duration {
        Duration::from_millis(self.limits.value(LimitName::WallClock))
    }

    /// Find the tool, and tighten the limits to what its vendor declared.
    pub(super) fn find<'a>(&mut self, manifest: &'a Manifest, name: &str) -> Staged<Callable<'a>> {
        let tools = &manifest.tools;
        let Some(manifest) = tools.iter().find(|tool| tool.name == name) else {
            let known: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
            let message = format!("there is no tool {:?}; there is {}", shortened(name, 80), known.join(", "));
            return Err(self.failure(Code::UnknownTool, message));
        };
        if let Some(time) = manifest.time_limit {
            let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            self.limits = self.limits.tightened(LimitName::WallClock, millis);
            self.usage.set_limits(self.limits);
        }
        match (manifest.input(), manifest.output()) {
            (Ok(input), Ok(output)) => Ok(Callable { manifest, input, output }),
            _ => {
                let message =
                    format!("the tool {name} cannot be called: the host refused its schemas when it was loaded");
                Err(self.failure(Code::Denied, message).detailed(json!({ "findings": manifest.findings() })))
            }
        }
    }
}

pub(super) async fn interrupt(deadline: Instant, cancel: &CancellationToken) -> Interrupt {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Interrupt::Cancelled,
        () = tokio::time::sleep_until(deadline) => Interrupt::Deadline,
    }
}

/// Projectors are bounded by fuel, so that the same value gives the same outcome on a slow machine.
pub(super) async fn cancelled(cancel: &CancellationToken) -> Interrupt {
    cancel.cancelled().await;
    Interrupt::Cancelled
}

/// A panic in the host ends one call, not the process.
///
/// The future goes to the heap: whoever waits for a call would hold all of its stages in place, twice in each function on
/// the way up, and would copy them whenever it is moved.
pub(super) fn unwinding<T>(future: impl Future<Output = T>) -> impl Future<Output = Result<T, String>> {
    let mut future = Box::pin(future);
    std::future::poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => std::task::Poll::Ready(Err(panic_text(&*panic))),
    })
}

pub(super) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a text".to_owned())
}

//! A reviewer that is itself a component in a sandbox.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::failing::{MAX_QUOTE, MAX_WORDS, shortened};
use crate::decision::Decisions;
use crate::engine::Engine;
use crate::lock::LockFile;
use crate::outcome::FailureKind;
use crate::policy::{Approved, LimitName, Usage};
use crate::review::{Amendment, Draft, DraftResult, ReviewError, Reviewer, Verdict};
use crate::sandbox::{
    GuestDraft, GuestFailureKind, Interrupt, Report, ReviewAnswer, ReviewProgram, ReviewSandbox, ReviewStop, Stop,
};

/// A compiled reviewer component, ready to look at results. Cheap to clone; reviews run side by side.
///
/// Each review has an instance of its own, with what the reviewer was granted and its own limits; its wall clock covers the
/// wait for room too. What it prints goes into the log at the level `debug`, and into the error of a review that failed.
#[derive(Clone)]
pub struct ComponentReviewer(Arc<Loaded>);

struct Loaded {
    engine: Arc<Engine>,
    program: ReviewProgram,
    /// Asked before each review: an approval may be taken back at any time.
    lock: Option<Arc<LockFile>>,
}

impl ComponentReviewer {
    pub(crate) fn new(engine: Arc<Engine>, program: ReviewProgram, lock: Option<Arc<LockFile>>) -> Self {
        Self(Arc::new(Loaded { engine, program, lock }))
    }

    /// What was approved: the manifest, the grants, the limits.
    pub fn approved(&self) -> &Approved {
        self.0.program.approved()
    }
}

impl std::fmt::Debug for ComponentReviewer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ComponentReviewer").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Reviewer for ComponentReviewer {
    /// The name in its manifest.
    fn name(&self) -> &str {
        &self.approved().inspected().manifest().name
    }

    fn review<'a>(
        &'a self,
        draft: Draft<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Verdict, ReviewError>> + Send + 'a>> {
        Box::pin(self.look_at(draft))
    }
}

impl ComponentReviewer {
    async fn look_at(&self, draft: Draft<'_>) -> Result<Verdict, ReviewError> {
        let Loaded { engine, program, lock } = &*self.0;
        if let Some(lock) = lock {
            lock.check(program.approved()).map_err(|error| ReviewError(error.to_string()))?;
        }
        let limits = program.approved().limits();
        let deadline = Instant::now() + Duration::from_millis(limits.value(LimitName::WallClock));
        let out_of_time = |whereabouts| {
            let bound = limits.get(LimitName::WallClock);
            ReviewError(format!("out of time {whereabouts}: wall-clock-ms is {} ({})", bound.value, bound.origin))
        };
        let _ticking = engine.ticking();
        let Ok(_slot) = tokio::time::timeout_at(deadline, engine.review_slot()).await else {
            return Err(out_of_time("waiting for a free slot"));
        };
        let mut usage = Usage::none(limits);
        let decisions = Decisions::of(self.name());
        let sandbox = ReviewSandbox { program, limits: &limits, decisions: &decisions };
        let until = async {
            tokio::time::sleep_until(deadline).await;
            Interrupt::Deadline
        };
        let (answer, report) = sandbox.review(&guest_draft(&draft), &mut usage, until).await;
        if let Err(ReviewStop::Stopped(Stop::Denied(denied))) = &answer {
            decisions.denied(denied.kind(), &denied.import, denied.rule());
        }
        self.keep(&report);
        answer.map(verdict).map_err(|stop| match stop {
            ReviewStop::Stopped(Stop::Interrupted(_)) => out_of_time("in review"),
            stop => ReviewError(why(&stop, &report)),
        })
    }

    fn keep(&self, report: &Report) {
        if !report.log.is_empty() || report.backtrace.is_some() {
            tracing::debug!(
                target: "fumehood::review",
                {
                    fumehood.reviewer = self.name(),
                    stdout = %report.log.stdout.escape_debug(),
                    stderr = %report.log.stderr.escape_debug(),
                    dropped = report.log.dropped,
                    backtrace = report.backtrace.as_ref().map(|trace| trace.to_string().escape_debug().to_string()),
                },
                "a reviewer wrote"
            );
        }
    }
}

fn guest_draft(draft: &Draft<'_>) -> GuestDraft {
    let (tool, args, nested) = (draft.tool, draft.args.text(), draft.nested);
    match draft.result {
        DraftResult::Success { value, content, card } => {
            GuestDraft::of_success(tool, args, nested, value.text(), content, card)
        }
        DraftResult::Failure(failure) => {
            let kind = match failure.kind {
                FailureKind::Refused => GuestFailureKind::Refused,
                FailureKind::Failed => GuestFailureKind::Failed,
                FailureKind::Aborted => GuestFailureKind::Aborted,
                FailureKind::Fault => GuestFailureKind::Fault,
            };
            let said = (kind, failure.code.as_str(), failure.message.as_str());
            let details = failure.details.as_ref().map(ToString::to_string);
            GuestDraft::of_failure(tool, args, nested, said, &failure.content, details)
        }
    }
}

fn verdict(answer: ReviewAnswer) -> Verdict {
    match answer {
        ReviewAnswer::Accept => Verdict::Accept(Amendment::None),
        ReviewAnswer::Content(content) => Verdict::Accept(Amendment::Content(content)),
        ReviewAnswer::Value(text) => Verdict::Accept(Amendment::Value(text)),
        ReviewAnswer::Block(feedback) => Verdict::Block { feedback },
    }
}

/// For the operator: what stopped the review, and what the guest wrote before it trapped.
fn why(stop: &ReviewStop, report: &Report) -> String {
    let mut why = match stop {
        ReviewStop::Refused(words) => format!("it says: {}", shortened(words, MAX_WORDS)),
        ReviewStop::Stopped(Stop::Trap(trap)) => format!("review trapped: {trap}"),
        ReviewStop::Stopped(Stop::Limit(exceeded)) => format!("review reached a limit: {exceeded}"),
        ReviewStop::Stopped(Stop::Stack) => "review ran out of call stack".to_owned(),
        ReviewStop::Stopped(Stop::Denied(denied)) => denied.to_string(),
        ReviewStop::Stopped(Stop::Host(cause)) => format!("the host failed: {cause}"),
        stop => format!("review {stop}"),
    };
    let written = report.log.stderr.trim();
    if matches!(stop, ReviewStop::Stopped(Stop::Trap(_) | Stop::Exit(_))) && !written.is_empty() {
        why.push_str(&format!("; it wrote: {}", shortened(written, MAX_QUOTE)));
    }
    if let Some(denied) = &report.denied_request {
        why.push_str(&format!("; a request was not sent: {denied}"));
    }
    why
}

//! What a session adds to one call: who may stop it, who looks at what it came to, and what is written down.

use std::collections::BTreeMap;
use std::iter::successors;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::failing::{MAX_WORDS, shortened};
use super::nested::Place;
use super::run::panic_text;
use super::session::{Session, stopped};
use super::{Made, Run, Staged, unwinding};
use crate::component::Digest;
use crate::consent::{Answer, CallPolicy, CallRules, Proposed, Question, Ruling};
use crate::content::ContentBlock;
use crate::json::Json;
use crate::outcome::{Code, Failure};
use crate::review::{Amendment, Draft, DraftResult, ReviewError, Reviewer, Verdict};
use crate::sandbox::{Malformed, Progress, ProgressSink, checked_content, json_limits};
use crate::schema::{Args, Valid};
use crate::session::{CallEvent, CallId, EndEvent, Event, ProjectedDigests, Reviewed, ReviewedAs};

/// Whether events are written down. `Err`: why not, for the operator.
pub(super) type Written = Result<(), String>;

/// One call of a session. Its clones are the same call.
#[derive(Clone)]
pub(super) struct Scene {
    pub(super) session: Session,
    pub(super) call: CallId,
    asked: Instant,
    nested: Arc<AtomicU64>,
    projected: Arc<Mutex<Option<ProjectedDigests>>>,
    /// The calls of the whole tree, the top-level one included, that are written down and have no end yet. Whoever hands over
    /// an event of a call holds this: a call is at work on its own task while the one that waits for it may be stopped.
    open: Arc<Mutex<BTreeMap<CallId, Instant>>>,
}

impl Scene {
    /// A top-level call.
    pub(super) fn new(session: Session, call: CallId) -> Self {
        Self {
            session,
            call,
            asked: Instant::now(),
            nested: Arc::default(),
            projected: Arc::default(),
            open: Arc::default(),
        }
    }

    /// The next call that this one makes.
    pub(super) fn next_nested(&self) -> Self {
        let number = self.nested.fetch_add(1, Ordering::Relaxed) + 1;
        Self { open: self.open.clone(), ..Self::new(self.session.clone(), self.call.child(number)) }
    }

    /// This top-level call is handed over to be written down: from here on it needs an end.
    pub(super) fn open(&self) {
        self.opened().insert(self.call.clone(), self.asked);
    }

    /// Hands over that this nested call is asked for: from here on it needs an end. `None`: the call that makes it has one.
    pub(super) fn hand_over_call(&self, call: CallEvent) -> Option<impl Future<Output = Written> + Send + use<>> {
        let mut open = self.opened();
        self.call.parent().filter(|above| open.contains_key(above))?;
        open.insert(self.call.clone(), self.asked);
        Some(self.session.record(vec![Event::Call(Box::new(call))]))
    }

    /// Hands over that this call starts. `None`: it has an end.
    fn hand_over_start(&self) -> Option<impl Future<Output = Written> + Send + use<>> {
        let open = self.opened();
        open.contains_key(&self.call).then(|| self.session.record(vec![Event::Start { call: self.call.clone() }]))
    }

    /// Hands over how this call ended, and before it an end of each call below it that has none, because the call that
    /// waited for it was stopped: the deepest first. `None`: this one has an end.
    pub(super) fn hand_over_end(&self, end: EndEvent) -> Option<impl Future<Output = Written> + Send + use<>> {
        let mut open = self.opened();
        open.remove(&self.call)?;
        let is_below = |call: &CallId| successors(call.parent(), CallId::parent).any(|above| above == self.call);
        let mut events: Vec<_> = open.extract_if(.., |call, _| is_below(call)).map(stopped).collect();
        events.reverse();
        // Apart: an end that is too long to be written keeps no other from being there.
        let (below, own) = (self.session.record(events), self.session.record(vec![Event::End(Box::new(end))]));
        Some(async {
            below.await?;
            own.await
        })
    }

    /// This nested call could not be written down, and so has no end.
    pub(super) fn forget(&self) {
        self.opened().remove(&self.call);
    }

    fn opened(&self) -> MutexGuard<'_, BTreeMap<CallId, Instant>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Since the call was asked for.
    pub(super) fn elapsed(&self) -> Duration {
        self.asked.elapsed()
    }

    /// What the projectors made of the value, as far as they got.
    pub(super) fn projected(&self) -> Option<ProjectedDigests> {
        *self.projected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn project(&self, made: &Made) {
        let digest = |written: serde_json::Result<Vec<u8>>| written.ok().map(|json| Digest::of(&json));
        let digests = digest(serde_json::to_vec(&made.content)).map(|content| ProjectedDigests {
            value: Digest::of(made.value.text().as_bytes()),
            content,
            card: made.card.as_ref().and_then(|card| digest(serde_json::to_vec(card))),
        });
        *self.projected.lock().unwrap_or_else(PoisonError::into_inner) = digests;
    }
}

/// What becomes of a result after a look at it.
pub(super) enum Looked {
    /// Every reviewer has seen it.
    Passed(Staged<Made>),
    /// The reviewer at this place wants this value, which has to be gated and projected first.
    Replaced { by: usize, value: String },
}

impl Place {
    /// Who hears of progress. Where results are reviewed, of its numbers only: a message is a tool's text, and is there before
    /// anybody could look at it.
    pub(super) fn heard(&self, progress: Option<ProgressSink>) -> Option<ProgressSink> {
        let reviewed = self.scene().is_some_and(|scene| !scene.session.rules().reviewers.is_empty());
        match progress {
            Some(sink) if reviewed => {
                Some(Arc::new(move |progress: Progress| sink(Progress { message: None, ..progress })))
            }
            progress => progress,
        }
    }
}

impl Run {
    /// Hears the operator's rules and the session's policies, and the approver where one of them asks. Returns how long
    /// somebody took to answer, or `None` where nobody was asked.
    pub(super) async fn consent(
        &mut self,
        place: &Place,
        calls: &CallRules,
        proposed: Proposed<'_>,
        cancel: &CancellationToken,
    ) -> Staged<Option<Duration>> {
        let rules = place.scene().map(|scene| scene.session.rules());
        if rules.is_none() && calls.is_empty() {
            return Ok(None);
        }
        if cancel.is_cancelled() {
            return Err(self.failure(Code::AbortedBeforeDispatch, "cancelled before it began"));
        }
        let mut asked_by = Vec::new();
        let mut denied = None;
        let mut panicked = None;
        let own: &dyn CallPolicy = calls;
        let others = rules.iter().flat_map(|rules| &rules.policies).map(|policy| &**policy);
        for policy in std::iter::once(own).chain(others) {
            let name = policy.name();
            let ruling = catch_unwind(AssertUnwindSafe(|| policy.rule(&proposed))).unwrap_or_else(|panic| {
                panicked.get_or_insert_with(|| format!("the policy {name} panicked: {}", panic_text(&*panic)));
                Ruling::Deny { reason: "the policy failed".to_owned() }
            });
            match ruling {
                Ruling::Allow => {}
                Ruling::Ask { reason } => asked_by.push((name.to_owned(), reason)),
                // Every policy is heard: one may count what is asked for.
                Ruling::Deny { reason } if denied.is_none() => denied = Some((name, reason)),
                Ruling::Deny { .. } => {}
            }
        }
        if let Some((policy, reason)) = denied {
            let reason = shortened(&reason, MAX_WORDS);
            let mut failure =
                self.failure(Code::Denied, format!("the policy {policy} does not allow this call: {reason}"));
            failure.diagnostic.cause = panicked;
            return Err(failure.detailed(json!({ "policy": policy, "reason": reason })));
        }
        if asked_by.is_empty() {
            return Ok(None);
        }
        let asked = Instant::now();
        let not = |run: &Self, why: &str, answer: &str| {
            let policies: Vec<_> = asked_by.iter().map(|(policy, _)| policy).collect();
            let details = json!({ "policies": policies, "answer": answer });
            Err(run.failure(Code::Denied, format!("this call needs somebody's approval: {why}")).detailed(details))
        };
        let Some((approver, patience)) = rules.and_then(|rules| Some((rules.approver.as_ref()?, rules.patience)))
        else {
            return not(self, "there is nobody to ask", "unavailable");
        };
        let until = place.tightened(asked + patience);
        let question = Question { proposed, asked_by: &asked_by };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(self.failure(Code::AbortedBeforeDispatch, "cancelled before it was approved")),
            // In a future of the host: to make one of its own, the approver runs too.
            answer = unwinding(async { approver.ask(question).await }) => match answer {
                Ok(Answer::Allowed) => Ok(Some(asked.elapsed())),
                Ok(Answer::Rejected) => not(self, "it was rejected", "rejected"),
                Ok(Answer::Unavailable) => not(self, "there is nobody to ask", "unavailable"),
                Err(panic) => {
                    let mut failed = not(self, "whoever would be asked cannot be", "failed");
                    if let Err(failure) = &mut failed {
                        failure.diagnostic.cause = Some(format!("the approver panicked: {panic}"));
                    }
                    failed
                }
            },
            () = tokio::time::sleep_until(until) => not(self, "nobody answered in time", "unanswered"),
        }
    }

    /// The last thing before `execute`: from here on the call may have done something.
    pub(super) async fn starting(&mut self, place: &Place) -> Staged<()> {
        let Some(scene) = place.scene() else { return Ok(()) };
        if !scene.session.records() {
            return Ok(());
        }
        let Some(started) = scene.hand_over_start() else {
            return Err(self.failure(Code::AbortedBeforeDispatch, "stopped with the call that waited for it"));
        };
        let started = started.await;
        started.map_err(|cause| self.unrecorded("nothing ran: the call could not be written down", cause))
    }

    pub(super) fn unrecorded(&mut self, message: &str, cause: String) -> Box<Failure> {
        let mut failure = self.failure(Code::HostFault, format!("{message}; the host's log says why"));
        failure.diagnostic.cause = Some(cause);
        failure
    }

    /// Shows a result to the reviewers until one of them wants another value. What is made of that value is shown to all of
    /// them: it came out of the tool's own projectors. `replaced`: the last one that had its wish; it and those before it may
    /// want the same again, and nothing else.
    pub(super) async fn looked_at(
        &mut self,
        place: &Place,
        replaced: Option<usize>,
        (tool, args): (&str, &Valid<Args>),
        mut made: Staged<Made>,
        cancel: &CancellationToken,
    ) -> Looked {
        let Some(scene) = place.scene() else { return Looked::Passed(made) };
        let rules = scene.session.rules();
        if let Ok(made) = &made
            && scene.session.records()
        {
            scene.project(made);
        }
        for (at, reviewer) in rules.reviewers.iter().enumerate() {
            // The text of a cancelled call is the host's alone.
            if made.as_ref().is_err_and(|failure| failure.code == Code::Aborted) {
                break;
            }
            let draft = Draft { tool, args, nested: place.level() > 0, result: draft_of(&made) };
            let verdict = tokio::select! {
                biased;
                () = cancel.cancelled() => return Looked::Passed(Err(self.failure(Code::Aborted, "cancelled"))),
                verdict = verdict(reviewer.as_ref(), draft, rules.review_time) => verdict,
            };
            made = match verdict {
                Ok(Verdict::Accept(Amendment::None)) => made,
                Ok(Verdict::Accept(Amendment::Value(value))) if replaced.is_some_and(|replaced| at <= replaced) => {
                    if self.stands(&made, value) {
                        made
                    } else {
                        self.no_verdict(reviewer.as_ref(), "it wants another value a second time", made)
                    }
                }
                Ok(Verdict::Accept(Amendment::Value(value))) if made.is_ok() => {
                    self.reviewed(reviewer.as_ref(), ReviewedAs::Value);
                    return Looked::Replaced { by: at, value };
                }
                Ok(Verdict::Accept(Amendment::Value(_))) => {
                    self.no_verdict(reviewer.as_ref(), "it wants another value, and a failure has none", made)
                }
                Ok(Verdict::Accept(Amendment::Content(content))) => match self.checked(content) {
                    Ok(content) => {
                        self.reviewed(reviewer.as_ref(), ReviewedAs::Content);
                        amended(made, content)
                    }
                    Err(why) => self.no_verdict(reviewer.as_ref(), &format!("its content cannot be used: {why}"), made),
                },
                Ok(Verdict::Block { feedback }) => {
                    self.reviewed(reviewer.as_ref(), ReviewedAs::Block);
                    let mut failure = self.blocked(reviewer.name(), &feedback);
                    failure.diagnostic.cause = made.err().and_then(|failure| failure.diagnostic.cause);
                    return Looked::Passed(Err(failure));
                }
                Err(ReviewError(why)) => self.no_verdict(reviewer.as_ref(), &why, made),
            };
            if made.as_ref().is_err_and(|failure| failure.code == Code::Blocked) {
                break;
            }
        }
        Looked::Passed(made)
    }

    /// Whether a reviewer that had its wish has it still: the value is the one that it wants, or came to nothing, of which the
    /// host alone tells (see `Place::replaced_by`).
    fn stands(&self, made: &Staged<Made>, wanted: String) -> bool {
        match made {
            Ok(made) => {
                Json::parse(wanted, &json_limits(&self.limits)).is_ok_and(|json| json.text() == made.value.text())
            }
            Err(failure) => failure.code == Code::InvalidToolOutput,
        }
    }

    fn reviewed(&mut self, reviewer: &dyn Reviewer, verdict: ReviewedAs) {
        self.diagnostic.reviews.push(Reviewed { reviewer: reviewer.name().to_owned(), verdict });
    }

    /// What a projector's content is held to.
    fn checked(&mut self, content: Vec<ContentBlock>) -> Result<Vec<ContentBlock>, String> {
        let limits = self.limits;
        checked_content(content, &limits, &mut self.usage).map_err(|malformed| match malformed {
            Malformed::Rule { at, rule } => format!("{at} {rule}"),
            Malformed::Limit(exceeded) => exceeded.to_string(),
        })
    }

    fn blocked(&mut self, reviewer: &str, feedback: &str) -> Box<Failure> {
        let said = match feedback.trim() {
            "" => "the result was blocked by a reviewer".to_owned(),
            feedback => shortened(feedback, MAX_WORDS),
        };
        self.failure(Code::Blocked, said).detailed(json!({ "reviewer": reviewer }))
    }

    /// Nothing passes that a reviewer should have seen and did not.
    fn no_verdict(&mut self, reviewer: &dyn Reviewer, why: &str, made: Staged<Made>) -> Staged<Made> {
        self.reviewed(reviewer, ReviewedAs::Failed);
        let name = reviewer.name();
        let mut failure = self.blocked(name, "the result was withheld: a reviewer could not look at it");
        let before = made.err().and_then(|failure| failure.diagnostic.cause);
        let before = before.map(|cause| format!("; before that: {cause}")).unwrap_or_default();
        failure.diagnostic.cause = Some(format!("the reviewer {name} came to no verdict: {why}{before}"));
        Err(failure)
    }
}

fn draft_of(made: &Staged<Made>) -> DraftResult<'_> {
    match made {
        Ok(Made { value, content, card }) => DraftResult::Success { value, content, card: card.as_ref() },
        Err(failure) => DraftResult::Failure(failure),
    }
}

/// A failure holds one text twice, and perhaps details: all of it is what the reviewer did not want read.
fn amended(made: Staged<Made>, content: Vec<ContentBlock>) -> Staged<Made> {
    match made {
        Ok(made) => Ok(Made { content, ..made }),
        Err(mut failure) => {
            let texts = content.iter().filter_map(|block| match block {
                ContentBlock::Text { text, .. } => Some(text.as_str()),
                _ => None,
            });
            failure.message = match texts.collect::<Vec<_>>().join("\n").as_str() {
                "" => "a reviewer took out what it said".to_owned(),
                texts => shortened(texts, MAX_WORDS),
            };
            failure.details = None;
            failure.content = content;
            Err(failure)
        }
    }
}

async fn verdict(reviewer: &dyn Reviewer, draft: Draft<'_>, most: Duration) -> Result<Verdict, ReviewError> {
    match tokio::time::timeout(most, unwinding(async { reviewer.review(draft).await })).await {
        Ok(Ok(verdict)) => verdict,
        Ok(Err(panic)) => Err(ReviewError(format!("it panicked: {panic}"))),
        Err(_) => Err(ReviewError(format!("it took longer than {} ms", most.as_millis()))),
    }
}

//! Calls that belong together: under the same rules, and written down in one place.

mod rules;
mod writer;
mod written;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tracing::Instrument as _;

use super::Call;
use super::registry::Registry;
use super::scene::{Scene, Written};
use crate::capability::CapabilityKind;
use crate::card::Card;
use crate::content::ContentBlock;
use crate::manifest::{Concurrency, ToolManifest};
use crate::outcome::Outcome;
use crate::session::{CallId, Event, RecordedCard, Recorder, Spilled};
use crate::spill::spilled;

pub use rules::SessionRules;
use writer::Writer;
pub(super) use written::stopped;
use written::{call_event, end_event, failed, fault, withheld};

/// Calls that belong together. Cheap to clone; clones are the same session.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    rules: SessionRules,
    /// Nothing where nobody hears of events.
    writer: Option<Writer>,
    records_values: bool,
    /// The number of the next call.
    next: Mutex<u64>,
    /// Batches that have not come to their end.
    running: watch::Sender<usize>,
}

/// Batches at once. A caller that goes away frees its own room at once, and not that of its batch, which is still written down:
/// this is what callers that come and go can pile up against a slow disk.
const BATCHES: usize = 4_096;

impl Session {
    /// A session of which nothing is kept.
    ///
    /// # Errors
    /// Somebody watches it, and the system gives no thread.
    pub fn new(rules: SessionRules) -> std::io::Result<Self> {
        Self::start(rules, None, 1)
    }

    /// A session that is written down. `first_call` is the number of its first call: 1, or where an earlier session in the
    /// same log left off. Zero means one.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn recorded(rules: SessionRules, recorder: Arc<dyn Recorder>, first_call: u64) -> std::io::Result<Self> {
        Self::start(rules, Some(recorder), first_call)
    }

    fn start(rules: SessionRules, recorder: Option<Arc<dyn Recorder>>, first_call: u64) -> std::io::Result<Self> {
        let records_values = recorder.as_ref().is_some_and(|recorder| recorder.records_values());
        let heard = recorder.is_some() || !rules.watches.is_empty();
        let writer = heard.then(|| Writer::start(recorder, rules.watches.clone())).transpose()?;
        let (next, running) = (Mutex::new(first_call.max(1)), watch::Sender::new(0));
        Ok(Self(Arc::new(Inner { rules, writer, records_values, next, running })))
    }

    /// Wait until every call has its end written down, at most so long. A call whose future was dropped needs a moment for it:
    /// close a session before its process ends. Calls that still run are not stopped.
    pub async fn close(&self, most: Duration) {
        let mut running = self.0.running.subscribe();
        let ended = async {
            // The sender is our own.
            let _ = running.wait_for(|running| *running == 0).await;
        };
        if tokio::time::timeout(most, ended).await.is_err() {
            tracing::warn!(target: "fumehood::session", "calls are left without an end in the log");
        }
    }

    /// Make one call, as [`Registry::run`] does. Dropping the future cancels the call, which still comes to its end.
    pub async fn run(&self, tools: &Registry, call: Call) -> Outcome {
        let outcomes = self.batch(tools, vec![call]).await;
        outcomes.into_iter().next().unwrap_or_else(lost)
    }

    /// Make several calls. Those in a row whose tools are [`Concurrency::Parallel`] run side by side, as many as the rules
    /// allow; any other runs alone, after all before it and before all after it. A tool that may call others runs alone: what
    /// it calls may have to. The outcomes are in the order asked. Dropping the future cancels the calls.
    pub async fn batch(&self, tools: &Registry, calls: Vec<Call>) -> Vec<Outcome> {
        let Some(batch) = self.begun() else {
            let words = "this host has too many calls at work; ask again";
            return calls.iter().map(|_| fault(words, format!("{BATCHES} batches of one session at once"))).collect();
        };
        let (asked, mut ends, mut stoppable) = (calls.len(), Vec::new(), Vec::new());
        for call in calls {
            let cancel = call.cancel.child_token();
            ends.push(cancel.clone().drop_guard());
            stoppable.push(call.cancelled_by(cancel));
        }
        let (session, tools) = (self.clone(), tools.clone());
        let batch = async move {
            let _until_the_end = batch;
            session.in_order(&tools, stoppable).await
        };
        // On a task of its own: whoever waits may stop waiting, and each call still has its end written down.
        let outcomes = tokio::spawn(batch.in_current_span()).await;
        drop(ends);
        outcomes.unwrap_or_else(|_| (0..asked).map(|_| lost()).collect())
    }

    /// One batch more, until what this returns is dropped. `None`: there are too many.
    fn begun(&self) -> Option<Batch> {
        let mut room = false;
        self.0.running.send_if_modified(|running| {
            room = *running < BATCHES;
            *running += usize::from(room);
            room
        });
        room.then(|| Batch(self.clone()))
    }

    async fn in_order(&self, tools: &Registry, calls: Vec<Call>) -> Vec<Outcome> {
        let scenes = match self.announce_all(tools, &calls).await {
            Ok(scenes) => scenes,
            Err(cause) => {
                let message = "nothing ran: the call could not be written down; the host's log says why";
                return calls.iter().map(|_| fault(message, cause.clone())).collect();
            }
        };
        let alone: Vec<_> = calls.iter().map(|call| runs_alone(tools, &call.tool)).collect();
        let mut outcomes = Vec::with_capacity(calls.len());
        let mut left = calls.into_iter().zip(scenes).zip(alone).peekable();
        while let Some(((call, scene), alone)) = left.next() {
            let mut together = vec![(call, scene)];
            while !alone && left.peek().is_some_and(|(_, alone)| !alone) {
                together.extend(left.next().map(|(next, _)| next));
            }
            if let [_] = together.as_slice() {
                for (call, scene) in together {
                    outcomes.push(self.whole(tools, call, scene).await);
                }
            } else {
                self.side_by_side(tools, together, &mut outcomes).await;
            }
        }
        outcomes
    }

    async fn side_by_side(&self, tools: &Registry, calls: Vec<(Call, Scene)>, outcomes: &mut Vec<Outcome>) {
        let room = Arc::new(Semaphore::new(self.0.rules.parallel));
        let (first, asked) = (outcomes.len(), calls.len());
        outcomes.extend((0..asked).map(|_| lost()));
        let mut tasks = JoinSet::new();
        for (at, (call, scene)) in calls.into_iter().enumerate() {
            let (session, tools) = (self.clone(), tools.clone());
            // Never closed. Asked for here, so that no call takes the room of one before it.
            let room = room.clone().acquire_owned().await;
            let one = async move {
                let _room = room;
                (at, session.whole(&tools, call, scene).await)
            };
            tasks.spawn(one.in_current_span());
        }
        while let Some(ended) = tasks.join_next().await {
            match ended {
                Ok((at, outcome)) => outcomes[first + at] = outcome,
                Err(error) => tracing::error!(target: "fumehood::session", %error, "a call's task ended"),
            }
        }
    }

    /// One call that was announced, to its end.
    async fn whole(&self, tools: &Registry, call: Call, scene: Scene) -> Outcome {
        let outcome = tools.run_in(call, Some(scene.clone())).await;
        self.finish(outcome, &scene).await
    }

    /// The last stage: what is too long is cut, and one end is written down.
    async fn finish(&self, mut outcome: Outcome, scene: &Scene) -> Outcome {
        let spilled = self.spill(&mut outcome).await;
        self.cut(&mut outcome);
        if !self.records() {
            return outcome;
        }
        let mut ended = end_event(scene, outcome.content().to_vec(), outcome.usage(), outcome.diagnostic());
        ended.spilled = spilled;
        match &outcome {
            Outcome::Success(success) => {
                ended.card = Some(RecordedCard::Known(success.card.clone()));
                ended.card_cut = success.card_cut;
                ended.value = self.0.records_values.then(|| success.value.value().clone());
                ended.projected = scene.projected();
            }
            Outcome::Failure(failure) => ended.ended = failed(failure),
        }
        let written = match scene.hand_over_end(ended) {
            Some(written) => written.await,
            None => Ok(()),
        };
        match written {
            Ok(()) => outcome,
            Err(cause) => {
                let outcome = withheld(&outcome, cause);
                // What could not be written may have been too long. That it is withheld is short.
                let mut ended = end_event(scene, outcome.content().to_vec(), outcome.usage(), outcome.diagnostic());
                if let Outcome::Failure(failure) = &outcome {
                    ended.ended = failed(failure);
                }
                if let Err(again) = self.record(vec![Event::End(Box::new(ended))]).await {
                    tracing::warn!(target: "fumehood::session", "a call has no end in the log: {again}");
                }
                outcome
            }
        }
    }

    /// Keeps a text that is over the budget elsewhere. Where that fails, the call does not: the model reads the whole text.
    async fn spill(&self, outcome: &mut Outcome) -> Option<Spilled> {
        let (store, budget) = self.0.rules.spill.clone()?;
        let text = |block: &ContentBlock| matches!(block, ContentBlock::Text { .. });
        let bytes: u64 = outcome.content().iter().filter(|block| text(block)).map(ContentBlock::byte_len).sum();
        if bytes <= budget.bytes() {
            return None;
        }
        let (content, diagnostic) = outcome.content_and_diagnostic();
        let whole = content.clone();
        let kept = tokio::task::spawn_blocking(move || spilled(&whole, budget, &store)).await;
        match kept.map_err(|error| error.to_string()).and_then(|kept| kept.map_err(|error| error.to_string())) {
            Ok(kept) => kept.map(|(preview, spilled)| {
                *content = preview;
                spilled
            }),
            Err(why) => {
                let why = format!("a long text is not kept, and the model read all of it: {why}");
                tracing::warn!(target: "fumehood::session", "{why}");
                diagnostic.cause.get_or_insert(why);
                None
            }
        }
    }

    fn cut(&self, outcome: &mut Outcome) {
        let Outcome::Success(success) = outcome else { return };
        let nothing =
            Card::Generic { title: String::new(), kind: None, input: None, body: Vec::new(), locations: Vec::new() };
        let (card, cut) = std::mem::replace(&mut success.card, nothing).within(self.0.rules.card_budget);
        (success.card, success.card_cut) = (card, cut);
    }

    /// Writes down that these calls are asked for.
    async fn announce_all(&self, tools: &Registry, calls: &[Call]) -> Result<Vec<Scene>, String> {
        let mut cards = Vec::new();
        for call in calls.iter().filter(|_| self.records() && self.0.rules.pending_cards) {
            let card = tools.pending_card(call).await.ok();
            cards.push(card.map(|card| RecordedCard::Known(card.within(self.0.rules.card_budget).0)));
        }
        let (scenes, written) = self.hand_over_calls(tools, calls, cards);
        written.await?;
        Ok(scenes)
    }

    /// Numbers calls and hands them over in one go: as they are numbered, so they stand in the log.
    fn hand_over_calls(
        &self,
        tools: &Registry,
        calls: &[Call],
        cards: Vec<Option<RecordedCard>>,
    ) -> (Vec<Scene>, impl Future<Output = Written> + Send + use<>) {
        let mut next = self.0.next.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut scenes, mut events, mut cards) = (Vec::new(), Vec::new(), cards.into_iter());
        for call in calls {
            let scene = Scene::new(self.clone(), CallId::top(*next));
            *next += 1;
            if self.records() {
                let mut event = call_event(&scene, tools.provider(&call.tool), call);
                event.card = cards.next().flatten();
                events.push(Event::Call(Box::new(event)));
                scene.open();
            }
            scenes.push(scene);
        }
        (scenes, self.record(events))
    }

    pub(super) fn rules(&self) -> &SessionRules {
        &self.0.rules
    }

    /// Whether anybody hears of events.
    pub(super) fn records(&self) -> bool {
        self.0.writer.is_some()
    }

    /// Hand events over to be written down: this has happened when it returns, whatever becomes of the future.
    pub(super) fn record(&self, events: Vec<Event>) -> impl Future<Output = Written> + Send + use<> {
        let written = match &self.0.writer {
            Some(writer) if !events.is_empty() => Some(writer.write(events)),
            _ => None,
        };
        async {
            match written {
                Some(written) => written.await,
                None => Ok(()),
            }
        }
    }
}

/// A batch at work.
struct Batch(Session);

impl Drop for Batch {
    fn drop(&mut self) {
        self.0.0.running.send_modify(|running| *running -= 1);
    }
}

fn runs_alone(tools: &Registry, tool: &str) -> bool {
    let Some(provider) = tools.provider(tool) else { return false };
    let asks = &provider.manifest().capabilities;
    let parallel = |tool: &ToolManifest| tool.concurrency == Concurrency::Parallel;
    let declared = provider.tools().iter().find(|known| known.name == tool).is_some_and(parallel);
    !declared || asks.iter().any(|request| request.capability.kind() == CapabilityKind::Tools)
}

fn lost() -> Outcome {
    fault("the host failed; its log says why", "a call's task ended before the call".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// A future is copied whole whenever it is moved, onto a task for one: 116 KB of it were once the dearest part of a call.
    #[tokio::test]
    async fn the_future_of_a_call_is_small() {
        const MOST: usize = 6 << 10;
        let session = Session::new(SessionRules::none()).unwrap();
        let tools = Registry::new(Vec::<crate::Provider>::new()).unwrap();
        let call = || Call::new("a", Value::Null);
        let scene = Scene::new(session.clone(), CallId::top(1));
        for (what, size) in [
            ("a batch", size_of_val(&session.in_order(&tools, vec![call()]))),
            ("a call of a session", size_of_val(&session.run(&tools, call()))),
            ("one of a batch", size_of_val(&session.whole(&tools, call(), scene))),
            ("a call without one", size_of_val(&tools.run(call()))),
            ("a pending card", size_of_val(&tools.pending_card(&call()))),
        ] {
            assert!(size <= MOST, "{what}: {size} bytes");
        }
    }
}

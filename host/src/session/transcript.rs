//! What is shown of a log: each call with its arguments, the calls that it made and its end, put together from their lines.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io::{self, BufRead};

use super::event::{CallEvent, CallId, EndEvent, Event, LogRecord, NotRun, OpenEvent, RecordedCard, RepairEvent};
use super::flaw::Flaw;
use super::interrupted::{closing_order, interrupted};
use super::replay::{LogEntry, Replay};
use crate::card::Card;
use crate::content::ContentBlock;

/// Puts the lines of a log together, in the order in which calls were asked for, which is the one in which a model reads them.
///
/// It holds the calls that are open, and those that ended since the first of them was asked for; of these at most
/// [`Transcript::HELD`]: more come in the order in which they ended. It holds nothing of calls that were shown.
#[derive(Debug)]
pub struct Transcript<R> {
    replay: Replay<R>,
    open: BTreeMap<CallId, OpenCall>,
    /// Top-level calls that ended before one that was asked for earlier.
    held: BTreeMap<CallId, ReplayedCall>,
    ready: VecDeque<Passage>,
    ended: bool,
}

/// One thing that a log tells.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Passage {
    /// A writer opened the log.
    Opened {
        /// When.
        at: String,
        /// What it said.
        open: OpenEvent,
    },
    /// A writer mended the log.
    Repaired {
        /// When.
        at: String,
        /// What it mended.
        repair: RepairEvent,
    },
    /// A call, with all that it made.
    Call(Box<ReplayedCall>),
    /// Something is wrong with a line. Where it can be read at all, it was.
    Flawed {
        /// Counted from 1.
        line: u64,
        /// What is wrong.
        flaw: Flaw,
    },
}

/// A call as a log has it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReplayedCall {
    /// Which call.
    pub id: CallId,
    /// When it was asked for.
    pub asked_at: Option<String>,
    /// What was asked for. `None`: the log does not say.
    pub call: Option<CallEvent>,
    /// When `execute` was about to run.
    pub started_at: Option<String>,
    /// The calls that it made, in the order in which it asked for them.
    pub children: Vec<ReplayedCall>,
    /// When it ended. `None`: the log has no end of it, and `end` is what a repair would write.
    pub ended_at: Option<String>,
    /// How it ended.
    pub end: EndEvent,
}

/// A card to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayedCard<'a> {
    /// The card.
    pub card: Cow<'a, Card>,
    /// Why it is not the one that was shown.
    pub note: Option<CardNote>,
}

/// Why a card is not the one that was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CardNote {
    /// A later host made it.
    UnknownCard,
    /// The log has no line that says what was asked for.
    UnknownCall,
}

#[derive(Debug)]
struct OpenCall {
    asked_at: String,
    call: CallEvent,
    started_at: Option<String>,
    children: Vec<ReplayedCall>,
}

impl<R: BufRead> Transcript<R> {
    /// Calls that wait for one that was asked for earlier. A batch is rarely a tenth of it; a call that runs for an hour while
    /// others come and go is passed by.
    pub const HELD: usize = 1_000;

    /// Read from the log's beginning.
    pub fn new(input: R) -> Self {
        let (open, held, ready) = (BTreeMap::new(), BTreeMap::new(), VecDeque::new());
        Self { replay: Replay::new(input), open, held, ready, ended: false }
    }

    /// What the model read: the content of each call that it made itself, in the order of [`Transcript`].
    pub fn model_contents(self) -> impl Iterator<Item = io::Result<(CallId, Vec<ContentBlock>)>> {
        self.filter_map(|passage| match passage {
            Ok(Passage::Call(call)) if call.id.parent().is_none() => Some(Ok((call.id, call.end.content))),
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        })
    }

    /// What one more entry tells, for somebody who reads the entries too: of a transcript of an empty input.
    pub fn told_by(&mut self, entry: LogEntry) -> impl Iterator<Item = Passage> {
        self.read(entry);
        self.ready.drain(..)
    }

    fn read(&mut self, LogEntry { line, record, flaws }: LogEntry) {
        self.ready.extend(flaws.into_iter().map(|flaw| Passage::Flawed { line, flaw }));
        let Some(LogRecord { at, event, .. }) = record else { return };
        match event {
            Event::Open(open) => self.ready.push_back(Passage::Opened { at, open }),
            Event::Repair(repair) => self.ready.push_back(Passage::Repaired { at, repair }),
            Event::Call(call) if self.open.contains_key(&call.call) => {
                self.ready.push_back(Passage::Flawed { line, flaw: Flaw::AskedTwice(call.call) });
            }
            Event::Call(call) => {
                let id = call.call.clone();
                let open = OpenCall { asked_at: at, call: *call, started_at: None, children: Vec::new() };
                self.open.insert(id, open);
            }
            Event::Start { call } => match self.open.get_mut(&call) {
                Some(open) => drop(open.started_at.get_or_insert(at)),
                None => self.ready.push_back(Passage::Flawed { line, flaw: Flaw::NoSuchCall(call) }),
            },
            Event::End(end) => {
                if !self.open.contains_key(&end.call) {
                    self.ready.push_back(Passage::Flawed { line, flaw: Flaw::NotOpen(end.call.clone()) });
                }
                // A call takes those that it made along, ended or not.
                let above = |call: &CallId| std::iter::successors(call.parent(), CallId::parent);
                let below = self.open.range(&end.call..).skip(usize::from(self.open.contains_key(&end.call)));
                let below = below.take_while(|(call, _)| above(call).any(|above| above == end.call));
                for call in closing_order(below.map(|(call, _)| call)) {
                    self.interrupt(call);
                }
                self.end(*end, Some(at));
            }
        }
    }

    /// A call whose end is not in the log.
    fn interrupt(&mut self, call: CallId) {
        let started = self.open.get(&call).is_some_and(|open| open.started_at.is_some());
        let state = if started { NotRun::OutcomeUnknown } else { NotRun::NotStarted };
        self.end(interrupted(call, state), None);
    }

    fn end(&mut self, end: EndEvent, ended_at: Option<String>) {
        let id = end.call.clone();
        let mut call = match self.open.remove(&id) {
            Some(OpenCall { asked_at, call, started_at, children }) => {
                let (asked_at, call) = (Some(asked_at), Some(call));
                ReplayedCall { id, asked_at, call, started_at, children, ended_at, end }
            }
            None => {
                ReplayedCall { id, asked_at: None, call: None, started_at: None, children: Vec::new(), ended_at, end }
            }
        };
        call.children.sort_by(|a, b| a.id.cmp(&b.id));
        match call.id.parent().and_then(|parent| self.open.get_mut(&parent)) {
            Some(parent) => parent.children.push(call),
            None => {
                // The same number twice is a log's own fault: both are shown.
                let id = call.id.clone();
                if let Some(earlier) = self.held.insert(id, call) {
                    self.ready.push_back(Passage::Call(Box::new(earlier)));
                }
                self.release();
            }
        }
    }

    /// What no earlier call is waited for any more.
    fn release(&mut self) {
        while let Some((first, _)) = self.held.first_key_value() {
            let waits = self.open.keys().next().is_some_and(|open| open.root() < first.root());
            if waits && self.held.len() <= Self::HELD {
                return;
            }
            if let Some((_, call)) = self.held.pop_first() {
                self.ready.push_back(Passage::Call(Box::new(call)));
            }
        }
    }
}

impl<R: BufRead> Iterator for Transcript<R> {
    type Item = io::Result<Passage>;

    /// The next passage. An error is the input's own, and the last item.
    fn next(&mut self) -> Option<io::Result<Passage>> {
        loop {
            if let Some(passage) = self.ready.pop_front() {
                return Some(Ok(passage));
            }
            if self.ended {
                return None;
            }
            match self.replay.next() {
                Some(Ok(entry)) => self.read(entry),
                Some(Err(error)) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                None => {
                    self.ended = true;
                    for call in closing_order(self.open.keys()) {
                        self.interrupt(call);
                    }
                }
            }
        }
    }
}

impl ReplayedCall {
    /// Whether the log has no end of it: it runs, or its process ended first.
    pub fn is_open(&self) -> bool {
        self.ended_at.is_none()
    }

    /// What a person sees while it runs.
    pub fn pending_card(&self) -> ReplayedCard<'_> {
        self.card(self.call.as_ref().and_then(|call| call.card.as_ref()), &[])
    }

    /// What a person sees of it now that it has ended.
    pub fn card_at_end(&self) -> ReplayedCard<'_> {
        self.card(self.end.card.as_ref(), &self.end.content)
    }

    fn card<'a>(&'a self, recorded: Option<&'a RecordedCard>, body: &[ContentBlock]) -> ReplayedCard<'a> {
        let note = match recorded {
            Some(RecordedCard::Known(card)) => return ReplayedCard { card: Cow::Borrowed(card), note: None },
            Some(RecordedCard::Unknown(_)) => Some(CardNote::UnknownCard),
            None if self.call.is_none() => Some(CardNote::UnknownCall),
            None => None,
        };
        let (title, input) = match &self.call {
            Some(call) => {
                let text = if call.args.trim_ascii().is_empty() { "{}" } else { &call.args };
                (call.title.as_ref().unwrap_or(&call.tool).clone(), serde_json::from_str(text).ok())
            }
            None => (format!("call {}", self.id), None),
        };
        let card = Card::Generic { title, kind: None, input, body: body.to_vec(), locations: Vec::new() };
        ReplayedCard { card: Cow::Owned(card), note }
    }
}

impl fmt::Display for CardNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownCard => {
                "the log has a card of a kind that this program does not know; this is the generic one"
            }
            Self::UnknownCall => "the log does not say what was asked for",
        })
    }
}

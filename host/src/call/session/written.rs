//! What a session keeps of its calls.

use tokio::time::Instant;

use super::super::deferred::Provider;
use super::super::failing::shortened;
use super::super::nested::Nested;
use super::super::scene::{Scene, Written};
use super::super::{Arguments, Call};
use crate::content::ContentBlock;
use crate::outcome::{Code, Diagnostic, Failure, Outcome};
use crate::policy::{Limits, Usage};
use crate::session::{CallEvent, CallId, EndEvent, EndedAs, Event, ProviderId};

/// The most of a tool's name that is recorded: more than any tool's has, and enough of what somebody took for one.
const MAX_TOOL: usize = 256;

impl Scene {
    /// Writes down that a tool asks for this call.
    pub(in crate::call) async fn announce(&self, provider: Option<&Provider>, call: &Call) -> Written {
        if !self.session.records() {
            return Ok(());
        }
        match self.hand_over_call(call_event(self, provider, call)) {
            Some(written) => written.await,
            None => Err("the call that makes it has ended".to_owned()),
        }
    }

    /// Writes down what a call that a tool asked for came to: with neither value nor card, and little of what it says.
    pub(in crate::call) async fn ended(&self, nested: &Nested) -> Written {
        if !self.session.records() {
            return Ok(());
        }
        let content = match &nested.made {
            Ok(made) => beginning(&made.content),
            Err(failure) => beginning(&failure.content),
        };
        let mut ended = end_event(self, content, &nested.usage, &nested.diagnostic);
        match &nested.made {
            Ok(_) => ended.projected = self.projected(),
            Err(failure) => ended.ended = failed_below(failure),
        }
        match self.hand_over_end(ended) {
            Some(written) => written.await,
            // Whoever waited for it was stopped, and has written its end.
            None => Ok(()),
        }
    }
}

/// That a call is asked for.
pub(super) fn call_event(scene: &Scene, provider: Option<&Provider>, call: &Call) -> CallEvent {
    let mut args = match &call.args {
        Arguments::Text(text) => text.clone(),
        Arguments::Value(value) => value.to_string(),
    };
    let whole = args.len();
    if whole > CallEvent::MAX_ARGS {
        args.truncate(args.floor_char_boundary(CallEvent::MAX_ARGS));
    }
    let tool = provider.and_then(|provider| provider.tools().iter().find(|tool| tool.name == call.tool));
    let manifest = provider.map(Provider::manifest);
    let provider = provider.zip(manifest).map(|(provider, manifest)| match provider.digest() {
        Some(digest) => {
            ProviderId::Component { name: manifest.name.clone(), version: manifest.version.clone(), digest }
        }
        None => ProviderId::Mounted { origin: provider.remote().unwrap_or(&manifest.name).to_owned() },
    });
    CallEvent {
        call: scene.call.clone(),
        tool: shortened(&call.tool, MAX_TOOL),
        title: tool.and_then(|tool| tool.title.clone()),
        args_bytes: (args.len() < whole).then_some(whole as u64),
        args,
        provider,
        card: None,
    }
}

/// That a call came to a value.
pub(super) fn end_event(scene: &Scene, content: Vec<ContentBlock>, usage: &Usage, diagnostic: &Diagnostic) -> EndEvent {
    let used = usage.iter().filter(|used| used.used > 0);
    EndEvent {
        reviews: diagnostic.reviews.clone(),
        decisions: diagnostic.decisions.clone(),
        usage: used.map(|used| (used.limit.key().to_owned(), used.used)).collect(),
        ..EndEvent::new(scene.call.clone(), EndedAs::Success, content, scene.elapsed())
    }
}

/// That a call came to nothing.
pub(super) fn failed(failure: &Failure) -> EndedAs {
    EndedAs::Failure {
        kind: failure.kind.as_str().to_owned(),
        code: failure.code.as_str().to_owned(),
        message: failure.message.clone(),
        details: failure.details.clone(),
    }
}

/// The same of a nested call: of its texts as much as of its content.
fn failed_below(failure: &Failure) -> EndedAs {
    const MOST: usize = EndEvent::MAX_NESTED_CONTENT;
    let mut failure = failed(failure);
    if let EndedAs::Failure { message, details, .. } = &mut failure {
        *message = shortened(message, MOST);
        details.take_if(|details| details.to_string().len() > MOST);
    }
    failure
}

/// That a nested call was stopped with the call that waited for it.
pub(in crate::call) fn stopped((call, asked): (CallId, Instant)) -> Event {
    let failure =
        Failure::new(Code::Aborted, "stopped with the call that waited for it", Usage::none(Limits::standard()));
    Event::End(Box::new(EndEvent::new(call, failed(&failure), failure.content, asked.elapsed())))
}

/// The texts of these blocks, as far as a nested call's are kept.
fn beginning(content: &[ContentBlock]) -> Vec<ContentBlock> {
    let mut room = EndEvent::MAX_NESTED_CONTENT;
    let mut kept = Vec::new();
    for block in content {
        let ContentBlock::Text { text, .. } = block else { continue };
        let fits = &text[..text.floor_char_boundary(room.min(text.len()))];
        if !fits.is_empty() {
            kept.push(ContentBlock::text(fits));
        }
        if fits.len() < text.len() {
            break;
        }
        room -= text.len();
    }
    kept
}

/// The host failed: the words are for the model, the cause for the operator.
pub(super) fn fault(message: &str, cause: String) -> Outcome {
    let mut failure = Failure::new(Code::HostFault, message, Usage::none(Limits::standard()));
    failure.diagnostic.cause = Some(cause);
    Outcome::Failure(failure)
}

/// What nobody wrote down did not happen, as far as the caller is told.
pub(super) fn withheld(outcome: &Outcome, cause: String) -> Outcome {
    let message = "the result could not be written down, and is withheld; the host's log says why";
    let mut failure = Failure::new(Code::HostFault, message, *outcome.usage());
    failure.diagnostic = Diagnostic { cause: Some(cause), ..outcome.diagnostic().clone() };
    Outcome::Failure(failure)
}

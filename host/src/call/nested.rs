//! Calls of tools by tools: where each stands below a top-level call, and what bounds them.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::deferred::Provider;
use super::registry::Registry;
use super::scene::Scene;
use super::{Call, Made, Ready, Run, Staged, Toolset, unwinding};
use crate::capability::ToolName;
use crate::outcome::{Code, Diagnostic, Failure};
use crate::policy::{LimitName, Limits, Usage};
use crate::sandbox::{CallError, Caller, Exceeded};

/// Where names of tools are looked up.
#[derive(Clone)]
pub(super) enum Names {
    /// In the component that was called, and nowhere else.
    Own(Provider),
    Registry(Registry),
}

impl Names {
    fn find(&self, tool: &str) -> Option<&Provider> {
        match self {
            Self::Own(provider) => provider.tools().iter().any(|known| known.name == tool).then_some(provider),
            Self::Registry(registry) => registry.provider(tool),
        }
    }
}

/// Where one call stands in the tree of calls below a top-level one.
pub(super) struct Place {
    names: Names,
    /// The tools that wait for this call, the top-level one first.
    above: Vec<String>,
    /// The deadline of the one that waits.
    deadline: Option<Instant>,
    /// Nothing above the first tool that may call others.
    tree: Option<Arc<Tree>>,
    /// Nothing where the call is in no session.
    scene: Option<Scene>,
}

/// What all calls below one top-level call share.
struct Tree {
    /// Those of the top-level call.
    limits: Limits,
    calls: AtomicU64,
    deepest: AtomicU64,
}

impl Place {
    pub(super) fn top(names: Names, scene: Option<Scene>) -> Self {
        Self { names, above: Vec::new(), deadline: None, tree: None, scene }
    }

    pub(super) fn scene(&self) -> Option<&Scene> {
        self.scene.as_ref()
    }

    /// A failure of the value that this reviewer put in another's place. What a projector said of it is for the operator: no
    /// reviewer has had its wish about that.
    pub(super) fn replaced_by(&self, reviewer: usize, mut failure: Box<Failure>) -> Box<Failure> {
        if failure.code != Code::InvalidToolOutput {
            return failure;
        }
        let name = self.scene.as_ref().and_then(|scene| scene.session.rules().reviewers.get(reviewer));
        let projector = failure.details.as_ref().and_then(|details| details.get("projector")).cloned();
        if let Some(Value::String(projector)) = projector {
            failure.diagnostic.cause.get_or_insert(failure.message);
            failure.message = format!("{projector} failed");
            failure.details = Some(json!({ "projector": projector }));
        }
        failure.noting(&format!("the value is that of the reviewer {}", name.map_or("", |reviewer| reviewer.name())))
    }

    /// The tools that wait for this call, the top-level one first.
    pub(super) fn callers(&self) -> &[String] {
        &self.above
    }

    /// 0 for a top-level call.
    pub(super) fn level(&self) -> usize {
        self.above.len()
    }

    /// No call outlives the one that waits for it.
    pub(super) fn tightened(&self, deadline: Instant) -> Instant {
        self.deadline.map_or(deadline, |above| above.min(deadline))
    }
}

/// Makes the nested calls of one `execute`.
pub(super) struct NestedCaller {
    names: Names,
    /// The tools at work, this one last.
    at_work: Vec<String>,
    deadline: Instant,
    cancel: CancellationToken,
    tree: Arc<Tree>,
    left: Mutex<Vec<(String, Diagnostic)>>,
    scene: Option<Scene>,
    /// Calls that were not admitted.
    refused: AtomicU64,
}

/// Calls of one `execute` that are on record though they were not admitted: as many as it may make. A guest may try a million
/// times.
const MAX_REFUSED: u64 = 64;

impl NestedCaller {
    /// `None` where the tool may call no other: then all of this costs nothing.
    pub(super) fn of(
        ready: &Ready,
        place: &Place,
        tool: &str,
        limits: Limits,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> Option<Arc<Self>> {
        ready.program.approved().grants().tools().next()?;
        let tree = || Arc::new(Tree { limits, calls: AtomicU64::new(0), deepest: AtomicU64::new(0) });
        Some(Arc::new(Self {
            names: place.names.clone(),
            at_work: place.above.iter().cloned().chain([tool.to_owned()]).collect(),
            deadline,
            cancel: cancel.clone(),
            tree: place.tree.clone().unwrap_or_else(tree),
            left: Mutex::default(),
            scene: place.scene.clone(),
            refused: AtomicU64::new(0),
        }))
    }

    /// What the calls left for the operator; what they came to goes into `usage`.
    pub(super) fn finish(&self, usage: &mut Usage) -> Vec<(String, Diagnostic)> {
        usage.at_least(LimitName::NestedCalls, self.tree.calls.load(Ordering::Relaxed));
        usage.at_least(LimitName::NestedDepth, self.tree.deepest.load(Ordering::Relaxed));
        std::mem::take(&mut *self.left.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A call that is not admitted, of which nobody else would know that it was tried.
    async fn put_on_record(&self, tool: &str, args: String, code: Code, message: &str) {
        let Some(scene) = &self.scene else { return };
        if self.refused.fetch_add(1, Ordering::Relaxed) >= MAX_REFUSED {
            return;
        }
        let (scene, call) = (scene.next_nested(), Call::from_text(tool, args));
        let nested = Nested::failed(Box::new(Failure::new(code, message, Usage::none(self.tree.limits))));
        // Nothing ran: a line that cannot be written withholds nothing.
        if scene.announce(self.names.find(tool), &call).await.is_ok() {
            let _ = scene.ended(&nested).await;
        }
    }

    fn admit<'a>(&'a self, tool: &str) -> Result<&'a Provider, (Code, String)> {
        let refuse = |code: Code, message: String| (code, message);
        let found = self.names.find(tool);
        let found = found.ok_or_else(|| refuse(Code::UnknownTool, format!("there is no tool {tool:?} here")))?;
        if self.at_work.iter().any(|above| above == tool) {
            let ring = self.at_work.join(" called ");
            let message = format!("{tool} is at work already ({ring}), and a tool is not called by what it called");
            return Err(refuse(Code::Denied, message));
        }
        let Tree { limits, calls, deepest } = &*self.tree;
        let within = |limit: LimitName, wanted: u64| {
            let exceeded = Exceeded::new(limits, limit, wanted);
            if wanted <= exceeded.max { Ok(()) } else { Err(refuse(Code::ResourceExhausted, exceeded.to_string())) }
        };
        let depth = self.at_work.len() as u64;
        within(LimitName::NestedDepth, depth)?;
        let most = limits.value(LimitName::NestedCalls);
        let counted =
            calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |made| (made < most).then_some(made + 1));
        counted.map_or_else(|made| within(LimitName::NestedCalls, made + 1), |_| Ok(()))?;
        deepest.fetch_max(depth, Ordering::Relaxed);
        Ok(found)
    }
}

impl Caller for NestedCaller {
    fn call<'a>(
        &'a self,
        tool: &'a ToolName,
        args: String,
    ) -> Pin<Box<dyn Future<Output = Result<String, CallError>> + Send + 'a>> {
        Box::pin(async move {
            let provider = match self.admit(tool.as_str()) {
                Ok(provider) => provider.clone(),
                Err((code, message)) => {
                    self.put_on_record(tool.as_str(), args, code, &message).await;
                    return Err(CallError { code: code.as_str(), message });
                }
            };
            let scene = self.scene.as_ref().map(Scene::next_nested);
            let place = Place {
                names: self.names.clone(),
                above: self.at_work.clone(),
                deadline: Some(self.deadline),
                tree: Some(self.tree.clone()),
                scene,
            };
            let call = Call::from_text(tool.as_str(), args).cancelled_by(self.cancel.clone());
            // On a task, and so on a stack, of its own: here we are on the fiber of the calling guest, which has room for
            // one call's host functions and not for those of five. A set, because it ends its task when dropped.
            let mut task = JoinSet::new();
            task.spawn(written_down(provider, call, place).in_current_span());
            let ended = task.join_next().await.and_then(Result::ok);
            let (value, diagnostic) = ended.ok_or_else(|| CallError {
                code: Code::HostFault.as_str(),
                message: "the host failed; its log says why".to_owned(),
            })?;
            if diagnostic != Diagnostic::default() {
                let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
                left.push((tool.as_str().to_owned(), diagnostic));
            }
            value.map_err(|failure| CallError { code: failure.code.as_str(), message: told(tool, &failure) })
        })
    }

    fn knows(&self, tool: &ToolName) -> bool {
        self.names.find(tool.as_str()).is_some()
    }
}

/// What the caller is told. What the other tool says to whoever calls it, and what is wrong with the arguments, is for
/// the caller; what it printed, asked for or was refused is between it and the operator.
fn told(tool: &ToolName, failure: &Failure) -> String {
    match failure.code {
        Code::ToolFailed | Code::InvalidArgs | Code::UnknownTool => failure.message.clone(),
        code => format!("{tool} did not come to a value ({code}); the operator's log says why"),
    }
}

/// One nested call, with what a session keeps of it.
async fn written_down(provider: Provider, call: Call, place: Place) -> (Result<String, Box<Failure>>, Diagnostic) {
    if let Some(scene) = place.scene()
        && let Err(cause) = scene.announce(Some(&provider), &call).await
    {
        scene.forget();
        let message = "nothing ran: the call could not be written down; the host's log says why";
        let failure = Failure::new(Code::HostFault, message, Usage::none(provider.limits()));
        return (Err(Box::new(failure)), Diagnostic { cause: Some(cause), ..Diagnostic::default() });
    }
    let mut nested = match provider.callee(&call.cancel).await {
        Ok(callee) => {
            let span = callee.span(&call);
            callee.nested(call, &place).instrument(span).await
        }
        Err(failure) => Nested::failed(failure),
    };
    if let Some(scene) = place.scene()
        && let Err(cause) = scene.ended(&nested).await
    {
        let message = "the result could not be written down, and is withheld; the host's log says why";
        nested.made = Err(Box::new(Failure::new(Code::HostFault, message, nested.usage)));
        nested.diagnostic.cause = Some(cause);
    }
    (nested.made.map(|made| made.value.text().to_owned()), nested.diagnostic)
}

/// What a call that a tool made came to, and what is left for the operator.
pub(super) struct Nested {
    pub(super) made: Staged<Made>,
    pub(super) usage: Usage,
    pub(super) diagnostic: Diagnostic,
}

impl Nested {
    fn failed(mut failure: Box<Failure>) -> Self {
        let (usage, diagnostic) = (failure.usage, std::mem::take(&mut failure.diagnostic));
        Self { made: Err(failure), usage, diagnostic }
    }
}

impl Toolset {
    /// A call that a tool makes: up to the canonical value and its content.
    pub(super) async fn nested(&self, call: Call, place: &Place) -> Nested {
        let mut run = Run::new(self.approved().limits());
        let made = unwinding(run.made(&self.0, call, place)).await;
        run.nested(made)
    }
}

impl Run {
    /// What the caller gets of a call that a tool made. `Err`: a panic's text.
    pub(super) fn nested(mut self, ended: Result<Staged<Made>, String>) -> Nested {
        let made = ended.unwrap_or_else(|panic| Err(self.fault(panic)));
        let cause = made.as_ref().err().and_then(|failure| failure.diagnostic.cause.clone());
        Nested { made, usage: self.usage, diagnostic: Diagnostic { cause, ..self.diagnostic } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    /// No policy can allow a level that has no slots.
    #[test]
    fn the_deepest_level_has_room() {
        let deepest = usize::try_from(*LimitName::NestedDepth.range().end()).unwrap();
        assert_eq!(deepest, Engine::NESTED_LEVELS);
    }
}

//! Tools that run elsewhere, under the same contract and in no sandbox.
//!
//! The arguments pass both gates, the call has a deadline, what comes back passes both gates. There are no projectors: the
//! value holds content blocks already, which are checked as a projector's are, and the card is the host's own.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span};

use super::failing::{MAX_WORDS, shortened};
use super::nested::{Nested, Place};
use super::scene::Looked;
use super::{Call, Callable, Made, Run, Staged, completed, interrupt, unwinding};
use crate::card::Card;
use crate::consent::{CallRules, Proposed};
use crate::content::ContentBlock;
use crate::finding::Finding;
use crate::manifest::Manifest;
use crate::outcome::{Code, Failure, Outcome, Success};
use crate::policy::{LimitName, Limits, Policy};
use crate::sandbox::{Interrupt, Malformed, ProgressSink, checked_content};
use crate::schema::{Args, CanonicalValue, Valid};

/// A longer name of a place helps nobody to find it.
const ORIGIN: usize = 256;

/// Where tools run that are no components: another server, which this host cannot hold to anything.
pub trait Remote: Send + Sync + 'static {
    /// Where that is, in a few words for people and logs: a name, a program, a URL without its secrets.
    fn origin(&self) -> &str;

    /// Runs a tool. Calls run side by side: how many may is for the remote to bound, and waiting counts against the
    /// deadline. Dropping the future is how a call that was cancelled, or is out of time, ends: whoever still works on it
    /// should then be told.
    ///
    /// The text is JSON: `{"content": […], "structuredContent"?: …}`, the blocks of the Model Context Protocol. Nothing of
    /// it is trusted.
    fn call(&self, call: RemoteCall) -> Pin<Box<dyn Future<Output = Result<String, RemoteError>> + Send + '_>>;
}

/// One call, its arguments checked.
#[derive(Clone)]
#[non_exhaustive]
pub struct RemoteCall {
    /// As the manifest names the tool.
    pub tool: String,
    /// Through both gates.
    pub args: Valid<Args>,
    /// Who hears of progress.
    pub progress: Option<ProgressSink>,
}

impl fmt::Debug for RemoteCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteCall").field("tool", &self.tool).field("args", &self.args).finish_non_exhaustive()
    }
}

/// A remote call that came to no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The tool says that it failed, in words for the model: [`Code::ToolFailed`].
    #[error("{0}")]
    Failed(String),
    /// What came back is no result: [`Code::InvalidToolOutput`]. The words are the host's own, and for the model.
    #[error("{0}")]
    Malformed(String),
    /// Nobody could be asked, or went away before the answer: [`Code::HostFault`]. The words are for the operator.
    #[error("{0}")]
    Unavailable(String),
}

/// Tools of a [`Remote`], ready to be called. Cheap to clone.
#[derive(Clone)]
pub struct Mounted {
    inner: Arc<Inner>,
    findings: Arc<[Finding]>,
}

struct Inner {
    manifest: Manifest,
    limits: Limits,
    calls: CallRules,
    remote: Arc<dyn Remote>,
    origin: String,
}

impl Mounted {
    /// Tools as this manifest declares them, run by this remote, under the limits and the rules for calls that the policy sets for everyone. What
    /// the manifest asks for is not granted: a remote has what it has.
    pub fn new(manifest: Manifest, remote: Arc<dyn Remote>, policy: &Policy) -> Self {
        let origin = shortened(remote.origin(), ORIGIN).escape_debug().to_string();
        let (limits, calls) = (policy.limits_for_all(), policy.calls().clone());
        let inner = Inner { manifest, limits, calls, remote, origin };
        Self { inner: Arc::new(inner), findings: Arc::default() }
    }

    /// The same, with what an operator should know of it: that a schema cannot be checked, for one.
    #[must_use]
    pub fn noting(self, findings: Vec<Finding>) -> Self {
        Self { findings: findings.into(), ..self }
    }

    /// The tools.
    pub fn manifest(&self) -> &Manifest {
        &self.inner.manifest
    }

    pub(super) fn limits(&self) -> Limits {
        self.inner.limits
    }

    /// Where they run, with nothing in it that a terminal acts on.
    pub fn origin(&self) -> &str {
        &self.inner.origin
    }

    /// What an operator should know of it.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    pub(super) async fn run(&self, call: Call, place: Place) -> Outcome {
        let span = self.span(&call);
        let mut run = Run::new(call.limits(self.inner.limits));
        let ended = unwinding(self.pipeline(&mut run, call, &place)).instrument(span.clone()).await;
        run.ended(ended, &span)
    }

    async fn pipeline(&self, run: &mut Run, call: Call, place: &Place) -> Staged<Success> {
        let made = self.made(run, call, place).await?;
        run.success(made)
    }

    /// All stages, top to bottom: those of a sandboxed call, but for the projectors.
    async fn made(&self, run: &mut Run, call: Call, place: &Place) -> Staged<Made> {
        let began = Instant::now();
        let Call { tool: name, args, cancel, progress, .. } = call;
        let tool = run.find(&self.inner.manifest, &name)?;
        let args = run.arguments(&tool, args, place.tightened(began + run.wall_clock()), &cancel).await?;
        let proposed = Proposed {
            tool: tool.manifest,
            manifest: &self.inner.manifest,
            component: None,
            remote: Some(&self.inner.origin),
            args: &args,
            callers: place.callers(),
        };
        let began = began + run.consent(place, &self.inner.calls, proposed, &cancel).await?.unwrap_or_default();
        if cancel.is_cancelled() {
            return Err(run.failure(Code::AbortedBeforeDispatch, "cancelled before it began"));
        }
        run.starting(place).await?;
        let deadline = place.tightened(began + run.wall_clock());
        let asked = RemoteCall { tool: name.clone(), args: args.clone(), progress: place.heard(progress) };
        let answer = self.answered(run, asked, began, deadline, &cancel).await;
        let mut made = match answer {
            Ok(text) => self.shown(run, &tool, &args, text, deadline, (place, &cancel)).await,
            Err(failure) => Err(failure),
        };
        let mut replaced = None;
        loop {
            match run.looked_at(place, replaced, (&name, &args), made, &cancel).await {
                Looked::Passed(made) => return made,
                Looked::Replaced { by, value } => {
                    replaced = Some(by);
                    let deadline = Instant::now() + run.wall_clock();
                    made = self.shown(run, &tool, &args, value, deadline, (place, &cancel)).await;
                    made = made.map_err(|failure| place.replaced_by(by, failure));
                }
            }
        }
    }

    /// What the server that runs the tool says.
    async fn answered(
        &self,
        run: &mut Run,
        asked: RemoteCall,
        began: Instant,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> Staged<String> {
        let asked = self.inner.remote.call(asked);
        let answer = tokio::select! {
            biased;
            answer = asked => Ok(answer),
            why = interrupt(deadline, cancel) => Err(why),
        };
        let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        run.usage.at_least(LimitName::WallClock, took.min(run.limits.value(LimitName::WallClock)));
        match answer {
            Ok(Ok(text)) => Ok(text),
            Ok(Err(error)) => Err(self.came_to_nothing(run, error)),
            Err(Interrupt::Deadline) => Err(run.timeout("waiting for the server that runs the tool")),
            Err(Interrupt::Cancelled) => Err(run.failure(Code::Aborted, "cancelled")),
        }
    }

    /// Both gates, and what the value holds for a model and a person.
    async fn shown(
        &self,
        run: &mut Run,
        tool: &Callable<'_>,
        args: &Valid<Args>,
        text: String,
        deadline: Instant,
        (place, cancel): (&Place, &CancellationToken),
    ) -> Staged<Made> {
        let value = run.gate(tool, text, deadline, cancel).await?;
        let content = content(&value, run).map_err(|why| {
            let message = format!("the value's content cannot be used: {}", shortened(&why, MAX_WORDS));
            run.failure(Code::InvalidToolOutput, message)
        })?;
        let card = (place.level() == 0).then(|| self.card(tool, args, content.clone()));
        Ok(Made { value, content, card })
    }

    fn came_to_nothing(&self, run: &mut Run, error: RemoteError) -> Box<Failure> {
        match error {
            RemoteError::Failed(words) => run.failure(Code::ToolFailed, shortened(&words, MAX_WORDS)),
            RemoteError::Malformed(words) => run.failure(Code::InvalidToolOutput, shortened(&words, MAX_WORDS)),
            RemoteError::Unavailable(words) => {
                let message = "the server that runs this tool cannot be used now; the host's log says why";
                let mut failure = run.failure(Code::HostFault, message);
                failure.diagnostic.cause = Some(format!("{}: {words}", self.inner.origin));
                failure
            }
        }
    }

    /// The generic card. It begins with what no tool here can say of itself or leave out.
    fn card(&self, tool: &Callable<'_>, args: &Valid<Args>, content: Vec<ContentBlock>) -> Card {
        let mut card = completed(None, tool.manifest, args, &[]);
        if let Card::Generic { body, .. } = &mut card {
            body.push(ContentBlock::text(format!("Run at {}, not sandboxed.", self.inner.origin)));
            body.extend(content);
        }
        card
    }

    pub(super) async fn pending_card(&self, call: &Call) -> Result<Card, Box<Failure>> {
        let mut run = Run::new(self.inner.limits);
        let card = unwinding(async {
            let tool = run.find(&self.inner.manifest, &call.tool)?;
            let deadline = Instant::now() + run.wall_clock();
            let args = run.arguments(&tool, call.args.clone(), deadline, &call.cancel).await?;
            Ok(self.card(&tool, &args, Vec::new()))
        })
        .await;
        run.ended_early(card)
    }

    pub(super) async fn nested(&self, call: Call, place: &Place) -> Nested {
        let mut run = Run::new(self.inner.limits);
        let made = unwinding(self.made(&mut run, call, place)).await;
        run.nested(made)
    }

    /// As [`super::Toolset::span`], and where it ran.
    pub(super) fn span(&self, call: &Call) -> Span {
        tracing::info_span!(
            "execute_tool",
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = %shortened(&call.tool, 80).escape_debug(),
            gen_ai.tool.type = "extension",
            fumehood.mounted.name = self.inner.manifest.name,
            fumehood.mounted.origin = self.inner.origin,
            fumehood.sandboxed = false,
            error.type = tracing::field::Empty,
        )
    }
}

/// The content blocks that a value holds.
fn content(value: &CanonicalValue, run: &mut Run) -> Result<Vec<ContentBlock>, String> {
    let Some(Value::Array(blocks)) = value.value().get("content") else {
        return Err("it has no list `content`".to_owned());
    };
    let most = run.limits.value(LimitName::ContentBlocks);
    if blocks.len() as u64 > most {
        return Err(format!("{} blocks, and {most} are allowed ({})", blocks.len(), LimitName::ContentBlocks));
    }
    let read = |(index, block): (usize, &Value)| block_of(block).map_err(|why| format!("content[{index}]: {why}"));
    let blocks = blocks.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    checked_content(blocks, &run.limits, &mut run.usage).map_err(|malformed| match malformed {
        Malformed::Rule { at, rule } => format!("{at} {rule}"),
        Malformed::Limit(exceeded) => exceeded.to_string(),
    })
}

/// Fields that the protocol may have tomorrow stay in the value, and are no part of the content.
fn block_of(block: &Value) -> Result<ContentBlock, String> {
    const KNOWN: [&str; 3] = ["audience", "priority", "lastModified"];
    let mut block = block.clone();
    if let Some(Value::Object(annotations)) = block.get_mut("annotations") {
        annotations.retain(|key, _| KNOWN.contains(&key.as_str()));
    }
    // The texts of `serde` quote what they cannot read.
    let kind = block.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    serde_json::from_value(block).map_err(|_| match kind.as_str() {
        "text" | "image" | "audio" | "resource_link" | "resource" => {
            format!("no block of the type {kind}: a field is missing, or not what the protocol wants")
        }
        _ => "its type is none of text, image, audio, resource_link and resource".to_owned(),
    })
}

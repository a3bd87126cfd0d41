//! One call, top to bottom: the only module that orders the stages.

mod deferred;
mod failing;
mod gates;
mod hint;
mod nested;
mod projector;
mod registry;
mod remote;
mod reviewer;
mod run;
mod scene;
mod session;

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span};

use crate::card::Card;
use crate::consent::Proposed;
use crate::content::ContentBlock;
use crate::decision::Decisions;
use crate::engine::Engine;
use crate::lock::LockFile;
use crate::manifest::ToolManifest;
use crate::outcome::{Code, Failure, Outcome, Success};
use crate::policy::{Approved, LimitName, Limits, Origin};
use crate::sandbox::{CallableTools, Export, GrantedSandbox, Interrupt, Program, ProgressSink, SealedSandbox, Stop};
use crate::schema::{Args, CanonicalValue, Schema, Valid};

pub use deferred::{Deferred, NotLoaded, Provider};
use failing::shortened;
use nested::{Names, NestedCaller, Place};
pub use projector::{Projection, Projector};
pub use registry::{Registry, RegistryError};
pub use remote::{Mounted, Remote, RemoteCall, RemoteError};
pub use reviewer::ComponentReviewer;
use run::{Run, Staged, cancelled, interrupt, unwinding};
use scene::Looked;
pub use session::{Session, SessionRules};

/// A compiled component and its tools, ready to be called. Cheap to clone; calls run side by side.
#[derive(Clone)]
pub struct Toolset(Arc<Ready>);

struct Ready {
    engine: Arc<Engine>,
    program: Program,
    /// Asked before each call: an approval may be taken back at any time.
    lock: Option<Arc<LockFile>>,
}

/// One call to make.
#[derive(Clone)]
pub struct Call {
    tool: String,
    args: Arguments,
    cancel: CancellationToken,
    progress: Option<ProgressSink>,
    tightened: Vec<(LimitName, u64)>,
}

#[derive(Clone)]
enum Arguments {
    Value(Value),
    Text(String),
}

impl Call {
    /// A call with arguments that are JSON already.
    pub fn new(tool: impl Into<String>, args: Value) -> Self {
        let (cancel, progress, tightened) = (CancellationToken::new(), None, Vec::new());
        Self { tool: tool.into(), args: Arguments::Value(args), cancel, progress, tightened }
    }

    /// A call with arguments as a model wrote them: one JSON text. Blank text means `{}`.
    pub fn from_text(tool: impl Into<String>, args: impl Into<String>) -> Self {
        Self { args: Arguments::Text(args.into()), ..Self::new(tool, Value::Null) }
    }

    /// The name of the tool that is asked for.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Stop the call when this token is cancelled. Dropping the call's future stops it too.
    #[must_use]
    pub fn cancelled_by(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// Run under a tighter limit than the policy's. A larger value changes nothing.
    #[must_use]
    pub fn within(mut self, name: LimitName, most: u64) -> Self {
        self.tightened.push((name, most));
        self
    }

    /// What holds of `limits` for this call.
    fn limits(&self, limits: Limits) -> Limits {
        self.tightened.iter().fold(limits, |limits, (name, most)| limits.tightened_by(*name, *most, Origin::Policy))
    }

    /// Hear of progress, on the thread that runs the guest.
    #[must_use]
    pub fn on_progress(mut self, sink: ProgressSink) -> Self {
        self.progress = Some(sink);
        self
    }
}

impl Toolset {
    pub(crate) fn new(engine: Arc<Engine>, program: Program, lock: Option<Arc<LockFile>>) -> Self {
        Self(Arc::new(Ready { engine, program, lock }))
    }

    /// What was approved: the manifest, the grants, the limits.
    pub fn approved(&self) -> &Approved {
        self.0.program.approved()
    }

    /// The tools, in the manifest's order. One whose schemas were refused is listed and cannot be called.
    pub fn tools(&self) -> &[ToolManifest] {
        &self.approved().inspected().manifest().tools
    }

    /// The projectors alone, under the limits of its calls.
    pub fn projector(&self) -> Projector {
        Projector::new(self.clone())
    }

    /// Call a tool: [`Self::run`] with nothing to cancel it but dropping the future.
    pub async fn call(&self, tool: &str, args: Value) -> Outcome {
        self.run(Call::new(tool, args)).await
    }

    /// Call a tool. Needs a tokio runtime with time enabled.
    ///
    /// Whatever the tool does, this returns an outcome: `execute` at the wall clock's limit at the latest, the
    /// projectors when their fuel is used up. Dropping the future stops the guest.
    ///
    /// A tool that calls others finds those of its own component; [`Registry::run`] lets it find more.
    pub async fn run(&self, call: Call) -> Outcome {
        self.run_at(call, Place::top(Names::Own(self.clone().into()), None)).await
    }

    async fn run_at(&self, call: Call, place: Place) -> Outcome {
        let span = self.span(&call);
        let mut run = Run::new(call.limits(self.approved().limits()));
        let ended = unwinding(run.pipeline(&self.0, call, &place)).instrument(span.clone()).await;
        run.ended(ended, &span)
    }

    /// One call, with the attribute names of OpenTelemetry's semantic conventions for generative AI.
    fn span(&self, call: &Call) -> Span {
        let inspected = self.approved().inspected();
        tracing::info_span!(
            "execute_tool",
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = %shortened(&call.tool, 80).escape_debug(),
            gen_ai.tool.type = "extension",
            fumehood.component.name = inspected.manifest().name,
            fumehood.component.digest = %inspected.digest(),
            error.type = tracing::field::Empty,
        )
    }

    /// The card of a call that has not finished. Arguments that do not pass the gates have none.
    ///
    /// # Errors
    /// The failure that the call itself would be, or the projector's.
    pub async fn pending_card(&self, call: &Call) -> Result<Card, Box<Failure>> {
        let mut run = Run::new(call.limits(self.approved().limits()));
        let card = unwinding(run.pending(&self.0, call)).await;
        run.ended_early(card)
    }
}

impl Run {
    async fn pipeline(&mut self, ready: &Ready, call: Call, place: &Place) -> Staged<Success> {
        let made = self.made(ready, call, place).await?;
        self.success(made)
    }

    /// All stages, top to bottom. A nested call has no card; `render` runs for it too, so that a value nobody can read is
    /// caught at the tool that made it.
    async fn made(&mut self, ready: &Ready, call: Call, place: &Place) -> Staged<Made> {
        let began = Instant::now();
        let Call { tool: name, args, cancel, progress, .. } = call;
        let inspected = ready.program.approved().inspected();
        let tool = self.find(inspected.manifest(), &name)?;
        self.still_approved(ready)?;
        let args = self.arguments(&tool, args, place.tightened(began + self.wall_clock()), &cancel).await?;
        let proposed = Proposed {
            tool: tool.manifest,
            manifest: inspected.manifest(),
            component: Some(inspected.digest()),
            remote: None,
            args: &args,
            callers: place.callers(),
        };
        let waited = self.consent(place, ready.program.approved().calls(), proposed, &cancel).await?;
        // How long a person thinks is not the tool's.
        let began = began + waited.unwrap_or_default();
        let deadline = place.tightened(began + self.wall_clock());
        let _ticking = ready.engine.ticking();
        let slot = self.slot(ready, &cancel, deadline, place.level()).await?;
        // Somebody may have taken the approval back while this call waited, for an answer or for room.
        self.still_approved(ready)?;
        self.starting(place).await?;
        let caller = NestedCaller::of(ready, place, &name, self.limits, deadline, &cancel);
        let until = interrupt(deadline, &cancel);
        let text = self.execute(ready, &tool, &args, caller, place.heard(progress), until).await;
        self.usage.at_least(LimitName::WallClock, u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
        let mut made = match text {
            Ok(text) => self.shown(ready, &tool, &args, text, deadline, (place.level(), &cancel)).await,
            Err(failure) => Err(failure),
        };
        // A reviewer may take its time, and may call tools of its own.
        drop(slot);
        let mut replaced = None;
        loop {
            match self.looked_at(place, replaced, (&name, &args), made, &cancel).await {
                Looked::Passed(made) => return made,
                Looked::Replaced { by, value } => {
                    replaced = Some(by);
                    made = self.shown_anew(ready, &tool, &args, value, (place.level(), &cancel)).await;
                    made = made.map_err(|failure| place.replaced_by(by, failure));
                }
            }
        }
    }

    /// [`Self::shown`] of a value that a reviewer put in the tool's place.
    async fn shown_anew(
        &mut self,
        ready: &Ready,
        tool: &Callable<'_>,
        args: &Valid<Args>,
        text: String,
        (level, cancel): (usize, &CancellationToken),
    ) -> Staged<Made> {
        let deadline = Instant::now() + self.wall_clock();
        let slot = self.slot(ready, cancel, deadline, level).await;
        let _slot = slot.map_err(|failure| match failure.code {
            // The call has begun long ago.
            Code::AbortedBeforeDispatch => self.failure(Code::Aborted, "cancelled"),
            _ => failure,
        })?;
        self.shown(ready, tool, args, text, deadline, (level, cancel)).await
    }

    /// Both gates and the projectors: what a value's text comes to, be it the tool's or a reviewer's.
    async fn shown(
        &mut self,
        ready: &Ready,
        tool: &Callable<'_>,
        args: &Valid<Args>,
        text: String,
        deadline: Instant,
        (level, cancel): (usize, &CancellationToken),
    ) -> Staged<Made> {
        let value = self.gate(tool, text, deadline, cancel).await?;
        let limits = self.limits;
        let sealed = SealedSandbox::new(&ready.program, &limits);
        let name = &tool.manifest.name;
        let (content, report) = sealed.render(name, args, &value, &mut self.usage, cancelled(cancel)).await;
        let content = self.projected(Export::Render, content, report)?;
        if level > 0 {
            return Ok(Made { value, content, card: None });
        }
        let (card, report) = sealed.present(name, args, Some(&value), &mut self.usage, cancelled(cancel)).await;
        let card = self.projected(Export::Present, card, report)?;
        let card = Some(completed(card, tool.manifest, args, &content));
        Ok(Made { value, content, card })
    }

    async fn pending(&mut self, ready: &Ready, call: &Call) -> Staged<Card> {
        let tool = self.find(ready.program.approved().inspected().manifest(), &call.tool)?;
        self.still_approved(ready)?;
        let deadline = Instant::now() + self.wall_clock();
        let args = self.arguments(&tool, call.args.clone(), deadline, &call.cancel).await?;
        let _ticking = ready.engine.ticking();
        let _slot = self.slot(ready, &call.cancel, deadline, 0).await?;
        let limits = self.limits;
        let sealed = SealedSandbox::new(&ready.program, &limits);
        let (card, report) = sealed.present(&call.tool, &args, None, &mut self.usage, cancelled(&call.cancel)).await;
        let card = self.projected(Export::Present, card, report)?;
        Ok(completed(card, tool.manifest, &args, &[]))
    }

    /// In locked mode: whether the approval still stands.
    fn still_approved(&self, ready: &Ready) -> Staged<()> {
        let Some(lock) = &ready.lock else { return Ok(()) };
        lock.check(ready.program.approved()).map_err(|error| {
            // What changed may name the host's paths: that is for the operator, not for the model.
            let message = "this component is not approved, or no longer; its operator has to approve it";
            let mut failure = self.failure(Code::Denied, message);
            failure.diagnostic.cause = Some(error.to_string());
            failure
        })
    }

    /// The queue for a free instance counts against the deadline.
    async fn slot(
        &mut self,
        ready: &Ready,
        cancel: &CancellationToken,
        deadline: Instant,
        level: usize,
    ) -> Staged<OwnedSemaphorePermit> {
        if cancel.is_cancelled() {
            return Err(self.failure(Code::AbortedBeforeDispatch, "cancelled before it began"));
        }
        tokio::select! {
            biased;
            slot = ready.engine.slot(level) => Ok(slot),
            why = interrupt(deadline, cancel) => Err(match why {
                Interrupt::Deadline => self.timeout("waiting for a free slot"),
                Interrupt::Cancelled => self.failure(Code::AbortedBeforeDispatch, "cancelled before it began"),
            }),
        }
    }

    async fn execute(
        &mut self,
        ready: &Ready,
        tool: &Callable<'_>,
        args: &Valid<Args>,
        caller: Option<Arc<NestedCaller>>,
        progress: Option<ProgressSink>,
        until: impl Future<Output = Interrupt>,
    ) -> Staged<String> {
        let limits = self.limits;
        self.usage.at_least(LimitName::Instances, ready.program.approved().inspected().shape().core_instances);
        let decisions = Decisions::of(&tool.manifest.name);
        let tools = caller.clone().map(|caller| CallableTools::of(ready.program.approved().clone(), caller));
        let sandbox = GrantedSandbox { program: &ready.program, limits: &limits, decisions: &decisions, tools };
        let (answer, report) = sandbox.execute(&tool.manifest.name, args, progress, &mut self.usage, until).await;
        if let Err(Stop::Denied(denied)) = &answer {
            decisions.denied(denied.kind(), &denied.import, denied.rule());
        }
        (self.diagnostic.decisions, self.diagnostic.denials_dropped) = decisions.take();
        let denied_program = self.denied_program();
        if let Some(caller) = caller {
            self.diagnostic.nested = caller.finish(&mut self.usage);
        }
        // The tool chose what to make of it; whoever reads why it failed should know.
        let denied = report.denied_request.as_ref().map(|denied| format!("a request was not sent: {denied}"));
        let written = self.keep(Export::Execute, report);
        let failure = match answer {
            Ok(Ok(text)) => return Ok(text),
            Ok(Err(error)) => {
                let mut failure = self.tool_error(&error);
                failure.diagnostic.cause = denied_program;
                failure
            }
            Err(stop) => self.stopped(&stop, &written),
        };
        Err(match denied {
            Some(denied) => failure.noting(&denied),
            None => failure,
        })
    }
}

/// A value and what is shown of it.
struct Made {
    value: CanonicalValue,
    content: Vec<ContentBlock>,
    /// A nested call has none.
    card: Option<Card>,
}

struct Callable<'a> {
    manifest: &'a ToolManifest,
    input: &'a Schema,
    output: &'a Schema,
}

/// The card as a person sees it: the tool's own, or the generic one.
fn completed(card: Option<Card>, tool: &ToolManifest, args: &Valid<Args>, content: &[ContentBlock]) -> Card {
    match card {
        Some(Card::Generic { title, kind, input, body, locations }) => {
            let input = input.or_else(|| Some(args.value().clone()));
            Card::Generic { title, kind, input, body, locations }
        }
        Some(card) => card,
        None => Card::Generic {
            title: tool.title.clone().unwrap_or_else(|| tool.name.clone()),
            kind: None,
            input: Some(args.value().clone()),
            body: content.to_vec(),
            locations: Vec::new(),
        },
    }
}

//! One call, top to bottom: the only module that orders the stages.

mod deferred;
mod nested;
mod registry;
mod remote;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span};

use crate::capability::CapabilityKind;
use crate::card::Card;
use crate::content::ContentBlock;
use crate::decision::{Decision, Decisions};
use crate::engine::{Engine, Ticking};
use crate::json::{Json, JsonError};
use crate::lock::LockFile;
use crate::manifest::{Manifest, ToolManifest};
use crate::outcome::{Code, Diagnostic, Failure, Outcome, Success};
use crate::policy::{Approved, LimitName, Limits, Usage};
use crate::sandbox::{
    CallableTools, Exceeded, Export, GrantedSandbox, Interrupt, Program, ProgressSink, ProjectorStop, Report,
    SealedSandbox, Stop, ToolError, json_limits,
};
use crate::schema::{Args, CanonicalValue, Schema, Valid, Violations};

pub use deferred::{Deferred, NotLoaded, Provider};
use nested::{Names, NestedCaller, Place};
pub use registry::{Registry, RegistryError};
pub use remote::{Mounted, Remote, RemoteCall, RemoteError};

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
}

#[derive(Clone)]
enum Arguments {
    Value(Value),
    Text(String),
}

impl Call {
    /// A call with arguments that are JSON already.
    pub fn new(tool: impl Into<String>, args: Value) -> Self {
        Self { tool: tool.into(), args: Arguments::Value(args), cancel: CancellationToken::new(), progress: None }
    }

    /// A call with arguments as a model wrote them: one JSON text. Blank text means `{}`.
    pub fn from_text(tool: impl Into<String>, args: impl Into<String>) -> Self {
        Self { args: Arguments::Text(args.into()), ..Self::new(tool, Value::Null) }
    }

    /// Stop the call when this token is cancelled. Dropping the call's future stops it too.
    #[must_use]
    pub fn cancelled_by(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// Hear of progress, on the thread that runs the guest.
    #[must_use]
    pub fn on_progress(mut self, sink: ProgressSink) -> Self {
        self.progress = Some(sink);
        self
    }
}

/// Longest piece of what a guest printed that goes into a message. A model reads it; the operator has the whole log.
const MAX_QUOTE: usize = 2 << 10;
/// Longest text that a tool addresses to the model: its error, or a projector's.
const MAX_WORDS: usize = 8 << 10;

/// A text up to this size is checked where the call runs; a longer one on a thread for blocking work, so that other
/// calls go on and a cancellation is heard. Handing it over costs some microseconds, as much as checking this much.
const CHECKED_INLINE: usize = 16 << 10;

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
        self.run_among(call, Names::Own(self.clone().into())).await
    }

    async fn run_among(&self, call: Call, names: Names) -> Outcome {
        let span = self.span(&call);
        let mut run = Run::new(self.approved().limits());
        let place = Place::top(names);
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
        let mut run = Run::new(self.approved().limits());
        let card = unwinding(run.pending(&self.0, call)).await;
        run.ended_early(card)
    }
}

/// What a call has come to so far. It outlives the pipeline, so that a cancelled call still says what it used.
struct Run {
    limits: Limits,
    usage: Usage,
    diagnostic: Diagnostic,
}

/// Boxed: a failure carries the usage of every limit, and the stages hand it up through six functions.
type Staged<T> = Result<T, Box<Failure>>;

impl Run {
    fn new(limits: Limits) -> Self {
        Self { limits, usage: Usage::none(limits), diagnostic: Diagnostic::default() }
    }

    /// The outcome, with all that was used and left behind. `Err`: a panic's text.
    fn ended(mut self, ended: Result<Staged<Success>, String>, span: &Span) -> Outcome {
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
    fn ended_early<T>(mut self, ended: Result<Staged<T>, String>) -> Staged<T> {
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

    async fn pipeline(&mut self, ready: &Ready, call: Call, place: &Place) -> Staged<Success> {
        let cancel = call.cancel.clone();
        let Rendered { tool, args, value, content, _held } = self.rendered(ready, call, place).await?;
        let limits = self.limits;
        let sealed = SealedSandbox::new(&ready.program, &limits);
        let name = &tool.manifest.name;
        let (card, report) = sealed.present(name, &args, Some(&value), &mut self.usage, cancelled(&cancel)).await;
        let card = self.projected(Export::Present, card, report)?;
        let card = completed(card, tool.manifest, &args, &content);
        Ok(Success { value, content, card, usage: self.usage, diagnostic: Diagnostic::default() })
    }

    /// All stages but the last projector's: what a nested call does too. `render` runs there as well, so that a value
    /// nobody can read is caught at the tool that made it.
    async fn rendered<'a>(&mut self, ready: &'a Ready, call: Call, place: &Place) -> Staged<Rendered<'a>> {
        let began = Instant::now();
        let Call { tool: name, args, cancel, progress } = call;
        let tool = self.find(ready.program.approved().inspected().manifest(), &name)?;
        self.still_approved(ready)?;
        let deadline = place.tightened(began + Duration::from_millis(self.limits.value(LimitName::WallClock)));
        let args = self.arguments(&tool, args, deadline, &cancel).await?;
        let ticking = ready.engine.ticking();
        let slot = self.slot(ready, &cancel, deadline, place.level()).await?;
        let caller = NestedCaller::of(ready, place, &name, self.limits, deadline, &cancel);
        let until = interrupt(deadline, &cancel);
        let text = self.execute(ready, &tool, &args, caller, progress, until).await;
        self.usage.at_least(LimitName::WallClock, u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
        let value = self.gate(&tool, text?, deadline, &cancel).await?;
        let limits = self.limits;
        let sealed = SealedSandbox::new(&ready.program, &limits);
        let (content, report) = sealed.render(&name, &args, &value, &mut self.usage, cancelled(&cancel)).await;
        let content = self.projected(Export::Render, content, report)?;
        Ok(Rendered { tool, args, value, content, _held: (ticking, slot) })
    }

    async fn pending(&mut self, ready: &Ready, call: &Call) -> Staged<Card> {
        let tool = self.find(ready.program.approved().inspected().manifest(), &call.tool)?;
        self.still_approved(ready)?;
        let deadline = Instant::now() + Duration::from_millis(self.limits.value(LimitName::WallClock));
        let args = self.arguments(&tool, call.args.clone(), deadline, &call.cancel).await?;
        let _ticking = ready.engine.ticking();
        let _slot = self.slot(ready, &call.cancel, deadline, 0).await?;
        let limits = self.limits;
        let sealed = SealedSandbox::new(&ready.program, &limits);
        let (card, report) = sealed.present(&call.tool, &args, None, &mut self.usage, cancelled(&call.cancel)).await;
        let card = self.projected(Export::Present, card, report)?;
        Ok(completed(card, tool.manifest, &args, &[]))
    }

    /// Find the tool, and tighten the limits to what its vendor declared.
    fn find<'a>(&mut self, manifest: &'a Manifest, name: &str) -> Staged<Callable<'a>> {
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

    async fn arguments(
        &mut self,
        tool: &Callable<'_>,
        args: Arguments,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> Staged<Valid<Args>> {
        self.gates(tool.input, args, deadline, cancel, &ARGUMENTS).await
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

    /// From here on there is a canonical value.
    async fn gate(
        &mut self,
        tool: &Callable<'_>,
        text: String,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> Staged<CanonicalValue> {
        self.gates(tool.output, Arguments::Text(text), deadline, cancel, &VALUE).await
    }

    /// Both gates, in order.
    async fn gates<K: Send + 'static>(
        &mut self,
        schema: &Schema,
        source: Arguments,
        deadline: Instant,
        cancel: &CancellationToken,
        what: &Gated,
    ) -> Staged<Valid<K>> {
        let limits = json_limits(&self.limits);
        let read = move |source| match source {
            Arguments::Value(value) => Json::from_value(value, &limits),
            Arguments::Text(text) if what.blank_is_empty && text.trim_ascii().is_empty() => Json::parse("{}", &limits),
            Arguments::Text(text) => Json::parse(text, &limits),
        };
        let inline = !matches!(&source, Arguments::Text(text) if text.len() > CHECKED_INLINE);
        let (used, checked) = if inline {
            let json = read(source).map_err(|error| self.not_json(what, &error))?;
            (json.usage(), schema.check(json))
        } else {
            let Arguments::Text(text) = source else { return Err(self.fault("a value that is no text".to_owned())) };
            let schema = schema.clone();
            let work = tokio::task::spawn_blocking(move || {
                Json::parse(text, &limits).map(|json| (json.usage(), schema.check(json)))
            });
            tokio::select! {
                biased;
                // The thread may be long in coming: the pool is every call's.
                why = interrupt(deadline, cancel) => return Err(match why {
                    Interrupt::Deadline => self.timeout(what.checking),
                    Interrupt::Cancelled => self.failure(what.cancelled, "cancelled"),
                }),
                done = work => match done {
                    Ok(done) => done.map_err(|error| self.not_json(what, &error))?,
                    Err(error) => return Err(self.fault(error.to_string())),
                },
            }
        };
        self.usage.at_least(LimitName::ValueBytes, used.bytes);
        self.usage.at_least(LimitName::JsonDepth, used.depth.into());
        self.usage.at_least(LimitName::JsonNodes, used.nodes);
        checked.map_err(|violations| self.violations(what, &violations))
    }

    fn projected<T>(&mut self, export: Export, answer: Result<T, ProjectorStop>, report: Report) -> Staged<T> {
        let written = self.keep(export, report);
        answer.map_err(|stop| match stop {
            ProjectorStop::Stopped(Stop::Interrupted(_)) => self.failure(Code::Aborted, "cancelled"),
            ProjectorStop::Stopped(Stop::Host(cause)) => self.fault(cause),
            stop => {
                // A panic's text is the reason that helps; without one the trap has to do.
                let reason = match &stop {
                    ProjectorStop::Stopped(Stop::Trap(_) | Stop::Exit(_)) if !written.is_empty() => written,
                    ProjectorStop::Refused(words) => shortened(words, MAX_WORDS),
                    other => other.to_string(),
                };
                let mut details = json!({ "projector": export.to_string(), "reason": reason });
                if let ProjectorStop::Stopped(Stop::Limit(exceeded)) | ProjectorStop::TooLarge(exceeded) = &stop {
                    details["limit"] = limit(exceeded);
                }
                self.failure(Code::InvalidToolOutput, format!("{export} failed: {reason}")).detailed(details)
            }
        })
    }

    fn stopped(&mut self, stop: &Stop, written: &str) -> Box<Failure> {
        match stop {
            Stop::Denied(denied) => self.failure(Code::Denied, denied.to_string()),
            Stop::Limit(exceeded) if exceeded.limit == LimitName::ValueBytes => self
                .failure(Code::InvalidToolOutput, format!("the value is too large: {exceeded}"))
                .detailed(json!({ "limit": limit(exceeded) })),
            Stop::Limit(exceeded) => self
                .failure(Code::ResourceExhausted, format!("execute reached a limit: {exceeded}"))
                .detailed(json!({ "limit": limit(exceeded) })),
            Stop::Stack => self.failure(Code::ResourceExhausted, "execute ran out of call stack"),
            Stop::Interrupted(Interrupt::Deadline) => self.timeout("in execute"),
            Stop::Interrupted(Interrupt::Cancelled) => self.failure(Code::Aborted, "cancelled"),
            Stop::Trap(_) | Stop::Exit(_) => {
                let wrote = if written.is_empty() { String::new() } else { format!("; it wrote: {written}") };
                self.failure(Code::ToolTrapped, format!("execute trapped: {stop}{wrote}"))
            }
            Stop::Malformed(_) => self.failure(Code::InvalidToolOutput, format!("execute {stop}")),
            Stop::Host(cause) => self.fault(cause.clone()),
        }
    }

    fn tool_error(&mut self, error: &ToolError) -> Box<Failure> {
        let mut details = serde_json::to_value(error).unwrap_or_default();
        details["message"] = shortened(error.message(), MAX_WORDS).into();
        if let ToolError::Failed { code, data, .. } = error {
            let plain = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
            if !(1..=64).contains(&code.len()) || !code.bytes().all(plain) {
                details["code"] = Value::Null;
            }
            let data = data.as_ref().map(|text| Json::parse(text, &json_limits(&self.limits)));
            if let Some(Ok(data)) = data {
                details["data"] = data.value().clone();
            }
        }
        self.failure(Code::ToolFailed, shortened(error.message(), MAX_WORDS)).detailed(details)
    }

    fn not_json(&mut self, what: &Gated, error: &JsonError) -> Box<Failure> {
        let failure = self.failure(what.code, format!("the {} cannot be used: {error}", what.name));
        match json_limit(error) {
            Some((name, used)) => failure.detailed(json!({ "limit": limit(&Exceeded::new(&self.limits, name, used)) })),
            None => failure,
        }
    }

    fn violations(&mut self, what: &Gated, violations: &Violations) -> Box<Failure> {
        self.failure(what.code, format!("the {} not match the schema: {violations}", what.does))
            .detailed(json!({ "violations": violations }))
    }

    fn timeout(&mut self, whereabouts: &str) -> Box<Failure> {
        let bound = self.limits.get(LimitName::WallClock);
        let message = format!("out of time {whereabouts}: wall-clock-ms is {} ({})", bound.value, bound.origin);
        self.usage.at_least(LimitName::WallClock, bound.value);
        let exceeded = Exceeded::new(&self.limits, LimitName::WallClock, bound.value);
        self.failure(Code::ToolTimeout, message).detailed(json!({ "limit": limit(&exceeded) }))
    }

    fn fault(&mut self, cause: String) -> Box<Failure> {
        let mut failure = self.failure(Code::HostFault, "the host failed; its log says why");
        failure.diagnostic.cause = Some(cause);
        failure
    }

    /// The first program that was asked for and did not run. A grant may hold what no model should read, so only the
    /// operator learns the line that would allow it.
    fn denied_program(&self) -> Option<String> {
        let program = |decision: &&Decision| !decision.allowed && decision.capability == Some(CapabilityKind::Process);
        self.diagnostic
            .decisions
            .iter()
            .find(program)
            .map(|denied| format!("denied process {:?}: {}", denied.target, denied.rule))
    }

    fn failure(&self, code: Code, message: impl Into<String>) -> Box<Failure> {
        Box::new(Failure::new(code, message, self.usage))
    }

    /// Keep what an export wrote for the operator; return its standard error, shortened.
    fn keep(&mut self, export: Export, report: Report) -> String {
        let written = shortened(report.log.stderr.trim(), MAX_QUOTE);
        if !report.log.is_empty() {
            self.diagnostic.logs.push((export.name(), report.log));
        }
        if report.backtrace.is_some() {
            self.diagnostic.backtrace = report.backtrace;
        }
        written
    }
}

/// A call whose value has been made, gated and rendered.
struct Rendered<'a> {
    tool: Callable<'a>,
    args: Valid<Args>,
    value: CanonicalValue,
    content: Vec<ContentBlock>,
    /// Until the last projector has run.
    _held: (Ticking, OwnedSemaphorePermit),
}

/// What goes through the gates, for the words of a refusal.
struct Gated {
    name: &'static str,
    checking: &'static str,
    does: &'static str,
    code: Code,
    cancelled: Code,
    blank_is_empty: bool,
}

const ARGUMENTS: Gated = Gated {
    name: "arguments",
    checking: "checking the arguments",
    does: "arguments do",
    code: Code::InvalidArgs,
    cancelled: Code::AbortedBeforeDispatch,
    blank_is_empty: true,
};

const VALUE: Gated = Gated {
    name: "value",
    checking: "checking the value",
    does: "value does",
    code: Code::InvalidToolOutput,
    cancelled: Code::Aborted,
    blank_is_empty: false,
};

struct Callable<'a> {
    manifest: &'a ToolManifest,
    input: &'a Schema,
    output: &'a Schema,
}

fn limit(exceeded: &Exceeded) -> Value {
    json!({
        "name": exceeded.limit.key(), "used": exceeded.asked, "max": exceeded.max,
        "origin": exceeded.origin, "unit": exceeded.limit.unit(),
    })
}

fn json_limit(error: &JsonError) -> Option<(LimitName, u64)> {
    match error {
        JsonError::TooLarge { used, .. } => Some((LimitName::ValueBytes, *used)),
        JsonError::TooDeep { at_least, .. } => Some((LimitName::JsonDepth, (*at_least).into())),
        JsonError::TooManyNodes { at_least, .. } => Some((LimitName::JsonNodes, *at_least)),
        _ => None,
    }
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

async fn interrupt(deadline: Instant, cancel: &CancellationToken) -> Interrupt {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Interrupt::Cancelled,
        () = tokio::time::sleep_until(deadline) => Interrupt::Deadline,
    }
}

/// Projectors are bounded by fuel, so that the same value gives the same outcome on a slow machine.
async fn cancelled(cancel: &CancellationToken) -> Interrupt {
    cancel.cancelled().await;
    Interrupt::Cancelled
}

fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let kept = &text[..text.floor_char_boundary(most)];
    format!("{kept}… ({} bytes more)", text.len() - kept.len())
}

/// A panic in the host ends one call, not the process.
async fn unwinding<T>(future: impl Future<Output = T>) -> Result<T, String> {
    let mut future = pin!(future);
    std::future::poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            std::task::Poll::Ready(Err(text.unwrap_or_else(|| "a panic without a text".to_owned())))
        }
    })
    .await
}

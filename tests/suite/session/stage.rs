//! Tools, policies, reviewers that are closures, and a recorder that keeps what it is given.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use fumehood::{
    Answer, Approver, CacheLocation, CallEvent, CallPolicy, Compiler, Component, Draft, EndEvent, EndedAs,
    EngineSettings, Event, Host, Inspected, LoadLimits, Manifest, Mounted, Policy, Proposed, Question, Recorder,
    Registry, Remote, RemoteCall, RemoteError, ReviewError, Reviewer, Ruling, Session, SessionRules, Toolset, Verdict,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::support::{self, Guest};

pub(crate) type Later<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pub(crate) fn now<T: Send + 'static>(value: T) -> Later<T> {
    Box::pin(std::future::ready(value))
}

pub(crate) fn never<T: Send + 'static>() -> Later<T> {
    Box::pin(std::future::pending())
}

// ---- tools -------------------------------------------------------------------------------------------------------

/// A tool that runs alone and takes and returns any object.
pub(crate) fn tool(name: &str) -> Value {
    let object = json!({ "type": "object" });
    json!({ "name": name, "title": format!("Tool {name}"), "description": "For tests.",
            "inputSchema": object, "outputSchema": object })
}

/// The same, side by side with others.
pub(crate) fn parallel(name: &str) -> Value {
    let mut tool = tool(name);
    tool["concurrency"] = json!("parallel");
    tool
}

struct Elsewhere<F>(F);

impl<F: Fn(RemoteCall) -> Later<Result<String, RemoteError>> + Send + Sync + 'static> Remote for Elsewhere<F> {
    fn origin(&self) -> &str {
        "elsewhere"
    }

    fn call(&self, call: RemoteCall) -> Pin<Box<dyn Future<Output = Result<String, RemoteError>> + Send + '_>> {
        (self.0)(call)
    }
}

fn manifest(tools: &[Value], asks: &[&str]) -> Value {
    let mut manifest = support::manifest();
    manifest["name"] = json!(tools[0]["name"].as_str().unwrap().replace('_', "-"));
    manifest["tools"] = tools.into();
    let ask = |tool: &&str| json!({ "capability": "tools", "tool": tool, "reason": "A test.", "optional": true });
    manifest["capabilities"] = asks.iter().map(ask).collect();
    manifest
}

/// Tools that this closure runs, under this policy's limits.
pub(crate) fn elsewhere_under(
    tools: &[Value],
    policy: &Policy,
    run: impl Fn(RemoteCall) -> Later<Result<String, RemoteError>> + Send + Sync + 'static,
) -> Mounted {
    let manifest = Manifest::parse(manifest(tools, &[]).to_string().as_bytes()).unwrap();
    Mounted::new(manifest, Arc::new(Elsewhere(run)), policy)
}

/// Tools that this closure runs, alone in a registry.
pub(crate) fn elsewhere(
    tools: &[Value],
    run: impl Fn(RemoteCall) -> Later<Result<String, RemoteError>> + Send + Sync + 'static,
) -> Registry {
    Registry::new([elsewhere_under(tools, &Policy::nothing(), run)]).unwrap()
}

/// What a tool that runs elsewhere answers.
pub(crate) fn said(text: &str) -> Result<String, RemoteError> {
    Ok(json!({ "content": [{ "type": "text", "text": text }] }).to_string())
}

pub(crate) fn host(slots: u32) -> Host {
    Host::new(EngineSettings { slots, ..EngineSettings::standard(Compiler::InProcess, CacheLocation::Off) }).unwrap()
}

pub(crate) fn component(wat: &str, tools: &[Value], asks: &[&str]) -> Inspected {
    let bytes = support::packed(wat, &manifest(tools, asks));
    Inspected::of(Component::from_bytes(bytes, &LoadLimits::standard()).unwrap()).unwrap()
}

/// A component with these tools, which may call those it asks for.
pub(crate) async fn compiled(
    host: &Host,
    wat: &str,
    tools: &[Value],
    asks: &[&str],
    policy: impl FnOnce(Policy) -> Policy,
) -> Toolset {
    let allow = |policy: Policy, tool: &&str| policy.allow(format!("tools={tool}").parse().unwrap()).unwrap();
    let policy = policy(asks.iter().fold(Policy::nothing(), allow));
    host.compile(policy.approve(component(wat, tools, asks)).unwrap()).await.unwrap()
}

/// A component that echoes.
pub(crate) async fn echo(host: &Host, name: &str) -> Toolset {
    compiled(host, &Guest::default().wat(), &[tool(name)], &[], |policy| policy).await
}

/// A component that calls these tools with its own arguments, one after the other, and is as the last one was: its value,
/// or its failure with its code and message.
pub(crate) async fn relay(host: &Host, name: &str, callees: &[&str]) -> Toolset {
    relay_under(host, tool(name), callees, |policy| policy).await
}

pub(crate) async fn relay_under(
    host: &Host,
    tool: Value,
    callees: &[&str],
    policy: impl FnOnce(Policy) -> Policy,
) -> Toolset {
    let (mut items, mut execute) = (String::new(), String::new());
    for (index, callee) in callees.iter().enumerate() {
        let (at, len) = (1024 + 64 * index, callee.len());
        items += &format!("(data (i32.const {at}) \"{callee}\")");
        execute += &format!(
            "(local.set $a (call $alloc (i32.const 32)))
             (call $call (i32.const {at}) (i32.const {len}) (local.get $args) (local.get $args_len) (local.get $a))"
        );
    }
    execute += "
        (if (result i32) (i32.load8_u (local.get $a))
          (then (call $failed (i32.load offset=4 (local.get $a)) (i32.load offset=8 (local.get $a))
                              (i32.load offset=12 (local.get $a)) (i32.load offset=16 (local.get $a))))
          (else (call $ok (i32.load offset=4 (local.get $a)) (i32.load offset=8 (local.get $a)))))";
    let imports = r#"(import "fumehood:host/tools@0.1.0" "call" (func $call (param i32 i32 i32 i32 i32)))"#;
    let guest = Guest { imports, items: &items, execute: &execute, ..Guest::default() };
    compiled(host, &guest.wat(), &[tool], callees, policy).await
}

// ---- who decides -------------------------------------------------------------------------------------------------

struct Named<F>(&'static str, F);

impl<F: Fn(&Proposed<'_>) -> Ruling + Send + Sync + 'static> CallPolicy for Named<F> {
    fn name(&self) -> &str {
        self.0
    }

    fn rule(&self, proposed: &Proposed<'_>) -> Ruling {
        (self.1)(proposed)
    }
}

pub(crate) fn policy(
    name: &'static str,
    rule: impl Fn(&Proposed<'_>) -> Ruling + Send + Sync + 'static,
) -> Arc<dyn CallPolicy> {
    Arc::new(Named(name, rule))
}

/// A policy that always asks.
pub(crate) fn asking(name: &'static str) -> Arc<dyn CallPolicy> {
    policy(name, |_| Ruling::Ask { reason: "to be sure".to_owned() })
}

struct Asked<F>(F);

impl<F: Fn(Question<'_>) -> Later<Answer> + Send + Sync + 'static> Approver for Asked<F> {
    fn ask<'a>(&'a self, question: Question<'a>) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        (self.0)(question)
    }
}

pub(crate) fn approver(ask: impl Fn(Question<'_>) -> Later<Answer> + Send + Sync + 'static) -> Arc<dyn Approver> {
    Arc::new(Asked(ask))
}

pub(crate) type Reviewed = Later<Result<Verdict, ReviewError>>;

impl<F: Fn(Draft<'_>) -> Reviewed + Send + Sync + 'static> Reviewer for Named<F> {
    fn name(&self) -> &str {
        self.0
    }

    fn review<'a>(
        &'a self,
        draft: Draft<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Verdict, ReviewError>> + Send + 'a>> {
        (self.1)(draft)
    }
}

pub(crate) fn reviewer(
    name: &'static str,
    review: impl Fn(Draft<'_>) -> Reviewed + Send + Sync + 'static,
) -> Arc<dyn Reviewer> {
    Arc::new(Named(name, review))
}

/// A reviewer with one verdict for everything.
pub(crate) fn always(name: &'static str, verdict: Verdict) -> Arc<dyn Reviewer> {
    reviewer(name, move |_| now(Ok(verdict.clone())))
}

/// What was said, in order.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub(crate) fn add(&self, note: impl Into<String>) {
        self.0.lock().unwrap().push(note.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Says so when it is dropped.
pub(crate) struct Dropped(pub(crate) UnboundedSender<&'static str>, pub(crate) &'static str);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.0.send(self.1);
    }
}

// ---- what is written down ------------------------------------------------------------------------------------------

/// What becomes of events.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Keeps {
    All,
    AllWithValues,
    /// None of those that are written together with one whose line begins so.
    NotThose(&'static str),
    /// It panics at one whose line begins so.
    PanicsAt(&'static str),
}

struct Recording {
    keeps: Keeps,
    events: Arc<Mutex<Vec<Event>>>,
    written: UnboundedSender<String>,
}

impl Recorder for Recording {
    fn records_values(&self) -> bool {
        self.keeps == Keeps::AllWithValues
    }

    fn record(&self, events: &[Event]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let has = |start: &str| events.iter().any(|event| line(event).starts_with(start));
        match self.keeps {
            Keeps::NotThose(start) if has(start) => return Err("the disk of /srv is full".into()),
            Keeps::PanicsAt(start) if has(start) => panic!("as asked"),
            _ => {}
        }
        self.events.lock().unwrap().extend_from_slice(events);
        events.iter().for_each(|event| drop(self.written.send(line(event))));
        Ok(())
    }
}

/// `call 1 echo`, `start 1`, `end 1 ok`, `end 1 DENIED`.
pub(crate) fn line(event: &Event) -> String {
    match event {
        Event::Call(call) => format!("call {} {}", call.call, call.tool),
        Event::Start { call } => format!("start {call}"),
        Event::End(end) => match &end.ended {
            EndedAs::Success => format!("end {} ok", end.call),
            EndedAs::Failure { code, .. } => format!("end {} {code}", end.call),
            other => panic!("no session writes {other:?}"),
        },
        other => panic!("no session writes {other:?}"),
    }
}

/// What a session wrote.
pub(crate) struct Log {
    events: Arc<Mutex<Vec<Event>>>,
    written: UnboundedReceiver<String>,
}

impl Log {
    pub(crate) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap().clone()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.events.lock().unwrap().iter().map(line).collect()
    }

    /// What it wrote so far, for somebody who runs meanwhile.
    pub(crate) fn reader(&self) -> impl Fn() -> Vec<String> + Send + Sync + use<> {
        let events = self.events.clone();
        move || events.lock().unwrap().iter().map(line).collect()
    }

    pub(crate) fn call(&self, id: &str) -> CallEvent {
        let find = |event| match event {
            Event::Call(call) if call.call.to_string() == id => Some(*call),
            _ => None,
        };
        self.events().into_iter().find_map(find).unwrap()
    }

    pub(crate) fn end(&self, id: &str) -> EndEvent {
        let find = |event| match event {
            Event::End(end) if end.call.to_string() == id => Some(*end),
            _ => None,
        };
        self.events().into_iter().find_map(find).unwrap()
    }

    /// Waits until the session is gone, with all its calls, and nothing can be written any more.
    pub(crate) async fn closed(mut self) -> Vec<String> {
        while self.written.recv().await.is_some() {}
        self.lines()
    }
}

pub(crate) fn session_that(keeps: Keeps, rules: SessionRules) -> (Session, Log) {
    let (send, written) = unbounded_channel();
    let events = Arc::new(Mutex::new(Vec::new()));
    let recorder = Recording { keeps, events: events.clone(), written: send };
    (Session::recorded(rules, Arc::new(recorder), 1).unwrap(), Log { events, written })
}

pub(crate) fn session(rules: SessionRules) -> (Session, Log) {
    session_that(Keeps::All, rules)
}

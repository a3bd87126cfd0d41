//! How a call that came to nothing is told: in words for the model, and apart from them for the operator.

use serde_json::{Value, json};

use super::{Run, Staged, hint};
use crate::capability::CapabilityKind;
use crate::decision::Decision;
use crate::json::Json;
use crate::outcome::{Code, Failure};
use crate::policy::LimitName;
use crate::sandbox::{Exceeded, Export, Interrupt, ProjectorStop, Report, Stop, ToolError, json_limits};

/// Longest piece of what a guest printed that goes into a message. A model reads it; the operator has the whole log.
pub(super) const MAX_QUOTE: usize = 2 << 10;
/// Longest text that a tool addresses to the model: its error, or a projector's.
pub(super) const MAX_WORDS: usize = 8 << 10;

impl Run {
    pub(super) fn projected<T>(
        &mut self,
        export: Export,
        answer: Result<T, ProjectorStop>,
        report: Report,
    ) -> Staged<T> {
        let written = self.keep(export, report);
        if let Err(ProjectorStop::Stopped(stop)) = &answer {
            self.hint(export, stop, !written.is_empty());
        }
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

    pub(super) fn stopped(&mut self, stop: &Stop, written: &str) -> Box<Failure> {
        self.hint(Export::Execute, stop, !written.is_empty());
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

    pub(super) fn tool_error(&mut self, error: &ToolError) -> Box<Failure> {
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

    pub(super) fn timeout(&mut self, whereabouts: &str) -> Box<Failure> {
        let bound = self.limits.get(LimitName::WallClock);
        let message = format!("out of time {whereabouts}: wall-clock-ms is {} ({})", bound.value, bound.origin);
        self.usage.at_least(LimitName::WallClock, bound.value);
        let exceeded = Exceeded::new(&self.limits, LimitName::WallClock, bound.value);
        self.hint(Export::Execute, &Stop::Limit(exceeded.clone()), false);
        self.failure(Code::ToolTimeout, message).detailed(json!({ "limit": limit(&exceeded) }))
    }

    fn hint(&mut self, export: Export, stop: &Stop, wrote: bool) {
        self.diagnostic.hint = hint::of(export, stop, wrote, self.diagnostic.backtrace.as_ref());
    }

    pub(super) fn fault(&mut self, cause: String) -> Box<Failure> {
        let mut failure = self.failure(Code::HostFault, "the host failed; its log says why");
        failure.diagnostic.cause = Some(cause);
        failure
    }

    /// The first program that was asked for and did not run. A grant may hold what no model should read, so only the
    /// operator learns the line that would allow it.
    pub(super) fn denied_program(&self) -> Option<String> {
        let program = |decision: &&Decision| !decision.allowed && decision.capability == Some(CapabilityKind::Process);
        self.diagnostic
            .decisions
            .iter()
            .find(program)
            .map(|denied| format!("denied process {:?}: {}", denied.target, denied.rule))
    }

    pub(super) fn failure(&self, code: Code, message: impl Into<String>) -> Box<Failure> {
        Box::new(Failure::new(code, message, self.usage))
    }

    /// Keep what an export wrote for the operator; return its standard error, shortened.
    pub(super) fn keep(&mut self, export: Export, report: Report) -> String {
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

pub(super) fn limit(exceeded: &Exceeded) -> Value {
    json!({
        "name": exceeded.limit.key(), "used": exceeded.asked, "max": exceeded.max,
        "origin": exceeded.origin, "unit": exceeded.limit.unit(),
    })
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let kept = &text[..text.floor_char_boundary(most)];
    format!("{kept}… ({} bytes more)", text.len() - kept.len())
}

//! Both gates, for arguments and for values: lossless JSON, then the schema.

use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::failing::limit;
use super::{Arguments, Callable, Run, Staged, interrupt};
use crate::json::{Json, JsonError};
use crate::outcome::{Code, Failure};
use crate::policy::LimitName;
use crate::sandbox::{Exceeded, Interrupt, json_limits};
use crate::schema::{Args, CanonicalValue, Schema, Valid, Violations};

/// A text up to this size is checked where the call runs; a longer one on a thread for blocking work, so that other
/// calls go on and a cancellation is heard. Handing it over costs some microseconds, as much as checking this much.
const CHECKED_INLINE: usize = 16 << 10;

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

fn json_limit(error: &JsonError) -> Option<(LimitName, u64)> {
    match error {
        JsonError::TooLarge { used, .. } => Some((LimitName::ValueBytes, *used)),
        JsonError::TooDeep { at_least, .. } => Some((LimitName::JsonDepth, (*at_least).into())),
        JsonError::TooManyNodes { at_least, .. } => Some((LimitName::JsonNodes, *at_least)),
        _ => None,
    }
}

impl Run {
    pub(super) async fn arguments(
        &mut self,
        tool: &Callable<'_>,
        args: Arguments,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> Staged<Valid<Args>> {
        self.gates(tool.input, args, deadline, cancel, &ARGUMENTS).await
    }

    /// From here on there is a canonical value.
    pub(super) async fn gate(
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
}

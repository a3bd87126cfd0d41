//! Where `render` and `present` run: with nothing. Nothing here could be given a grant.

use wasmtime::component::{ComponentNamedList, Lift, Lower};

use super::convert::{self, Malformed};
use super::entry::Entry;
use super::meter::Exceeded;
use super::state::State;
use super::stop::{Interrupt, Stop};
use super::{Program, Report, meter, store};
use crate::bindings::fumehood::tool::types;
use crate::card::Card;
use crate::content::ContentBlock;
use crate::policy::{LimitName, Limits, Usage};
use crate::schema::{Args, CanonicalValue, Valid};

/// Room for the records around the bytes: wasmtime counts them too.
const RECORD_BYTES: u64 = 1 << 20;

/// Why a projector made nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProjectorStop {
    #[error("{0}")]
    Stopped(Stop),
    /// It returned `err`: its own words.
    #[error("{0}")]
    Refused(String),
    /// It returned more than a limit allows.
    #[error("{0}")]
    TooLarge(Exceeded),
    /// It returned something that breaks a rule.
    #[error("returned something malformed: {0}")]
    Malformed(Malformed),
}

/// Calls into the host of one projector. They cost the host time and the guest no fuel, and an honest runtime makes a
/// few hundred while it starts.
pub(super) const HOST_CALLS: u64 = 20_000;

/// One projection in a sandbox without any authority.
pub(crate) struct SealedSandbox<'a> {
    program: &'a Program,
    limits: &'a Limits,
}

impl<'a> SealedSandbox<'a> {
    pub(crate) fn new(program: &'a Program, limits: &'a Limits) -> Self {
        Self { program, limits }
    }

    /// Turn a value into what a model reads.
    pub(crate) async fn render(
        &self,
        tool: &str,
        args: &Valid<Args>,
        value: &CanonicalValue,
        usage: &mut Usage,
        until: impl Future<Output = Interrupt>,
    ) -> (Result<Vec<ContentBlock>, ProjectorStop>, Report) {
        let asked = (tool, args.text(), value.text());
        let (answer, report) =
            self.project::<_, Vec<types::ContentBlock>>(&self.program.render, asked, usage, until).await;
        let blocks =
            answer.and_then(|blocks| convert::content(blocks, self.limits, usage).map_err(ProjectorStop::from));
        (blocks, report)
    }

    /// Turn a value into a card; without one, make the card of a call that has not finished.
    /// `None` is the tool's word for the generic card.
    pub(crate) async fn present(
        &self,
        tool: &str,
        args: &Valid<Args>,
        value: Option<&CanonicalValue>,
        usage: &mut Usage,
        until: impl Future<Output = Interrupt>,
    ) -> (Result<Option<Card>, ProjectorStop>, Report) {
        let asked = (tool, args.text(), value.map(Valid::text));
        let (answer, report) = self.project::<_, Option<types::Card>>(&self.program.present, asked, usage, until).await;
        let finished = value.is_some();
        let card = answer.and_then(|card| {
            card.map(|card| convert::card(card, finished, self.limits, usage).map_err(ProjectorStop::from)).transpose()
        });
        (card, report)
    }

    async fn project<P, T>(
        &self,
        entry: &Entry,
        asked: P,
        usage: &mut Usage,
        until: impl Future<Output = Interrupt>,
    ) -> (Result<T, ProjectorStop>, Report)
    where
        P: ComponentNamedList + Lower,
        T: 'static,
        (Result<T, String>,): ComponentNamedList + Lift,
    {
        let Self { program, limits } = self;
        let fuel = limits.value(LimitName::ProjectorFuel);
        let bytes = limits.value(LimitName::ContentBytes).saturating_add(RECORD_BYTES);
        let state = State::sealed(meter(&limits.capped(LimitName::HostCalls, HOST_CALLS)), program.held.uses_wasi);
        let mut store = match store(entry, state, fuel, bytes) {
            Ok(store) => store,
            Err(error) => {
                return (Err(ProjectorStop::Stopped(Stop::Host(format!("{error:#}")))), Report::nothing());
            }
        };
        let answer = {
            tokio::select! {
                biased;
                answer = entry.call::<P, Result<T, String>>(&mut store, asked) => Ok(answer),
                why = until => Err(why),
            }
        };
        usage.at_least(LimitName::ProjectorFuel, fuel.saturating_sub(store.get_fuel().unwrap_or(0)));
        match answer {
            Ok(Ok(answer)) => (answer.map_err(ProjectorStop::Refused), Report::of(&store, usage, None)),
            Ok(Err(error)) => {
                let stop = ProjectorStop::Stopped(Stop::sort(&error, limits, LimitName::ContentBytes));
                (Err(stop), program.held.locate(Report::of(&store, usage, Some(&error))).await)
            }
            Err(why) => (Err(ProjectorStop::Stopped(Stop::Interrupted(why))), Report::of(&store, usage, None)),
        }
    }
}

impl From<Malformed> for ProjectorStop {
    fn from(malformed: Malformed) -> Self {
        match malformed {
            Malformed::Limit(exceeded) => Self::TooLarge(exceeded),
            rule => Self::Malformed(rule),
        }
    }
}

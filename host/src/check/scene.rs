//! What was run and worked, so that it can be run again under tighter limits.

use serde_json::Value;

use super::Loading;
use super::cases::{Place, Suite};
use super::empty::EmptyWorld;
use crate::{Call, LimitName, Outcome, Policy, Usage};

/// The limits of the call of this number, where they are tighter than the policy's.
pub(super) type Tighten<'a> = dyn Fn(usize) -> Vec<(LimitName, u64)> + Send + Sync + 'a;

/// Calls that all succeeded, in the world that they were made in.
pub(super) struct Scene {
    pub(super) name: String,
    pub(super) from: From,
    /// What each call used.
    pub(super) used: Vec<Usage>,
}

/// Where the calls come from.
pub(super) enum From {
    /// A golden case.
    Case(Place),
    /// One call in an empty world.
    Call { tool: String, args: Value },
}

impl Scene {
    /// Make the calls again, in a world as it was.
    ///
    /// # Errors
    /// That world cannot be made again.
    pub(super) async fn again(
        &self,
        suite: &Suite,
        loading: &Loading,
        policy: &Policy,
        tighten: &Tighten<'_>,
    ) -> Result<Vec<Outcome>, String> {
        match &self.from {
            From::Case(place) => suite.again(*place, loading, tighten).await,
            From::Call { tool, args } => {
                let world = EmptyWorld::make(loading, policy, |_| true).await?;
                let call = Call::new(tool, args.clone());
                let call = tighten(0).into_iter().fold(call, |call, (name, most)| call.within(name, most));
                Ok(vec![world.toolset.run(call).await])
            }
        }
    }
}

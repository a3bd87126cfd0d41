//! What was run and worked, so that it can be run again under tighter limits.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tokio::task::JoinSet;

use super::Loading;
use super::cases::{Place, Suite};
use super::empty::EmptyWorld;
use crate::{Call, LimitName, Outcome, Policy, Usage};

/// By the number of a call in its scene, the limits that are tighter for it than the policy's.
pub(super) type Tightened = BTreeMap<usize, Vec<(LimitName, u64)>>;

/// The call, under what is tightened for the one of this number.
pub(super) fn under(tightened: &Tightened, index: usize, call: Call) -> Call {
    let limits = tightened.get(&index).into_iter().flatten();
    limits.fold(call, |call, (name, most)| call.within(*name, *most))
}

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

/// Everything that it takes to make scenes again. Cheap to clone.
#[derive(Clone)]
pub(super) struct Stage {
    pub(super) scenes: Arc<[Scene]>,
    pub(super) suite: Arc<Suite>,
    pub(super) loading: Loading,
    pub(super) policy: Policy,
}

/// How each call of a scene ended, or why its world cannot be made again.
pub(super) type Ended = Result<Vec<Outcome>, String>;

impl Stage {
    /// Make scenes again, each in a world as it was, as many side by side as there are cores. The answers are in the order of
    /// the runs: the number of a scene, and what is tightened.
    pub(super) async fn again(&self, runs: Vec<(usize, Tightened)>) -> Vec<Ended> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut ended: Vec<_> = runs.iter().map(|_| Err("the host failed".to_owned())).collect();
        let mut waiting = runs.into_iter().enumerate();
        // Dropped with this future: nothing runs on after a Ctrl-C.
        let mut running = JoinSet::new();
        loop {
            while running.len() < cores
                && let Some((number, (scene, tightened))) = waiting.next()
            {
                let stage = self.clone();
                running.spawn(async move { (number, stage.one(scene, &tightened).await) });
            }
            match running.join_next().await {
                Some(Ok((number, outcomes))) => ended[number] = outcomes,
                // A task that panicked leaves what it was given.
                Some(Err(_)) => {}
                None => return ended,
            }
        }
    }

    async fn one(&self, scene: usize, tightened: &Tightened) -> Ended {
        match &self.scenes.get(scene).ok_or("there is no such scene")?.from {
            From::Case(place) => self.suite.again(*place, &self.loading, tightened).await,
            From::Call { tool, args } => {
                let world = EmptyWorld::make(&self.loading, &self.policy, |_| true).await?;
                let call = under(tightened, 0, Call::new(tool, args.clone()));
                Ok(vec![world.toolset.run(call).await])
            }
        }
    }
}

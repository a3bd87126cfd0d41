//! What holds for every call of a session.

use std::sync::Arc;
use std::time::Duration;

use super::writer::Watch;
use crate::card::CardBudget;
use crate::consent::{Approver, CallPolicy};
use crate::review::Reviewer;
use crate::session::Event;
use crate::spill::{SpillBudget, SpillStore};

/// What holds for every call of a session. Cheap to clone.
#[derive(Clone)]
pub struct SessionRules {
    pub(in crate::call) policies: Vec<Arc<dyn CallPolicy>>,
    pub(in crate::call) approver: Option<Arc<dyn Approver>>,
    pub(in crate::call) patience: Duration,
    pub(in crate::call) reviewers: Vec<Arc<dyn Reviewer>>,
    pub(in crate::call) review_time: Duration,
    pub(in crate::call) parallel: usize,
    pub(in crate::call) pending_cards: bool,
    pub(in crate::call) spill: Option<(Arc<SpillStore>, SpillBudget)>,
    pub(in crate::call) card_budget: CardBudget,
    pub(in crate::call) watches: Vec<Watch>,
}

impl SessionRules {
    /// Every call may run and every result pass; ten run at once in a batch; a person has ten minutes to answer, a reviewer
    /// ten seconds; texts reach the model whole, and cards have [`CardBudget::STANDARD`].
    pub fn none() -> Self {
        Self {
            policies: Vec::new(),
            approver: None,
            // Somebody may have to be fetched. Nobody waits for an agent longer.
            patience: Duration::from_secs(600),
            reviewers: Vec::new(),
            // A third of what a tool may take by default. A review reads; it fetches nothing.
            review_time: Duration::from_secs(10),
            // As many calls as a model makes in one step, with some to spare.
            parallel: 10,
            pending_cards: false,
            spill: None,
            card_budget: CardBudget::STANDARD,
            watches: Vec::new(),
        }
    }

    /// Ask this policy before each call, after those that were added before.
    #[must_use]
    pub fn policy(mut self, policy: Arc<dyn CallPolicy>) -> Self {
        self.policies.push(policy);
        self
    }

    /// Who is asked where a policy asks. Without one such a call is denied.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// How long the approver may take for one answer, a year at most. Nothing else of a call waits this long.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        // A clock has an end, and "for ever" must not be past it.
        self.patience = patience.min(Duration::from_secs(365 * 86_400));
        self
    }

    /// Show each result to this reviewer, after those that were added before: the first is the outermost.
    #[must_use]
    pub fn reviewer(mut self, reviewer: Arc<dyn Reviewer>) -> Self {
        self.reviewers.push(reviewer);
        self
    }

    /// How long one reviewer may take for one result.
    #[must_use]
    pub fn review_time(mut self, most: Duration) -> Self {
        self.review_time = most;
        self
    }

    /// How many calls of one batch run at once. Zero means one.
    #[must_use]
    pub fn parallel(mut self, calls: usize) -> Self {
        self.parallel = calls.max(1);
        self
    }

    /// Make the card of each call before it runs, too, and write it down. It costs one more run of `present`.
    #[must_use]
    pub fn pending_cards(mut self) -> Self {
        self.pending_cards = true;
        self
    }

    /// Keep texts of results that are over the budget in this store, and show the model their beginning and end. A text that
    /// cannot be kept reaches the model whole. Nested calls are not concerned: a program reads their values.
    #[must_use]
    pub fn spilling(mut self, store: SpillStore, budget: SpillBudget) -> Self {
        self.spill = Some((Arc::new(store), budget));
        self
    }

    /// How large a card may be. One that is larger is cut, and says so.
    #[must_use]
    pub fn card_budget(mut self, budget: CardBudget) -> Self {
        self.card_budget = budget;
        self
    }

    /// Tell this function of each event, in order, after it was written down. It is called on the writer's thread: return
    /// soon.
    #[must_use]
    pub fn watched_by(mut self, watch: Arc<dyn Fn(&Event) + Send + Sync>) -> Self {
        self.watches.push(watch);
        self
    }
}

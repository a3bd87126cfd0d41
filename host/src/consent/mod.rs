//! Who may stop a call before its tool runs. Nobody may change what it was called with.

mod rules;

use std::fmt;
use std::pin::Pin;

use crate::component::Digest;
use crate::manifest::{Manifest, ToolManifest};
use crate::schema::{Args, Valid};

pub use rules::{CallRules, ToolPattern, ToolPatternError};

/// Decides about calls one by one, by what is asked for.
///
/// Policies stand in an order, and every one is heard. One denial denies, whatever the others say; without one, one that asks
/// has the [`Approver`] asked. To decide takes no time: what has to wait for somebody is an approver's.
pub trait CallPolicy: Send + Sync + 'static {
    /// What people and logs call it.
    fn name(&self) -> &str;

    /// Say what becomes of a call. A policy that panics denies.
    fn rule(&self, proposed: &Proposed<'_>) -> Ruling;
}

/// A call that was asked for, found, and whose arguments passed both gates.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Proposed<'a> {
    /// The tool.
    pub tool: &'a ToolManifest,
    /// Whose it is.
    pub manifest: &'a Manifest,
    /// The component's digest. `None`: the tool runs elsewhere, see `remote`.
    pub component: Option<Digest>,
    /// Where the tool runs, if that is in no sandbox of this host.
    pub remote: Option<&'a str>,
    /// What it is called with.
    pub args: &'a Valid<Args>,
    /// The tools that wait for this call, the top-level one first. Empty: it is a top-level call.
    pub callers: &'a [String],
}

impl fmt::Debug for Proposed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proposed").field("tool", &self.tool.name).field("args", self.args).finish_non_exhaustive()
    }
}

/// What a policy says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It may run, as far as this policy is concerned.
    Allow,
    /// It may not.
    Deny {
        /// Why, for the model.
        reason: String,
    },
    /// Somebody has to say so.
    Ask {
        /// Why, for whoever is asked.
        reason: String,
    },
}

/// Says yes or no to a call that a policy does not decide: a person at a terminal, a dialog, a ticket system.
pub trait Approver: Send + Sync + 'static {
    /// Ask. Dropping the future is how a question ends whose call was cancelled, or that nobody answered in time. Several
    /// calls may ask at once: how they take turns is the approver's.
    fn ask<'a>(&'a self, question: Question<'a>) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;
}

/// What an approver is asked.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Question<'a> {
    /// The call.
    pub proposed: Proposed<'a>,
    /// Which policies ask, and why, in their order. At least one.
    pub asked_by: &'a [(String, String)],
}

/// What an approver says. It holds for one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// The call may run.
    Allowed,
    /// It may not.
    Rejected,
    /// There is nobody to ask.
    Unavailable,
}

//! The tools of several components, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::Call;
use super::deferred::Provider;
use super::failing::shortened;
use super::nested::{Names, Place};
use super::scene::Scene;
use crate::card::Card;
use crate::finding::Finding;
use crate::manifest::{ToolManifest, name_key};
use crate::outcome::{Code, Failure, Outcome};
use crate::policy::{Limits, Usage};

/// Tools of several components, called by name, also by each other where they are granted to. Cheap to clone.
#[derive(Clone)]
pub struct Registry(Arc<BTreeMap<String, Entry>>);

struct Entry {
    name: String,
    provider: Provider,
}

/// Tools that cannot be told apart: every pair.
#[derive(Clone, Debug, thiserror::Error)]
#[error("tools of one name: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  "))]
pub struct RegistryError(pub Vec<Finding>);

/// The longest list of names that a message repeats.
const LISTED: usize = 2 << 10;

impl Registry {
    /// Put the tools of several components side by side.
    ///
    /// # Errors
    /// Two tools of one name, or of names that differ only by case or by `-` and `_`: a model would mix them up. All of
    /// them at once.
    pub fn new<P: Into<Provider>>(providers: impl IntoIterator<Item = P>) -> Result<Self, RegistryError> {
        let (registry, clashes) = Self::keeping_first(providers);
        let clashes: Vec<_> = clashes.into_iter().flatten().collect();
        if clashes.is_empty() { Ok(registry) } else { Err(RegistryError(clashes)) }
    }

    /// [`Self::new`] for providers of which one may be wrong: a provider whose tools clash with an earlier one's is left
    /// out, all of it. The second half has, for each provider, why it was left out: nothing where it was not.
    pub fn keeping_first<P: Into<Provider>>(providers: impl IntoIterator<Item = P>) -> (Self, Vec<Vec<Finding>>) {
        let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
        let mut clashes = Vec::new();
        for provider in providers.into_iter().map(Into::into) {
            let mut own: BTreeMap<String, Entry> = BTreeMap::new();
            let mut found = Vec::new();
            for tool in provider.tools() {
                let key = Self::key(&tool.name);
                if let Some(Entry { name, provider: other }) = own.get(&key).or_else(|| entries.get(&key)) {
                    found.push(Finding::refusal(
                        "registry/name-twice",
                        tool.name.clone(),
                        format!("{name:?} of {} and {:?} of {}", who(other), tool.name, who(&provider)),
                        "load one of the two components, or have a vendor rename the tool",
                    ));
                } else {
                    own.insert(key, Entry { name: tool.name.clone(), provider: provider.clone() });
                }
            }
            if found.is_empty() {
                entries.append(&mut own);
            }
            clashes.push(found);
        }
        (Self(Arc::new(entries)), clashes)
    }

    /// What a name is known by: two with the same key cannot be told apart. [`Self::tools`] is in the order of the keys.
    pub fn key(name: &str) -> String {
        name_key(name)
    }

    /// The component that has the tool of exactly this name.
    pub fn provider(&self, tool: &str) -> Option<&Provider> {
        let entry = self.0.get(&Self::key(tool))?;
        (entry.name == tool).then_some(&entry.provider)
    }

    /// Every tool, in the order of their names.
    pub fn tools(&self) -> impl Iterator<Item = &ToolManifest> {
        self.0.values().filter_map(|entry| entry.provider.tools().iter().find(|tool| tool.name == entry.name))
    }

    /// Call a tool: [`Self::run`] with nothing to cancel it but dropping the future.
    pub async fn call(&self, tool: &str, args: Value) -> Outcome {
        self.run(Call::new(tool, args)).await
    }

    /// Call a tool, as [`Toolset::run`](super::Toolset::run) does; a component that was only listed is compiled first,
    /// which the call's deadline does not count. It may call those tools of this registry that are granted to its component:
    /// each with its own component's grants, under the deadline of this call, and without content or card.
    pub async fn run(&self, call: Call) -> Outcome {
        self.run_in(call, None).await
    }

    pub(super) async fn run_in(&self, call: Call, scene: Option<Scene>) -> Outcome {
        let Some(provider) = self.provider(&call.tool) else { return Outcome::Failure(self.unknown(&call.tool)) };
        match provider.callee(&call.cancel).await {
            Ok(callee) => callee.run(call, Place::top(Names::Registry(self.clone()), scene)).await,
            Err(failure) => Outcome::Failure(*failure),
        }
    }

    /// The card of a call that has not finished, as [`Toolset::pending_card`](super::Toolset::pending_card) makes it.
    ///
    /// # Errors
    /// The failure that the call itself would be, or the projector's.
    pub async fn pending_card(&self, call: &Call) -> Result<Card, Box<Failure>> {
        match self.provider(&call.tool) {
            Some(provider) => provider.callee(&call.cancel).await?.pending_card(call).await,
            None => Err(Box::new(self.unknown(&call.tool))),
        }
    }

    fn unknown(&self, tool: &str) -> Failure {
        let known: Vec<_> = self.0.values().map(|entry| entry.name.as_str()).collect();
        let known = if known.is_empty() { "none at all".to_owned() } else { shortened(&known.join(", "), LISTED) };
        let message = format!("there is no tool {:?}; there is {known}", shortened(tool, 80));
        Failure::new(Code::UnknownTool, message, Usage::none(Limits::standard()))
    }
}

fn who(provider: &Provider) -> String {
    let name = &provider.manifest().name;
    match (provider.digest(), provider.remote()) {
        (Some(digest), _) => format!("{name} ({digest})"),
        (None, Some(origin)) => format!("{name} (mounted, at {origin})"),
        (None, None) => name.clone(),
    }
}

//! The tools of several components, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::nested::Names;
use super::{Call, Toolset, shortened};
use crate::card::Card;
use crate::finding::Finding;
use crate::manifest::ToolManifest;
use crate::outcome::{Code, Failure, Outcome};
use crate::policy::{Limits, Usage};

/// Toolsets whose tools are called by name, also by each other where they are granted to. Cheap to clone.
#[derive(Clone)]
pub struct Registry(Arc<BTreeMap<String, Entry>>);

struct Entry {
    name: String,
    toolset: Toolset,
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
    pub fn new(toolsets: impl IntoIterator<Item = Toolset>) -> Result<Self, RegistryError> {
        let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
        let mut clashes = Vec::new();
        for toolset in toolsets {
            for tool in toolset.tools() {
                let key = tool.name.to_ascii_lowercase().replace('-', "_");
                match entries.get(&key) {
                    Some(Entry { name, toolset: other }) => clashes.push(Finding::refusal(
                        "registry/name-twice",
                        tool.name.clone(),
                        format!("{:?} of {} and {:?} of {}", name, who(other), tool.name, who(&toolset)),
                        "load one of the two components, or have a vendor rename the tool",
                    )),
                    None => {
                        entries.insert(key, Entry { name: tool.name.clone(), toolset: toolset.clone() });
                    }
                }
            }
        }
        if clashes.is_empty() { Ok(Self(Arc::new(entries))) } else { Err(RegistryError(clashes)) }
    }

    /// The toolset that has the tool of exactly this name.
    pub fn toolset(&self, tool: &str) -> Option<&Toolset> {
        let entry = self.0.get(&tool.to_ascii_lowercase().replace('-', "_"))?;
        (entry.name == tool).then_some(&entry.toolset)
    }

    /// Every tool, in the order of their names.
    pub fn tools(&self) -> impl Iterator<Item = &ToolManifest> {
        self.0.values().filter_map(|entry| entry.toolset.tools().iter().find(|tool| tool.name == entry.name))
    }

    /// Call a tool: [`Self::run`] with nothing to cancel it but dropping the future.
    pub async fn call(&self, tool: &str, args: Value) -> Outcome {
        self.run(Call::new(tool, args)).await
    }

    /// Call a tool, as [`Toolset::run`] does. It may call those tools of this registry that are granted to its component:
    /// each with its own component's grants, under the deadline of this call, and without content or card.
    pub async fn run(&self, call: Call) -> Outcome {
        match self.toolset(&call.tool) {
            Some(toolset) => toolset.run_among(call, Names::Registry(self.clone())).await,
            None => Outcome::Failure(self.unknown(&call.tool)),
        }
    }

    /// The card of a call that has not finished, as [`Toolset::pending_card`] makes it.
    ///
    /// # Errors
    /// The failure that the call itself would be, or the projector's.
    pub async fn pending_card(&self, call: &Call) -> Result<Card, Box<Failure>> {
        match self.toolset(&call.tool) {
            Some(toolset) => toolset.pending_card(call).await,
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

fn who(toolset: &Toolset) -> String {
    let inspected = toolset.approved().inspected();
    format!("{} ({})", inspected.manifest().name, inspected.digest())
}

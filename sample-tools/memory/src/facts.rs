//! `memory_add`, `memory_search`, `memory_reflect`: short texts and what is thought of them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::fumehood::tool::types::{ContentBlock, ToolError};
use crate::store::{Store, load, save};
use crate::tool::{Tool, quantity, text};

/// What `facts.json` holds.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Facts {
    /// Facts ever added: no number is given twice.
    added: u64,
    facts: Vec<Fact>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fact {
    id: String,
    text: String,
    pinned: bool,
    /// Ids of facts that belong to this one.
    links: BTreeSet<String>,
}

fn facts(store: &Store, agent: &str) -> Result<Facts, ToolError> {
    Ok(load(&store.facts(agent), &format!("the memory of `{agent}`"))?.unwrap_or_default())
}

impl Facts {
    fn add(&mut self, text: String) -> String {
        self.added += 1;
        let id = format!("fact-{}", self.added);
        self.facts.push(Fact { id: id.clone(), text, pinned: false, links: BTreeSet::new() });
        id
    }

    fn find(&mut self, id: &str) -> Result<&mut Fact, ToolError> {
        let found = self.facts.iter_mut().find(|fact| fact.id == id);
        found.ok_or_else(|| ToolError::NotFound(format!("there is no fact `{id}`; memory_search gives the ids")))
    }
}

pub struct Add;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddArgs {
    agent_id: String,
    text: String,
}

#[derive(Serialize, Deserialize)]
pub struct Added {
    agent_id: String,
    id: String,
    stored: bool,
}

impl Tool for Add {
    type Args = AddArgs;
    type Value = Added;

    fn execute(store: &Store, args: AddArgs) -> Result<Added, ToolError> {
        let mut facts = facts(store, &args.agent_id)?;
        let id = facts.add(args.text);
        save(&store.facts(&args.agent_id), &facts)?;
        Ok(Added { agent_id: args.agent_id, id, stored: true })
    }

    fn title(args: &AddArgs) -> String {
        format!("Remember for {}", args.agent_id)
    }

    fn render(value: Added) -> Vec<ContentBlock> {
        text(format!("Remembered as {}.", value.id))
    }
}

pub struct Search;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchArgs {
    agent_id: String,
    query: String,
    top_k: Option<usize>,
    #[serde(default)]
    explain: bool,
}

#[derive(Serialize, Deserialize)]
pub struct Hits {
    agent_id: String,
    query: String,
    count: u64,
    facts: Vec<Hit>,
    /// Only where the call asked for it: for each fact, in the same order, the words it has in common with the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    explained: Option<Vec<Vec<String>>>,
}

#[derive(Serialize, Deserialize)]
struct Hit {
    id: String,
    text: String,
    pinned: bool,
    links: BTreeSet<String>,
}

impl Tool for Search {
    type Args = SearchArgs;
    type Value = Hits;

    /// A fact counts by how many words of the query it has; a pinned fact goes before all others with one. Of
    /// equals, the later is the better: memory grows at its end.
    fn execute(store: &Store, args: SearchArgs) -> Result<Hits, ToolError> {
        let wanted = words(&args.query);
        let facts = facts(store, &args.agent_id)?.facts;
        let shared = |fact: &Fact| words(&fact.text).intersection(&wanted).cloned().collect::<Vec<_>>();
        let mut hits: Vec<_> = facts.into_iter().rev().map(|fact| (shared(&fact), fact)).collect();
        hits.retain(|(shared, _)| !shared.is_empty());
        hits.sort_by_key(|(shared, fact)| std::cmp::Reverse((fact.pinned, shared.len())));
        hits.truncate(args.top_k.unwrap_or(8));

        let explained = args.explain.then(|| hits.iter().map(|(shared, _)| shared.clone()).collect());
        let hits: Vec<_> =
            hits.into_iter().map(|(_, Fact { id, text, pinned, links })| Hit { id, text, pinned, links }).collect();
        Ok(Hits { agent_id: args.agent_id, query: args.query, count: hits.len() as u64, facts: hits, explained })
    }

    fn title(args: &SearchArgs) -> String {
        format!("Recall for {}: {}", args.agent_id, args.query)
    }

    fn render(value: Hits) -> Vec<ContentBlock> {
        let mut lines = match value.count {
            0 => return text("Nothing remembered about this.".into()),
            count => format!("{} remembered:", quantity(count, "fact")),
        };
        for (at, fact) in value.facts.iter().enumerate() {
            let pin = if fact.pinned { ", pinned" } else { "" };
            lines += &format!("\n{}{pin}: {}", fact.id, fact.text);
            if !fact.links.is_empty() {
                let links: Vec<_> = fact.links.iter().map(String::as_str).collect();
                lines += &format!(" (see {})", links.join(", "));
            }
            if let Some(shared) = value.explained.as_ref().and_then(|explained| explained.get(at)) {
                lines += &format!(" [{}]", shared.join(", "));
            }
        }
        text(lines)
    }
}

/// Runs of letters and digits, in lower case.
fn words(text: &str) -> BTreeSet<String> {
    let parts = text.split(|char: char| !char.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

pub struct Reflect;

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Add,
    Update,
    Forget,
    Link,
    Pin,
    Unpin,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReflectArgs {
    action: Action,
    agent_id: String,
    text: Option<String>,
    target: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub struct Reflected {
    action: Action,
    agent: String,
    id: String,
    ok: bool,
}

impl Tool for Reflect {
    type Args = ReflectArgs;
    type Value = Reflected;

    fn execute(store: &Store, args: ReflectArgs) -> Result<Reflected, ToolError> {
        let needed = |argument: Option<String>, name: &str| {
            argument.ok_or_else(|| ToolError::InvalidArgs(format!("this action needs `{name}`")))
        };
        let mut facts = facts(store, &args.agent_id)?;
        let id = match args.action {
            Action::Add => facts.add(needed(args.text, "text")?),
            action => {
                let target = needed(args.target, "target")?;
                let fact = facts.find(&target)?;
                match action {
                    Action::Update => fact.text = needed(args.text, "text")?,
                    Action::Pin | Action::Unpin => fact.pinned = action == Action::Pin,
                    Action::Link => {
                        let other = needed(args.text, "text")?;
                        if other == target {
                            return Err(ToolError::InvalidArgs("a fact cannot be linked to itself".into()));
                        }
                        facts.find(&other)?.links.insert(target.clone());
                        facts.find(&target)?.links.insert(other);
                    }
                    Action::Add | Action::Forget => {
                        facts.facts.retain(|fact| fact.id != target);
                        for fact in &mut facts.facts {
                            fact.links.remove(&target);
                        }
                    }
                }
                target
            }
        };
        save(&store.facts(&args.agent_id), &facts)?;
        Ok(Reflected { action: args.action, agent: args.agent_id, id, ok: true })
    }

    fn title(args: &ReflectArgs) -> String {
        format!("Reflect for {}", args.agent_id)
    }

    fn render(value: Reflected) -> Vec<ContentBlock> {
        let done = match value.action {
            Action::Add => "Remembered",
            Action::Update => "Updated",
            Action::Forget => "Forgot",
            Action::Link => "Linked",
            Action::Pin => "Pinned",
            Action::Unpin => "Unpinned",
        };
        text(format!("{done} {}.", value.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args<T: for<'a> Deserialize<'a>>(json: serde_json::Value) -> T {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn facts_are_found_by_their_words_and_changed_by_their_ids() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        let found = |query: &str| {
            let hits = Search::execute(&store, args(serde_json::json!({"agent_id": "a", "query": query}))).unwrap();
            hits.facts.into_iter().map(|fact| fact.id).collect::<Vec<_>>()
        };
        let reflect = |mut json: serde_json::Value| {
            json["agent_id"] = "a".into();
            Reflect::execute(&store, args(json)).map(|reflected| reflected.id)
        };
        assert_eq!(found("anything"), [""; 0]);
        for (text, id) in [("Tea is green.", "fact-1"), ("Tea is hot", "fact-2"), ("Coffee", "fact-3")] {
            assert_eq!(Add::execute(&store, args(serde_json::json!({"agent_id": "a", "text": text}))).unwrap().id, id);
        }
        assert_eq!(found("TEA, green?"), ["fact-1", "fact-2"]);
        assert_eq!(found("tea"), ["fact-2", "fact-1"]);
        assert_eq!(found("milk"), [""; 0]);
        reflect(serde_json::json!({"action": "pin", "target": "fact-2"})).unwrap();
        assert_eq!(found("tea green"), ["fact-2", "fact-1"]);
        reflect(serde_json::json!({"action": "link", "target": "fact-1", "text": "fact-3"})).unwrap();
        assert_eq!(facts(&store, "a").unwrap().facts[2].links, BTreeSet::from(["fact-1".to_owned()]));
        reflect(serde_json::json!({"action": "forget", "target": "fact-1"})).unwrap();
        assert!(facts(&store, "a").unwrap().facts.iter().all(|fact| fact.links.is_empty()));
        assert_eq!(reflect(serde_json::json!({"action": "add", "text": "x"})).unwrap(), "fact-4");
        let absent = reflect(serde_json::json!({"action": "update", "target": "fact-1", "text": "x"}));
        assert!(matches!(absent, Err(ToolError::NotFound(_))));
        assert!(matches!(reflect(serde_json::json!({"action": "pin"})), Err(ToolError::InvalidArgs(_))));
        let alone = reflect(serde_json::json!({"action": "link", "target": "fact-2", "text": "fact-2"}));
        assert!(matches!(alone, Err(ToolError::InvalidArgs(_))));
    }

    #[test]
    fn a_damaged_memory_is_not_written_over() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        Add::execute(&store, args(serde_json::json!({"agent_id": "a", "text": "x"}))).unwrap();
        std::fs::write(store.facts("a"), "[]").unwrap();
        let again = Add::execute(&store, args(serde_json::json!({"agent_id": "a", "text": "y"})));
        assert!(matches!(again, Err(ToolError::Failed(_))));
        assert_eq!(std::fs::read_to_string(store.facts("a")).unwrap(), "[]");
    }
}

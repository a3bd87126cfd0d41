//! `memory_add`, `memory_search`, `memory_reflect`: short texts and what is thought of them.

use std::collections::BTreeSet;

use fumehood_tool::{Card, Concurrency, Content, Context, Tool, ToolAnnotations, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::store::{AGENT, Store, load, save};
use crate::{card, quantity};

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

#[derive(Deserialize, JsonSchema)]
pub struct AddArgs {
    /// Whose memory. Agents do not see each other's.
    #[schemars(regex(pattern = AGENT))]
    agent_id: String,
    /// The fact.
    #[schemars(length(min = 1, max = 10_000))]
    text: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Added {
    /// As asked for.
    agent_id: String,
    /// The id of the fact.
    id: String,
    #[schemars(extend("const" = true))]
    stored: bool,
}

impl Add {
    fn run(store: &Store, args: AddArgs) -> Result<Added, ToolError> {
        let mut facts = facts(store, &args.agent_id)?;
        let id = facts.add(args.text);
        save(&store.facts(&args.agent_id), &facts)?;
        Ok(Added { agent_id: args.agent_id, id, stored: true })
    }
}

impl Tool for Add {
    type Args = AddArgs;
    type Value = Added;

    const NAME: &str = "memory_add";
    const TITLE: Option<&str> = Some("Remember");
    const DESCRIPTION: &str = "Remember a fact: one sentence that makes sense by itself. To change or forget a \
                               fact, use memory_reflect.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(false).destructive(false).idempotent(false).open_world(false);
    const TIME_LIMIT_MS: Option<u32> = Some(5000);

    fn execute(args: AddArgs, _context: &Context) -> Result<Added, ToolError> {
        Self::run(&Store::granted(), args)
    }

    fn render(_args: &AddArgs, value: &Added) -> Content {
        format!("Remembered as {}.", value.id).into()
    }

    fn present(args: &AddArgs, value: Option<&Added>) -> Option<Card> {
        card(format!("Remember for {}", args.agent_id), value.map(|value| Self::render(args, value)))
    }
}

pub struct Search;

#[derive(Deserialize, JsonSchema)]
pub struct SearchArgs {
    /// Whose memory. Agents do not see each other's.
    #[schemars(regex(pattern = AGENT))]
    agent_id: String,
    /// What to look for, in a few words.
    query: String,
    /// How many facts to return at most.
    #[serde(default = "top_k")]
    #[schemars(range(min = 1, max = 100))]
    top_k: usize,
    /// Say which words of the query each fact has.
    #[serde(default)]
    explain: bool,
}

/// More than a few make a model read what it did not ask for.
fn top_k() -> usize {
    8
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Hits {
    /// As asked for.
    agent_id: String,
    /// As asked for.
    query: String,
    /// How many facts were found.
    count: u64,
    facts: Vec<Hit>,
    /// Only where asked for: for each fact, in the same order, the words it shares with the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    explained: Option<Vec<Vec<String>>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Hit {
    /// The id of the fact.
    id: String,
    /// The fact.
    text: String,
    /// Whether it goes before others.
    pinned: bool,
    /// Ids of facts that belong to it.
    links: BTreeSet<String>,
}

impl Search {
    /// A fact counts by how many words of the query it has; a pinned fact goes before all others with one. Of
    /// equals, the later is the better: memory grows at its end.
    fn run(store: &Store, args: SearchArgs) -> Result<Hits, ToolError> {
        let wanted = words(&args.query);
        let facts = facts(store, &args.agent_id)?.facts;
        let shared = |fact: &Fact| words(&fact.text).intersection(&wanted).cloned().collect::<Vec<_>>();
        let mut hits: Vec<_> = facts.into_iter().rev().map(|fact| (shared(&fact), fact)).collect();
        hits.retain(|(shared, _)| !shared.is_empty());
        hits.sort_by_key(|(shared, fact)| std::cmp::Reverse((fact.pinned, shared.len())));
        hits.truncate(args.top_k);

        let explained = args.explain.then(|| hits.iter().map(|(shared, _)| shared.clone()).collect());
        let hits: Vec<_> =
            hits.into_iter().map(|(_, Fact { id, text, pinned, links })| Hit { id, text, pinned, links }).collect();
        Ok(Hits { agent_id: args.agent_id, query: args.query, count: hits.len() as u64, facts: hits, explained })
    }
}

impl Tool for Search {
    type Args = SearchArgs;
    type Value = Hits;

    const NAME: &str = "memory_search";
    const TITLE: Option<&str> = Some("Recall");
    const DESCRIPTION: &str = "Find remembered facts that share words with the query. Pinned facts come first, \
                               then those with the most words in common. Finding nothing is an answer and not an \
                               error.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    const CONCURRENCY: Concurrency = Concurrency::Parallel;
    const TIME_LIMIT_MS: Option<u32> = Some(5000);

    fn execute(args: SearchArgs, _context: &Context) -> Result<Hits, ToolError> {
        Self::run(&Store::granted(), args)
    }

    fn render(_args: &SearchArgs, value: &Hits) -> Content {
        let mut lines = match value.count {
            0 => return "Nothing remembered about this.".into(),
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
        lines.into()
    }

    fn present(args: &SearchArgs, value: Option<&Hits>) -> Option<Card> {
        card(format!("Recall for {}: {}", args.agent_id, args.query), value.map(|value| Self::render(args, value)))
    }
}

/// Runs of letters and digits, in lower case.
fn words(text: &str) -> BTreeSet<String> {
    let parts = text.split(|char: char| !char.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

pub struct Reflect;

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Add,
    Update,
    Forget,
    Link,
    Pin,
    Unpin,
}

#[derive(Deserialize, JsonSchema)]
pub struct ReflectArgs {
    /// What to do.
    action: Action,
    /// Whose memory. Agents do not see each other's.
    #[schemars(regex(pattern = AGENT))]
    agent_id: String,
    /// The new wording; for `link` the id of the other fact.
    #[schemars(length(min = 1, max = 10_000))]
    text: Option<String>,
    /// The id of the fact to change.
    #[schemars(length(min = 1))]
    target: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Reflected {
    /// As asked for.
    action: Action,
    /// Whose memory.
    agent: String,
    /// The id of the fact.
    id: String,
    #[schemars(extend("const" = true))]
    ok: bool,
}

impl Reflect {
    fn run(store: &Store, args: ReflectArgs) -> Result<Reflected, ToolError> {
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
}

impl Tool for Reflect {
    type Args = ReflectArgs;
    type Value = Reflected;

    const NAME: &str = "memory_reflect";
    const TITLE: Option<&str> = Some("Reflect");
    const DESCRIPTION: &str = "Change what is remembered: `add` a fact (text), `update` its wording (target, \
                               text), `forget` it (target), `link` two (target, text = the other id), `pin` or \
                               `unpin` one (target). memory_search gives the ids.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(false).destructive(true).idempotent(false).open_world(false);
    const TIME_LIMIT_MS: Option<u32> = Some(5000);

    fn execute(args: ReflectArgs, _context: &Context) -> Result<Reflected, ToolError> {
        Self::run(&Store::granted(), args)
    }

    fn render(_args: &ReflectArgs, value: &Reflected) -> Content {
        let done = match value.action {
            Action::Add => "Remembered",
            Action::Update => "Updated",
            Action::Forget => "Forgot",
            Action::Link => "Linked",
            Action::Pin => "Pinned",
            Action::Unpin => "Unpinned",
        };
        format!("{done} {}.", value.id).into()
    }

    fn present(args: &ReflectArgs, value: Option<&Reflected>) -> Option<Card> {
        card(format!("Reflect for {}", args.agent_id), value.map(|value| Self::render(args, value)))
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
            let hits = Search::run(&store, args(serde_json::json!({"agent_id": "a", "query": query}))).unwrap();
            hits.facts.into_iter().map(|fact| fact.id).collect::<Vec<_>>()
        };
        let reflect = |mut json: serde_json::Value| {
            json["agent_id"] = "a".into();
            Reflect::run(&store, args(json)).map(|reflected| reflected.id)
        };
        assert_eq!(found("anything"), [""; 0]);
        for (text, id) in [("Tea is green.", "fact-1"), ("Tea is hot", "fact-2"), ("Coffee", "fact-3")] {
            assert_eq!(Add::run(&store, args(serde_json::json!({"agent_id": "a", "text": text}))).unwrap().id, id);
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
        Add::run(&store, args(serde_json::json!({"agent_id": "a", "text": "x"}))).unwrap();
        std::fs::write(store.facts("a"), "[]").unwrap();
        let again = Add::run(&store, args(serde_json::json!({"agent_id": "a", "text": "y"})));
        assert!(matches!(again, Err(ToolError::Failed(_))));
        assert_eq!(std::fs::read_to_string(store.facts("a")).unwrap(), "[]");
    }
}

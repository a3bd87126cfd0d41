//! What is served now: a registry that can be replaced while clients are connected, as the wire shows it.

use std::collections::HashMap;
use std::sync::Arc;

use rmcp::model::Tool;
use tokio::sync::watch;

use super::mapping::{Era, Origin, Schemas, tool};
use crate::Registry;

/// The tools that are served, and who hears when they change. Cheap to clone; clones share.
#[derive(Clone)]
pub struct Catalog(Arc<watch::Sender<Arc<Listing>>>);

/// One state of a catalog.
pub(super) struct Listing {
    pub(super) registry: Registry,
    /// By name, those that can be called.
    schemas: HashMap<String, Schemas>,
    legacy: Vec<Tool>,
    modern: Vec<Tool>,
}

impl Catalog {
    /// Serve these tools. A tool whose schemas were refused is left out: strict clients drop every tool of a server that
    /// lists one schema they cannot read.
    pub fn new(registry: Registry) -> Self {
        Self(Arc::new(watch::Sender::new(Arc::new(Listing::of(registry)))))
    }

    /// Serve these from now on. Calls that run end as they began. Clients hear of it if the lists differ.
    pub fn replace(&self, registry: Registry) {
        let new = Listing::of(registry);
        self.0.send_if_modified(|now| {
            let differs = now.modern != new.modern || now.legacy != new.legacy;
            *now = Arc::new(new);
            differs
        });
    }

    pub(super) fn now(&self) -> Arc<Listing> {
        self.0.borrow().clone()
    }

    pub(super) fn changes(&self) -> watch::Receiver<Arc<Listing>> {
        self.0.subscribe()
    }
}

impl Listing {
    fn of(registry: Registry) -> Self {
        let (mut schemas, mut legacy, mut modern) = (HashMap::new(), Vec::new(), Vec::new());
        for manifest in registry.tools().filter(|tool| tool.is_callable()) {
            let Some(provider) = registry.provider(&manifest.name) else { continue };
            let origin = Origin::of(provider);
            let own = Schemas::of(manifest);
            let list = |era| tool(&manifest.name, manifest, &own, era, &origin, true);
            legacy.push(list(Era::Legacy));
            modern.push(list(Era::Modern));
            schemas.insert(manifest.name.clone(), own);
        }
        Self { registry, schemas, legacy, modern }
    }

    /// How a tool's schemas are shown. Nothing where there is no such tool, or none that can be called.
    pub(super) fn schemas(&self, tool: &str) -> Option<&Schemas> {
        self.schemas.get(tool)
    }

    /// In the order of their names: the same at every start.
    pub(super) fn tools(&self, era: Era) -> &[Tool] {
        match era {
            Era::Legacy => &self.legacy,
            Era::Modern => &self.modern,
        }
    }

    /// The tool of exactly this name.
    pub(super) fn tool(&self, era: Era, name: &str) -> Option<&Tool> {
        let (tools, key) = (self.tools(era), Registry::key(name));
        let at = tools.binary_search_by(|tool| Registry::key(&tool.name).cmp(&key)).ok()?;
        tools.get(at).filter(|tool| tool.name == name)
    }

    /// Those after this name, at most so many; and the name to go on from, if there are more.
    pub(super) fn page(&self, era: Era, after: Option<&str>, most: usize) -> (Vec<Tool>, Option<String>) {
        let tools = self.tools(era);
        // By the order of the list, which is that of the keys.
        let from = match after {
            None => 0,
            Some(name) => tools.iter().position(|tool| tool.name == name).map_or_else(
                // It is gone: go on where it would be.
                || tools.partition_point(|tool| Registry::key(&tool.name) <= Registry::key(name)),
                |at| at + 1,
            ),
        };
        let page: Vec<_> = tools.iter().skip(from).take(most).cloned().collect();
        let more = from + page.len() < tools.len();
        let last = page.last().map(|tool| tool.name.to_string());
        (page, last.filter(|_| more))
    }
}

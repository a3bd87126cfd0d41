//! Components that are listed now and compiled when one of their tools is first called.

use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tracing::Span;

use super::nested::{Nested, Place};
use super::{Call, Mounted, Toolset};
use crate::card::Card;
use crate::component::Digest;
use crate::finding::Finding;
use crate::manifest::{Manifest, ToolManifest};
use crate::outcome::{Code, Failure, Outcome};
use crate::policy::{Approved, Limits, Usage};

/// A component that was inspected and approved, and is compiled when one of its tools is first called. Until then it
/// holds the manifest and not the component. Cheap to clone; clones share the compiled code.
#[derive(Clone)]
pub struct Deferred(Arc<Listed>);

struct Listed {
    manifest: Manifest,
    digest: Digest,
    findings: Vec<Finding>,
    limits: Limits,
    loader: Loader,
    /// A lasting failure is kept too: the same bytes would end the same way, and cost as much again.
    loaded: OnceCell<Result<Toolset, NotLoaded>>,
}

/// Reads the component again, and compiles it.
pub(crate) type Loader =
    Box<dyn Fn() -> Pin<Box<dyn Future<Output = Result<Toolset, NotLoaded>> + Send>> + Send + Sync>;

/// A component that was listed and did not become a [`Toolset`].
#[derive(Clone, Debug, thiserror::Error)]
#[error("{cause}")]
pub struct NotLoaded {
    /// What a call of one of its tools comes to.
    pub code: Code,
    /// For the operator: it may name the host's paths.
    pub cause: String,
    /// Whether another try can end no other way.
    pub(crate) lasting: bool,
}

impl Deferred {
    pub(crate) fn new(approved: &Approved, loader: Loader) -> Self {
        let inspected = approved.inspected();
        Self(Arc::new(Listed {
            manifest: inspected.manifest().clone(),
            digest: inspected.digest(),
            findings: approved.findings().to_vec(),
            limits: approved.limits(),
            loader,
            loaded: OnceCell::new(),
        }))
    }

    /// What the vendor declares.
    pub fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }

    /// Which component it is.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }

    /// Where manifest and policy differ, as [`Approved::findings`].
    pub fn findings(&self) -> &[Finding] {
        &self.0.findings
    }

    /// Compile it now, or wait until it is compiled. Once begun it goes on, though nobody waits any more.
    ///
    /// # Errors
    /// The file is not the one that was listed, its approval was taken back, or it cannot be compiled.
    pub async fn load(&self) -> Result<Toolset, NotLoaded> {
        if let Some(loaded) = self.0.loaded.get() {
            return loaded.clone();
        }
        let listed = self.0.clone();
        let work = tokio::spawn(async move {
            let load = || async {
                match (listed.loader)().await {
                    Err(not) if !not.lasting => Err(not),
                    ended => Ok(ended),
                }
            };
            listed.loaded.get_or_try_init(load).await.cloned()
        });
        match work.await {
            Ok(Ok(loaded)) => loaded,
            Ok(Err(not)) => Err(not),
            Err(error) => Err(NotLoaded { code: Code::HostFault, cause: error.to_string(), lasting: false }),
        }
    }

    /// [`Self::load`] for a call.
    async fn load_for(&self, cancel: &CancellationToken) -> Result<Toolset, Box<Failure>> {
        let failure = |code, message: &str| Box::new(Failure::new(code, message, Usage::none(self.0.limits)));
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(failure(Code::AbortedBeforeDispatch, "cancelled before it began")),
            loaded = self.load() => loaded.map_err(|not| {
                // Why not may name the host's paths: that is for the operator, not for the model.
                let message = match not.code {
                    Code::HostFault => "the host failed; its log says why",
                    _ => "this component cannot be used as it is now; its operator has to look at it",
                };
                let mut failure = failure(not.code, message);
                failure.diagnostic.cause = Some(not.cause);
                failure
            }),
        }
    }
}

/// Where a registry gets tools from: a component, or a server elsewhere.
#[derive(Clone)]
pub struct Provider(Source);

#[derive(Clone)]
enum Source {
    Compiled(Toolset),
    Deferred(Deferred),
    Mounted(Mounted),
}

impl From<Toolset> for Provider {
    fn from(toolset: Toolset) -> Self {
        Self(Source::Compiled(toolset))
    }
}

impl From<Deferred> for Provider {
    fn from(deferred: Deferred) -> Self {
        Self(Source::Deferred(deferred))
    }
}

impl From<Mounted> for Provider {
    fn from(mounted: Mounted) -> Self {
        Self(Source::Mounted(mounted))
    }
}

impl Provider {
    /// What the vendor declares.
    pub fn manifest(&self) -> &Manifest {
        match &self.0 {
            Source::Compiled(toolset) => toolset.approved().inspected().manifest(),
            Source::Deferred(deferred) => deferred.manifest(),
            Source::Mounted(mounted) => mounted.manifest(),
        }
    }

    /// Which component it is. `None`: none, see [`Self::remote`].
    pub fn digest(&self) -> Option<Digest> {
        match &self.0 {
            Source::Compiled(toolset) => Some(toolset.approved().inspected().digest()),
            Source::Deferred(deferred) => Some(deferred.digest()),
            Source::Mounted(_) => None,
        }
    }

    /// Where its tools run, if that is in no sandbox of this host.
    pub fn remote(&self) -> Option<&str> {
        match &self.0 {
            Source::Compiled(_) | Source::Deferred(_) => None,
            Source::Mounted(mounted) => Some(mounted.origin()),
        }
    }

    pub(super) fn tools(&self) -> &[ToolManifest] {
        &self.manifest().tools
    }

    pub(super) fn limits(&self) -> Limits {
        match &self.0 {
            Source::Compiled(toolset) => toolset.approved().limits(),
            Source::Deferred(deferred) => deferred.0.limits,
            Source::Mounted(mounted) => mounted.limits(),
        }
    }

    /// The tools ready to be called, compiled if need be.
    pub(super) async fn callee(&self, cancel: &CancellationToken) -> Result<Callee, Box<Failure>> {
        match &self.0 {
            Source::Compiled(toolset) => Ok(Callee::Sandboxed(toolset.clone())),
            Source::Deferred(deferred) => deferred.load_for(cancel).await.map(Callee::Sandboxed),
            Source::Mounted(mounted) => Ok(Callee::Mounted(mounted.clone())),
        }
    }
}

/// Tools that are ready to be called.
pub(super) enum Callee {
    Sandboxed(Toolset),
    Mounted(Mounted),
}

impl Callee {
    pub(super) async fn run(&self, call: Call, place: Place) -> Outcome {
        match self {
            Self::Sandboxed(toolset) => toolset.run_at(call, place).await,
            Self::Mounted(mounted) => mounted.run(call, place).await,
        }
    }

    pub(super) async fn pending_card(&self, call: &Call) -> Result<Card, Box<Failure>> {
        match self {
            Self::Sandboxed(toolset) => toolset.pending_card(call).await,
            Self::Mounted(mounted) => mounted.pending_card(call).await,
        }
    }

    pub(super) fn span(&self, call: &Call) -> Span {
        match self {
            Self::Sandboxed(toolset) => toolset.span(call),
            Self::Mounted(mounted) => mounted.span(call),
        }
    }

    pub(super) async fn nested(&self, call: Call, place: &Place) -> Nested {
        match self {
            Self::Sandboxed(toolset) => toolset.nested(call, place).await,
            Self::Mounted(mounted) => mounted.nested(call, place).await,
        }
    }
}

//! The server: what each request of a client comes to.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData,
    ExtensionCapabilities, Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, ServiceExt as _, SubscriptionContext};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::app;
use super::catalog::Catalog;
use super::mapping::{Budget, Era, Overflow, OverflowLimits, Wire, result};
use super::message::no_parameters;
use super::progress::reporting;
use super::stdio::Stdio;
use crate::{Call, Session};

/// Tools on one page of a list. Some clients read the first page only; a thousand tools of a usual size are a megabyte.
const PAGE: usize = 1_000;

/// What is spoken: the two revisions that are tested, newest last.
const VERSIONS: &[ProtocolVersion] =
    &[ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];

/// The methods of this server whose parameters have a form that they may miss.
const METHODS: &[&str] = &["resources/read", "server/discover", "subscriptions/listen", "tools/call"];

/// A Model Context Protocol server. Cheap to clone: one for each connection, all of them the same server.
#[derive(Clone)]
pub struct Server {
    inner: Arc<Inner>,
    /// Whether the one client of this connection is told of changes without asking.
    telling: Arc<AtomicBool>,
}

struct Inner {
    catalog: Catalog,
    session: Option<Session>,
    config: ServerConfig,
    budget: Budget,
    overflow: Overflow,
    /// Calls at once, of all connections together.
    calls: Semaphore,
}

/// Calls at once. Many more than there are instances: those wait, with their arguments in memory.
const CALLS: usize = 2_048;
/// How often a task that tells of changes looks whether its client is still there.
const STILL_THERE: Duration = Duration::from_secs(15);

impl Server {
    /// A server of these tools.
    pub fn new(catalog: Catalog) -> Self {
        Self::of(catalog, None)
    }

    /// A server whose calls are all of one session: under its rules, and written down by it.
    pub fn in_session(catalog: Catalog, session: Session) -> Self {
        Self::of(catalog, Some(session))
    }

    fn of(catalog: Catalog, session: Option<Session>) -> Self {
        let mut extensions = ExtensionCapabilities::new();
        extensions.insert(app::EXTENSION.to_owned(), app::capability());
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_extensions_with(extensions)
            .build();
        let mut config = ServerConfig::new(capabilities);
        config.server_info = Implementation::new("fumehood", env!("CARGO_PKG_VERSION"));
        let (budget, overflow) = (Budget::STANDARD, Overflow::new(OverflowLimits::STANDARD));
        let inner = Arc::new(Inner { catalog, session, config, budget, overflow, calls: Semaphore::new(CALLS) });
        Self { inner, telling: Arc::default() }
    }

    /// The same server for another connection.
    pub(super) fn for_another(&self) -> Self {
        Self { inner: self.inner.clone(), telling: Arc::default() }
    }

    /// Serve one client until it goes, or until the token is cancelled: then what runs has two seconds to end.
    ///
    /// # Errors
    /// The client did not begin as the protocol wants, or the transport failed.
    pub async fn serve(
        &self,
        stdio: Stdio,
        cancel: CancellationToken,
    ) -> Result<(), rmcp::service::ServerInitializeError> {
        // Without a reader nobody waits for a call that still runs.
        let (gone, cancel) = (stdio.gone(), cancel.child_token());
        let stop = cancel.clone();
        let watching = tokio::spawn(async move {
            gone.cancelled().await;
            stop.cancel();
        });
        let ended = self.serve_over(stdio, cancel).await;
        watching.abort();
        ended
    }

    /// [`Self::serve`] over any transport of `rmcp`.
    ///
    /// # Errors
    /// As [`Self::serve`].
    pub async fn serve_over<T: Transport<RoleServer> + 'static>(
        &self,
        transport: T,
        cancel: CancellationToken,
    ) -> Result<(), rmcp::service::ServerInitializeError> {
        let running = match self.for_another().serve_with_ct(transport, cancel).await {
            Ok(running) => running,
            // A client that came and went, or an operator who stopped the server before one came.
            Err(
                rmcp::service::ServerInitializeError::ConnectionClosed(_)
                | rmcp::service::ServerInitializeError::Cancelled,
            ) => {
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        // The only way to fail is a panic of the loop, which has said so.
        let _ = running.waiting().await;
        Ok(())
    }

    /// One call, from its wire form to its wire form.
    async fn call(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let listing = self.inner.catalog.now();
        let Some(schemas) = listing.schemas(&params.name) else {
            if let (Some(session), Ok(_turn)) = (&self.inner.session, self.inner.calls.try_acquire()) {
                // Nothing runs, and the session has it on record who asked for what.
                let args = Value::Object(params.arguments.clone().unwrap_or_default());
                session.run(&listing.registry, Call::new(params.name.clone(), args)).await;
            }
            let message = format!("there is no tool {:?}; tools/list has their names", shown(&params.name));
            return Err(ErrorData::invalid_params(message, None));
        };
        let mounted = listing.registry.provider(&params.name).is_some_and(|provider| provider.remote().is_some());
        let Ok(_turn) = self.inner.calls.try_acquire() else {
            return Err(ErrorData::internal_error(format!("{CALLS} calls are at work; come again"), None));
        };
        let args = Value::Object(params.arguments.unwrap_or_default());
        let call = Call::new(params.name, args).cancelled_by(context.ct.clone());
        let run = async |call| match &self.inner.session {
            Some(session) => session.run(&listing.registry, call).await,
            None => listing.registry.run(call).await,
        };
        let outcome = match context.meta.get_progress_token() {
            Some(token) => reporting(call, run, &context.peer, token).await,
            None => run(call).await,
        };
        let (budget, overflow) = (&self.inner.budget, &self.inner.overflow);
        let wire = Wire { wraps: schemas.wraps(era(&context)), mounted, budget, overflow };
        Ok(result(&outcome, &wire).into())
    }
}

/// What a client wrote, for a message to it.
fn shown(text: &str) -> &str {
    &text[..text.floor_char_boundary(80)]
}

/// Which shape the other side reads.
fn era(context: &RequestContext<RoleServer>) -> Era {
    context.protocol_version().as_ref().map_or(Era::Legacy, Era::of)
}

/// A cursor names the last tool of the page before: it stays good when the list changes in between.
fn after(params: Option<PaginatedRequestParams>) -> Result<Option<String>, ErrorData> {
    let Some(cursor) = params.and_then(|params| params.cursor) else { return Ok(None) };
    cursor
        .strip_prefix("after:")
        .filter(|name| (1..=40).contains(&name.len()))
        .map(|name| Some(name.to_owned()))
        .ok_or_else(|| ErrorData::invalid_params("this cursor is none of this server's: start without one", None))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.inner.config.clone()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(VERSIONS)
    }

    async fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let after = after(params)?;
        let (tools, last) = self.inner.catalog.now().page(era(&context), after.as_deref(), PAGE);
        let mut result = ListToolsResult::with_all_items(tools);
        result.next_cursor = last.map(|name| format!("after:{name}"));
        // An approval may be taken back, and a file replaced, at any moment.
        (result.ttl_ms, result.cache_scope) = fresh(&context, 0, CacheScope::Private);
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.inner.catalog.now().tool(Era::Modern, name).cloned()
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // A call's future is some kilobytes, which the protocol's implementation would move from hand to hand.
        Box::pin(self.call(params, context)).await
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        // What was left out of results is not listed: its address is its password.
        let mut result = ListResourcesResult::with_all_items(vec![app::resource()]);
        (result.ttl_ms, result.cache_scope) = fresh(&context, APP_TTL_MS, CacheScope::Public);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut result = ListResourceTemplatesResult::with_all_items(Vec::new());
        (result.ttl_ms, result.cache_scope) = fresh(&context, APP_TTL_MS, CacheScope::Public);
        Ok(result)
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (contents, ttl, scope) = if params.uri == app::URI {
            (app::contents(), APP_TTL_MS, CacheScope::Public)
        } else if let Some(kept) = self.inner.overflow.contents(&params.uri) {
            (kept, 0, CacheScope::Private)
        } else {
            let message = "there is no such resource; what was left out of a result is kept for a while only";
            return Err(ErrorData::resource_not_found(message, Some(json!({ "uri": shown(&params.uri) }))));
        };
        let mut result = ReadResourceResult::new(vec![contents]);
        (result.ttl_ms, result.cache_scope) = fresh(&context, ttl, scope);
        Ok(result.into())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::default();
        accepted.tools_list_changed = requested.tools_list_changed;
        Some(accepted)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.inner.catalog.changes();
        changes.mark_unchanged();
        let wanted = subscription.accepted().tools_list_changed == Some(true);
        loop {
            tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                changed = changes.changed(), if wanted => {
                    if changed.is_err() || subscription.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// What the protocol's implementation does not take for the parameters of a method, it takes for another method.
    async fn on_custom_request(
        &self,
        CustomRequest { method, .. }: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(match METHODS.contains(&method.as_str()) {
            true => no_parameters(&method),
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None),
        })
    }

    /// Clients of the older revision are told without asking.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if self.telling.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut changes = self.inner.catalog.changes();
        changes.mark_unchanged();
        tokio::spawn(async move {
            while !context.peer.is_transport_closed() {
                match timeout(STILL_THERE, changes.changed()).await {
                    Ok(Ok(())) if context.peer.notify_tool_list_changed().await.is_ok() => {}
                    Ok(_) => return,
                    Err(_) => {}
                }
            }
        });
    }
}

/// The page of one version of this server is always the same. An hour, so that a client has the next version's soon.
const APP_TTL_MS: u64 = 3_600_000;

/// The older revision has no such fields.
fn fresh(context: &RequestContext<RoleServer>, ttl: u64, scope: CacheScope) -> (Option<u64>, Option<CacheScope>) {
    match era(context) {
        Era::Modern => (Some(ttl), Some(scope)),
        Era::Legacy => (None, None),
    }
}

//! Sessions of the older revision, as many as there is room for.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, LocalSessionManagerError};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};

/// Sessions at once. One that nobody uses for five minutes ends by itself; each takes some tens of kilobytes.
const MOST: usize = 1_000;

/// The sessions of the protocol's implementation, and a bound on how many there are.
#[derive(Clone, Debug)]
pub(super) struct Sessions(Arc<LocalSessionManager>);

impl Default for Sessions {
    /// Answers are not kept for a client that comes back for them: each may be a megabyte.
    fn default() -> Self {
        let mut local = LocalSessionManager::default();
        local.session_config.completed_cache_ttl = Duration::ZERO;
        Self(Arc::new(local))
    }
}

/// The answer to one request, as it comes. A client that goes before its end stops the call.
struct Answering<S> {
    inner: Pin<Box<S>>,
    /// Until the answer has come: the request, and where it is told that nobody waits for it.
    open: Option<(Sessions, SessionId, RequestId)>,
}

impl<S: Stream<Item = ServerSseMessage>> Stream for Answering<S> {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        let polled = self.inner.as_mut().poll_next(context);
        let ended = match &polled {
            Poll::Ready(Some(event)) => {
                matches!(event.message.as_deref(), Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)))
            }
            Poll::Ready(None) => true,
            Poll::Pending => false,
        };
        if ended {
            self.open = None;
        }
        polled
    }
}

impl<S> Drop for Answering<S> {
    fn drop(&mut self) {
        let Some((sessions, session, request)) = self.open.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let reason = Some("the client closed its connection".to_owned());
        let cancelled = CancelledNotification::new(CancelledNotificationParam::new(Some(request), reason));
        runtime.spawn(async move {
            // The session may have ended too.
            let _ = sessions.0.accept_message(&session, ClientJsonRpcMessage::notification(cancelled.into())).await;
        });
    }
}

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    #[error("there are {MOST} sessions already; end one, or speak 2026-07-28, which has none")]
    Full,
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
}

impl SessionManager for Sessions {
    type Error = SessionError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        // Two that come at once may both find room: the bound is for memory, not for one more.
        if self.0.sessions.read().await.len() >= MOST {
            return Err(SessionError::Full);
        }
        Ok(self.0.create_session().await?)
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        Ok(self.0.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(self.0.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        Ok(self.0.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let open = match &message {
            JsonRpcMessage::Request(request) => Some((self.clone(), id.clone(), request.id.clone())),
            _ => None,
        };
        Ok(Answering { inner: Box::pin(self.0.create_stream(id, message).await?), open })
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), SessionError> {
        Ok(self.0.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        Ok(self.0.create_standalone_stream(id).await?)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        Ok(self.0.resume(id, last_event_id).await?)
    }
}

//! `wasi:http` in the granted sandbox: each request is read once, held against manifest and policy, and sent over a
//! connection of its own to an address that was checked. Redirects are the guest's to follow, as requests like any other.

mod address;
mod body;
mod bounds;
mod dial;
mod request;
mod resolve;
mod response;
mod scrub;
mod secret;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{Request, Response};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use wasmtime_wasi_http::p2::bindings::http::types::ErrorCode;
use wasmtime_wasi_http::{Error, ForbiddenHeaderFilter, RequestOptions, WasiBody, WasiHttpHooks};

use crate::capability::http::is_reserved;
use crate::policy::http::{HttpAccess, HttpDenied};
use body::RequestBody;
use bounds::HttpBounds;
use dial::{Dialler, NoAddress};
use request::Plan;

pub(super) use bounds::FIELD_BYTES;
pub use dial::{TlsRoots, TlsRootsError};
pub use resolve::{Resolve, Resolved, SystemResolver};
pub(crate) use secret::LoadedSecret;
pub use secret::SecretError;

/// Something the decision log should know. The target is normalised and its query is left out; a guest chose the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HttpEvent {
    /// `GET https://api.example.com/v1/x`, or what could be read of it.
    pub(crate) request: String,
    pub(crate) decision: HttpDecision,
}

/// What was decided, and by which rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HttpDecision {
    /// The first request of this call that this rule allowed.
    Allowed { rule: String },
    /// The first of this call that carried this secret, by this rule.
    SecretSent { secret: String, rule: String },
    /// It was not sent.
    Denied(HttpDenied),
}

/// Who is told. Called while the guest waits: return soon.
pub(crate) type HttpEventSink = Arc<dyn Fn(HttpEvent) + Send + Sync>;

/// What `wasi:http` does in one call.
pub(crate) struct HttpContext {
    shared: Arc<Shared>,
    /// One per connection.
    places: Arc<Semaphore>,
}

struct Shared {
    access: Arc<HttpAccess>,
    secrets: Arc<[LoadedSecret]>,
    resolver: Arc<dyn Resolve>,
    roots: TlsRoots,
    events: HttpEventSink,
    bounds: HttpBounds,
    ledger: Mutex<Ledger>,
}

/// What has happened in this call.
#[derive(Default)]
struct Ledger {
    denial: Option<HttpDenied>,
    seen: HashSet<String>,
}

impl HttpContext {
    pub(crate) fn new(
        access: Arc<HttpAccess>,
        secrets: Arc<[LoadedSecret]>,
        resolver: Arc<dyn Resolve>,
        roots: TlsRoots,
        events: HttpEventSink,
    ) -> Self {
        Self::bounded(access, secrets, resolver, roots, events, HttpBounds::STANDARD)
    }

    fn bounded(
        access: Arc<HttpAccess>,
        secrets: Arc<[LoadedSecret]>,
        resolver: Arc<dyn Resolve>,
        roots: TlsRoots,
        events: HttpEventSink,
        bounds: HttpBounds,
    ) -> Self {
        let ledger = Mutex::default();
        let places = Arc::new(Semaphore::new(bounds.concurrent));
        Self { shared: Arc::new(Shared { access, secrets, resolver, roots, events, bounds, ledger }), places }
    }

    /// The first request of the call that was not sent, once.
    pub(crate) fn take_denial(&mut self) -> Option<HttpDenied> {
        self.shared.ledger().denial.take()
    }
}

/// What is sent to the guest later: the response, and what drives its connection.
type Sent = Result<(Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>), Error>;

impl WasiHttpHooks for HttpContext {
    fn forbidden_header_filter(&mut self) -> ForbiddenHeaderFilter {
        Arc::new(|name| is_reserved(name.as_str()))
    }

    /// The target's own is set later.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Sent> + Send> {
        let refused = |error| -> Box<dyn Future<Output = Sent> + Send> { Box::new(std::future::ready(Err(error))) };
        let shared = Arc::clone(&self.shared);
        // Decided before anything is awaited: a request that the guest drops again was decided about all the same.
        let (plan, request) = match shared.plan(request, options) {
            Ok(planned) => planned,
            Err(error) => return refused(error),
        };
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return refused(Error::ConnectionLimitReached);
        };
        Box::new(async move {
            let (response, connection) = shared.send(&plan, request).await?;
            let connection = async move {
                connection.await;
                drop(place);
                Ok(())
            };
            Ok((response, Box::new(connection) as Box<_>))
        })
    }

    fn p2_error_from_hyper(&mut self, _: &hyper::Error) -> ErrorCode {
        ErrorCode::HttpProtocolError
    }

    fn p2_error_from_connect(&mut self, _: &std::io::Error) -> ErrorCode {
        ErrorCode::ConnectionRefused
    }

    fn p2_error_from_tls(&mut self, _: &std::io::Error) -> ErrorCode {
        ErrorCode::TlsProtocolError
    }
}

impl Shared {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Write a denial down. The guest learns that there was one, and not why: that would answer questions about the
    /// operator's network.
    fn deny(&self, request: String, denied: HttpDenied) -> Error {
        self.ledger().denial.get_or_insert_with(|| denied.clone());
        (self.events)(HttpEvent { request, decision: HttpDecision::Denied(denied) });
        Error::HttpRequestDenied
    }

    /// Tell of the first use of something in this call.
    fn used(&self, request: &str, decision: HttpDecision) {
        if self.ledger().seen.insert(format!("{decision:?}")) {
            (self.events)(HttpEvent { request: request.to_owned(), decision });
        }
    }

    async fn send(
        &self,
        plan: &Plan,
        request: Request<RequestBody>,
    ) -> Result<(Response<WasiBody>, dial::Connection), Error> {
        let dialler = Dialler {
            resolver: &*self.resolver,
            roots: &self.roots,
            bounds: &self.bounds,
            times: plan.times,
            deadline: Instant::now() + plan.times.connect,
        };
        let name = format!("{} {}", plan.method, plan.target);
        let addresses = match dialler.addresses(&plan.target, &plan.allowed).await {
            Ok(addresses) => addresses,
            Err(NoAddress::Failed(error)) => return Err(error),
            Err(NoAddress::Prohibited(addresses)) => {
                let remedy = plan.allowed.with(&addresses);
                return Err(self.deny(name.clone(), HttpDenied::Address { request: name, addresses, remedy }));
            }
        };
        self.used(&name, HttpDecision::Allowed { rule: plan.allowed.rule.to_string() });
        for (at, rule) in &plan.secrets {
            let secret = self.secrets[*at].name().to_owned();
            self.used(&name, HttpDecision::SecretSent { secret, rule: rule.clone() });
        }
        let (response, connection) = dialler.send(&plan.target, &addresses, request).await?;
        Ok((self.receive(plan, response)?, connection))
    }
}

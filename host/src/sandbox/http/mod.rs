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

use std::sync::{Arc, Mutex, PoisonError};

use http::{Request, Response};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use url::Host;
use wasmtime_wasi_http::p2::bindings::http::types::ErrorCode;
use wasmtime_wasi_http::{Error, ForbiddenHeaderFilter, RequestOptions, WasiBody, WasiHttpHooks};

use crate::capability::CapabilityKind;
use crate::capability::http::is_reserved;
use crate::decision::Decisions;
use crate::policy::http::{HttpAccess, HttpDenied};
use body::RequestBody;
use bounds::{HttpBounds, OUTGOING_PART_BYTES};
use dial::{Dialler, NoAddress};
use request::Plan;

pub(super) use bounds::FIELD_BYTES;
pub use dial::{TlsRoots, TlsRootsError};
pub use resolve::{Resolve, Resolved, SystemResolver};
pub(crate) use secret::LoadedSecret;
pub use secret::SecretError;

/// How names are found and servers are trusted. The embedder's choice, one for all tools of a host.
#[derive(Clone)]
pub struct Network {
    resolver: Arc<dyn Resolve>,
    roots: TlsRoots,
}

impl Network {
    /// Ask this resolver, and trust these roots.
    pub fn new(resolver: Arc<dyn Resolve>, roots: TlsRoots) -> Self {
        Self { resolver, roots }
    }

    /// The system's resolver, and the certificate authorities of the web.
    ///
    /// # Errors
    /// The TLS library cannot be set up.
    pub fn standard() -> Result<Self, TlsRootsError> {
        Ok(Self::new(Arc::new(SystemResolver::default()), TlsRoots::of_the_web()?))
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Network")
    }
}

/// What `wasi:http` does in one call.
pub(crate) struct HttpContext {
    shared: Arc<Shared>,
    /// One per connection.
    places: Arc<Semaphore>,
    /// How many requests the guest wanted to send.
    made: u64,
}

struct Shared {
    access: Arc<HttpAccess>,
    secrets: Arc<[LoadedSecret]>,
    network: Network,
    decisions: Decisions,
    bounds: HttpBounds,
    /// The first request of the call that was not sent.
    denial: Mutex<Option<HttpDenied>>,
}

impl HttpContext {
    pub(super) fn new(
        access: Arc<HttpAccess>,
        secrets: Arc<[LoadedSecret]>,
        network: Network,
        decisions: Decisions,
        requests: u64,
    ) -> Self {
        Self::bounded(access, secrets, network, decisions, HttpBounds { requests, ..HttpBounds::STANDARD })
    }

    fn bounded(
        access: Arc<HttpAccess>,
        secrets: Arc<[LoadedSecret]>,
        network: Network,
        decisions: Decisions,
        bounds: HttpBounds,
    ) -> Self {
        let denial = Mutex::default();
        let places = Arc::new(Semaphore::new(bounds.concurrent));
        Self { shared: Arc::new(Shared { access, secrets, network, decisions, bounds, denial }), places, made: 0 }
    }

    /// How many requests the guest wanted to send, the one past the bound included.
    pub(super) fn made(&self) -> u64 {
        self.made
    }

    /// The first request of the call that was not sent, once.
    pub(super) fn take_denial(&self) -> Option<HttpDenied> {
        self.shared.denial.lock().unwrap_or_else(PoisonError::into_inner).take()
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
        self.made = self.made.saturating_add(1);
        if self.made > shared.bounds.requests {
            // The guest does not come to see this: it is stopped on the way back.
            return refused(Error::HttpRequestDenied);
        }
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

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        OUTGOING_PART_BYTES
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

/// Where nothing of HTTP is granted. Its imports are denied before they come here.
pub(super) struct NoHttp;

impl WasiHttpHooks for NoHttp {
    fn send_request(
        &mut self,
        _: Request<WasiBody>,
        _: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Sent> + Send> {
        Box::new(std::future::ready(Err(Error::HttpRequestDenied)))
    }
}

impl Shared {
    /// Write a denial down. The guest learns that there was one, and not why: that would answer questions about the
    /// operator's network.
    fn deny(&self, request: &str, denied: HttpDenied) -> Error {
        self.decisions.denied(CapabilityKind::Http, request, &denied.to_string());
        self.keep(denied);
        Error::HttpRequestDenied
    }

    /// Keep the first, for what is said of a call that failed.
    fn keep(&self, denied: HttpDenied) {
        self.denial.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(denied);
    }

    async fn send(
        &self,
        plan: &Plan,
        request: Request<RequestBody>,
    ) -> Result<(Response<WasiBody>, dial::Connection), Error> {
        let dialler = Dialler {
            resolver: &*self.network.resolver,
            roots: &self.network.roots,
            bounds: &self.bounds,
            times: plan.times,
            deadline: Instant::now() + plan.times.connect,
        };
        let name = format!("{} {}", plan.method, plan.target);
        let addresses = match dialler.addresses(&plan.target, &plan.allowed).await {
            Ok(addresses) => addresses,
            Err(NoAddress::Failed(error)) => return Err(error),
            Err(NoAddress::Prohibited(addresses)) => {
                let remedy = Box::new(plan.allowed.with(&addresses));
                let denied = HttpDenied::Address { request: name.clone(), addresses, remedy };
                let error = self.deny(&name, denied);
                // The guest knows where an address is; a name's is the operator's to tell.
                return Err(if matches!(plan.target.host(), Host::Domain(_)) { dial::not_found() } else { error });
            }
            Err(NoAddress::NotFound) => {
                self.keep(HttpDenied::NotFound { request: name });
                return Err(dial::not_found());
            }
        };
        self.decisions.allowed(CapabilityKind::Http, &name, &format!("http={}", plan.allowed.rule));
        for (at, rule) in &plan.secrets {
            let rule = format!("secret={} to {rule}", self.secrets[*at].name());
            self.decisions.allowed(CapabilityKind::Secret, &name, &rule);
        }
        let (response, connection) = dialler.send(&plan.target, &addresses, request).await?;
        Ok((self.receive(plan, response)?, connection))
    }
}

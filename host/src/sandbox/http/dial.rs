//! One request over one connection of its own, to an address that was checked.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};
use url::Host;
use wasmtime_wasi::runtime::AbortOnDropJoinHandle;
use wasmtime_wasi_http::Error;
use wasmtime_wasi_http::io::TokioIo;

use super::address::is_public;
use super::body::RequestBody;
use super::bounds::{HttpBounds, Times};
use super::resolve::Resolve;
use crate::capability::http::{Scheme, Target};
use crate::policy::http::HttpAllowed;

/// The most addresses of one host that are tried. All of them are checked.
const MAX_TRIED: usize = 8;

/// Whom servers have to be vouched for by: the certificate authorities of the web, and those the embedder adds.
#[derive(Clone)]
pub struct TlsRoots(Arc<ClientConfig>);

/// Certificates that cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("TLS roots: {0}; give PEM with one or more CERTIFICATE blocks")]
pub struct TlsRootsError(String);

impl std::fmt::Debug for TlsRoots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TlsRoots")
    }
}

impl TlsRoots {
    /// The authorities that Mozilla trusts, as built in.
    ///
    /// # Errors
    /// The TLS library cannot be set up.
    pub fn of_the_web() -> Result<Self, TlsRootsError> {
        Self::with_pem(b"")
    }

    /// Those and more, in PEM.
    ///
    /// # Errors
    /// The text is not empty and holds no certificate, or one that cannot be read.
    pub fn with_pem(pem: &[u8]) -> Result<Self, TlsRootsError> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let mut added = 0;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| TlsRootsError(error.to_string()))?;
            roots.add(certificate).map_err(|error| TlsRootsError(error.to_string()))?;
            added += 1;
        }
        if added == 0 && !pem.is_empty() {
            return Err(TlsRootsError("no certificate found".to_owned()));
        }
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsRootsError(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        // A session that is taken up again would tell a server that two calls come from one host.
        config.resumption = Resumption::disabled();
        Ok(Self(Arc::new(config)))
    }

    /// For connections of one's own that trust them: HTTP/1.1, without a client's certificate, no session taken up again.
    pub fn client_config(&self) -> Arc<ClientConfig> {
        self.0.clone()
    }
}

/// Why no address may be dialled.
#[derive(Debug)]
pub(super) enum NoAddress {
    /// The host is at these addresses, which no grant names.
    Prohibited(Vec<IpAddr>),
    /// The name has no address.
    NotFound,
    Failed(Error),
}

impl From<Error> for NoAddress {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// What a guest is told of a name without an address that may be dialled: the same, whether the operator's name servers
/// know none or one that is not public.
pub(super) fn not_found() -> Error {
    Error::DnsError { rcode: Some("address not available".to_owned()), info_code: None }
}

/// The connection's own task: it ends with its handle.
pub(super) type Connection = AbortOnDropJoinHandle<()>;

pub(super) struct Dialler<'a> {
    pub(super) resolver: &'a dyn Resolve,
    pub(super) roots: &'a TlsRoots,
    pub(super) bounds: &'a HttpBounds,
    pub(super) times: Times,
    /// For everything up to the request itself.
    pub(super) deadline: Instant,
}

impl Dialler<'_> {
    /// All addresses of the target, each with its port, each checked.
    pub(super) async fn addresses(&self, target: &Target, allowed: &HttpAllowed) -> Result<Vec<SocketAddr>, NoAddress> {
        let addresses = match target.host() {
            Host::Domain(name) => self.look_up(name, target.port()).await?,
            Host::Ipv4(address) => vec![(*address, target.port()).into()],
            Host::Ipv6(address) => vec![(*address, target.port()).into()],
        };
        let is_prohibited = |address: &IpAddr| !is_public(*address) && !allowed.names(*address);
        let prohibited: Vec<_> = addresses.iter().map(SocketAddr::ip).filter(is_prohibited).collect();
        if prohibited.is_empty() { Ok(addresses) } else { Err(NoAddress::Prohibited(prohibited)) }
    }

    async fn look_up(&self, name: &str, port: u16) -> Result<Vec<SocketAddr>, NoAddress> {
        let answer = timeout_at(self.deadline, self.resolver.resolve(name, port)).await;
        let mut addresses = answer.map_err(|_| Error::DnsTimeout)?.map_err(|_| NoAddress::NotFound)?;
        for address in &mut addresses {
            address.set_port(port);
        }
        if addresses.is_empty() { Err(NoAddress::NotFound) } else { Ok(addresses) }
    }

    /// Connect to the first of the checked addresses that answers, and send. `request` has its headers and the
    /// target's path already.
    pub(super) async fn send(
        &self,
        target: &Target,
        addresses: &[SocketAddr],
        request: Request<RequestBody>,
    ) -> Result<(Response<Incoming>, Connection), Error> {
        let stream = connect(addresses, self.deadline).await?;
        // Failing it costs speed alone.
        let _ = stream.set_nodelay(true);
        match target.scheme() {
            Scheme::Http => self.speak(stream, request).await,
            Scheme::Https => {
                let name = server_name(target).ok_or(Error::TlsCertificateError)?;
                let connector = TlsConnector::from(Arc::clone(&self.roots.0));
                let stream = timeout_at(self.deadline, connector.connect(name, stream)).await;
                self.speak(stream.map_err(|_| Error::ConnectionTimeout)?.map_err(|error| from_tls(&error))?, request)
                    .await
            }
        }
    }

    async fn speak(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        request: Request<RequestBody>,
    ) -> Result<(Response<Incoming>, Connection), Error> {
        let mut builder = http1::Builder::new();
        builder
            .max_headers(self.bounds.response_headers)
            .max_header_size(self.bounds.response_header_bytes)
            .max_buf_size(self.bounds.response_header_bytes);
        let shaken = timeout_at(self.deadline, builder.handshake(TokioIo::new(stream))).await;
        let (mut sender, connection) =
            shaken.map_err(|_| Error::ConnectionTimeout)?.map_err(|error| from_hyper(&error))?;
        // An error of the connection is seen by the request and by the body.
        let connection = wasmtime_wasi::runtime::spawn(async move {
            let _ = connection.await;
        });
        let response = timeout(self.times.first_byte, sender.send_request(request)).await;
        let response = response.map_err(|_| Error::ConnectionReadTimeout)?.map_err(|error| from_hyper(&error))?;
        Ok((response, connection))
    }
}

/// The first address that answers. Each has an equal share of the time that is left, so that a silent one costs no more.
async fn connect(addresses: &[SocketAddr], deadline: Instant) -> Result<TcpStream, Error> {
    let tried = &addresses[..addresses.len().min(MAX_TRIED)];
    let mut last = Error::ConnectionTimeout;
    for (done, address) in tried.iter().enumerate() {
        let left = deadline.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(tried.len() - done).unwrap_or(1);
        last = match timeout(share, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => Error::ConnectionRefused,
            Ok(Err(_)) => Error::DestinationUnavailable,
            Err(_) => Error::ConnectionTimeout,
        };
    }
    Err(last)
}

fn server_name(target: &Target) -> Option<ServerName<'static>> {
    match target.host() {
        Host::Domain(name) => ServerName::try_from(name.clone()).ok(),
        Host::Ipv4(address) => Some(ServerName::from(IpAddr::V4(*address))),
        Host::Ipv6(address) => Some(ServerName::from(IpAddr::V6(*address))),
    }
}

fn from_tls(error: &io::Error) -> Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidCertificate(_)) => Error::TlsCertificateError,
        Some(_) => Error::TlsProtocolError,
        None => Error::ConnectionTerminated,
    }
}

/// What a guest may know of it: hyper's own texts may hold parts of an answer.
pub(super) fn from_hyper(error: &hyper::Error) -> Error {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if let Some(Error::HttpRequestBodySize(size)) = cause.downcast_ref() {
            return Error::HttpRequestBodySize(*size);
        }
        if cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::UnexpectedEof) {
            return Error::HttpResponseIncomplete;
        }
        source = cause.source();
    }
    if error.is_parse_too_large() {
        return Error::HttpResponseHeaderSectionSize(None);
    }
    if error.is_incomplete_message() {
        return Error::HttpResponseIncomplete;
    }
    if error.is_closed() || error.is_canceled() {
        return Error::ConnectionTerminated;
    }
    Error::HttpProtocolError
}

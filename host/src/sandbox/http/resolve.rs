//! Names to addresses. One answer is taken, checked and dialled: no name is looked up twice for a request.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;

/// The addresses of a host, or why there are none.
pub type Resolved<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'a>>;

/// Who is asked for the addresses of a host name. The sandbox checks every answer; a resolver need not.
pub trait Resolve: Send + Sync {
    /// The addresses of `host`, a name in lower case and punycode, in the order to try. The port of an answer is ignored.
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolved<'a>;
}

/// The system's own resolver, `getaddrinfo`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolved<'a> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}

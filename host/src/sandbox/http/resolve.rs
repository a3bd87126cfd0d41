//! Names to addresses. One answer is taken, checked and dialled: no name is looked up twice for a request.

use std::future::Future;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Semaphore;

/// The look-ups of one resolver that run at once. `getaddrinfo` blocks a thread, for tens of seconds where a name server
/// is silent, and tokio's pool has 512 that every tenant's checks run on: a sixteenth of them is left to names.
const MAX_LOOK_UPS: usize = 32;

/// The addresses of a host, or why there are none.
pub type Resolved<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'a>>;

/// Who is asked for the addresses of a host name. The sandbox checks every answer; a resolver need not.
pub trait Resolve: Send + Sync {
    /// The addresses of `host`, a name in lower case and punycode, in the order to try. The port of an answer is ignored.
    ///
    /// The future is dropped when the request has no time left. A resolver whose work goes on then has to bound how much
    /// of it there is: a guest may ask again at once.
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolved<'a>;
}

type LookUp = dyn Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync;

/// The system's own resolver, `getaddrinfo`. No more than 32 look-ups run at once, those counted that nobody waits for any
/// more; a further one waits for its turn. Clones share the count.
#[derive(Clone)]
pub struct SystemResolver {
    look_up: Arc<LookUp>,
    places: Arc<Semaphore>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self::bounded(MAX_LOOK_UPS, |host, port| Ok((host, port).to_socket_addrs()?.collect()))
    }
}

impl std::fmt::Debug for SystemResolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SystemResolver")
    }
}

impl SystemResolver {
    pub(super) fn bounded(
        most: usize,
        look_up: impl Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static,
    ) -> Self {
        Self { look_up: Arc::new(look_up), places: Arc::new(Semaphore::new(most)) }
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolved<'a> {
        Box::pin(async move {
            let place = Arc::clone(&self.places).acquire_owned().await.map_err(io::Error::other)?;
            let (look_up, host) = (Arc::clone(&self.look_up), host.to_owned());
            let looking = tokio::task::spawn_blocking(move || {
                // Nothing stops a look-up that has begun: its place is free when its thread is.
                let _place = place;
                look_up(&host, port)
            });
            looking.await.map_err(io::Error::other)?
        })
    }
}

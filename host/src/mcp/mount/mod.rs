//! The other direction: tools of another Model Context Protocol server, mounted beside components.
//!
//! A mounted tool keeps the contract and not the sandbox. Its arguments are checked here before they leave; the call has
//! a deadline; what comes back is read through the JSON gate, and its `structuredContent` is held against the schema that
//! the server advertised, as far as that schema can be used. What the server does meanwhile, nobody here can bound: so the
//! tool says, in its description, its `_meta`, its card, and the log, that it is not sandboxed.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use fumehood::mcp::mount::{ChildServer, mount};
//! use fumehood::{Policy, Registry};
//!
//! let server = ChildServer::new("/usr/bin/notes-server", ["--stdio"]);
//! let mounting = mount(&"notes".parse()?, server, &Policy::nothing()).await?;
//! for finding in &mounting.findings {
//!     println!("{finding}");
//! }
//! let registry = Registry::new(mounting.tools)?;
//! # Ok(())
//! # }
//! ```
//!
//! The protocol is spoken here and not through `rmcp`, whose client reads results into types of its own: what they do not
//! know is lost, one block of an unknown kind or one schema that is `true` costs the whole answer, and a line that is no
//! JSON leaves its call without any.

mod address;
mod child;
mod client;
mod http;
mod list;
mod name;
mod result;
mod schema;
mod sse;
mod wire;

use std::sync::Arc;

pub use address::{HttpServer, HttpServerError};
pub use child::ChildServer;
pub use name::{MountName, MountNameError};

use crate::{Finding, Mounted, Policy};
use client::Client;

/// A server that can be mounted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Place {
    /// A program that this one starts, and talks to over its standard input and output.
    Child(ChildServer),
    /// Streamable HTTP.
    Http(HttpServer),
}

impl From<ChildServer> for Place {
    fn from(server: ChildServer) -> Self {
        Self::Child(server)
    }
}

impl From<HttpServer> for Place {
    fn from(server: HttpServer) -> Self {
        Self::Http(server)
    }
}

impl Place {
    /// In a few words, without a secret: the program's name, or the URL.
    pub fn origin(&self) -> &str {
        match self {
            Self::Child(server) => server.origin(),
            Self::Http(server) => server.origin(),
        }
    }
}

/// What a mounted server offers, as it was when it was asked. A list that changes later is not asked for again.
#[non_exhaustive]
pub struct Mounting {
    /// Each tool by itself, so that one that cannot be served costs no other.
    pub tools: Vec<Mounted>,
    /// What was left out, and what is not checked.
    pub findings: Vec<Finding>,
    /// As [`Place::origin`].
    pub origin: String,
    client: Arc<Client>,
}

impl Mounting {
    /// End the connection; a program gets two seconds to end by itself, and then is killed with all that it started. Calls
    /// fail from here on. Dropping every tool does the same, but nobody waits for it.
    pub async fn close(&self) {
        self.client.close().await;
    }
}

/// A server that was not mounted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MountError {
    /// It cannot be started or reached, or went away.
    #[error("{0}")]
    Unavailable(String),
    /// It answers, and not as the protocol wants.
    #[error("it does not keep to the protocol: {0}")]
    Protocol(String),
    /// It takes too long.
    #[error("it did not {doing} within {seconds} s")]
    Slow {
        /// What it was asked for.
        doing: &'static str,
        /// How long it had.
        seconds: u64,
    },
}

/// Connect to a server and list its tools, which are called `NAME_tool` from then on: no server can give a tool the name
/// of another's. A server that goes away is connected to again by the next call.
///
/// Limits are those that the policy sets for everyone; its grants mean nothing here.
///
/// # Errors
/// See [`MountError`]. It names neither the mount nor its place: whoever asked knows them.
pub async fn mount(name: &MountName, place: impl Into<Place>, policy: &Policy) -> Result<Mounting, MountError> {
    let client = Arc::new(Client::new(name.clone(), place.into()));
    let listed = client.list().await?;
    client.learn(listed.theirs);
    let origin = client.place().origin().to_owned();
    let mut findings = listed.findings;
    let tools = listed.manifests.into_iter().map(|(manifest, notes)| {
        findings.extend(notes.iter().cloned());
        Mounted::new(manifest, client.clone(), policy).noting(notes)
    });
    let tools = tools.collect();
    Ok(Mounting { tools, findings, origin, client })
}

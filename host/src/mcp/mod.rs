//! A Model Context Protocol server in front of a [`Registry`]: one more surface, made from the crate's public API.
//!
//! Every answer comes out of the pipeline: a success has the canonical value, its content and its card; a failure is text
//! that begins with a code. What each field of the protocol is made of stands in `docs/mcp-mapping.md`.
//!
//! ```no_run
//! # async fn example(registry: fumehood::Registry) -> Result<(), Box<dyn std::error::Error>> {
//! use fumehood::CancellationToken;
//! use fumehood::mcp::{Catalog, Server, Stdio};
//!
//! let server = Server::new(Catalog::new(registry));
//! server.serve(Stdio::new()?, CancellationToken::new()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`http::Service`] is a `tower` service, for a server that an embedder has already.
//!
//! Sources: <https://modelcontextprotocol.io/specification/2026-07-28> and
//! <https://modelcontextprotocol.io/specification/2025-11-25>; both are spoken, on one connection.

mod app;
mod catalog;
mod handler;
pub mod http;
mod lines;
mod mapping;
mod message;
mod mirror;
pub mod mount;
mod progress;
mod shelf;
mod stdio;
mod subschemas;
mod watch;

pub use catalog::Catalog;
pub use handler::Server;
pub use shelf::{Shelf, ShelfNews};
pub use stdio::Stdio;
pub use watch::watch;

#[expect(unused_imports, reason = "the crate's documentation links it")]
use crate::Registry;

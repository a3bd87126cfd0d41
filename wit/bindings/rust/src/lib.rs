//! Write a Fumehood tool in Rust.
//!
//! A tool is a type that implements [`Tool`]: what it takes, what it gives, and up to three functions.
//!
//! - [`Tool::execute`] does the work and returns one value. It may use what the operator granted.
//! - [`Tool::render`] says what a model reads of that value.
//! - [`Tool::present`] makes the card that a person sees.
//!
//! The last two have defaults. They run sealed, and get no [`Context`]: there is nothing they could do with one.
//!
//! ```
//! use fumehood_tool::{Card, Content, Context, GenericCard, Tool, ToolAnnotations, ToolError, component};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! /// The tool. Nothing is in it: each call gets an instance of its own.
//! struct Dice;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Args {
//!     /// What was thrown, each from 1 to 6.
//!     #[schemars(inner(range(min = 1, max = 6)))]
//!     throws: Vec<u8>,
//! }
//!
//! #[derive(Serialize, Deserialize, JsonSchema)]
//! struct Sum {
//!     /// All of them together.
//!     sum: u32,
//!     /// The highest. Absent where nothing was thrown.
//!     #[serde(skip_serializing_if = "Option::is_none")]
//!     best: Option<u8>,
//! }
//!
//! impl Tool for Dice {
//!     type Args = Args;
//!     type Value = Sum;
//!
//!     const NAME: &str = "dice_sum";
//!     const DESCRIPTION: &str = "Add up throws of dice.";
//!     const ANNOTATIONS: ToolAnnotations = ToolAnnotations::new().read_only(true).open_world(false);
//!
//!     fn execute(args: Args, context: &Context) -> Result<Sum, ToolError> {
//!         if args.throws.len() > 100 {
//!             return Err(ToolError::invalid_args("nobody throws more than a hundred dice"));
//!         }
//!         context.progress(1, Some(1), Some("counted"));
//!         Ok(Sum { sum: args.throws.iter().map(|throw| u32::from(*throw)).sum(), best: args.throws.into_iter().max() })
//!     }
//!
//!     fn render(_args: &Args, value: &Sum) -> Content {
//!         format!("{} in all.", value.sum).into()
//!     }
//!
//!     fn present(args: &Args, value: Option<&Sum>) -> Option<Card> {
//!         let value = value?;
//!         Some(GenericCard::new(format!("{} dice: {}", args.throws.len(), value.sum)).into())
//!     }
//! }
//!
//! component!(Dice);
//! # fn main() {
//! let (value, content) = fumehood_tool::testing::call::<Dice>(r#"{"throws":[2,5]}"#).unwrap();
//! assert_eq!(value, r#"{"sum":7,"best":5}"#);
//! assert_eq!(content, Content::from("7 in all."));
//! # }
//! ```
//!
//! The crate is a `cdylib`. `fumehood pack` makes a component of what Cargo built, asks it for its manifest, and takes the
//! capabilities from `[package.metadata.fumehood]` in `Cargo.toml`. The crate's README has the commands, and the table of
//! what each Rust type becomes in a schema.

// The bindings name this crate as a tool would.
extern crate self as fumehood_tool;

#[doc(hidden)]
#[allow(missing_docs, unreachable_pub, clippy::allow_attributes_without_reason, reason = "wit-bindgen wrote it")]
pub mod bindings;
mod bytes;
mod card;
mod component;
mod content;
mod context;
mod describe;
mod failure;
#[cfg(feature = "host")]
pub mod host;
#[cfg(feature = "http")]
pub mod http;
mod log;
mod outline;
#[cfg(not(target_family = "wasm"))]
pub mod testing;
mod tool;
mod value;
#[cfg(any(feature = "filesystem", feature = "http"))]
pub mod wasi;

pub use bindings::fumehood::tool::types::{
    Annotations, Card, ContentBlock, DiffCard, EmbeddedResource, ExitStatus, Failure, FileDiff, FileMatches,
    GenericCard, LineMatch, Location, MatchResults, MediaContent, NumberedLine, PathResults, ReadCard, ResourceBody,
    ResourceLink, Role, SearchCard, SearchResults, TerminalCard, TextContent, ToolError, ToolKind, WebCard, WebFetch,
    WebResults, WebSearch, WebSource,
};
pub use bytes::Bytes;
pub use content::Content;
pub use context::Context;
pub use failure::Code;
pub use schemars;
pub use serde;
pub use tool::{Concurrency, NoArgs, Tool, ToolAnnotations};

/// What [`component!`] and the logging macros are written in. None of it is for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use crate::bindings;
    pub use crate::bindings::export_component;
    pub use crate::bindings::exports::fumehood::tool::tool::Guest as ToolGuest;
    pub use crate::bindings::exports::fumehood::tool_kit::describe::Guest as DescribeGuest;
    pub use crate::component::{check, execute, names_differ, present, render, unknown};
    pub use crate::describe::{Description, Package};
    pub use crate::log::write;
    pub use wit_bindgen;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

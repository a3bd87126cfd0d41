//! `web_fetch` and `web_search`, on the hosts an operator grants.
//!
//! `fetch` and `search` are the two tools. `outside` is all that they can reach, and follows redirects; `http` is that
//! through the context of a call. `body` reads what a server sent, `html` turns it into text, `page` cuts that into pages. Everything
//! but `http` is tested natively.

mod body;
mod entities;
mod fetch;
mod html;
mod http;
mod outside;
mod page;
mod search;
mod tag;

use fetch::Fetch;
use fumehood_tool::component;
use search::Search;

component!(Fetch, Search);

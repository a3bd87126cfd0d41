//! `read`, `write`, `edit`, `glob` and `grep` over the directories an operator grants.
//!
//! One module a tool; `root` and `list` know paths and errors, `text` what a value may hold, `walk`, `pattern` and `ignore`
//! how a tree is searched.

mod change;
mod glob;
mod grep;
mod ignore;
mod list;
mod pattern;
mod read;
mod root;
mod text;
mod tool;
mod walk;

use change::{Edit, Write};
use fumehood_tool::component;
use glob::Glob;
use grep::Grep;
use read::Read;

component!(Read, Write, Edit, Glob, Grep);

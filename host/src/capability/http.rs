//! Who may be asked for what over HTTP: the rule that a manifest and a grant write, and the request it is held against.

mod header;
mod rule;
mod suffix;
mod target;
#[cfg(test)]
mod tests;

pub(crate) use header::{is_reserved, plain_name};
pub(crate) use rule::{HostPattern, is_method};
pub use rule::{HttpRule, HttpRuleError};
pub(crate) use target::{Scheme, Target, TargetError};

//! What a person approved: the one component, byte for byte, with the grants that were shown. Pure.
//!
//! The lock file is the record. In locked mode nothing runs that is not in it; a component that has the name of an
//! approved one and differs is refused with what changed.

mod file;
mod record;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::component::Digest;
use crate::finding::Finding;
use crate::inspect::Inspected;
use crate::policy::Approved;

pub use file::{LockFile, LockFileError};
pub use record::Record;

/// The version of the file's form.
const VERSION: u32 = 1;

/// All approvals, by digest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    records: BTreeMap<Digest, Record>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct LockText {
    version: u32,
    #[serde(default)]
    approved: Vec<Record>,
}

/// A lock file's text that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Not TOML, an unknown field, or a value of the wrong type. The text shows line and column.
    #[error("{0}; approve the components again, into a new file")]
    Syntax(Box<toml::de::Error>),
    /// A later form.
    #[error("the lock has version {0} and this program reads version {VERSION}; use the program that wrote it")]
    Version(u32),
    /// Two records of one component.
    #[error("{0} is approved twice; keep one of the two records")]
    Twice(Digest),
}

impl Lock {
    /// Reads a lock file's text.
    ///
    /// # Errors
    /// See [`LockError`].
    pub fn from_toml(text: &str) -> Result<Self, LockError> {
        let LockText { version, approved } =
            toml::from_str(text).map_err(|error| LockError::Syntax(Box::new(error)))?;
        if version != VERSION {
            return Err(LockError::Version(version));
        }
        let mut records = BTreeMap::new();
        for record in approved {
            let digest = record.digest;
            if records.insert(digest, record).is_some() {
                return Err(LockError::Twice(digest));
            }
        }
        Ok(Self { records })
    }

    /// The file's text. The same approvals give the same bytes.
    pub fn to_toml(&self) -> String {
        let mut approved: Vec<_> = self.records.values().cloned().collect();
        approved.sort_by(|a, b| (&a.name, a.digest).cmp(&(&b.name, b.digest)));
        let text = toml::to_string(&LockText { version: VERSION, approved }).unwrap_or_default();
        format!(
            "# Written by `fumehood approve`. A component that is not in here, as it is in here, does not run in locked mode.\n{text}"
        )
    }

    /// The approvals, by digest.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.values()
    }

    /// Record an approval: of this component, with these grants. An earlier approval of a component of the same name ends.
    /// Relative directories are taken from `base`.
    pub fn approve(&mut self, approved: &Approved, base: &Path) {
        let record = Record::of(approved, base);
        self.records.retain(|_, earlier| earlier.name != record.name);
        self.records.insert(record.digest, record);
    }

    /// Take back every approval of a component of this name, or of this digest. Says how many there were.
    pub fn revoke(&mut self, name_or_digest: &str) -> usize {
        let before = self.records.len();
        self.records.retain(|digest, record| record.name != name_or_digest && digest.to_string() != name_or_digest);
        before - self.records.len()
    }

    /// Whether this component is the approved one, with the approved grants.
    ///
    /// # Errors
    /// What is not as it was approved: every difference.
    pub fn check(&self, approved: &Approved, base: &Path) -> Result<(), NotApproved> {
        let inspected = approved.inspected();
        let differences = match self.records.get(&inspected.digest()) {
            Some(record) => record.grant_differences(&Record::of(approved, base)),
            None => self.unknown(inspected, &Record::of(approved, base)),
        };
        if differences.is_empty() { Ok(()) } else { Err(NotApproved(differences)) }
    }

    fn unknown(&self, inspected: &Inspected, now: &Record) -> Vec<Finding> {
        let remedy = "look at it with `fumehood inspect`, and approve it with `fumehood approve`";
        let name = &inspected.manifest().name;
        let Some(earlier) = self.records.values().find(|record| record.name == *name) else {
            let message = format!("{name} ({}) is not approved", now.digest);
            return vec![Finding::refusal("lock/not-approved", "", message, remedy)];
        };
        let message = format!(
            "{name} is not the approved component: {} was approved, and this is {}",
            earlier.digest, now.digest
        );
        let mut differences = vec![Finding::refusal("lock/changed", "", message, remedy)];
        differences.extend(earlier.differences(now));
        differences.extend(earlier.grant_differences(now));
        differences
    }
}

/// A component that may not run in locked mode: every reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not approved: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  "))]
pub struct NotApproved(pub Vec<Finding>);

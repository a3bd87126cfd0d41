//! Every bound a call runs under: its value, who set it, and what was used of it.

use std::fmt;

use serde::Serialize;

/// Who set a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// This host's own value.
    Default,
    /// The operator.
    Policy,
    /// The vendor, who may tighten a limit for their own tool and never widen one.
    Manifest,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Default => "default",
            Self::Policy => "policy",
            Self::Manifest => "manifest",
        })
    }
}

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $name:ident = $key:literal, $unit:literal, $standard:expr, $least:expr, $most:expr;)+) => {
        /// The name of a limit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LimitName { $($(#[doc = $doc])+ $name,)+ }

        impl LimitName {
            /// Every limit, in the order in which they are shown.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// How a policy file writes it: `wall-clock-ms`.
            pub const fn key(self) -> &'static str {
                match self { $(Self::$name => $key,)+ }
            }

            /// What it bounds, in a sentence or two.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii(),)+ }
            }

            /// What it counts.
            pub const fn unit(self) -> &'static str {
                match self { $(Self::$name => $unit,)+ }
            }

            /// This host's own value.
            pub const fn standard(self) -> u64 {
                match self { $(Self::$name => $standard,)+ }
            }

            /// The least and the most a policy may set.
            pub const fn range(self) -> std::ops::RangeInclusive<u64> {
                match self { $(Self::$name => $least..=$most,)+ }
            }
        }
    };
}

limits! {
    /// Time from the call's start until the value of `execute` is checked, waiting for a free slot and for the host
    /// included.
    WallClock = "wall-clock-ms", "ms", 30_000, 1, 86_400_000;
    /// Wasm work of one projector, in wasmtime's fuel units: about one per instruction, one per byte of a bulk copy.
    /// Two thousand million are one to three seconds.
    ProjectorFuel = "projector-fuel", "fuel", 2_000_000_000, 1_000, 1_000_000_000_000;
    /// All linear memories of one export call together. A Python guest needs about 60 MiB.
    Memory = "memory-bytes", "bytes", 256 << 20, 64 << 10, 4 << 30;
    /// All tables of one export call together. The largest known guest (StarlingMonkey) uses 7,688.
    TableElements = "table-elements", "elements", 60_000, 1, 600_000;
    /// Core instances of one export call. A Python component holds 14 modules.
    Instances = "instances", "instances", 64, 1, 64;
    /// The text of the arguments, and that of the value.
    ValueBytes = "value-bytes", "bytes", 8 << 20, 2, 256 << 20;
    /// What `render` returns, and what `present` returns, each.
    ContentBytes = "content-bytes", "bytes", 8 << 20, 1, 256 << 20;
    /// Content blocks of one projection.
    ContentBlocks = "content-blocks", "blocks", 256, 1, 65_536;
    /// Standard output and standard error of one export call together. More is dropped, not refused.
    LogBytes = "log-bytes", "bytes", 64 << 10, 0, 16 << 20;
    /// Nesting of arguments and value.
    JsonDepth = "json-depth", "levels", 64, 1, 100;
    /// Values inside arguments and value, each counted on its own.
    JsonNodes = "json-nodes", "nodes", 1_000_000, 1, 50_000_000;
    /// Calls of one export into the host.
    HostCalls = "host-calls", "calls", 5_000_000, 1, 1_000_000_000;
    /// HTTP requests that one `execute` makes, those that are denied included. A guest may keep what came back of each: the
    /// headers of so many, at 64 KiB, are 16 MiB of the host's memory.
    HttpRequests = "http-requests", "requests", 256, 0, 65_536;
    /// Programs that one `execute` starts, one after the other. A tool that asks `git` about each of a hundred files fits;
    /// a loop that starts one after the other does not run for long.
    ProcessRuns = "process-runs", "runs", 256, 0, 65_536;
    /// What is kept of a program's standard output, and of its standard error, each. More is dropped, not refused. A
    /// megabyte is more than a model reads of one command.
    ProcessOutput = "process-output-bytes", "bytes", 1 << 20, 0, 16 << 20;
    /// How deep calls of tools by tools nest below a top-level call. The most is what the pool keeps room for.
    NestedDepth = "nested-depth", "levels", 4, 0, 4;
    /// Calls of tools by tools below one top-level call, at all depths together.
    NestedCalls = "nested-calls", "calls", 64, 0, 10_000;
}

impl LimitName {
    /// The limit a policy file calls `key`.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|name| name.key() == key)
    }
}

impl Serialize for LimitName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}

impl fmt::Display for LimitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// One limit as it holds for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// In the limit's own unit.
    pub value: u64,
    /// Who set it.
    pub origin: Origin,
}

const COUNT: usize = LimitName::ALL.len();

/// All limits of a call. There is none without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits([Limit; COUNT]);

impl Limits {
    /// This host's own values.
    pub fn standard() -> Self {
        let mut limits = [Limit { value: 0, origin: Origin::Default }; COUNT];
        for name in LimitName::ALL {
            limits[*name as usize].value = name.standard();
        }
        Self(limits)
    }

    /// The limit of this name.
    pub fn get(&self, name: LimitName) -> Limit {
        self.0[name as usize]
    }

    /// The value of this name's limit.
    pub fn value(&self, name: LimitName) -> u64 {
        self.get(name).value
    }

    pub(super) fn set_by_policy(&mut self, name: LimitName, value: u64) {
        self.0[name as usize] = Limit { value, origin: Origin::Policy };
    }

    /// The same limits with one of them no larger than this host's own bound.
    pub(crate) fn capped(mut self, name: LimitName, most: u64) -> Self {
        let limit = &mut self.0[name as usize];
        if limit.value > most {
            *limit = Limit { value: most, origin: Origin::Default };
        }
        self
    }

    /// Tighten a limit to what the vendor declared. A larger value changes nothing.
    pub(crate) fn tightened(self, name: LimitName, value: u64) -> Self {
        self.tightened_by(name, value, Origin::Manifest)
    }

    /// The same, on the word of another.
    pub(crate) fn tightened_by(mut self, name: LimitName, value: u64, origin: Origin) -> Self {
        let limit = &mut self.0[name as usize];
        if value < limit.value {
            *limit = Limit { value, origin };
        }
        self
    }
}

/// What a call used of each limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    limits: Limits,
    used: [u64; COUNT],
}

/// One line of a [`Usage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Used {
    /// Which limit.
    pub limit: LimitName,
    /// The most that was used of it at any one time. What would have gone past the limit is not counted.
    pub used: u64,
    /// The limit's value.
    pub max: u64,
    /// Who set it.
    pub origin: Origin,
}

impl Usage {
    pub(crate) fn none(limits: Limits) -> Self {
        Self { limits, used: [0; COUNT] }
    }

    /// The limits changed: a tool's own time limit tightened one.
    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    pub(crate) fn at_least(&mut self, name: LimitName, used: u64) {
        let slot = &mut self.used[name as usize];
        *slot = (*slot).max(used);
    }

    /// What was used of one limit.
    pub fn get(&self, name: LimitName) -> Used {
        let Limit { value, origin } = self.limits.get(name);
        Used { limit: name, used: self.used[name as usize], max: value, origin }
    }

    /// What was used of every limit, in the order of [`LimitName::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = Used> + '_ {
        LimitName::ALL.iter().map(|name| self.get(*name))
    }
}

impl Serialize for Usage {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_a_value_inside_its_range() {
        for name in LimitName::ALL {
            assert!(name.range().contains(&name.standard()), "{name}");
            assert_eq!(LimitName::from_key(name.key()), Some(*name));
        }
    }

    #[test]
    fn a_manifest_tightens_and_never_widens() {
        let limits = Limits::standard();
        let tighter = limits.tightened(LimitName::WallClock, 5);
        assert_eq!(tighter.get(LimitName::WallClock), Limit { value: 5, origin: Origin::Manifest });
        let wider = limits.tightened(LimitName::WallClock, u64::MAX);
        assert_eq!(wider.get(LimitName::WallClock), limits.get(LimitName::WallClock));
    }
}

//! The ways to behave, by name. One table: the manifest's enum and the README are checked against it.

use serde::{Deserialize, Serialize};

macro_rules! ways {
    ($($(#[doc = $what:literal])+ $variant:ident = $name:literal,)+) => {
        /// What `flaky` is asked to do.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        pub enum How {
            $($(#[doc = $what])+ #[serde(rename = $name)] $variant,)+
        }

        #[cfg(test)]
        pub const ALL: &[(How, &str, &str)] = &[$((How::$variant, $name, concat!($($what),+))),+];
    };
}

ways! {
    /// Succeed, with a text and no card.
    Success = "success",
    /// Succeed after three reports of progress.
    Progress = "progress",
    /// Succeed after a line on standard error and one on standard output in each export.
    Noise = "noise",

    /// Return the tool error `invalid-args`.
    InvalidArgs = "invalid-args",
    /// Return the tool error `not-found`.
    NotFound = "not-found",
    /// Return the tool error `denied`.
    Denied = "denied",
    /// Return the tool error `unavailable`.
    Unavailable = "unavailable",
    /// Return the tool error `failed`, with the code `FLAKY` and data.
    Failed = "failed",
    /// Return the tool error `failed` with a code that is none.
    FailedBadCode = "failed-bad-code",
    /// Return the tool error `failed` with data that is not JSON.
    FailedBadData = "failed-bad-data",

    /// Panic in `execute`.
    PanicInExecute = "panic-in-execute",
    /// Panic in `render`.
    PanicInRender = "panic-in-render",
    /// Panic in `present`, also of the pending card.
    PanicInPresent = "panic-in-present",
    /// Return an error from `render`.
    ErrorInRender = "error-in-render",
    /// Return an error from `present`, also of the pending card.
    ErrorInPresent = "error-in-present",

    /// Return a value that the output schema refuses.
    ValueOffSchema = "value-off-schema",
    /// Return a value that is not JSON.
    ValueNotJson = "value-not-json",
    /// Return a value with a key twice, once spelled with an escape.
    ValueDuplicateKeys = "value-duplicate-keys",
    /// Return a value of 200 nested lists.
    ValueTooDeep = "value-too-deep",
    /// Return a value of 64 MiB.
    ValueHuge = "value-huge",

    /// Loop without end in `execute`.
    LoopInExecute = "loop-in-execute",
    /// Loop without end in `render`.
    LoopInRender = "loop-in-render",
    /// Loop without end in `present`, also of the pending card.
    LoopInPresent = "loop-in-present",
    /// Take memory without end in `execute`.
    MemoryInExecute = "memory-in-execute",
    /// Take memory without end in `render`.
    MemoryInRender = "memory-in-render",
    /// Call itself without end in `execute`.
    RecursionInExecute = "recursion-in-execute",
    /// Call itself without end in `render`.
    RecursionInRender = "recursion-in-render",

    /// Return content of 64 MiB.
    ContentHuge = "content-huge",
    /// Return 200,000 content blocks.
    ContentManyBlocks = "content-many-blocks",
    /// Return an image whose media type is none.
    ContentBadMime = "content-bad-mime",
    /// Return content whose priority is not a number.
    ContentNanPriority = "content-nan-priority",
    /// Return a link whose URI is none.
    ContentBadUri = "content-bad-uri",
    /// Return a read card with lines out of order and past the end.
    CardBadLines = "card-bad-lines",
    /// Return a diff card without a diff.
    CardNoDiffs = "card-no-diffs",
    /// Return a generic card whose input is not JSON.
    CardBadInput = "card-bad-input",
    /// Return a web card with a link to a script.
    CardBadUrl = "card-bad-url",
    /// Return a card of 64 MiB.
    CardHuge = "card-huge",

    /// Read the clock in `render`.
    ClockInRender = "clock-in-render",
    /// Look for files in `render`, and say what came of it: there must be none.
    FileInRender = "file-in-render",
    /// Read a random number in `render`, and say which: it must be the same each time.
    RandomInRender = "random-in-render",
    /// Read an environment variable in `render`, and say what it holds: it must not be there.
    EnvironmentInRender = "environment-in-render",
    /// Report progress in `render`.
    ProgressInRender = "progress-in-render",
    /// Read the clock, which `execute` may where it is granted.
    ClockInExecute = "clock-in-execute",
    /// List the granted directory, which `execute` may where there is one.
    FileInExecute = "file-in-execute",
    /// Read a random number, which `execute` may where it is granted.
    RandomInExecute = "random-in-execute",
    /// End the process in `execute`, in place of returning.
    ExitInExecute = "exit-in-execute",
}

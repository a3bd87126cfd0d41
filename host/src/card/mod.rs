//! What a person sees: one of six cards. A client switches on the case and knows no tool by name.

mod budget;
mod cut;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::ContentBlock;

pub use budget::{CardBudget, CardBudgetError, Cut};

/// What a call does, for an icon or a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ToolKind {
    Read,
    Edit,
    Delete,
    Move,
    Search,
    Execute,
    Fetch,
    Other,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// As the tool names it.
    pub path: String,
    /// Counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// How a command ended. It comes from the value, never from parsing text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExitStatus {
    /// It ended by itself.
    Code(i32),
    /// A signal ended it: `SIGKILL`.
    Signal(String),
}

/// One file before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// As the tool names it.
    pub path: String,
    /// `None`: the file is new, or what it held is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The whole text after.
    pub new: String,
}

/// One line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedLine {
    /// Counted from 1.
    pub number: u64,
    /// Without its line ending.
    pub text: String,
}

/// One matching line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LineMatch {
    /// Counted from 1.
    pub line_number: u64,
    /// Without its line ending.
    pub line: String,
}

/// The matching lines of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMatches {
    /// As the tool names it.
    pub path: String,
    /// In file order.
    pub matches: Vec<LineMatch>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchResults {
    /// Lines in files.
    Matches {
        /// By file.
        files: Vec<FileMatches>,
        /// Whether `total` counts more than is listed.
        truncated: bool,
        /// Matching lines before anything was left out.
        total: u64,
    },
    /// Files.
    Paths {
        /// As the tool names them.
        paths: Vec<String>,
        /// Whether `total` counts more than is listed.
        truncated: bool,
        /// Paths before anything was left out.
        total: u64,
    },
}

/// One source of a web search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebSource {
    /// `http` or `https`.
    pub url: String,
    /// The page's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A piece of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// When it was published, as the source writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

/// What the web gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WebResults {
    /// A search.
    Search {
        /// Best first.
        sources: Vec<WebSource>,
        /// A summary, where the search engine gives one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
        /// Whether sources were left out.
        truncated: bool,
    },
    /// One page.
    Fetch {
        /// `http` or `https`.
        url: String,
        /// The HTTP status code, 100 to 599.
        status: u16,
        /// Whether a part of the body was left out.
        truncated: bool,
    },
}

/// What a person sees. A closed set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "card", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Card {
    /// Anything.
    Generic {
        /// One line.
        title: String,
        /// What the call does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<ToolKind>,
        /// The arguments, or what the tool shows in their place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
        /// What came out.
        body: Vec<ContentBlock>,
        /// Files concerned.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        locations: Vec<Location>,
    },
    /// A command that was run.
    Terminal {
        /// The command.
        title: String,
        /// What it is for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// Where it ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        /// What it printed.
        output: String,
        /// `None` only while it runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit: Option<ExitStatus>,
        /// Whether it was ended for taking too long.
        timed_out: bool,
    },
    /// Files that changed.
    Diff {
        /// One line.
        title: String,
        /// At least one.
        diffs: Vec<FileDiff>,
    },
    /// A window of a file.
    Read {
        /// One line.
        title: String,
        /// As the tool names it.
        path: String,
        /// The number of the first line asked for, counted from 1.
        offset: u64,
        /// In strictly increasing order, none past `total_lines`.
        lines: Vec<NumberedLine>,
        /// Lines in the whole file.
        total_lines: u64,
        /// A language name for highlighting.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        language: Option<String>,
    },
    /// What a search found.
    Search {
        /// One line.
        title: String,
        /// Lines or files.
        results: SearchResults,
    },
    /// What the web gave.
    Web {
        /// One line.
        title: String,
        /// A search or a page.
        results: WebResults,
    },
}

impl Card {
    /// The title, which every card has.
    pub fn title(&self) -> &str {
        match self {
            Self::Generic { title, .. }
            | Self::Terminal { title, .. }
            | Self::Diff { title, .. }
            | Self::Read { title, .. }
            | Self::Search { title, .. }
            | Self::Web { title, .. } => title,
        }
    }
}

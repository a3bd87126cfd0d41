//! Flags of commands that make calls: who looks at results, and what is written down.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::ValueEnum;
use fumehood::{
    Host, Log, LogSettings, LogSync, NotRun, Opened, Policy, Session, SessionRules, SpillBudget, SpillLimits,
    SpillStore,
};

use super::exit::Exit;
use super::screen;

/// What surrounds the calls.
#[derive(Clone, clap::Args)]
pub(super) struct SessionArgs {
    /// Write each call and its result to this log, which is made, or mended and gone on with
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write the values too, which whoever can read the log then reads; `fumehood replay --verify` needs them
    #[arg(long, requires = "log")]
    record_values: bool,
    /// When a line of the log has to be on the disk
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Sync::Each, requires = "log")]
    log_sync: Sync,
    /// Show each result to this reviewer component before anybody reads it. Repeatable: the first is the outermost
    #[arg(long, value_name = "REVIEWER.wasm")]
    review: Vec<PathBuf>,
}

/// What becomes of texts that are too long for a model.
#[derive(Clone, clap::Args)]
pub(super) struct SpillArgs {
    /// Keep texts that are too long for a model in this private directory, and show their beginning and end
    #[arg(long, value_name = "DIR")]
    spill: Option<PathBuf>,
    /// How many bytes are too long, the notice included
    #[arg(long, value_name = "BYTES", requires = "spill", default_value_t = SpillBudget::STANDARD.bytes())]
    spill_over: u64,
}

impl SpillArgs {
    /// The host, with the directory kept out of tools' reach.
    pub(super) fn guarded(&self, host: Host) -> Host {
        match &self.spill {
            Some(directory) => host.keeping_away(directory, "the directory for long texts"),
            None => host,
        }
    }

    pub(super) fn rules(self, rules: SessionRules) -> anyhow::Result<SessionRules> {
        let Some(directory) = self.spill else { return Ok(rules) };
        let budget = SpillBudget::new(self.spill_over)?;
        Ok(rules.spilling(SpillStore::open(directory, SpillLimits::standard())?, budget))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sync {
    /// Before the call goes on: it is there after a power cut
    Each,
    /// When the system pleases: it is there after the end of this process, however that ends
    Never,
}

impl SessionArgs {
    /// The host, with what must not be changed by a tool kept out of reach.
    pub(super) fn guarded(&self, mut host: Host) -> Host {
        if let Some(path) = &self.log {
            host = host.keeping_away(path, "the session's log");
        }
        for reviewer in &self.review {
            host = host.keeping_away(reviewer, "a reviewer");
        }
        host
    }

    /// The files of the reviewers.
    pub(super) fn reviewers(&self) -> impl Iterator<Item = &Path> {
        self.review.iter().map(PathBuf::as_path)
    }

    /// Whether there is anything to do for a session.
    pub(super) fn any(&self) -> bool {
        self.log.is_some() || !self.review.is_empty()
    }

    pub(super) async fn session(self, host: &Host, policy: &Policy, mut rules: SessionRules) -> Result<Session, Exit> {
        for path in &self.review {
            let reviewer = host.load_reviewer(path, policy).await.map_err(|error| Exit::of(path, error))?;
            rules = rules.reviewer(Arc::new(reviewer));
        }
        let Some(path) = self.log else {
            return Session::new(rules).map_err(|error| Exit::fault(format!("cannot start a session: {error}")));
        };
        let sync = match self.log_sync {
            Sync::Each => LogSync::EachEvent,
            Sync::Never => LogSync::Never,
        };
        let settings = LogSettings { sync, values: self.record_values, ..LogSettings::standard() };
        let opened = tokio::task::spawn_blocking(move || Log::open(path, settings)).await;
        let (log, opened) = opened.context("the log").and_then(|opened| opened.map_err(anyhow::Error::from))?;
        mended(&log, &opened);
        let first = opened.next_call;
        Session::recorded(rules, Arc::new(log), first)
            .map_err(|error| Exit::fault(format!("cannot start a session: {error}")))
    }
}

/// Says what an earlier writer left broken.
pub(super) fn mended(log: &Log, opened: &Opened) {
    let name = log.path().display();
    for part in &opened.torn {
        let (bytes, file) = (part.bytes, part.file.display());
        screen::note(&format!("{name}: {bytes} bytes of an unfinished line are moved to {file}"));
    }
    for (call, state) in &opened.closed {
        let state = match state {
            NotRun::NotStarted => "it had not begun",
            _ => "it had begun, and what it did is not known",
        };
        screen::note(&format!("{name}: call {call} had no end, and has one now: {state}"));
    }
}

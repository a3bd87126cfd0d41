//! Flags of commands that make calls: who looks at results, and what is written down.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::ValueEnum;
use fumehood::{
    Approver, Host, Log, LogSettings, LogSync, NotRun, Opened, Policy, Session, SessionRules, SpillBudget, SpillLimits,
    SpillStore,
};

use super::exit::Exit;
use super::screen;

/// What surrounds the calls.
#[derive(clap::Args)]
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
    /// Keep texts that are too long for a model in this private directory, and show their beginning and end
    #[arg(long, value_name = "DIR")]
    spill: Option<PathBuf>,
    /// How many bytes are too long, the notice included
    #[arg(long, value_name = "BYTES", requires = "spill", default_value_t = SpillBudget::STANDARD.bytes())]
    spill_over: u64,
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
        let kept = [(&self.log, "the session's log"), (&self.spill, "the directory for long texts")];
        for (path, what) in kept {
            if let Some(path) = path {
                host = host.keeping_away(path, what);
            }
        }
        for reviewer in &self.review {
            host = host.keeping_away(reviewer, "a reviewer");
        }
        host
    }

    pub(super) async fn session(
        self,
        host: &Host,
        policy: &Policy,
        approver: Option<Arc<dyn Approver>>,
    ) -> Result<Session, Exit> {
        let mut rules = SessionRules::none();
        if let Some(approver) = approver {
            rules = rules.approver(approver);
        }
        for path in &self.review {
            let reviewer = host.load_reviewer(path, policy).await.map_err(|error| Exit::of(path, error))?;
            rules = rules.reviewer(Arc::new(reviewer));
        }
        if let Some(directory) = self.spill {
            let budget = SpillBudget::new(self.spill_over).map_err(anyhow::Error::from)?;
            let store = SpillStore::open(directory, SpillLimits::standard()).map_err(anyhow::Error::from)?;
            rules = rules.spilling(store, budget);
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

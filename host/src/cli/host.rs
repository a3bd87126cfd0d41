//! Flags that several commands share: what is granted, and the engine behind them.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail};
use fumehood::check::Engines;
use fumehood::{
    Approved, Bounds, CacheLocation, CallRules, CompileStage, Compiler, EngineSettings, Grant, Host, LimitName,
    LockFile, Mount, Policy, ToolPattern, Toolset,
};

use super::exit::Exit;
use super::screen;

/// A policy file is a page of text; a megabyte is a mistake.
pub(super) const MAX_POLICY_BYTES: u64 = 1 << 20;

/// What the operator allows.
#[derive(Clone, clap::Args)]
pub(super) struct GrantArgs {
    /// Grant a directory, read-only unless it ends in :rw. Repeatable
    ///
    /// Without a guest path the tool sees the directory as `/`.
    #[arg(long, value_name = "HOST_DIR[:GUEST][:rw]")]
    mount: Vec<Mount>,
    /// Grant a capability: clock, random, or KIND=DETAILS. Repeatable
    ///
    /// For example 'http=https://api.example.com/v1/ GET', env=LANG, tools=word_count,
    /// 'secret=github-token env:GITHUB_TOKEN https://api.github.com/', 'process=git:/usr/bin/git log --oneline *'.
    #[arg(long, value_name = "CAPABILITY[=DETAILS]")]
    allow: Vec<Grant>,
    /// Set a limit, for example wall-clock-ms=5000. Repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = limit)]
    limit: Vec<(LimitName, u64)>,
    /// Deny calls of this tool, or of those whose names begin so: `files_*`. Repeatable
    #[arg(long, value_name = "TOOL")]
    deny: Vec<ToolPattern>,
    /// Ask before each call of this tool, or of those whose names begin so; where nobody can be asked, deny it. Repeatable
    #[arg(long, value_name = "TOOL")]
    ask: Vec<ToolPattern>,
    /// Read grants, limits and rules for calls from a TOML file; the flags add to it
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

fn limit(text: &str) -> Result<(LimitName, u64), String> {
    let known = || LimitName::ALL.iter().map(|name| name.key()).collect::<Vec<_>>().join(", ");
    let (key, value) = text.split_once('=').ok_or("write NAME=VALUE, for example wall-clock-ms=5000")?;
    let name =
        LimitName::from_key(key).ok_or_else(|| format!("there is no limit {key:?}; the limits are {}", known()))?;
    let value = value.replace('_', "").parse().map_err(|_| format!("{value:?} is not a whole number"))?;
    Ok((name, value))
}

impl GrantArgs {
    /// The policy file.
    pub(super) fn file(&self) -> Option<&Path> {
        self.policy.as_deref()
    }

    pub(super) fn policy(self) -> anyhow::Result<Policy> {
        let mut policy = match &self.policy {
            Some(path) => {
                let text = read_text(path, MAX_POLICY_BYTES)?;
                let base = path.parent().unwrap_or(Path::new(""));
                let policy = Policy::from_toml(&text, base).with_context(|| path.display().to_string())?;
                policy.read_from(path)
            }
            None => Policy::nothing(),
        };
        for mount in self.mount {
            policy = policy.mount(mount)?;
        }
        for grant in self.allow {
            policy = policy.allow(grant)?;
        }
        for (name, value) in self.limit {
            policy = policy.limit(name, value)?;
        }
        let calls = self.deny.into_iter().fold(policy.calls().clone(), CallRules::deny);
        let calls = self.ask.into_iter().fold(calls, CallRules::ask);
        Ok(policy.ruling(calls))
    }
}

/// Whether only what was approved runs.
#[derive(Clone, clap::Args)]
pub(super) struct LockArgs {
    /// Run only what this file approves, with the grants that were approved (see `fumehood approve`)
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
}

impl LockArgs {
    pub(super) fn is_set(&self) -> bool {
        self.lock.is_some()
    }

    /// The lock file.
    pub(super) fn file(&self) -> Option<&Path> {
        self.lock.as_deref()
    }

    pub(super) fn lock(self, host: Host) -> anyhow::Result<Host> {
        match self.lock {
            Some(path) => Ok(host.locked_by(lock_file(path)?)),
            None => Ok(host),
        }
    }
}

/// A lock file, with the grants' relative directories taken from where the user is.
pub(super) fn lock_file(path: PathBuf) -> anyhow::Result<LockFile> {
    Ok(LockFile::new(path, absolute(Path::new(""))?))
}

/// Where compiled code is kept.
#[derive(Clone, clap::Args)]
pub(super) struct EngineArgs {
    /// Keep compiled code here instead of in the user's cache directory
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Compile anew, and keep nothing
    #[arg(long)]
    no_cache: bool,
}

impl EngineArgs {
    /// For code that runs once.
    pub(super) fn uncached() -> Self {
        Self { cache: None, no_cache: true }
    }

    pub(super) fn host(self) -> anyhow::Result<Host> {
        let cache = self.location()?;
        host(EngineSettings::standard(Compiler::ChildProcess { program: this_program()? }, cache))
    }

    /// A host that says where in its source a tool trapped. `haste`: the tool will soon be another.
    pub(super) fn host_for_authors(self, haste: bool) -> anyhow::Result<Host> {
        let cache = self.location()?;
        let settings = EngineSettings::standard(Compiler::ChildProcess { program: this_program()? }, cache);
        host(EngineSettings { trap_places: true, haste, ..settings })
    }

    /// Two for authors that compile to other code. Without a cache, code is kept in `instead` for as long as they are there.
    pub(super) fn engines(self, instead: &Path) -> anyhow::Result<Engines> {
        let cache = match self.location()? {
            CacheLocation::Off => CacheLocation::Directory(instead.to_owned()),
            kept => kept,
        };
        let settings = EngineSettings::standard(Compiler::ChildProcess { program: this_program()? }, cache);
        let first = EngineSettings { trap_places: true, ..settings };
        let other = EngineSettings { bounds: Bounds::Virtual, haste: true, ..first.clone() };
        Ok(Engines::new(host(first)?, host(other)?))
    }

    fn location(self) -> anyhow::Result<CacheLocation> {
        Ok(match (self.no_cache, self.cache) {
            (true, _) => CacheLocation::Off,
            (false, Some(directory)) => CacheLocation::Directory(absolute(&directory)?),
            (false, None) => user_cache().map_or(CacheLocation::Off, CacheLocation::Directory),
        })
    }
}

fn host(settings: EngineSettings) -> anyhow::Result<Host> {
    let host = Host::new(settings).context("cannot start the engine (--no-cache does without the cache)")?;
    for notice in host.notices() {
        screen::note(&notice);
    }
    Ok(host)
}

#[expect(clippy::disallowed_methods, reason = "the compiler runs in a child process of this same program")]
fn this_program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("cannot find this program's own file, which compiles in a child process")
}

#[expect(clippy::disallowed_methods, reason = "a relative path on the command line starts where the user is")]
fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    Ok(std::env::current_dir().context("no current directory")?.join(path))
}

#[expect(clippy::disallowed_methods, reason = "the user's cache directory is named by the environment")]
fn user_cache() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("fumehood"))
}

/// Read a text file that may not be larger than `most`.
pub(super) fn read_text(path: &Path, most: u64) -> anyhow::Result<String> {
    #[expect(clippy::disallowed_methods, reason = "the operator names the file; it is read through a cap")]
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    read_capped(file, most).with_context(|| path.display().to_string())
}

/// Read text to its end, or to one byte past `most`.
pub(super) fn read_capped(reader: impl std::io::Read, most: u64) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        bail!("longer than {most} bytes");
    }
    String::from_utf8(bytes).context("not UTF-8 text")
}

/// Compile, with a spinner on a terminal when it takes longer than a glance.
pub(super) async fn compile(host: &Host, approved: Approved) -> Result<Toolset, Exit> {
    let name = approved.inspected().manifest().name.clone();
    let compiling = Arc::new(AtomicBool::new(false));
    let watch = {
        let compiling = compiling.clone();
        move |stage: CompileStage| compiling.store(matches!(stage, CompileStage::Compiling(_)), Ordering::Relaxed)
    };
    let mut compiled = std::pin::pin!(host.compile_watched(approved, watch));
    let glance = tokio::time::sleep(std::time::Duration::from_millis(300));
    let toolset = tokio::select! {
        biased;
        toolset = &mut compiled => toolset,
        () = glance => {
            // Hidden where standard error is no terminal.
            let spinner = indicatif::ProgressBar::new_spinner();
            if compiling.load(Ordering::Relaxed) {
                spinner.set_message(format!("compiling {name}"));
                spinner.enable_steady_tick(std::time::Duration::from_millis(120));
            }
            let toolset = compiled.await;
            spinner.finish_and_clear();
            toolset
        }
    };
    Ok(toolset?)
}

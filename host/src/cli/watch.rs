//! `fumehood run --watch`: the call is made again whenever what it is made of changes.
//!
//! The files are looked at, twenty times a second, and not listened to: there are a handful of them, a look costs a
//! microsecond, and it sees what a listener misses: a build that begins by removing its directory, a hard link that is
//! written to under its other name, a file on another machine or outside of a container.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::{Duration, Instant, SystemTime};

use fumehood::{CancellationToken, Diff, Host, Inspected, Toolset};

use super::exit::Exit;
use super::report;
use super::run::{self, Args};
use super::screen;

/// How often the files are looked at: nobody notices half of it.
const LOOK: Duration = Duration::from_millis(50);
/// A file that changed is read once it has been the same for so long. Linkers and editors write theirs in one go.
const QUIET: Duration = Duration::from_millis(100);
/// A file that cannot be used may still be being written, or be about to come back: so long is it given before that is said.
const GRACE: Duration = Duration::from_millis(500);

/// Changes whenever a file does; `None` where there is none.
type Stamp = Option<(u64, u64, u64, i64, i64)>;

/// The files that a run is made of.
struct Files(Vec<(PathBuf, Stamp)>);

impl Files {
    fn new(paths: impl Iterator<Item = PathBuf>) -> Self {
        let mut files: Vec<_> = paths.map(|path| (path, None)).collect();
        files.sort();
        files.dedup();
        Self(files)
    }

    /// Take them as they are now: what changes from here on is a change.
    fn take(&mut self) {
        self.0.iter_mut().for_each(|(path, stamp)| *stamp = look(path));
    }

    /// Wait until one of them is another, and until none has changed for [`QUIET`]. They are taken as they are then.
    async fn changed(&mut self) -> Vec<PathBuf> {
        let mut changed = vec![false; self.0.len()];
        let mut since = Instant::now();
        while !changed.contains(&true) || since.elapsed() < QUIET {
            tokio::time::sleep(LOOK).await;
            for ((path, stamp), changed) in self.0.iter_mut().zip(&mut changed) {
                let now = look(path);
                if now != *stamp {
                    (*stamp, *changed, since) = (now, true, Instant::now());
                }
            }
        }
        let changed = self.0.iter().zip(changed).filter(|(_, changed)| *changed);
        changed.map(|((path, _), _)| path.clone()).collect()
    }

    fn names(&self) -> String {
        names(self.0.iter().map(|(path, _)| path.as_path()))
    }
}

/// Links are followed: a link that leads elsewhere is another file.
fn look(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino(), metadata.size(), metadata.ctime(), metadata.ctime_nsec()))
}

fn names<'a>(paths: impl Iterator<Item = &'a Path>) -> String {
    let name = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    paths.map(name).collect::<Vec<_>>().join(", ")
}

/// Call, wait for a change, and call again, until Ctrl-C.
pub(super) async fn run(args: Args, host: Host, interrupt: CancellationToken) -> Result<std::process::ExitCode, Exit> {
    if args.reads_stdin() {
        return Err(Exit::usage(
            "--watch calls more than once, and standard input can be read only once: keep the arguments in a file, and give \
             it with --args-file",
        ));
    }
    let mut files = Files::new(args.files());
    files.take();
    let mut last = None;
    loop {
        let this = interrupt.child_token();
        let changed = {
            let mut round = pin!(round(&args, &host, &this, &mut last));
            tokio::select! {
                changed = files.changed() => {
                    this.cancel();
                    // What it came to is of the old files.
                    let _ = round.await;
                    Some(changed)
                }
                ended = &mut round => match ended {
                    _ if interrupt.is_cancelled() => None,
                    Ended::NotLoaded(exit) => match tokio::time::timeout(GRACE, files.changed()).await {
                        Ok(changed) => Some(changed),
                        Err(_elapsed) => {
                            exit.print();
                            None
                        }
                    },
                    Ended::Called { loaded, called, result } => {
                        if let Err(exit) = result {
                            exit.print();
                        }
                        divider(&format!("loaded in {} ms, called in {} ms", loaded.as_millis(), called.as_millis()));
                        None
                    }
                },
            }
        };
        let changed = match changed {
            Some(changed) => changed,
            None => {
                if !interrupt.is_cancelled() {
                    divider(&format!("waiting for a change of {}; Ctrl-C ends", files.names()));
                }
                tokio::select! {
                    biased;
                    () = interrupt.cancelled() => return Err(Exit::interrupted()),
                    changed = files.changed() => changed,
                }
            }
        };
        divider(&format!("changed: {}", names(changed.iter().map(PathBuf::as_path))));
    }
}

/// How one round ended.
enum Ended {
    /// It did not get as far as a call.
    NotLoaded(Exit),
    Called {
        loaded: Duration,
        called: Duration,
        result: Result<(), Exit>,
    },
}

async fn round(args: &Args, host: &Host, cancel: &CancellationToken, last: &mut Option<Toolset>) -> Ended {
    let start = Instant::now();
    let prepared = match run::prepare(args.clone(), host.clone(), cancel).await {
        Ok(prepared) => prepared,
        Err(exit) => return Ended::NotLoaded(exit),
    };
    let loaded = start.elapsed();
    let toolset = prepared.toolset.clone();
    news(last.as_ref().map(|last| last.approved().inspected()), toolset.approved().inspected());
    *last = Some(toolset);
    let start = Instant::now();
    let result = run::call(args, prepared, cancel).await.map(|_status| ());
    Ended::Called { loaded, called: start.elapsed(), result }
}

/// What the vendor reads of a component that is another than the last: what it asks for and says now, and what a host finds in it.
fn news(last: Option<&Inspected>, now: &Inspected) {
    if last.is_some_and(|last| last.digest() == now.digest()) {
        return;
    }
    if let Some(last) = last {
        let changes = Diff::of(last, now).changes;
        if !changes.is_empty() {
            screen::note(&report::changes(&changes));
        }
    }
    let known = last.map(Inspected::findings).unwrap_or_default();
    for finding in now.findings().iter().filter(|finding| !known.contains(finding)) {
        screen::note(&finding.to_string());
    }
}

/// Between two runs, on standard error, so that standard output holds results and nothing else.
fn divider(text: &str) {
    #[expect(clippy::disallowed_methods, reason = "the person who watches reads when it was")]
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    // `2026-11-30T14:03:07Z`: the time of the day.
    screen::note(&format!("--- {} {text}", &now[11..]));
}

//! The files that are served: which there are, which of them can be used, and what is new.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use tokio::task::JoinSet;

use crate::{Deferred, Finding, Host, LoadError, Mounted, Policy, Provider, Registry};

/// More files than a directory of tools has: the 100,000th is a mistake of whoever named the directory.
const MAX_FILES: usize = 10_000;

/// Directories and files with tools. Nothing is compiled here.
pub struct Shelf {
    host: Host,
    /// The lock file as it was when the files were last looked at.
    lock: Option<Stamp>,
    policy: Arc<Policy>,
    places: Vec<PathBuf>,
    known: BTreeMap<PathBuf, Known>,
    /// Each, and whether the operator was told that it is not served.
    mounted: Vec<(Mounted, bool)>,
}

struct Known {
    stamp: Stamp,
    listed: Option<Deferred>,
    /// Whether the operator was last told that it is served, or that it is not.
    told: Option<bool>,
}

/// Changes whenever the file does.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: (u64, u64),
    size: u64,
    changed: (i64, i64),
}

/// What is new about one file, or one place.
#[derive(Debug)]
#[non_exhaustive]
pub enum ShelfNews {
    /// It is served, now or in its new form.
    Served {
        /// Which file.
        path: PathBuf,
        /// Its tools.
        tools: Vec<String>,
        /// Where its manifest and the policy differ.
        findings: Vec<Finding>,
    },
    /// It cannot be used: its tools are not served.
    Refused {
        /// Which file.
        path: PathBuf,
        /// Why not.
        error: LoadError,
    },
    /// Its tools have names that others have: it is not served.
    Clashes {
        /// Which file.
        path: PathBuf,
        /// Every name.
        findings: Vec<Finding>,
    },
    /// A mounted tool has a name that another has: it is not served.
    MountClashes {
        /// The tools' names, one in most cases.
        tools: Vec<String>,
        /// Every name.
        findings: Vec<Finding>,
    },
    /// It is gone.
    Gone {
        /// Which file.
        path: PathBuf,
    },
    /// A directory cannot be read, or holds too much.
    Unreadable {
        /// Which directory.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

impl fmt::Display for ShelfNews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Served { path, tools, .. } => write!(f, "{}: serving {}", path.display(), tools.join(", ")),
            // It names the file itself.
            Self::Refused { error: error @ LoadError::Open { .. }, .. } => write!(f, "not served: {error}"),
            Self::Refused { path, error } => write!(f, "{}: not served: {error}", path.display()),
            Self::Clashes { path, findings } => {
                write!(f, "{}: not served:", path.display())?;
                findings.iter().try_for_each(|finding| write!(f, " {finding}"))
            }
            Self::MountClashes { tools, findings } => {
                write!(f, "mounted {}: not served:", tools.join(", "))?;
                findings.iter().try_for_each(|finding| write!(f, " {finding}"))
            }
            Self::Gone { path } => write!(f, "{}: gone, no longer served", path.display()),
            Self::Unreadable { path, error } => write!(f, "{}: cannot be read: {error}", path.display()),
        }
    }
}

impl Shelf {
    /// Serve these files, and every `*.wasm` of these directories (not of those below them). Where two have a tool of one
    /// name, the one that is named first is served; in a directory, the one whose file name comes first.
    pub fn new(host: Host, policy: Policy, places: Vec<PathBuf>) -> Self {
        Self { host, lock: None, policy: Arc::new(policy), places, known: BTreeMap::new(), mounted: Vec::new() }
    }

    /// Serve mounted tools beside the files. A file's tool comes before a mounted one of the same name.
    #[must_use]
    pub fn beside(mut self, mounted: impl IntoIterator<Item = Mounted>) -> Self {
        self.mounted.extend(mounted.into_iter().map(|mounted| (mounted, false)));
        self
    }

    /// What a change of is a change of what is served: the places, as they were given, and the lock file.
    pub fn watched(&self) -> impl Iterator<Item = &Path> {
        self.places.iter().map(PathBuf::as_path).chain(self.host.lock_path())
    }

    /// Look at every file that is new or has changed since the last time. Files that did not change keep their compiled
    /// code. A file that cannot be used costs only its own tools.
    pub async fn scan(&mut self) -> (Registry, Vec<ShelfNews>) {
        let mut news = Vec::new();
        let files = self.files(&mut news);
        let there: BTreeSet<&PathBuf> = files.iter().map(|(path, _)| path).collect();
        self.known.retain(|path, _| {
            let stays = there.contains(path);
            if !stays {
                news.push(ShelfNews::Gone { path: path.clone() });
            }
            stays
        });
        // Other approvals: every file is asked for again, one that runs and one that was refused.
        let lock = self.host.lock_path().and_then(|path| look(path).ok()).map(|metadata| Stamp::of(&metadata));
        let approvals_changed = std::mem::replace(&mut self.lock, lock) != lock;
        let changed = files.iter().filter(|(path, stamp)| {
            approvals_changed || self.known.get(path).is_none_or(|known| known.stamp != *stamp)
        });
        for (path, stamp, answer) in self.list(changed.cloned().collect()).await {
            let listed = match answer {
                Ok(deferred) => Some(deferred),
                Err(error) => {
                    news.push(ShelfNews::Refused { path: path.clone(), error });
                    None
                }
            };
            self.known.insert(path, Known { stamp, listed, told: None });
        }
        let listed = files.iter().filter_map(|(path, _)| Some((path, self.known.get(path)?.listed.clone()?)));
        let listed: Vec<(&PathBuf, Deferred)> = listed.collect();
        let providers = listed.iter().map(|(_, deferred)| Provider::from(deferred.clone()));
        let mounted = self.mounted.iter().map(|(mounted, _)| Provider::from(mounted.clone()));
        let (registry, mut clashes) = Registry::keeping_first(providers.chain(mounted));
        for ((mounted, told), findings) in self.mounted.iter_mut().zip(clashes.split_off(listed.len())) {
            let clashes = !findings.is_empty();
            if clashes && !*told {
                let tools = mounted.manifest().tools.iter().map(|tool| tool.name.clone()).collect();
                news.push(ShelfNews::MountClashes { tools, findings });
            }
            *told = clashes;
        }
        for ((path, deferred), findings) in listed.into_iter().zip(clashes) {
            let served = findings.is_empty();
            match self.known.get_mut(path) {
                Some(known) if known.told != Some(served) => known.told = Some(served),
                _ => continue,
            }
            news.push(if served {
                let tools = deferred.manifest().tools.iter().map(|tool| tool.name.clone()).collect();
                ShelfNews::Served { path: path.clone(), tools, findings: deferred.findings().to_vec() }
            } else {
                ShelfNews::Clashes { path: path.clone(), findings }
            });
        }
        (registry, news)
    }

    /// The components that are listed, for whoever wants to compile them ahead.
    pub fn listed(&self) -> impl Iterator<Item = (&Path, &Deferred)> {
        self.known.iter().filter_map(|(path, known)| Some((path.as_path(), known.listed.as_ref()?)))
    }

    /// Every file, in the order of the places, each once.
    fn files(&self, news: &mut Vec<ShelfNews>) -> Vec<(PathBuf, Stamp)> {
        let mut files: Vec<(PathBuf, Stamp)> = Vec::new();
        for place in &self.places {
            match files_at(place) {
                Ok(found) => files.extend(found),
                // A file that is named and not there: the list says so once it is gone, and `Refused` before that.
                Err(error) => news.push(ShelfNews::Unreadable { path: place.clone(), error }),
            }
        }
        let mut seen = BTreeSet::new();
        files.retain(|(path, _)| seen.insert(path.clone()));
        files
    }

    /// List files, as many at once as there are processors.
    async fn list(&self, files: Vec<(PathBuf, Stamp)>) -> Vec<(PathBuf, Stamp, Result<Deferred, LoadError>)> {
        let at_once = std::thread::available_parallelism().map_or(1, usize::from);
        let (mut working, mut done, mut left) = (JoinSet::new(), Vec::new(), files.into_iter().enumerate());
        loop {
            while working.len() < at_once
                && let Some((index, (path, stamp))) = left.next()
            {
                let (host, policy) = (self.host.clone(), self.policy.clone());
                working.spawn(async move { (index, stamp, host.list(&path, policy).await, path) });
            }
            match working.join_next().await {
                Some(Ok((index, stamp, answer, path))) => done.push((index, path, stamp, answer)),
                // A panic, which has been reported: the file is looked at again the next time.
                Some(Err(_)) => {}
                None => break,
            }
        }
        done.sort_by_key(|(index, ..)| *index);
        done.into_iter().map(|(_, path, stamp, answer)| (path, stamp, answer)).collect()
    }
}

/// The file, or the directory, that a path leads to. Links are followed: who may write there may put any file there.
fn look(path: &Path) -> io::Result<Metadata> {
    std::fs::metadata(path)
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            inode: (metadata.dev(), metadata.ino()),
            size: metadata.size(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// A file by itself, or the components of a directory.
fn files_at(place: &Path) -> io::Result<Vec<(PathBuf, Stamp)>> {
    let metadata = look(place)?;
    if !metadata.is_dir() {
        return Ok(vec![(place.to_owned(), Stamp::of(&metadata))]);
    }
    let mut found = Vec::new();
    for entry in Dir::open_ambient_dir(place, ambient_authority())?.entries()? {
        let path = place.join(entry?.file_name());
        // What cannot be looked at is a link to nothing, or went away meanwhile.
        if path.extension().is_some_and(|extension| extension == "wasm")
            && let Ok(metadata) = look(&path)
            && metadata.is_file()
        {
            found.push((path, Stamp::of(&metadata)));
        }
        if found.len() > MAX_FILES {
            return Err(io::Error::other(format!("more than {MAX_FILES} components; name a directory of tools")));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

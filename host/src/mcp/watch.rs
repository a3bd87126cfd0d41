//! Files that come, change and go while clients are connected.

use std::io;
use std::path::Path;
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::{Catalog, Shelf, ShelfNews};

/// A file that is being copied changes many times: it is looked at once it has been quiet for so long…
const QUIET: Duration = Duration::from_millis(200);
/// …or once the first of them is so long ago.
const PATIENCE: Duration = Duration::from_secs(2);

/// Keep a catalog as the shelf's files are, until the token is cancelled. `tell` hears all news.
///
/// # Errors
/// The system cannot watch one of the places.
pub async fn watch(
    mut shelf: Shelf,
    catalog: Catalog,
    cancel: CancellationToken,
    tell: impl Fn(&ShelfNews) + Send,
) -> io::Result<()> {
    let (tx, mut rx) = mpsc::channel(1);
    let heard = move |event: notify::Result<notify::Event>| {
        // Opening and reading a file changes nothing, and this program does both.
        let changes = event.as_ref().map_or(true, |event| !event.kind.is_access());
        if changes {
            let _ = tx.try_send(());
        }
    };
    let mut watcher = RecommendedWatcher::new(heard, notify::Config::default()).map_err(io::Error::other)?;
    for place in shelf.watched() {
        // A file is replaced by a rename, which its directory sees and it does not.
        let directory = if place.is_dir() { place } else { parent(place) };
        watcher.watch(directory, RecursiveMode::NonRecursive).map_err(io::Error::other)?;
    }
    // What changed between the first look and the first watch.
    let mut pending = true;
    loop {
        if !std::mem::take(&mut pending) {
            tokio::select! {
                () = cancel.cancelled() => return Ok(()),
                Some(()) = rx.recv() => {}
            }
            let end = Instant::now() + PATIENCE;
            while timeout_at(end.min(Instant::now() + QUIET), rx.recv()).await.is_ok() {
                if Instant::now() >= end {
                    break;
                }
            }
        }
        let (registry, news) = shelf.scan().await;
        news.iter().for_each(&tell);
        if !news.is_empty() {
            catalog.replace(registry);
        }
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

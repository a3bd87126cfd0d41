//! Reading a log before it goes on, and setting aside what a killed writer left of its last line.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom};

use super::super::event::{CallId, EndedAs, Event, NotRun};
use super::super::flaw::Flaw;
use super::super::replay::{LogEntry, Replay};
use super::TornPart;
use super::error::LogError;
use super::place::Place;
use crate::component::Digest;

/// How the first line of every log begins.
const FIRST: &[u8] = br#"{"seq":0,"prev":null,"#;

/// A log was torn at the same place more often than anybody has patience: something else is wrong.
const MAX_BESIDE: u32 = 1_000;

/// What a log holds.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The number of the next event.
    pub(super) number: u64,
    /// The digest of the last line.
    pub(super) head: Option<Digest>,
    /// The lowest number that no top-level call has.
    pub(super) next_call: u64,
    /// The calls without an end.
    pub(super) open: BTreeMap<CallId, NotRun>,
    /// Bytes of all whole lines.
    pub(super) whole: u64,
    /// Bytes after them.
    torn: u64,
    /// Since which event the log holds nothing but what opening it writes. If the last opening was itself killed, what it had
    /// set aside is not in the log yet.
    opening_since: u64,
    /// What the log says since then of files beside it.
    announced: BTreeSet<String>,
}

impl Found {
    fn take(&mut self, number: u64, event: &Event) {
        let mut opening = true;
        match event {
            Event::Open(_) => {}
            Event::Repair(repair) => self.announced.extend(repair.torn_file.clone()),
            Event::Call(call) => {
                opening = false;
                self.open.insert(call.call.clone(), NotRun::NotStarted);
                self.next_call = self.next_call.max(call.call.root().saturating_add(1));
            }
            Event::Start { call } => {
                opening = false;
                if let Some(state) = self.open.get_mut(call) {
                    *state = NotRun::OutcomeUnknown;
                }
            }
            Event::End(end) => {
                opening = matches!(end.ended, EndedAs::Interrupted { .. });
                self.open.remove(&end.call);
            }
        }
        self.number = number + 1;
        if !opening {
            self.opening_since = self.number;
            self.announced.clear();
        }
    }
}

/// Reads all of it. Nothing is changed.
pub(super) fn read_through(place: &Place) -> Result<Found, LogError> {
    let mut found = Found { next_call: 1, ..Found::default() };
    let mut replay = Replay::new(BufReader::with_capacity(64 << 10, &place.file));
    // The last line is torn where it has no line feed, and where it has one and misses what comes before: a power cut can leave
    // the end of a write without its middle.
    let mut last: Option<(u64, Flaw)> = None;
    while let Some(entry) = replay.next() {
        let LogEntry { line, record, flaws } = entry.map_err(place.failed("read it"))?;
        if let Some((line, flaw)) = last.take() {
            return Err(refused(place, &found, line, flaw));
        }
        // It explains whatever else is strange.
        let newer = flaws.iter().find(|flaw| matches!(flaw, Flaw::NewerForm(_))).cloned();
        match (record, flaws.into_iter().next()) {
            (Some(record), None) => {
                found.take(record.seq, &record.event);
                found.head = replay.head();
                found.whole = replay.offset();
            }
            (_, Some(flaw @ Flaw::Torn { .. })) => last = Some((line, flaw)),
            (_, Some(flaw @ Flaw::NotJson { .. })) if replay.is_hollow() => last = Some((line, flaw)),
            (_, Some(flaw)) => return Err(refused(place, &found, line, newer.unwrap_or(flaw))),
            (None, None) => return Err(LogError::NotALog { path: place.path.clone() }),
        }
    }
    found.torn = replay.offset() - found.whole;
    if found.number == 0 && found.torn > 0 && !begins_as_a_log(&place.file).map_err(place.failed("read it"))? {
        return Err(LogError::NotALog { path: place.path.clone() });
    }
    Ok(found)
}

fn refused(place: &Place, found: &Found, line: u64, flaw: Flaw) -> LogError {
    let path = place.path.clone();
    match flaw {
        Flaw::NewerForm(_) => LogError::NewerForm { path, line, flaw },
        _ if found.number == 0 => LogError::NotALog { path },
        _ => LogError::Damaged { path, line, flaw },
    }
}

/// Whether what is there may be the piece of a log's first line: nobody's letters are cut off because a name was mistyped.
fn begins_as_a_log(mut file: &File) -> io::Result<bool> {
    let mut start = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(FIRST.len() as u64).read_to_end(&mut start)?;
    Ok(FIRST.starts_with(&start))
}

/// Moves what follows the last whole line to a file of its own. Names that, and what an earlier opening had set aside when it
/// was killed itself.
pub(super) fn set_aside(place: &Place, found: &Found) -> Result<Vec<TornPart>, LogError> {
    let unannounced = |(number, name): &(u64, OsString)| {
        (found.opening_since..=found.number).contains(number) && !found.announced.contains(&*name.to_string_lossy())
    };
    let beside = place.all_beside().map_err(place.failed("list its directory"))?;
    let mut names: Vec<_> = beside.into_iter().filter(unannounced).map(|(_, name)| name).collect();
    if found.torn > 0 {
        let (name, file) = empty_place(place, found, &names)?;
        copy(place, found, &file).map_err(place.failed("copy its torn last line to a file beside it"))?;
        // In this order: the piece is on the disk under its name before the log loses it.
        place.sync_directory()?;
        place.file.set_len(found.whole).map_err(place.failed("cut its torn last line off"))?;
        place.sync(&place.file).map_err(place.failed("write it to the disk"))?;
        names.retain(|other| *other != name);
        names.push(name);
    }
    let mut parts = Vec::new();
    for name in names {
        // What is not a plain file is nobody's piece.
        if let Ok(file) = place.existing(&name) {
            let bytes = file.metadata().map_err(place.failed("look at what is beside it"))?.len();
            parts.push(TornPart { bytes, file: place.path_of(&name) });
        }
    }
    Ok(parts)
}

/// A file for the piece: a new one, or the one that an opening had begun to fill with this very piece when it was killed.
fn empty_place(place: &Place, found: &Found, unannounced: &[OsString]) -> Result<(OsString, File), LogError> {
    let failed = place.failed("make a file beside it for its torn last line");
    for more in 0..MAX_BESIDE {
        let name = place.beside(found.number, more);
        match place.make(&name) {
            Ok(file) => return Ok((name, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if unannounced.contains(&name)
                    && let Ok(file) = place.existing(&name)
                    && begins_the_piece(place, found, &file).map_err(&failed)?
                {
                    return Ok((name, file));
                }
            }
            Err(error) => return Err(failed(error)),
        }
    }
    Err(failed(ErrorKind::AlreadyExists.into()))
}

/// Whether all that this file holds is the beginning of the piece.
fn begins_the_piece(place: &Place, found: &Found, file: &File) -> io::Result<bool> {
    let mut piece = BufReader::new(torn(place, found)?);
    let mut copied = BufReader::new(file);
    let (mut here, mut there) = ([0; 4096], [0; 4096]);
    loop {
        let read = copied.read(&mut there)?;
        if read == 0 {
            return Ok(true);
        }
        match piece.read_exact(&mut here[..read]) {
            Ok(()) if here[..read] == there[..read] => {}
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(error),
            _ => return Ok(false),
        }
    }
}

fn copy(place: &Place, found: &Found, mut copied: &File) -> io::Result<()> {
    copied.seek(SeekFrom::Start(0))?;
    io::copy(&mut torn(place, found)?, &mut copied)?;
    place.sync(copied)
}

/// What follows the last whole line.
fn torn<'a>(place: &'a Place, found: &Found) -> io::Result<io::Take<&'a File>> {
    let mut file = &place.file;
    file.seek(SeekFrom::Start(found.whole))?;
    Ok(file.take(found.torn))
}

//! Finding and killing every process that comes from one process, whatever it did to get away.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open, pidfd_send_signal};

/// `/proc`, opened once.
pub(super) struct Processes(Dir);

/// Looks in one pass, at most. Each finds only who was forked during the one before; a chain of forks, whose links end at
/// once, leaves somebody new for ever, and is as likely met by a pass that kills.
const STOPS: usize = 32;

/// The processes of one pass: those that lived.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found(Vec<(i32, u64)>);

/// One line of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    /// It ended, and is not collected yet.
    dead: bool,
    parent: i32,
    group: i32,
    session: i32,
    /// In ticks since the machine started: with the number, it names one process for ever.
    started: u64,
}

impl Processes {
    /// # Errors
    /// `/proc` is missing, or is not that of this process's namespace: nothing could be found through it.
    pub(super) fn open() -> io::Result<Self> {
        let dir = Dir::open_ambient_dir("/proc", ambient_authority())?;
        let own = dir.read_link("self")?;
        if own.to_str().and_then(|own| own.parse().ok()) != Some(getpid().as_raw_nonzero().get()) {
            return Err(io::Error::other("/proc belongs to another process namespace"));
        }
        Ok(Self(dir))
    }

    /// Kill everything that comes from this process, once, and say who that was. Who forks meanwhile is there at the next
    /// pass: call it until there are no children left.
    pub(super) fn kill_descendants(&self) -> io::Result<Found> {
        self.kill_below(getpid())
    }

    /// The same for another process, which is spared itself.
    pub(super) fn kill_below(&self, root: Pid) -> io::Result<Found> {
        let root = root.as_raw_nonzero().get();
        self.stop_and_kill(Some(root), |all| {
            let mut found = BTreeSet::from([root]);
            // A parent may have a higher number than its child: repeat until nothing new is found.
            loop {
                let before = found.len();
                found.extend(
                    all.iter()
                        .filter(|(_, stat)| found.contains(&stat.parent))
                        .map(|(pid, _)| *pid)
                        .collect::<Vec<_>>(),
                );
                if found.len() == before {
                    break;
                }
            }
            found.remove(&root);
            found
        })
    }

    /// Kill once what is left in a session whose leader ended and is not collected yet: for a supervisor that was killed
    /// itself.
    pub(super) fn kill_session(&self, leader: Pid) -> io::Result<Found> {
        let leader = leader.as_raw_nonzero().get();
        self.stop_and_kill(None, |all| {
            all.iter().filter(|(pid, stat)| stat.session == leader && **pid != leader).map(|(pid, _)| *pid).collect()
        })
    }

    /// First everybody is stopped, until a look finds nobody new, and then killed: who is stopped does not fork, and
    /// killing some leaves the others the room and the time to.
    fn stop_and_kill(
        &self,
        spared: Option<i32>,
        whom: impl Fn(&BTreeMap<i32, Stat>) -> BTreeSet<i32>,
    ) -> io::Result<Found> {
        let own = self.stat(getpid().as_raw_nonzero().get());
        let spared = spared.and_then(|pid| self.stat(pid));
        let spared = [own, spared].map(|stat| stat.map(|stat| stat.group));
        let (mut stopped, mut found) = (BTreeSet::new(), Vec::new());
        for _ in 0..STOPS {
            let all = self.all()?;
            found = whom(&all).into_iter().filter_map(|pid| Some((pid, *all.get(&pid)?))).collect();
            found.retain(|(_, stat)| !stat.dead);
            let new: Vec<_> =
                found.iter().filter(|(pid, stat)| stopped.insert((*pid, stat.started))).copied().collect();
            if new.is_empty() {
                break;
            }
            self.signal(&new, Signal::STOP, spared);
        }
        self.signal(&found, Signal::KILL, spared);
        Ok(Found(found.into_iter().map(|(pid, stat)| (pid, stat.started)).collect()))
    }

    fn all(&self) -> io::Result<BTreeMap<i32, Stat>> {
        let mut all = BTreeMap::new();
        for entry in self.0.entries()? {
            let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            // One that has ended meanwhile has no file any more.
            if let Some(stat) = self.stat(pid) {
                all.insert(pid, stat);
            }
        }
        Ok(all)
    }

    fn stat(&self, pid: i32) -> Option<Stat> {
        Stat::parse(&self.0.read(format!("{pid}/stat")).ok()?)
    }

    fn signal(&self, processes: &[(i32, Stat)], signal: Signal, spared: [Option<i32>; 2]) {
        let mut groups = BTreeSet::new();
        for (number, seen) in processes {
            let Some(pid) = Pid::from_raw(*number) else { continue };
            // The descriptor stands for one process, whoever gets the number later; that it is the one we saw, the
            // starting time says.
            let Ok(held) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
            if self.stat(*number).is_none_or(|now| now.started != seen.started) {
                continue;
            }
            // A whole group at a time first: the system lets no member fork past it.
            if !spared.contains(&Some(seen.group))
                && groups.insert(seen.group)
                && let Some(group) = Pid::from_raw(seen.group)
            {
                let _gone = kill_process_group(group, signal);
            }
            let _gone = pidfd_send_signal(held, signal);
        }
    }
}

impl Found {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Stat {
    /// `1234 (any name, with ) and spaces) S 1 1234 1234 …`; see proc_pid_stat(5).
    fn parse(line: &[u8]) -> Option<Self> {
        let after = line.iter().rposition(|byte| *byte == b')')? + 1;
        let fields: Vec<&str> = std::str::from_utf8(&line[after..]).ok()?.split_ascii_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse().ok();
        // The first of them is the third field of the manual page.
        Some(Self {
            dead: matches!(*fields.first()?, "Z" | "X"),
            parent: number(1)?,
            group: number(2)?,
            session: number(3)?,
            started: fields.get(19)?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_hide_the_fields() {
        let rest = "S 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 1000 2";
        for name in ["sh", "a) R 1 1 1", ") ", "(((", "a b c", "\u{fffd}"] {
            let stat = Stat::parse(format!("12 ({name}) {rest}").as_bytes());
            assert_eq!(stat, Some(Stat { dead: false, parent: 7, group: 8, session: 9, started: 4242 }), "{name}");
        }
        assert_eq!(Stat::parse(format!("12 (S) Z{}", &rest[1..]).as_bytes()).map(|stat| stat.dead), Some(true));
        assert_eq!(Stat::parse(b"12 (sh) S 7"), None);
        assert_eq!(Stat::parse(b""), None);
    }

    #[test]
    fn this_process_finds_itself() {
        let processes = Processes::open().unwrap();
        let me = getpid().as_raw_nonzero().get();
        let all = processes.all().unwrap();
        assert_eq!(all.get(&me).map(|stat| stat.started), processes.stat(me).map(|stat| stat.started));
        assert!(all.contains_key(&me));
    }
}

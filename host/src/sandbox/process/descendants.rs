//! Finding and killing every process that comes from one process, whatever it did to get away.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open, pidfd_send_signal};

/// `/proc`, opened once.
pub(super) struct Processes(Dir);

/// The processes of one pass.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found(Vec<(i32, u64)>);

/// One line of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
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
        let me = getpid().as_raw_nonzero().get();
        let all = self.all()?;
        let mut found = BTreeSet::from([me]);
        // A parent may have a higher number than its child: repeat until nothing new is found.
        loop {
            let before = found.len();
            found.extend(
                all.iter().filter(|(_, stat)| found.contains(&stat.parent)).map(|(pid, _)| *pid).collect::<Vec<_>>(),
            );
            if found.len() == before {
                break;
            }
        }
        found.remove(&me);
        let found: Vec<_> = found.into_iter().filter_map(|pid| Some((pid, *all.get(&pid)?))).collect();
        self.kill(&found);
        Ok(Found(found.into_iter().map(|(pid, stat)| (pid, stat.started)).collect()))
    }

    /// Kill what is left in a session whose leader ended: for a supervisor that was killed itself.
    pub(super) fn kill_session(&self, leader: Pid) -> io::Result<()> {
        let leader = leader.as_raw_nonzero().get();
        let left: Vec<_> = self.all()?.into_iter().filter(|(_, stat)| stat.session == leader).collect();
        self.kill(&left);
        Ok(())
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

    fn kill(&self, processes: &[(i32, Stat)]) {
        let own = self.stat(getpid().as_raw_nonzero().get()).map(|stat| stat.group);
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
            if own != Some(seen.group)
                && groups.insert(seen.group)
                && let Some(group) = Pid::from_raw(seen.group)
            {
                let _gone = kill_process_group(group, Signal::KILL);
            }
            let _gone = pidfd_send_signal(held, Signal::KILL);
        }
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
            assert_eq!(stat, Some(Stat { parent: 7, group: 8, session: 9, started: 4242 }), "{name}");
        }
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

//! Processes that end in the middle: writers, and those that mend what these left. Half of them get SIGKILL at a random moment.
//! The other half may write up to a random byte and end by SIGXFSZ in that very write: a moment rarely meets one.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use fumehood::{Event, Log, LogRecord, LogSettings, LogSync};

use crate::events::{Home, call, calls, end, settings, sound, start};
use crate::playing;

/// How many writers are killed, and how many one log has to bear.
const KILLS: u64 = 300;
const KILLS_OF_A_LOG: u64 = 10;

/// The events of one call.
const STEPS: u64 = 6;

/// Sebastiano Vigna's splitmix64: <https://prng.di.unimi.it/splitmix64.c>.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// What a writer writes as this step of this call: half of it small, and some of it long enough to be cut in the middle.
fn step_of(number: u64, step: u64) -> Event {
    let mut random = Random(number * STEPS + step);
    let size = match random.below(8) {
        0 => 1 << 17,
        1..4 => 1 << 13,
        _ => 1 << 8,
    };
    let text = || format!("{number}\t\"{step}\" ").repeat(usize::try_from(size / 8).unwrap());
    let (id, inner) = (number.to_string(), format!("{number}.1"));
    match step {
        0 => call(&id, "t", &text()),
        1 => start(&id),
        2 => call(&inner, "u", "{}"),
        3 => start(&inner),
        4 => end(&inner, "inner"),
        _ => end(&id, &text()),
    }
}

/// Writes call after call to the log that is named first, each event waited for on the disk if the second argument says so,
/// and says what was acknowledged. A third argument is the longest that the log may get.
pub(crate) fn writes_until_killed(arguments: &[String]) {
    let sync = if arguments[1] == "waiting" { LogSync::EachEvent } else { LogSync::Never };
    end_in_a_write(arguments.get(2));
    let (log, opened) = Log::open(Path::new(&arguments[0]), LogSettings { sync, ..settings() }).unwrap();
    let mut out = std::io::stdout();
    // Should nobody kill it, it ends with its reader.
    let mut say = |number: u64, step: u64| writeln!(out, "{number} {step}").is_ok();
    let mut number = opened.next_call;
    loop {
        // All the ways to append.
        log.append_unsynced(&[step_of(number, 0)]).unwrap();
        let told = say(number, 0)
            && {
                log.append(step_of(number, 1)).unwrap();
                say(number, 1)
            }
            && {
                log.append_all(&[step_of(number, 2), step_of(number, 3)]).unwrap();
                say(number, 2) && say(number, 3)
            }
            && {
                log.append(step_of(number, 4)).unwrap();
                say(number, 4)
            }
            && {
                log.append(step_of(number, 5)).unwrap();
                say(number, 5)
            };
        if !told {
            return;
        }
        number += 1;
    }
}

/// Opens the log, says so, and holds it until its input ends. A second argument is the longest that a file may get.
pub(crate) fn opens_and_waits(arguments: &[String]) {
    end_in_a_write(arguments.get(1));
    let (_log, _) = Log::open(Path::new(&arguments[0]), settings()).unwrap();
    println!("opened");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// A write past this many bytes of a file writes what is before it. The next one ends the process.
fn end_in_a_write(bytes: Option<&String>) {
    let Some(bytes) = bytes.map(|bytes| bytes.parse().unwrap()) else { return };
    use rustix::process::{Resource, Rlimit, setrlimit};
    // No core is dumped of what is meant to end so.
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).unwrap();
    setrlimit(Resource::Fsize, Rlimit { current: Some(bytes), maximum: Some(bytes) }).unwrap();
}

/// A moment that differs from kill to kill. Nothing waits for anything.
fn linger(random: &mut Random, most: u64) {
    let (began, moment) = (Instant::now(), Duration::from_micros(random.below(most)));
    while began.elapsed() < moment {
        std::hint::spin_loop();
    }
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(SIGKILL), "it ended by itself");
}

const SIGKILL: i32 = 9;
const SIGXFSZ: i32 = 25;

pub(crate) fn kills_lose_nothing() {
    let mut random = Random(20_260_102);
    let (mut acknowledged, mut torn, mut repairs) = (0, 0, 0);
    for first in (0..KILLS).step_by(usize::try_from(KILLS_OF_A_LOG).unwrap()) {
        let home = Home::new();
        let mut told = Vec::new();
        for round in first..first + KILLS_OF_A_LOG {
            let in_a_write = round % 2 == 0;
            told.extend(killed_writer(&home, in_a_write, &mut random));
            for _ in 0..random.below(3) {
                repairs += u64::from(killed_repairer(&home, in_a_write, &mut random));
            }
            home.open();
        }
        let records = sound(&home.log());
        let mut by_step: BTreeMap<(u64, u64), &LogRecord> = BTreeMap::new();
        for record in &records {
            if let Some(step) = step_in(&record.event) {
                assert!(by_step.insert(step, record).is_none(), "{step:?} is there twice");
            }
        }
        for (number, step) in &told {
            let record = by_step.get(&(*number, *step)).unwrap_or_else(|| panic!("lost: {number} {step}"));
            assert_eq!(record.event, step_of(*number, *step));
        }
        acknowledged += told.len();
        let bytes = std::fs::read(home.log()).unwrap();
        assert_eq!(calls(&bytes).iter().filter(|call| call.is_open()).count(), 0);
        // What was torn is beside it, and the log says so.
        let named = records.iter().filter_map(|record| match &record.event {
            Event::Repair(repair) => Some((repair.torn_file.clone()?, repair.torn_bytes?)),
            _ => None,
        });
        let mut named: Vec<_> = named.collect();
        named.sort();
        torn += named.len();
        let kept = home.beside().into_iter().map(|name| {
            let bytes = home.path().join(&name).metadata().unwrap().len();
            (name, bytes)
        });
        assert_eq!(named, kept.collect::<Vec<_>>());
    }
    println!(
        "{KILLS} writers and {repairs} repairers killed: {acknowledged} events acknowledged, {torn} pieces set aside"
    );
    // Each writer that ended in a write left a piece, unless that ended with a line.
    assert!(acknowledged > KILLS as usize && torn as u64 > KILLS / 3 && repairs > 0);
}

fn length(home: &Home) -> u64 {
    home.log().metadata().map_or(0, |metadata| metadata.len())
}

/// What a writer got acknowledged until it was killed.
fn killed_writer(home: &Home, in_a_write: bool, random: &mut Random) -> Vec<(u64, u64)> {
    let mut command = playing("writes_until_killed");
    command.arg(home.log()).arg(if random.below(4) == 0 { "waiting" } else { "not waiting" });
    if in_a_write {
        command.arg((length(home) + 1 + random.below(1 << 18)).to_string());
    }
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    if in_a_write {
        pipe.read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(SIGXFSZ));
    } else {
        for _ in 0..random.below(20) {
            pipe.read_line(&mut text).unwrap();
        }
        linger(random, 3_000);
        kill(child);
        pipe.read_to_string(&mut text).unwrap();
    }
    // What it had not finished saying was not said.
    let whole = &text[..text.rfind('\n').map_or(0, |feed| feed + 1)];
    let number = |text: &str| text.parse::<u64>().unwrap();
    whole.lines().map(|line| line.split_once(' ').unwrap()).map(|(call, step)| (number(call), number(step))).collect()
}

/// Whether one that opened the log, and so mended it, was killed for it: it may also have been done before.
fn killed_repairer(home: &Home, in_a_write: bool, random: &mut Random) -> bool {
    let mut command = playing("opens_and_waits");
    command.arg(home.log()).stdin(Stdio::piped()).stdout(Stdio::piped());
    if !in_a_write {
        let child = command.spawn().unwrap();
        linger(random, 4_000);
        kill(child);
        return true;
    }
    // In what it appends, or in the piece that it copies. What it appends has some hundred bytes.
    let most = if random.below(2) == 0 { length(home) + random.below(1 << 10) } else { random.below(1 << 14) };
    let mut child = command.arg(most.to_string()).spawn().unwrap();
    drop(child.stdin.take());
    let status = child.wait().unwrap();
    assert!(status.success() || status.signal() == Some(SIGXFSZ), "{status}");
    !status.success()
}

/// Which step of which call a writer wrote with this event. `None`: the log itself wrote it.
fn step_in(event: &Event) -> Option<(u64, u64)> {
    let (id, steps) = match event {
        Event::Call(call) => (&call.call, [0, 2]),
        Event::Start { call } => (call, [1, 3]),
        Event::End(end) if matches!(end.ended, fumehood::EndedAs::Interrupted { .. }) => return None,
        Event::End(end) => (&end.call, [5, 4]),
        _ => return None,
    };
    Some((id.root(), steps[usize::from(id.parent().is_some())]))
}

//! SIGKILL at random points: of writers, and of those that mend what these left.

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
        0 => 1 << 19,
        1..4 => 1 << 15,
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

/// Writes call after call to the log that is named first, each event waited for on the disk if there is a second argument,
/// and says what was acknowledged.
pub(crate) fn writes_until_killed(arguments: &[String]) {
    let sync = if arguments.len() > 1 { LogSync::EachEvent } else { LogSync::Never };
    let (log, opened) = Log::open(Path::new(&arguments[0]), LogSettings { sync, ..settings() }).unwrap();
    let mut out = std::io::stdout();
    // Should nobody kill it, it ends with its reader.
    let mut say = |number: u64, step: u64| writeln!(out, "{number} {step}").is_ok();
    let mut number = opened.next_call;
    loop {
        // All the ways to append.
        log.append_unsynced(step_of(number, 0)).unwrap();
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

/// Opens the log, says so, and holds it until its input ends.
pub(crate) fn opens_and_waits(arguments: &[String]) {
    let (_log, _) = Log::open(Path::new(&arguments[0]), settings()).unwrap();
    writeln!(std::io::stdout(), "opened").unwrap();
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
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
    assert_eq!(child.wait().unwrap().signal(), Some(9), "it ended by itself");
}

pub(crate) fn kills_lose_nothing() {
    let mut random = Random(20_260_102);
    let (mut acknowledged, mut torn, mut opened_by_the_killed) = (0, 0, 0);
    for first in (0..KILLS).step_by(usize::try_from(KILLS_OF_A_LOG).unwrap()) {
        let home = Home::new();
        let mut told = Vec::new();
        for round in first..first + KILLS_OF_A_LOG {
            told.extend(killed_writer(&home, round % 2 == 0, &mut random));
            if round % 3 == 0 {
                // Whoever opens it now mends it, and is killed meanwhile, or just before or after.
                let mut command = playing("opens_and_waits");
                let child = command.arg(home.log()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
                linger(&mut random, 4_000);
                kill(child);
                opened_by_the_killed += 1;
            }
            let (_, opened) = home.open();
            torn += opened.torn.len();
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
        let kept = home.beside().into_iter().map(|name| {
            let bytes = home.path().join(&name).metadata().unwrap().len();
            (name, bytes)
        });
        assert_eq!(named, kept.collect::<Vec<_>>());
    }
    println!(
        "{KILLS} writers and {opened_by_the_killed} repairers killed: {acknowledged} events acknowledged, {torn} pieces set aside"
    );
    assert!(acknowledged > 0);
}

/// What a writer got acknowledged until it was killed.
fn killed_writer(home: &Home, waits_for_the_disk: bool, random: &mut Random) -> Vec<(u64, u64)> {
    let mut command = playing("writes_until_killed");
    command.arg(home.log()).args(waits_for_the_disk.then_some("waiting"));
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    for _ in 0..random.below(20) {
        pipe.read_line(&mut text).unwrap();
    }
    linger(random, 3_000);
    kill(child);
    pipe.read_to_string(&mut text).unwrap();
    // What it had not finished saying was not said.
    let whole = &text[..text.rfind('\n').map_or(0, |feed| feed + 1)];
    let number = |text: &str| text.parse::<u64>().unwrap();
    whole.lines().map(|line| line.split_once(' ').unwrap()).map(|(call, step)| (number(call), number(step))).collect()
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

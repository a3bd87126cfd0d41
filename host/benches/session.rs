//! What writing a call down costs, and reading it again: `cargo bench --bench session` remakes the figures of
//! `docs/performance.md`, each as a line that starts with `==>`.
//!
//! Nothing here fails on a bound: tests would then fail with the weather.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and stops at the first surprise")]
#![expect(clippy::disallowed_methods, reason = "files of the benchmark's own directory, and the kernel's own figures")]

#[path = "speed/turns.rs"]
mod turns;

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::Criterion;
use fumehood::{Event, Log, LogSettings, LogSync, Passage, Replay, Transcript};
use serde_json::json;
use turns::in_turn;

/// What a tool that reads a file has a model read.
const CONTENT: usize = 2_000;

fn main() {
    let args = Vec::from_iter(std::env::args());
    if let [_, "read", log] = args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return read_once(Path::new(log));
    }
    let mut criterion = Criterion::default().sample_size(30).configure_from_args();
    appending(&mut criterion);
    replaying(&mut criterion, &args[0]);
    criterion.final_summary();
}

/// The three events of one call, as a session writes them.
fn call(number: u64) -> [Event; 3] {
    let id = number.to_string();
    let text = "the quick brown fox says \"jump\"\n".repeat(CONTENT / 32);
    let content = json!([{ "type": "text", "text": text }]);
    let lines: Vec<_> = text.lines().zip(1..).map(|(text, number)| json!({ "number": number, "text": text })).collect();
    let card = json!({ "card": "read", "title": "fox.txt", "path": "fox.txt", "offset": 1, "totalLines": lines.len(), "lines": lines });
    [
        json!({ "event": "call", "call": id, "tool": "read", "args": "{\"path\":\"fox.txt\"}" }),
        json!({ "event": "start", "call": id }),
        json!({ "event": "end", "call": id, "outcome": "success", "content": content, "card": card,
            "usage": { "wall-clock-ms": 3, "memory-bytes": 1_114_112, "projector-fuel": 91_234 }, "millis": 4 }),
    ]
    .map(|event| serde_json::from_value(event).unwrap())
}

fn settings(sync: LogSync) -> LogSettings {
    LogSettings { sync, ..LogSettings::standard() }
}

/// One call: three lines, of which two wait for the disk.
fn write_down(log: &Log, [call, start, end]: &[Event; 3]) {
    log.append_unsynced(std::slice::from_ref(call)).unwrap();
    log.append(start.clone()).unwrap();
    log.append(end.clone()).unwrap();
}

/// Against the same bytes in the same writes, without a form: the least that a log on a disk costs.
fn appending(c: &mut Criterion) {
    let home = tempfile::tempdir().unwrap();
    let event = call(1);
    let lines = {
        let path = home.path().join("lines");
        let (log, _) = Log::open(&path, settings(LogSync::Never)).unwrap();
        write_down(&log, &event);
        let text = std::fs::read_to_string(&path).unwrap();
        text.split_inclusive('\n').skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let bytes: usize = lines.iter().map(String::len).sum();
    for (name, sync, runs) in [("with sync", LogSync::EachEvent, 1), ("without sync", LogSync::Never, 16)] {
        let (log, _) = Log::open(home.path().join(name), settings(sync)).unwrap();
        let plain =
            File::options().append(true).create_new(true).open(home.path().join(format!("{name}, plain"))).unwrap();
        let write = |line: &String, wait: bool| {
            (&plain).write_all(line.as_bytes()).unwrap();
            if wait && sync == LogSync::EachEvent {
                plain.sync_data().unwrap();
            }
        };
        let turns = in_turn(
            c,
            ("append", name),
            runs,
            [&mut || write_down(&log, &event), &mut || {
                lines.iter().zip([false, true, true]).for_each(|(line, wait)| write(line, wait));
            }],
        );
        let what = format!("a call of {bytes} bytes written down {name}: ratio log/plain file");
        turns.print(&what, "and its JSON, SHA-256 and form", |[log, plain]| log / plain);
        turns.print_times(["log", "plain file"]);
    }
}

/// Whole logs of 10,000 and of 100,000 events, each read in a process of its own.
fn replaying(c: &mut Criterion, myself: &str) {
    /// Whole processes per figure: the median of these.
    const RUNS: usize = 7;
    let home = tempfile::tempdir().unwrap();
    let [short, long] = [10_000_u64, 100_000].map(|events| {
        let path = home.path().join(events.to_string());
        let (log, _) = Log::open(&path, settings(LogSync::Never)).unwrap();
        for number in 1..=events / 3 {
            log.append_all(&call(number)).unwrap();
        }
        path
    });
    let mut figures = [const { Vec::new() }; 2];
    for _ in 0..RUNS {
        for (path, figures) in [&short, &long].into_iter().zip(&mut figures) {
            let output = Command::new(myself).arg("read").arg(path).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            let text = String::from_utf8(output.stdout).unwrap();
            let (micros, peak) = text.trim().split_once(' ').unwrap();
            figures.push((micros.parse::<f64>().unwrap(), peak.parse::<f64>().unwrap()));
        }
    }
    let median = |figures: &mut Vec<(f64, f64)>, figure: fn(&(f64, f64)) -> f64| {
        figures.sort_by(|a, b| figure(a).total_cmp(&figure(b)));
        figure(&figures[RUNS / 2])
    };
    let [time_short, time_long] = figures.each_mut().map(|figures| median(figures, |figures| figures.0));
    let [peak_short, peak_long] = figures.each_mut().map(|figures| median(figures, |figures| figures.1));
    let [_, megabytes] = [&short, &long].map(|path| path.metadata().unwrap().len() as f64 / 1e6);
    println!("==> replay of 100,000 events/of 10,000: ratio of times {:.2} (linear: 10)", time_long / time_short);
    println!(
        "    100,000 events, {megabytes:.0} MB: {:.0} ms, {:.0} MB/s",
        time_long / 1e3,
        megabytes / time_long * 1e6
    );
    println!(
        "==> replay of 100,000 events: peak memory {peak_long:.0} KiB, of 10,000 {peak_short:.0} KiB (flat: the same)"
    );
    // What of it is reading the lines, and what is putting them together.
    let open = || BufReader::new(File::open(&short).unwrap());
    let turns = in_turn(
        c,
        ("replay", "10,000 events"),
        1,
        [&mut || assert!(black_box(Transcript::new(open()).count()) > 3_000), &mut || {
            assert!(black_box(Replay::new(open()).count()) > 9_000)
        }],
    );
    turns.print("replay of 10,000 events: ratio transcript/lines", "informative", |[transcript, lines]| {
        transcript / lines
    });
    turns.print_times(["transcript", "lines"]);
}

/// In a process of its own: read a log, and say how many microseconds and how many KiB that took.
fn read_once(log: &Path) {
    let start = Instant::now();
    let told = Transcript::new(BufReader::new(File::open(log).unwrap()));
    let calls = told.filter(|passage| matches!(passage, Ok(Passage::Call(call)) if !call.is_open())).count();
    let spent: Duration = start.elapsed();
    assert!(calls > 0);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("{} {}", spent.as_micros(), peak.trim().trim_end_matches(" kB"));
}

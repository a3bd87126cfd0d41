//! Reading: what is shown of a log, also of one that is damaged, strange, or long.

use std::io::{self, BufReader, Read};

use fumehood::{CardNote, EndedAs, Flaw, NotRun, Passage, ReplayedCall, Transcript};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::events::{Home, bytes_of, call, calls, end, start};
use crate::playing;

/// A log of these events, as anybody could write it.
fn lines(events: &[Value]) -> Vec<u8> {
    let mut all = Vec::new();
    let mut prev = Value::Null;
    let open = json!({ "event": "open", "form": 1, "host": "other 1", "values": true });
    for (seq, event) in std::iter::once(&open).chain(events).enumerate() {
        let mut line = json!({ "seq": seq, "prev": prev, "at": format!("t{seq}") });
        line.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        let line = line.to_string();
        prev = format!("sha256:{:x}", Sha256::digest(&line)).into();
        all.extend_from_slice(line.as_bytes());
        all.push(b'\n');
    }
    all
}

fn asked(id: &str) -> Value {
    json!({ "event": "call", "call": id, "tool": "tool", "title": "Tool", "args": "{\"b\":1,\"a\":-0.0}" })
}

fn started(id: &str) -> Value {
    json!({ "event": "start", "call": id })
}

fn ended(id: &str) -> Value {
    json!({ "event": "end", "call": id, "outcome": "success", "content": [{ "type": "text", "text": id }], "usage": {}, "millis": 0 })
}

fn with(mut event: Value, field: &str, value: Value) -> Value {
    event[field] = value;
    event
}

fn told(bytes: &[u8]) -> Vec<Passage> {
    Transcript::new(bytes).map(Result::unwrap).collect()
}

fn flaws(passages: &[Passage]) -> Vec<(u64, Flaw)> {
    let flaws = passages.iter().filter_map(|passage| match passage {
        Passage::Flawed { line, flaw } => Some((*line, flaw.clone())),
        _ => None,
    });
    flaws.collect()
}

fn generic(title: &str, input: Option<Value>, body: &str) -> Value {
    let mut card = json!({ "card": "generic", "title": title });
    if let Some(input) = input {
        card["input"] = input;
    }
    card["body"] = if body.is_empty() { json!([]) } else { json!([{ "type": "text", "text": body }]) };
    card
}

pub(crate) fn cards_degrade_to_the_generic_one() {
    let check = |call: Value, end: Value, pending: (Value, Option<CardNote>), finished: (Value, Option<CardNote>)| {
        let read = calls(&lines(&[call, end]));
        let [read] = &read[..] else { panic!("{read:?}") };
        for (card, (expected, note)) in [(read.pending_card(), pending), (read.card_at_end(), finished)] {
            assert_eq!(serde_json::to_string(&card.card).unwrap(), expected.to_string());
            assert_eq!(card.note, note);
        }
    };
    let input = json!({ "b": 1, "a": -0.0 });
    let diff = json!({ "card": "diff", "title": "d", "diffs": [{ "path": "p", "new": "n" }] });
    let waiting = generic("Tool", Some(input.clone()), "");
    let done = generic("Tool", Some(input), "1");
    check(asked("1"), ended("1"), (waiting.clone(), None), (done.clone(), None));
    // As recorded, to the byte.
    let both = |event| with(event, "card", diff.clone());
    check(both(asked("1")), both(ended("1")), (diff.clone(), None), (diff.clone(), None));
    // One that a later host knows, and things that are no card at all.
    let note = Some(CardNote::UnknownCard);
    for unknown in [
        json!({ "card": "chart", "title": "c", "points": [1] }),
        json!({ "card": "diff", "title": "d" }),
        json!({ "card": "terminal", "title": 1, "output": "", "timedOut": false }),
        json!("card"),
        json!([{}]),
    ] {
        let both = |event| with(event, "card", unknown.clone());
        check(both(asked("1")), both(ended("1")), (waiting.clone(), note), (done.clone(), note));
    }
    // Without a title, with arguments that are not JSON, or only the beginning of it.
    let bare = json!({ "event": "call", "call": "1", "tool": "tool", "args": "{\"a\":" });
    check(bare, ended("1"), (generic("tool", None, ""), None), (generic("tool", None, "1"), None));
    let none = with(asked("1"), "args", " ".into());
    let empty = Some(json!({}));
    check(none, ended("1"), (generic("Tool", empty.clone(), ""), None), (generic("Tool", empty, "1"), None));
    assert!(CardNote::UnknownCard.to_string().contains("this is the generic one"));
}

fn summary(calls: &[ReplayedCall]) -> Vec<String> {
    calls
        .iter()
        .map(|call| {
            let open = if call.is_open() { " open" } else { "" };
            let asked = if call.call.is_some() { "" } else { " unasked" };
            format!("{}{open}{asked} [{}]", call.id, summary(&call.children).join(", "))
        })
        .collect()
}

pub(crate) fn calls_are_put_together_as_they_were_asked_for() {
    let bytes = lines(&[
        asked("1"),
        started("1"),
        asked("2"),
        asked("1.2"),
        asked("1.1"),
        started("1.2"),
        asked("1.2.1"),
        ended("1.2.1"),
        ended("1.2"),
        ended("2"),
        ended("1.1"),
        ended("1"),
        asked("12"),
        ended("12"),
    ]);
    let passages = told(&bytes);
    assert!(matches!(&passages[0], Passage::Opened { at, open } if at == "t0" && open.form == 1), "{passages:?}");
    assert_eq!(flaws(&passages), []);
    let calls = calls(&bytes);
    assert_eq!(summary(&calls), ["1 [1.1 [], 1.2 [1.2.1 []]]", "2 []", "12 []"]);
    let times = |call: &ReplayedCall| (call.asked_at.clone(), call.started_at.clone(), call.ended_at.clone());
    let at = |line: u64| Some(format!("t{line}"));
    assert_eq!(times(&calls[0]), (at(1), at(2), at(12)));
    assert_eq!(times(&calls[1]), (at(3), None, at(10)));
    // A copy that went through a program which ends lines otherwise.
    let copy = String::from_utf8(bytes.clone()).unwrap().replace('\n', "\r\n");
    assert_eq!(told(copy.as_bytes()), passages);
}

/// A call that never ends holds back no more than it may.
pub(crate) fn a_long_call_is_passed_by() {
    let held = Transcript::<&[u8]>::HELD;
    let mut events = vec![asked("1")];
    for number in 2..held + 4 {
        events.extend([asked(&number.to_string()), ended(&number.to_string())]);
    }
    events.push(ended("1"));
    let ids: Vec<_> = calls(&lines(&events)).iter().map(|call| call.id.root()).collect();
    assert_eq!(ids.len(), held + 3);
    // The two that were too many, then all in order.
    assert_eq!(ids[..4], [2, 3, 1, 4]);
    assert!(ids[2..].is_sorted());
}

pub(crate) fn calls_without_their_lines_are_shown() {
    let check = |events: &[Value], calls_told: &[&str], flaws_told: &[(u64, Flaw)]| {
        let bytes = lines(events);
        assert_eq!(summary(&calls(&bytes)), calls_told);
        assert_eq!(flaws(&told(&bytes)), flaws_told);
    };
    let id = |text: &str| text.parse().unwrap();
    // An end without a call, and a second end.
    let not_open = |line, call: &str| (line, Flaw::NotOpen(id(call)));
    check(&[ended("1")], &["1 unasked []"], &[not_open(2, "1")]);
    check(&[asked("1"), ended("1"), ended("1")], &["1 []", "1 unasked []"], &[not_open(4, "1")]);
    check(&[asked("1"), ended("1.1"), ended("1")], &["1 [1.1 unasked []]"], &[not_open(3, "1.1")]);
    check(&[ended("1.1")], &["1.1 unasked []"], &[not_open(2, "1.1")]);
    // A call without an end, and one whose caller ended first.
    check(&[asked("2"), asked("1"), started("1"), asked("1.1")], &["1 open [1.1 open []]", "2 open []"], &[]);
    check(
        &[asked("1"), asked("1.1"), asked("1.1.1"), asked("10"), ended("1"), ended("10")],
        &["1 [1.1 open [1.1.1 open []]]", "10 []"],
        &[],
    );
    // A start without a call; twice the same call; twice the same start.
    check(&[started("1")], &[], &[(2, Flaw::NoSuchCall(id("1")))]);
    check(&[asked("1"), asked("1"), ended("1")], &["1 []"], &[(3, Flaw::AskedTwice(id("1")))]);
    check(&[asked("1"), started("1"), started("1"), ended("1")], &["1 []"], &[]);
    let unasked = calls(&lines(&[ended("7")]));
    let card = unasked[0].card_at_end();
    assert_eq!(serde_json::to_value(&card.card).unwrap(), generic("call 7", None, "7"));
    assert_eq!(card.note, Some(CardNote::UnknownCall));
}

/// A reader of a log that was not repaired shows what a repair would write, and writes nothing.
pub(crate) fn what_is_derived_is_what_a_repair_writes() {
    let home = Home::new();
    let (log, _) = home.open();
    for event in [call("1", "t", "{}"), call("2", "t", "{}"), start("2"), call("2.1", "t", "{}"), end("9", "")] {
        log.append(event).unwrap();
    }
    drop(log);
    let before = bytes_of(&home.log());
    let derived = calls(&before);
    assert_eq!(bytes_of(&home.log()), before);
    assert_eq!(home.beside(), [""; 0]);
    home.open();
    let repaired = calls(&bytes_of(&home.log()));
    assert_eq!(derived.len(), 3);
    let open = |calls: &[ReplayedCall]| calls.iter().map(ReplayedCall::is_open).collect::<Vec<_>>();
    assert_eq!((open(&derived), open(&repaired)), (vec![true, true, false], vec![false; 3]));
    for (derived, repaired) in derived.iter().zip(&repaired) {
        assert_eq!(derived.end, repaired.end);
        assert_eq!(derived.card_at_end(), repaired.card_at_end());
        for (derived, repaired) in derived.children.iter().zip(&repaired.children) {
            assert_eq!(derived.end, repaired.end);
        }
    }
    assert_eq!(
        derived[1].end.ended,
        serde_json::from_value(json!({ "outcome": "interrupted", "state": "outcome-unknown" })).unwrap()
    );
    assert!(matches!(derived[1].children[0].end.ended, EndedAs::Interrupted { state: NotRun::NotStarted }));
}

pub(crate) fn bad_lines_are_named_and_passed() {
    let bytes = lines(&[asked("1"), ended("1")]);
    let whole: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let check = |bad: &[u8], flaw: &dyn Fn(&Flaw) -> bool| {
        let text = [whole[0], bad, b"\n", whole[1], whole[2]].concat();
        let passages = told(&text);
        let found = flaws(&passages);
        assert!(found[0].0 == 2 && flaw(&found[0].1), "{found:?}");
        // Shown as it is, no flaw moves a cursor.
        for (_, flaw) in &found {
            let text = flaw.to_string();
            assert!(text.chars().all(|c| !c.is_control() && c != '\u{202e}') && text.len() < 1_000, "{text:?}");
        }
        // The lines after it are read.
        assert_eq!(passages.iter().filter(|passage| matches!(passage, Passage::Call(_))).count(), 1);
        assert!(found.contains(&(3, Flaw::Chain)));
    };
    check(b"", &|flaw| *flaw == Flaw::NotJson { column: 0 });
    check(b"{\"seq\":1", &|flaw| matches!(flaw, Flaw::NotJson { .. }));
    check(b"\xff\xfe", &|flaw| matches!(flaw, Flaw::NotJson { .. }));
    check(b"\x1b]0;title\x07", &|flaw| *flaw == Flaw::NotJson { column: 1 });
    check(b"7", &|flaw| matches!(flaw, Flaw::NotAnEvent(_)));
    check(&[b"{\"a\":", &b"[".repeat(100_000)[..]].concat(), &|flaw| matches!(flaw, Flaw::NotJson { .. }));
    let hostile = "\u{1b}[2J\u{202e}\u{7}".repeat(1_000);
    let line = |fields: Value| with(fields, "prev", Value::Null).to_string();
    check(line(json!({ "seq": 1, "at": "", "event": hostile })).as_bytes(), &|flaw| {
        matches!(flaw, Flaw::UnknownEvent(_))
    });
    check(line(json!({ "seq": 1, "at": "", "event": "start", "call": hostile })).as_bytes(), &|flaw| {
        matches!(flaw, Flaw::NotAnEvent(_))
    });
    check(
        line(json!({ "seq": 1, "at": "", "event": "end", "call": "1", "outcome": hostile, "content": [], "usage": {}, "millis": 1 }))
            .as_bytes(),
        &|flaw| matches!(flaw, Flaw::NotAnEvent(_)),
    );
    // Fields that nobody knows are no matter.
    let more = lines(&[with(asked("1"), "later", json!({ "a": [1] })), with(ended("1"), "later", 1.into())]);
    assert_eq!(flaws(&told(&more)), []);
    assert_eq!(calls(&more)[0].call.as_ref().unwrap().tool, "tool");
    // The last line of a log that is being written.
    for cut in 1..whole[2].len() {
        let growing = [whole[0], whole[1], &whole[2][..cut]].concat();
        let passages = told(&growing);
        assert_eq!(flaws(&passages), [(3, Flaw::Torn { bytes: cut as u64 })]);
        assert_eq!(summary(&calls(&growing)), ["1 open []"]);
    }
    // Nothing, and a log without its beginning.
    assert_eq!(told(b""), []);
    assert_eq!(
        flaws(&told(whole[1])),
        [(1, Flaw::Number { expected: 0, found: 1 }), (1, Flaw::Chain), (1, Flaw::NoOpen)]
    );
    // An input that fails is the end, and said.
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("gone"))
        }
    }
    let mut told = Transcript::new(BufReader::new(whole[0].chain(Failing)));
    assert!(matches!(told.next(), Some(Ok(Passage::Opened { .. }))));
    assert_eq!(told.next().unwrap().unwrap_err().to_string(), "gone");
    assert!(told.next().is_none());
}

pub(crate) fn what_the_model_read_is_what_stands_there() {
    let content = json!([
        { "type": "text", "text": "a\u{0}\u{2028}\"\\é😀", "annotations": { "priority": 0.30000000000000004 } },
        { "type": "image", "data": "/+8=", "mimeType": "image/png" },
    ]);
    let bytes = lines(&[
        asked("1"),
        asked("1.1"),
        ended("1.1"),
        asked("2"),
        with(ended("2"), "content", content.clone()),
        ended("1"),
        asked("3"),
    ]);
    let read: Vec<_> = Transcript::new(&bytes[..]).model_contents().map(Result::unwrap).collect();
    let ids: Vec<_> = read.iter().map(|(id, _)| id.to_string()).collect();
    assert_eq!(ids, ["1", "2", "3"]);
    assert_eq!(serde_json::to_string(&read[1].1).unwrap(), content.to_string());
    assert!(serde_json::to_string(&read[2].1).unwrap().contains("NOT_STARTED"));
}

/// A log that is made while it is read: 100,000 events take no more memory than 1,000.
pub(crate) fn memory_does_not_grow_with_the_log() {
    let peak = |events: &str| -> u64 {
        let output = playing("reads_much").arg(events).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    };
    let (short, long) = (peak("1000"), peak("100000"));
    println!("peak memory over 1,000 events: {short} KiB, over 100,000: {long} KiB");
    // The longer log has 70 MB. What a process takes differs by some hundred KiB from run to run.
    assert!(long < short + 2_048, "{short} KiB, then {long} KiB");
}

/// Says what memory it took at most to read so many events.
pub(crate) fn reads_much(arguments: &[String]) {
    let events: u64 = arguments[0].parse().unwrap();
    let mut told = 0;
    for passage in Transcript::new(BufReader::new(Endless { events, ..Endless::default() })) {
        match passage.unwrap() {
            Passage::Call(call) => told += u64::from(!call.is_open()),
            Passage::Opened { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    // A call has three events; the last may be open.
    assert_eq!(told, (events - 1) / 3);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("{}", peak.trim().trim_end_matches(" kB"));
}

/// A log of so many events.
#[derive(Default)]
struct Endless {
    events: u64,
    seq: u64,
    prev: Option<String>,
    line: Vec<u8>,
    read: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.line.len() && self.seq < self.events {
            let call = self.seq.saturating_sub(1) / 3 + 1;
            let event = match (self.seq, self.seq % 3) {
                (0, _) => r#""event":"open","form":1,"host":"other 1","values":false"#.to_owned(),
                (_, 1) => format!(r#""event":"call","call":"{call}","tool":"t","args":"{}""#, "x".repeat(900)),
                (_, 2) => format!(r#""event":"start","call":"{call}""#),
                _ => format!(
                    r#""event":"end","call":"{call}","outcome":"success","content":[{{"type":"text","text":"{}"}}],"usage":{{}},"millis":0"#,
                    "y".repeat(900)
                ),
            };
            let prev = self.prev.as_ref().map_or("null".to_owned(), |digest| format!("\"{digest}\""));
            let line = format!(r#"{{"seq":{},"prev":{prev},"at":"t",{event}}}"#, self.seq);
            self.prev = Some(format!("sha256:{:x}", Sha256::digest(&line)));
            self.line = line.into_bytes();
            self.line.push(b'\n');
            (self.read, self.seq) = (0, self.seq + 1);
        }
        let taken = (&self.line[self.read..]).read(buffer)?;
        self.read += taken;
        Ok(taken)
    }
}

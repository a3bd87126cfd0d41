//! The form of a log: the lines, the published schema, and logs that are there already.

use std::path::Path;

use fumehood::{
    Card, EndedAs, Event, Log, LogError, LogRecord, LogSettings, Passage, RecordedCard, Replay, Transcript,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::events::{Home, against_the_schema, bytes_of, call, calls, end, event, put, settings, sound, start};

/// Checked without the crate's own reader.
pub(crate) fn lines_are_numbered_dated_and_chained() {
    let home = Home::new();
    let (log, _) = home.open();
    assert_eq!(log.append(call("1", "t", "{\n}")).unwrap(), 1);
    assert_eq!(log.append_unsynced(&[start("1")]).unwrap(), 2..3);
    assert_eq!(log.append_all(&[end("1", "a\nb\u{2028}c"), call("2", "t", ""), end("2", "")]).unwrap(), 3..6);
    assert_eq!(log.append_all(&[]).unwrap(), 6..6);
    drop(log);
    assert_eq!(home.open().1.events, 6);
    let bytes = bytes_of(&home.log());
    let lines: Vec<_> = bytes.strip_suffix(b"\n").unwrap().split(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), 7);
    let mut prev = Value::Null;
    for (number, line) in lines.iter().enumerate() {
        let record: Value = serde_json::from_slice(line).unwrap();
        assert_eq!(record["seq"], number);
        assert_eq!(record["prev"], prev);
        assert_eq!(record["at"], "2026-01-02T03:04:05.678Z");
        prev = format!("sha256:{:x}", Sha256::digest(line)).into();
    }
    sound(&home.log());
}

fn digest(of: char) -> String {
    format!("sha256:{}", of.to_string().repeat(64))
}

/// One event of each kind, with everything that it can have.
fn every_event() -> Vec<Event> {
    let cards = [
        json!({ "card": "generic", "title": "g", "kind": "read", "input": { "z": 1, "a": [-0.0, 1e300, 18446744073709551615u64] },
            "body": [
                { "type": "text", "text": "\u{0}\u{7f}\u{202e}", "annotations": { "audience": ["user"], "priority": 0.1, "lastModified": "2026-01-02T03:04:05Z" } },
                { "type": "image", "data": "AAEC", "mimeType": "image/png" },
                { "type": "audio", "data": "AAE=", "mimeType": "audio/wav" },
                { "type": "resource_link", "uri": "https://a.example/", "name": "n", "title": "t", "description": "d", "mimeType": "text/plain", "size": 3 },
                { "type": "resource", "resource": { "uri": "a:b", "mimeType": "text/plain", "text": "t" } },
                { "type": "resource", "resource": { "uri": "a:b", "blob": "AA==" } },
            ],
            "locations": [{ "path": "p", "line": 1 }, { "path": "q" }] }),
        json!({ "card": "terminal", "title": "ls", "description": "d", "cwd": "/", "output": "\u{1b}[31m", "exit": { "code": -1 }, "timedOut": false }),
        json!({ "card": "terminal", "title": "ls", "output": "", "exit": { "signal": "SIGKILL" }, "timedOut": true }),
        json!({ "card": "diff", "title": "d", "diffs": [{ "path": "p", "old": "a", "new": "b" }, { "path": "q", "new": "" }] }),
        json!({ "card": "read", "title": "r", "path": "p", "offset": 3, "lines": [{ "number": 3, "text": "x" }], "totalLines": 9, "language": "rust" }),
        json!({ "card": "search", "title": "s", "results": { "matches": { "files": [{ "path": "p", "matches": [{ "lineNumber": 1, "line": "x" }] }], "truncated": false, "total": 1 } } }),
        json!({ "card": "search", "title": "s", "results": { "paths": { "paths": ["p"], "truncated": true, "total": 2 } } }),
        json!({ "card": "web", "title": "w", "results": { "search": { "sources": [{ "url": "https://a.example/", "title": "t", "snippet": "s", "published": "p" }, { "url": "https://b.example/" }], "answer": "a", "truncated": false } } }),
        json!({ "card": "web", "title": "w", "results": { "fetch": { "url": "https://a.example/", "status": 404, "truncated": false } } }),
    ];
    let mut events = vec![
        json!({ "event": "call", "call": "1", "tool": "t", "title": "T", "args": "{\"a\":1}",
            "provider": { "component": { "name": "n", "version": "1.0.0", "digest": digest('a') } }, "card": cards[0] }),
        json!({ "event": "start", "call": "1" }),
        json!({ "event": "call", "call": "1.1", "tool": "u", "args": "[\u{0}", "argsBytes": 9,
            "provider": { "mounted": { "origin": "https://a.example" } } }),
        json!({ "event": "end", "call": "1.1", "outcome": "failure", "kind": "failed", "code": "INVALID_ARGS", "message": "m",
            "details": { "violations": [] }, "content": [{ "type": "text", "text": "INVALID_ARGS: m" }], "usage": {}, "millis": 0 }),
        json!({ "event": "end", "call": "1", "outcome": "success", "content": [], "card": cards[1],
            "cardCut": { "bytes": 70000, "budget": 65536 }, "spilled": { "locator": "l", "bytes": 9, "omitted": 5 },
            "value": { "z": null, "a": 0.1 },
            "projected": { "value": digest('b'), "content": digest('c'), "card": digest('d') },
            "reviews": [{ "reviewer": "r", "verdict": "value" }, { "reviewer": "s", "verdict": "content" }],
            "decisions": [{ "allowed": true, "capability": "http", "target": "https://a.example/", "rule": "https://a.example/ GET" },
                { "allowed": false, "capability": null, "target": "", "rule": "no" }],
            "usage": { "wall-clock-ms": 1, "memory-bytes": 2 }, "millis": 3 }),
    ];
    for (number, card) in (2..).zip(&cards) {
        let id = number.to_string();
        events.push(json!({ "event": "call", "call": id, "tool": "t", "args": "" }));
        events.push(json!({ "event": "end", "call": id, "outcome": "success", "content": [], "card": card, "usage": {}, "millis": 0 }));
    }
    for (number, (kind, code)) in
        (20..).zip([("refused", "DENIED"), ("aborted", "TOOL_TRAPPED"), ("fault", "HOST_FAULT"), ("failed", "BLOCKED")])
    {
        let id = number.to_string();
        events.push(json!({ "event": "call", "call": id, "tool": "t", "args": "{}" }));
        events.push(json!({ "event": "end", "call": id, "outcome": "failure", "kind": kind, "code": code, "message": "m",
            "content": [{ "type": "text", "text": "t" }], "reviews": [{ "reviewer": "r", "verdict": "block" }], "usage": {}, "millis": 0 }));
    }
    events.into_iter().map(event).collect()
}

fn values() -> LogSettings {
    LogSettings { values: true, ..settings() }
}

pub(crate) fn every_event_is_as_published() {
    let home = Home::new();
    let (log, _) = Log::open(home.log(), values()).unwrap();
    let events = every_event();
    for event in &events {
        log.append(event.clone()).unwrap();
    }
    // One that no end follows, and a piece of one.
    log.append(call("30", "t", "{}")).unwrap();
    drop(log);
    let mut bytes = bytes_of(&home.log());
    bytes.extend_from_slice(b"{\"seq\":");
    put(&home.log(), &bytes);
    Log::open(home.log(), values()).unwrap();
    let records = sound(&home.log());
    let written: Vec<_> = records[1..=events.len()].iter().map(|record| record.event.clone()).collect();
    assert_eq!(written, events);
    let mut kinds: Vec<_> = records.iter().map(|record| kind(&record.event)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, ["call", "end", "open", "repair", "start"]);
}

fn kind(event: &Event) -> &'static str {
    match event {
        Event::Open(_) => "open",
        Event::Call(_) => "call",
        Event::Start { .. } => "start",
        Event::End(_) => "end",
        Event::Repair(_) => "repair",
        other => panic!("{other:?}"),
    }
}

/// Each change makes of a line that is as published one that is not.
pub(crate) fn the_schema_catches_what_is_wrong() {
    let line = |seq: u64, event: Value| {
        let prev = if seq == 0 { Value::Null } else { digest('a').into() };
        let mut line = json!({ "seq": seq, "prev": prev, "at": "2026-01-02T03:04:05.678Z" });
        line.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        line
    };
    let open = line(0, json!({ "event": "open", "form": 1, "host": "fumehood 0.1.0", "values": false }));
    let call = line(1, json!({ "event": "call", "call": "1", "tool": "t", "args": "{}" }));
    let nested = line(1, json!({ "event": "call", "call": "1.1", "tool": "t", "args": "{}" }));
    let ends =
        |id: &str| json!({ "event": "end", "call": id, "outcome": "success", "content": [], "usage": {}, "millis": 0 });
    let success = line(1, ends("1"));
    let inner = line(1, ends("1.1"));
    let failure = line(
        1,
        json!({ "event": "end", "call": "1", "outcome": "failure", "kind": "failed", "code": "TOOL_FAILED", "message": "m",
            "content": [], "usage": {}, "millis": 0 }),
    );
    let interrupted = line(
        1,
        json!({ "event": "end", "call": "1", "outcome": "interrupted", "state": "not-started",
            "content": [{ "type": "text", "text": "t" }], "usage": {}, "millis": 0 }),
    );
    let repair = line(1, json!({ "event": "repair", "openCalls": ["1"] }));
    let card = json!({ "card": "diff", "title": "t", "diffs": [] });
    let cut = json!({ "bytes": 1, "budget": 1 });
    let wrong: &[(&Value, &str, Value)] = &[
        (&open, "form", 2.into()),
        (&open, "host", "fumehood".into()),
        (&open, "values", Value::Null),
        (&open, "prev", digest('a').into()),
        (&open, "seq", 1.into()),
        (&open, "seq", (-1).into()),
        (&open, "more", 1.into()),
        (&open, "event", "close".into()),
        (&open, "event", "start".into()),
        (&call, "prev", Value::Null),
        (&call, "prev", "sha256:A".into()),
        (&call, "seq", 0.into()),
        (&call, "seq", 1.5.into()),
        (&call, "at", "2026-01-02T03:04:05Z".into()),
        (&call, "at", 5.into()),
        (&call, "call", "01".into()),
        (&call, "call", 1.into()),
        (&call, "call", "1.".into()),
        (&call, "args", json!({})),
        (&call, "args_bytes", 1.into()),
        (&call, "provider", json!({})),
        (&call, "provider", json!({ "component": { "name": "n", "version": "1" } })),
        (&call, "provider", json!({ "mounted": { "origin": "o" }, "more": 1 })),
        (&call, "card", json!({ "card": "chart", "title": "t" })),
        (&call, "card", json!({ "card": "diff", "title": "t", "diffs": [], "output": "" })),
        (&call, "card", json!({ "card": "terminal", "title": "t", "output": "", "timed_out": false })),
        (&call, "outcome", "success".into()),
        (&nested, "card", card.clone()),
        (&success, "millis", (-1).into()),
        (&success, "usage", json!({ "wall clock": 1 })),
        (&success, "usage", json!({ "wall-clock-ms": "1" })),
        (&success, "content", json!([{ "type": "text" }])),
        (&success, "content", json!([{ "type": "text", "text": "t", "data": "" }])),
        (&success, "content", json!([{ "type": "image", "data": "é", "mimeType": "image/png" }])),
        (&success, "content", json!([{ "type": "resource", "resource": { "uri": "a:b" } }])),
        (&success, "content", Value::Null),
        (&success, "kind", "failed".into()),
        (&success, "message", "m".into()),
        (&success, "state", "not-started".into()),
        (&success, "reviews", json!([])),
        (&success, "reviews", json!([{ "reviewer": "r", "verdict": "accept" }])),
        (&success, "decisions", json!([{ "allowed": true, "capability": "all", "target": "", "rule": "" }])),
        (&success, "spilled", json!({ "locator": "l", "bytes": 1 })),
        (&success, "projected", json!({ "value": digest('a') })),
        (&success, "outcome", "failure".into()),
        (&inner, "card", card.clone()),
        (&inner, "value", 1.into()),
        (&inner, "cardCut", cut.clone()),
        (&inner, "projected", json!({ "value": digest('a'), "content": digest('a'), "card": digest('a') })),
        (&failure, "value", 1.into()),
        (&failure, "card", card.clone()),
        (&failure, "cardCut", cut),
        (&failure, "projected", json!({ "value": digest('a'), "content": digest('a') })),
        (&failure, "kind", "unlucky".into()),
        (&failure, "code", "tool failed".into()),
        (&interrupted, "state", "lost".into()),
        (&interrupted, "card", card),
        (&interrupted, "content", json!([])),
        (&interrupted, "millis", 5.into()),
        (&interrupted, "usage", json!({ "wall-clock-ms": 1 })),
        (&repair, "openCalls", json!(["1", "1"])),
        (&repair, "tornBytes", 5.into()),
        (&repair, "tornFile", "a.torn-1".into()),
    ];
    for whole in [&open, &call, &nested, &success, &inner, &failure, &interrupted, &repair] {
        against_the_schema(whole).unwrap();
        for field in whole.as_object().unwrap().keys() {
            let mut less = whole.clone();
            less.as_object_mut().unwrap().remove(field);
            assert!(against_the_schema(&less).is_err(), "{whole} without {field}");
        }
    }
    for (whole, field, value) in wrong {
        let mut changed = (*whole).clone();
        changed[*field] = value.clone();
        assert!(against_the_schema(&changed).is_err(), "{changed}");
    }
    for line in [json!(null), json!([]), json!({})] {
        assert!(against_the_schema(&line).is_err(), "{line}");
    }
}

/// A log that a host of form 1 has left. It is never made anew: whatever comes, it reads.
pub(crate) fn a_log_of_form_1_reads() {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/session/form-1.jsonl"));
    let records = sound(file);
    assert_eq!(records.len(), 36);
    let bytes = bytes_of(file);
    let told: Vec<_> = Transcript::new(&bytes[..]).map(Result::unwrap).collect();
    let count = |is: fn(&Passage) -> bool| told.iter().filter(|passage| is(passage)).count();
    assert_eq!(count(|passage| matches!(passage, Passage::Opened { .. })), 2);
    assert_eq!(count(|passage| matches!(passage, Passage::Repaired { .. })), 1);
    assert_eq!(count(|passage| matches!(passage, Passage::Flawed { .. })), 0);
    let calls = calls(&bytes);
    let ids: Vec<_> = calls.iter().map(|call| (call.id.to_string(), call.children.len())).collect();
    let expected = [
        ("1", 2),
        ("2", 0),
        ("3", 0),
        ("4", 0),
        ("5", 0),
        ("6", 0),
        ("7", 0),
        ("8", 0),
        ("9", 0),
        ("10", 0),
        ("11", 0),
    ];
    assert_eq!(ids, expected.map(|(id, children)| (id.to_owned(), children)));
    assert_eq!(calls[0].children[0].children[0].id.to_string(), "1.1.1");
    let codes: Vec<_> = calls
        .iter()
        .filter_map(|call| match &call.end.ended {
            EndedAs::Failure { kind, code, .. } => Some(format!("{kind} {code}")),
            _ => None,
        })
        .collect();
    assert_eq!(
        codes,
        ["refused DENIED", "failed TOOL_FAILED", "aborted TOOL_TIMEOUT", "fault HOST_FAULT", "failed BLOCKED"]
    );
    let states = calls[9..].iter().map(|call| serde_json::to_value(&call.end.ended).unwrap()["state"].clone());
    assert_eq!(states.collect::<Vec<_>>(), ["outcome-unknown", "not-started"]);
    assert!(calls.iter().any(|call| call.end.spilled.is_some()));
    assert!(calls.iter().any(|call| call.end.card_cut.is_some()));
    assert!(calls.iter().any(|call| call.end.value.is_some()));
    let cards = records.iter().filter_map(|record| match &record.event {
        Event::End(end) => end.card.as_ref(),
        Event::Call(call) => call.card.as_ref(),
        _ => None,
    });
    let mut kinds: Vec<_> = cards
        .map(|card| match card {
            RecordedCard::Known(card) => serde_json::to_value::<&Card>(card).unwrap()["card"].clone().to_string(),
            RecordedCard::Unknown(card) => panic!("{card}"),
        })
        .collect();
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    // It can also go on: on a copy, since nothing changes this one.
    let home = Home::new();
    put(&home.log(), &bytes);
    let (_, opened) = home.open();
    assert_eq!((opened.events, opened.next_call), (36, 12));
    assert!(opened.torn.is_empty() && opened.closed.is_empty());
}

pub(crate) fn what_is_not_for_a_log_is_refused() {
    let home = Home::new();
    let (log, _) = home.open();
    let before = bytes_of(&home.log());
    let card = json!({ "card": "diff", "title": "t", "diffs": [] });
    let ends = |id: &str, field: &str, value: &Value| {
        let mut line =
            json!({ "event": "end", "call": id, "outcome": "success", "content": [], "usage": {}, "millis": 0 });
        line[field] = value.clone();
        event(line)
    };
    let pending = |id: &str| event(json!({ "event": "call", "call": id, "tool": "t", "args": "{}", "card": card }));
    let null = json!({ "card": null });
    for (refused, why) in [
        (event(json!({ "event": "open", "form": 1, "host": "x 1", "values": true })), "itself writes"),
        (event(json!({ "event": "repair", "openCalls": [] })), "itself writes"),
        (ends("1", "value", &null), "to record none"),
        (ends("1.1", "card", &card), "neither card nor value"),
        (pending("1.1"), "no card"),
    ] {
        for error in [
            log.append(refused.clone()).unwrap_err(),
            log.append_unsynced(std::slice::from_ref(&refused)).unwrap_err(),
            log.append_all(&[start("1"), refused]).unwrap_err(),
        ] {
            assert!(matches!(error, LogError::NotForThisLog { .. }), "{error:?}");
            let text = error.to_string();
            assert!(text.contains(why) && text.contains("was not written"), "{text}");
        }
    }
    assert_eq!(bytes_of(&home.log()), before);
    // What differs in one thing only is for it.
    log.append_all(&[pending("1"), ends("1", "card", &card)]).unwrap();
    drop(log);
    let (log, _) = Log::open(home.log(), values()).unwrap();
    log.append_all(&[call("2", "t", "{}"), ends("2", "value", &null)]).unwrap();
    assert!(matches!(log.append(ends("2.1", "value", &null)).unwrap_err(), LogError::NotForThisLog { .. }));
    sound(&home.log());
}

pub(crate) fn events_that_belong_together_are_all_there_or_none() {
    let home = Home::new();
    let (log, _) = home.open();
    let before = bytes_of(&home.log());
    // What is not JSON text is no number that a gate lets pass, and has no line.
    let mut lines = every_event();
    let events = lines.len() as u64;
    lines.push(event(json!({ "event": "repair", "openCalls": [] })));
    log.append_all(&lines).unwrap_err();
    assert_eq!(bytes_of(&home.log()), before);
    drop(log);
    let (log, _) = Log::open(home.log(), values()).unwrap();
    lines.pop();
    assert_eq!(log.append_all(&lines).unwrap(), 2..2 + events);
    sound(&home.log());
}

/// With the disk waited for: one sync for the lines of several.
pub(crate) fn threads_write_whole_lines() {
    let home = Home::new();
    let (log, _) = Log::open(home.log(), LogSettings { sync: fumehood::LogSync::EachEvent, ..settings() }).unwrap();
    let numbers: Vec<u64> = std::thread::scope(|scope| {
        let writers: Vec<_> = (1..=4)
            .map(|writer: u64| {
                let log = &log;
                scope.spawn(move || {
                    let one = |call_number: u64| {
                        let id = (writer * 100 + call_number).to_string();
                        log.append_unsynced(&[call(&id, "t", &"x".repeat(9_000))]).unwrap();
                        log.append_all(&[start(&id), end(&id, "é")]).unwrap().start
                    };
                    (0..20).map(one).collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let records: Vec<LogRecord> = sound(&home.log());
    assert_eq!(records.len(), 1 + 4 * 20 * 3);
    for number in numbers {
        assert!(matches!(&records[usize::try_from(number).unwrap()].event, Event::Start { .. }));
    }
    assert_eq!(Replay::new(&bytes_of(&home.log())[..]).count(), records.len());
}

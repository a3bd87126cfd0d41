//! What a whole call costs: against the same three exports on bare wasmtime, and for values of a megabyte against one
//! plain parse and one plain check.

use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;

use criterion::Criterion;
use fumehood::{Outcome, Toolset};
use serde_json::{Value, json};

use crate::bare::{self, Bare, engine};
use crate::copies::WORD_COUNT;
use crate::guests::{self, Guest};
use crate::turns::in_turn;
use crate::{TEXT, load, runtime};

async fn call(tools: &Toolset, tool: &str, args: Value) {
    match tools.call(tool, args).await {
        Outcome::Success(success) => drop(black_box(success)),
        Outcome::Failure(failure) => panic!("{}: {}", failure.code, failure.message),
    }
}

pub(crate) fn small(c: &mut Criterion) {
    let runtime = runtime();
    let file = Path::new(WORD_COUNT);
    let tools = runtime.block_on(load(file));
    let engine = bare::engine(engine::Bounds::Explicit);
    let _ticking = engine.ticking();
    let bare = Bare::load(engine.wasmtime(), file);
    let args = json!({ "text": TEXT });
    let text = args.to_string();
    let turns = in_turn(
        c,
        ("word-count", "pipeline"),
        64,
        [&mut || runtime.block_on(call(&tools, "word_count", args.clone())), &mut || {
            drop(black_box(runtime.block_on(bare.call("word_count", &text))))
        }],
    );
    turns.print("word-count: ratio pipeline/bare", "bound 1.30", |[pipeline, bare]| pipeline / bare);
    turns.print_times(["pipeline", "bare"]);
}

/// What a large call leaves behind in the pool, for the small calls after it.
pub(crate) fn after_a_large_one(c: &mut Criterion) {
    let runtime = runtime();
    let [fresh, used] = [(); 2].map(|()| runtime.block_on(load(Path::new(WORD_COUNT))));
    // A text of a megabyte takes some megabytes of the guest's memory.
    let long = json!({ "text": TEXT.repeat((1 << 20) / TEXT.len()) });
    let args = json!({ "text": TEXT });
    let small = |tools: &Toolset| runtime.block_on(call(tools, "word_count", args.clone()));
    (0..4).for_each(|_| runtime.block_on(call(&used, "word_count", long.clone())));
    let turns = in_turn(c, ("after", "a large call"), 64, [&mut || small(&used), &mut || small(&fresh)]);
    turns.print("a small call after large ones/after none: ratio", "bound 1.50", |[used, fresh]| used / fresh);
    turns.print_times(["after large ones", "after none"]);
}

/// A tool whose value is `open`, then `part` sixteen times, then `close` in place of the last byte; and that value.
fn repeating(open: u8, part: &str, close: u8, schema: &Value) -> (tempfile::NamedTempFile, String) {
    const TIMES: usize = 16;
    let total = 1 + TIMES * part.len();
    let data: String = part.bytes().map(|byte| format!("\\{byte:02x}")).collect();
    let execute = format!(
        "(local.set $a (call $alloc (i32.const {total})))
        (local.set $b (i32.add (local.get $a) (i32.const 1)))
        (local.set $c (i32.const {TIMES}))
        (loop $more
          (memory.copy (local.get $b) (i32.const 1024) (i32.const {len}))
          (local.set $b (i32.add (local.get $b) (i32.const {len})))
          (br_if $more (local.tee $c (i32.sub (local.get $c) (i32.const 1)))))
        (i32.store8 (local.get $a) (i32.const {open}))
        (i32.store8 (i32.sub (local.get $b) (i32.const 1)) (i32.const {close}))
        (call $ok (local.get $a) (i32.const {total}))",
        len = part.len(),
    );
    let guest = Guest {
        items: &format!("(data (i32.const 1024) \"{data}\")"),
        execute: &execute,
        // A model gets a line, whatever the value's size: the rest of a call's text is not what is measured.
        render: "(call $text (i32.const 1024) (i32.const 80))",
        ..Guest::default()
    };
    let mut manifest = guests::manifest();
    manifest["tools"][0]["outputSchema"] = schema.clone();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&guests::packed(&guest.wat(), &manifest)).unwrap();
    let body = &part.repeat(TIMES)[..total - 2];
    (file, format!("{}{body}{}", char::from(open), char::from(close)))
}

pub(crate) fn large(c: &mut Criterion) {
    // 65 bytes a line: what a tool that reads files returns.
    let line = format!("{:<63}\\n", "the quick brown fox says \\\"jump\\\" and the lazy dog does not");
    let lines = line.repeat(63_000 / line.len()) + " ";
    let plain = "abcdefghijklmnopqrstuvwxyz 0123456789 ".repeat(1_650) + " ";
    let records: String = (0..600)
        .map(|id| {
            let record = json!({ "id": id, "name": format!("record {id}"), "score": f64::from(id) / 8.0,
                "tags": ["red", "green"], "open": id % 3 == 0 });
            format!("{record},")
        })
        .collect();
    let string = json!({ "type": "string" });
    let record = json!({ "type": "array", "items": { "type": "object", "additionalProperties": false,
        "required": ["id", "name", "score", "tags", "open"],
        "properties": { "id": { "type": "integer", "minimum": 0 }, "name": { "type": "string" },
            "score": { "type": "number" }, "tags": { "type": "array", "items": { "type": "string" } },
            "open": { "type": "boolean" } } } });
    for (name, open, part, close, schema) in [
        ("one string of lines", b'"', &lines, b'"', &string),
        ("one string without escapes", b'"', &plain, b'"', &string),
        ("records", b'[', &records, b']', &record),
    ] {
        let (file, value) = repeating(open, part, close, schema);
        let runtime = runtime();
        let tools = runtime.block_on(load(file.path()));
        let engine = bare::engine(engine::Bounds::Explicit);
        let _ticking = engine.ticking();
        let bare = Bare::load(engine.wasmtime(), file.path());
        let validator = jsonschema::validator_for(schema).unwrap();
        assert_eq!(runtime.block_on(bare.execute("echo", "{}")), value);
        let turns = in_turn(
            c,
            ("1 MB", name),
            4,
            [
                &mut || runtime.block_on(call(&tools, "echo", json!({}))),
                &mut || drop(black_box(runtime.block_on(bare.call("echo", "{}")))),
                &mut || {
                    let parsed: Value = serde_json::from_str(black_box(&value)).unwrap();
                    assert!(validator.is_valid(&parsed));
                },
            ],
        );
        turns.print(
            &format!("{name}, {} KB: ratio (pipeline - bare)/(parse + is_valid)", value.len() >> 10),
            "bound 2.00",
            |[pipeline, bare, plain]| (pipeline - bare) / plain,
        );
        turns.print_times(["pipeline", "bare", "parse + is_valid"]);
    }
}

/// Calls one after the other, in as many tasks as there are threads.
pub(crate) fn threads(c: &mut Criterion) {
    /// Some tens of milliseconds.
    const CALLS: usize = 2_000;
    let args = json!({ "text": TEXT });
    let tools = runtime().block_on(load(Path::new(WORD_COUNT)));
    let run = |runtime: &tokio::runtime::Runtime, tasks: usize| {
        runtime.block_on(async {
            let tasks = Vec::from_iter((0..tasks).map(|_| {
                let (tools, args) = (tools.clone(), args.clone());
                tokio::spawn(async move {
                    for _ in 0..CALLS {
                        call(&tools, "word_count", args.clone()).await;
                    }
                })
            }));
            for task in tasks {
                task.await.unwrap();
            }
        });
    };
    // What this machine gives a second thread of work that shares nothing: two processors may be one core.
    let alone = |runtime: &tokio::runtime::Runtime, tasks: usize| {
        runtime.block_on(async {
            let tasks = Vec::from_iter((0..tasks).map(|_| {
                tokio::spawn(async {
                    let mut x = black_box(1_u64);
                    for _ in 0..20_000_000 {
                        x = x.wrapping_mul(6_364_136_223_846_793_005).rotate_left(7) ^ 1_442_695_040_888_963_407;
                    }
                    black_box(x)
                })
            }));
            for task in tasks {
                task.await.unwrap();
            }
        });
    };
    let [one, two] =
        [1, 2].map(|n| tokio::runtime::Builder::new_multi_thread().worker_threads(n).enable_all().build().unwrap());
    let turns = in_turn(c, ("threads", "arithmetic"), 1, [&mut || alone(&two, 2), &mut || alone(&one, 1)]);
    turns.print("threads: plain arithmetic on 2 threads/on 1", "no bound", |[two, one]| 2.0 * one / two);
    let turns = in_turn(c, ("threads", "2 threads"), 1, [&mut || run(&two, 2), &mut || run(&one, 1)]);
    turns.print("threads: calls per second on 2 threads/on 1", "bound 1.80 at least", |[two, one]| 2.0 * one / two);
    turns.print("threads: calls per second on 2", "no bound", |[two, _]| 2.0 * CALLS as f64 / two);
}

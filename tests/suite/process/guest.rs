//! A guest that runs one program, and returns all it hears of it.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::Guest;

/// What the guest asks for.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) program: &'a str,
    pub(crate) args: &'a [&'a str],
    pub(crate) directory: Option<&'a str>,
    pub(crate) stdin: Option<&'a [u8]>,
    pub(crate) output: Option<u64>,
    pub(crate) limit: Option<u64>,
    /// How often. The last run is the one that is told of.
    pub(crate) times: u32,
    /// Whether the tool fails with what it is told, where the program does not run.
    pub(crate) fails: bool,
}

impl Default for Request<'_> {
    fn default() -> Self {
        Self {
            program: "prog",
            args: &[],
            directory: None,
            stdin: None,
            output: None,
            limit: None,
            times: 1,
            fails: false,
        }
    }
}

/// What the guest heard.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ran {
    Ended {
        code: Option<i32>,
        signal: Option<i32>,
        timed_out: bool,
        stdout: Vec<u8>,
        stdout_truncated: bool,
        stderr: Vec<u8>,
        stderr_truncated: bool,
    },
    NotGranted(String),
    Invalid(String),
    Unavailable(String),
}

impl Ran {
    /// `{"ok": [exit case, exit, timed out, stdout, truncated, stderr, truncated]}` or `{"error": [case, text]}`, with
    /// bytes in hexadecimal.
    pub(crate) fn read(value: &Value) -> Self {
        let hex = |value: &Value| -> Vec<u8> {
            let text = value.as_str().expect("hexadecimal");
            (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("a byte")).collect()
        };
        if let Some(ended) = value.get("ok") {
            let number = |index: usize| i32::try_from(ended[index].as_i64().expect("a number")).expect("an i32");
            return Self::Ended {
                code: (number(0) == 0).then(|| number(1)),
                signal: (number(0) == 1).then(|| number(1)),
                timed_out: number(2) == 1,
                stdout: hex(&ended[3]),
                stdout_truncated: number(4) == 1,
                stderr: hex(&ended[5]),
                stderr_truncated: number(6) == 1,
            };
        }
        let error = &value["error"];
        let text = String::from_utf8(hex(&error[1])).expect("UTF-8");
        match error[0].as_i64() {
            Some(0) => Self::NotGranted(text),
            Some(1) => Self::Invalid(text),
            Some(2) => Self::Unavailable(text),
            other => panic!("{other:?}: {text}"),
        }
    }
}

/// Bytes in memory from 1,024 on.
struct Data {
    bytes: Vec<u8>,
}

impl Data {
    const START: usize = 1_024;

    /// Where they lie and how long they are, as two constants.
    fn place(&mut self, bytes: &[u8]) -> String {
        let at = Self::START + self.bytes.len();
        self.bytes.extend(bytes);
        format!("(i32.const {at}) (i32.const {})", bytes.len())
    }

    fn option(&mut self, bytes: Option<&[u8]>) -> String {
        match bytes {
            Some(bytes) => format!("(i32.const 1) {}", self.place(bytes)),
            None => "(i32.const 0) (i32.const 0) (i32.const 0)".to_owned(),
        }
    }

    fn list(&mut self, texts: &[&str]) -> String {
        let mut table = Vec::new();
        for text in texts {
            let at = Self::START + self.bytes.len();
            self.bytes.extend(text.as_bytes());
            for number in [at, text.len()] {
                table.extend(u32::try_from(number).expect("it fits").to_le_bytes());
            }
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let at = Self::START + self.bytes.len();
        self.bytes.extend(table);
        format!("(i32.const {at}) (i32.const {})", texts.len())
    }

    fn segment(&self) -> String {
        let mut text = format!("(data (i32.const {}) \"", Self::START);
        for byte in &self.bytes {
            let _ = write!(text, "\\{byte:02x}");
        }
        assert!(self.bytes.len() < 60_000, "the request does not fit");
        text + "\")"
    }
}

/// Writing to a buffer that grows: `$say` for text, `$number`, `$hex`.
pub(crate) const WRITER: &str = r#"
    (global $out (mut i32) (i32.const 0))
    (global $end (mut i32) (i32.const 0))
    (func $byte (param $b i32)
      (i32.store8 (call $alloc1) (local.get $b)))
    (func $alloc1 (result i32)
      (local $at i32)
      (local.set $at (global.get $end))
      (global.set $end (i32.add (global.get $end) (i32.const 1)))
      (local.get $at))
    ;; Room for four million characters; nothing else is allocated while a value is written.
    (func $begin
      (global.set $out (call $alloc (i32.const 4194304)))
      (global.set $end (global.get $out)))
    (func $say (param $at i32) (param $len i32)
      (memory.copy (global.get $end) (local.get $at) (local.get $len))
      (global.set $end (i32.add (global.get $end) (local.get $len))))
    (func $number (param $n i32)
      (call $say (call $digits (i64.extend_i32_u (local.get $n)))))
    (func $digit (param $n i32)
      (call $byte (i32.add (local.get $n) (select (i32.const 48) (i32.const 87) (i32.lt_u (local.get $n) (i32.const 10))))))
    (func $hex (param $at i32) (param $len i32)
      (local $stop i32)
      (local.set $stop (i32.add (local.get $at) (local.get $len)))
      (call $byte (i32.const 34))
      (block $done
        (loop $more
          (br_if $done (i32.ge_u (local.get $at) (local.get $stop)))
          (call $digit (i32.shr_u (i32.load8_u (local.get $at)) (i32.const 4)))
          (call $digit (i32.and (i32.load8_u (local.get $at)) (i32.const 15)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $more)))
      (call $byte (i32.const 34)))
    (func $comma (call $byte (i32.const 44)))
    (func $value (result i32)
      (call $ok (global.get $out) (i32.sub (global.get $end) (global.get $out))))
"#;

/// A module whose `execute` makes this request.
pub(crate) fn runs(request: &Request<'_>) -> String {
    let mut data = Data { bytes: Vec::new() };
    let number = |number: Option<u64>| {
        let value = number.unwrap_or(0).cast_signed();
        format!("(i32.const {}) (i64.const {value})", i32::from(number.is_some()))
    };
    let program = data.place(request.program.as_bytes());
    let args = data.list(request.args);
    let directory = data.option(request.directory.map(str::as_bytes));
    let stdin = data.option(request.stdin);
    let (ok, error) = (data.place(b"{\"ok\":["), data.place(b"{\"error\":["));
    let execute = format!(
        r#"
        (local.set $b (i32.const {times}))
        (loop $again
          (local.set $a (call $alloc (i32.const 64)))
          (call $run {program} {args} {directory} {stdin} {output} {limit} (local.get $a))
          (local.set $b (i32.sub (local.get $b) (i32.const 1)))
          (br_if $again (local.get $b)))
        (call $begin)
        (if (i32.load8_u (local.get $a))
          (then
            (if (i32.const {fails})
              (then (return (call $error (i32.const 2)
                (i32.load offset=8 (local.get $a)) (i32.load offset=12 (local.get $a))))))
            (call $say {error})
            (call $number (i32.load8_u offset=4 (local.get $a))) (call $comma)
            (call $hex (i32.load offset=8 (local.get $a)) (i32.load offset=12 (local.get $a))))
          (else
            (call $say {ok})
            (call $number (i32.load8_u offset=4 (local.get $a))) (call $comma)
            (call $number (i32.load offset=8 (local.get $a))) (call $comma)
            (call $number (i32.load8_u offset=12 (local.get $a))) (call $comma)
            (call $hex (i32.load offset=16 (local.get $a)) (i32.load offset=20 (local.get $a))) (call $comma)
            (call $number (i32.load8_u offset=32 (local.get $a))) (call $comma)
            (call $hex (i32.load offset=24 (local.get $a)) (i32.load offset=28 (local.get $a))) (call $comma)
            (call $number (i32.load8_u offset=33 (local.get $a)))))
        (call $byte (i32.const 93)) (call $byte (i32.const 125))
        (call $value)"#,
        times = request.times,
        fails = u32::from(request.fails),
        output = number(request.output),
        limit = number(request.limit),
    );
    let items = format!("{WRITER} {}", data.segment());
    let imports = r#"(import "fumehood:host/process@0.1.0" "run" (func $run
        (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i32 i64 i32)))"#;
    Guest { imports, items: &items, execute: &execute, ..Guest::default() }.wat()
}

//! The plain part of a guest that reviews.

/// A reviewer in core WebAssembly text. The default one accepts.
///
/// The body ends with a pointer to its result on the stack. It may use
///
/// - the parameter `$draft`, which points to the draft: strings and lists as pointer and length at 0 tool, 8 args,
///   16 nested (a byte), 24 success or failure (a byte: 0, 1); of a success at 32 value, 40 content (blocks of 128 bytes,
///   the text of a text block at 8); of a failure at 32 kind (a byte), 36 code, 44 message, 52 content, 60 details (a byte: 0, 1; the text at 64); and four locals
///   `$a $b $c $d` of type i32;
/// - `(call $accept)`, `(call $value (ptr) (len))`, `(call $block (ptr) (len))`: those verdicts;
/// - `(call $text (ptr) (len))`: accepted with one text block as content;
/// - `(call $content (block) (count))`: accepted with blocks that lie in a row, 128 bytes each;
/// - `(call $verdict (case) (ptr) (len))`: any case, also one that does not exist;
/// - `(call $err (ptr) (len))`: no verdict;
/// - `(call $alloc (bytes))`: zeroed memory, never freed; `(call $put (at) (ptr) (len))`;
/// - memory from 1,024 to 65,535 for `(data …)` in `items`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReviewGuest<'a> {
    /// Core imports, which come first.
    pub(crate) imports: &'a str,
    /// Anything else at the top level of the module: data, functions, globals.
    pub(crate) items: &'a str,
    /// The body of `review`.
    pub(crate) review: &'a str,
}

impl Default for ReviewGuest<'_> {
    fn default() -> Self {
        Self { imports: "", items: "", review: "(call $accept)" }
    }
}

impl ReviewGuest<'_> {
    /// The module's text.
    pub(crate) fn wat(&self) -> String {
        let Self { imports, items, review } = self;
        format!(
            r#"(module
  {imports}
  (memory $memory (export "memory") 2)
  (global $heap (mut i32) (i32.const 65536))
  (func $alloc (param $bytes i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 7)) (i32.const -8)))
    (global.set $heap (i32.add (local.get $at) (local.get $bytes)))
    (block $fits
      (loop $more
        (br_if $fits (i32.le_u (global.get $heap) (i32.mul (memory.size) (i32.const 65536))))
        (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))
        unreachable))
    (local.get $at))
  (func (export "cabi_realloc") (param $old i32) (param $old_len i32) (param $align i32) (param $len i32) (result i32)
    (local $new i32)
    (local.set $new (call $alloc (local.get $len)))
    (if (local.get $old_len)
      (then (memory.copy (local.get $new) (local.get $old) (local.get $old_len))))
    (local.get $new))
  (func $put (param $at i32) (param $ptr i32) (param $len i32)
    (i32.store (local.get $at) (local.get $ptr))
    (i32.store offset=4 (local.get $at) (local.get $len)))
  ;; result<verdict, string>: case at 0; verdict: case at 4, payload from 8; the error's string from 4.
  (func $verdict (param $case i32) (param $at i32) (param $len i32) (result i32)
    (local $r i32)
    (local.set $r (call $alloc (i32.const 64)))
    (i32.store8 offset=4 (local.get $r) (local.get $case))
    (call $put (i32.add (local.get $r) (i32.const 8)) (local.get $at) (local.get $len))
    (local.get $r))
  (func $accept (result i32) (call $verdict (i32.const 0) (i32.const 0) (i32.const 0)))
  (func $content (param $at i32) (param $count i32) (result i32)
    (call $verdict (i32.const 1) (local.get $at) (local.get $count)))
  (func $value (param $at i32) (param $len i32) (result i32)
    (call $verdict (i32.const 2) (local.get $at) (local.get $len)))
  (func $block (param $at i32) (param $len i32) (result i32)
    (call $verdict (i32.const 3) (local.get $at) (local.get $len)))
  (func $text (param $at i32) (param $len i32) (result i32)
    (local $block i32)
    (local.set $block (call $alloc (i32.const 128)))
    (call $put (i32.add (local.get $block) (i32.const 8)) (local.get $at) (local.get $len))
    (call $content (local.get $block) (i32.const 1)))
  (func $err (param $at i32) (param $len i32) (result i32)
    (local $r i32)
    (local.set $r (call $alloc (i32.const 64)))
    (i32.store8 (local.get $r) (i32.const 1))
    (call $put (i32.add (local.get $r) (i32.const 4)) (local.get $at) (local.get $len))
    (local.get $r))
  {items}
  (func (export "fumehood:review/reviewer@0.1.0#review") (param $draft i32) (result i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32)
    {review})
)"#
        )
    }
}

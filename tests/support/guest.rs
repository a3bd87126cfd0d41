//! The plain part of a guest: memory, allocator, exports, and the layouts of the canonical ABI.

/// A guest in core WebAssembly text. The default one echoes: `execute` returns its arguments, `render` returns the value
/// as one text block, `present` returns no card.
///
/// The three bodies end with a pointer to their result on the stack. They may use
///
/// - parameters: `$tool $tool_len $args $args_len`, in `render` also `$value $value_len`, in `present` also
///   `$has_value $value $value_len`, and four locals `$a $b $c $d` of type i32;
/// - `(call $ok (ptr) (len))`: `execute` returns that JSON;
/// - `(call $error (case) (ptr) (len))`: `execute` fails; 0 invalid-args, 1 not-found, 2 denied, 3 unavailable;
/// - `(call $failed (code) (code_len) (message) (message_len))`: `execute` fails with a code of its own;
/// - `(call $text (ptr) (len))`: `render` returns one text block;
/// - `(call $no_text)`: `render` returns no block;
/// - `(call $no_card)`: `present` returns none;
/// - `(call $card (title) (title_len))`: `present` returns a generic card without a body;
/// - `(call $refuse (ptr) (len))`: `render` or `present` returns an error;
/// - `(call $alloc (bytes))`: zeroed memory, never freed;
/// - `(call $put (at) (ptr) (len))`: store a string or a list at an address;
/// - `(call $digits (i64))`: that number in decimal, as ptr and len;
/// - `(call $blocks (block) (count))`: `render` returns blocks that lie in a row, 128 bytes each;
/// - `(call $some_card (case))`: `present` returns a card whose payload, all zero, lies 24 bytes behind the result;
///   0 generic, 1 terminal, 2 diff, 3 read, 4 search, 5 web;
/// - memory from 1,024 to 65,535 for `(data …)` in `items`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guest<'a> {
    /// Core imports, which come first: `(import "wasi:random/random@0.2.12" "get-random-u64" (func $random (result i64)))`.
    pub(crate) imports: &'a str,
    /// Anything else at the top level of the module: data, functions, globals.
    pub(crate) items: &'a str,
    /// The body of `execute`.
    pub(crate) execute: &'a str,
    /// The body of `render`.
    pub(crate) render: &'a str,
    /// The body of `present`.
    pub(crate) present: &'a str,
}

impl Default for Guest<'_> {
    fn default() -> Self {
        Self {
            imports: "",
            items: "",
            execute: "(call $ok (local.get $args) (local.get $args_len))",
            render: "(call $text (local.get $value) (local.get $value_len))",
            present: "(call $no_card)",
        }
    }
}

impl Guest<'_> {
    /// The module's text.
    pub(crate) fn wat(&self) -> String {
        let Self { imports, items, execute, render, present } = self;
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
  ;; result<json, tool-error>: case at 0, payload from 4; tool-error: case at 4, payload from 8.
  (func $ok (param $at i32) (param $len i32) (result i32)
    (local $r i32)
    (local.set $r (call $alloc (i32.const 64)))
    (i32.store offset=4 (local.get $r) (local.get $at))
    (i32.store offset=8 (local.get $r) (local.get $len))
    (local.get $r))
  (func $error (param $case i32) (param $at i32) (param $len i32) (result i32)
    (local $r i32)
    (local.set $r (call $alloc (i32.const 64)))
    (i32.store8 (local.get $r) (i32.const 1))
    (i32.store8 offset=4 (local.get $r) (local.get $case))
    (i32.store offset=8 (local.get $r) (local.get $at))
    (i32.store offset=12 (local.get $r) (local.get $len))
    (local.get $r))
  (func $failed (param $code i32) (param $code_len i32) (param $at i32) (param $len i32) (result i32)
    (local $r i32)
    (local.set $r (call $error (i32.const 4) (local.get $code) (local.get $code_len)))
    (i32.store offset=16 (local.get $r) (local.get $at))
    (i32.store offset=20 (local.get $r) (local.get $len))
    (local.get $r))
  ;; result<list<content-block>, string>: case at 0, payload from 4; content-block: 128 bytes, payload from 8.
  (func $no_text (result i32) (call $alloc (i32.const 64)))
  (func $text (param $at i32) (param $len i32) (result i32)
    (local $block i32)
    (local.set $block (call $alloc (i32.const 128)))
    (i32.store offset=8 (local.get $block) (local.get $at))
    (i32.store offset=12 (local.get $block) (local.get $len))
    (call $ok (local.get $block) (i32.const 1)))
  ;; result<option<card>, string>: case at 0, payload from 8; option: case at 8, card from 16; card: payload from 24.
  (func $no_card (result i32) (call $alloc (i32.const 256)))
  (func $card (param $at i32) (param $len i32) (result i32)
    (local $r i32)
    (local.set $r (call $alloc (i32.const 256)))
    (i32.store8 offset=8 (local.get $r) (i32.const 1))
    (i32.store offset=24 (local.get $r) (local.get $at))
    (i32.store offset=28 (local.get $r) (local.get $len))
    (local.get $r))
  (func $put (param $at i32) (param $ptr i32) (param $len i32)
    (i32.store (local.get $at) (local.get $ptr))
    (i32.store offset=4 (local.get $at) (local.get $len)))
  (func $digits (param $number i64) (result i32 i32)
    (local $end i32) (local $at i32)
    (local.set $end (i32.add (call $alloc (i32.const 24)) (i32.const 24)))
    (local.set $at (local.get $end))
    (loop $next
      (local.set $at (i32.sub (local.get $at) (i32.const 1)))
      (i64.store8 (local.get $at) (i64.add (i64.const 48) (i64.rem_u (local.get $number) (i64.const 10))))
      (local.set $number (i64.div_u (local.get $number) (i64.const 10)))
      (br_if $next (i64.ne (local.get $number) (i64.const 0))))
    (local.get $at)
    (i32.sub (local.get $end) (local.get $at)))
  (func $blocks (param $at i32) (param $count i32) (result i32)
    (call $ok (local.get $at) (local.get $count)))
  (func $some_card (param $case i32) (result i32)
    (local $r i32)
    (local.set $r (call $alloc (i32.const 256)))
    (i32.store8 offset=8 (local.get $r) (i32.const 1))
    (i32.store8 offset=16 (local.get $r) (local.get $case))
    (local.get $r))
  ;; The error string of `render` lies at 4, that of `present` at 8: a result with the right one for each.
  (global $refuse_at (mut i32) (i32.const 4))
  (func $refuse (param $at i32) (param $len i32) (result i32)
    (local $r i32)
    (local.set $r (call $alloc (i32.const 256)))
    (i32.store8 (local.get $r) (i32.const 1))
    (i32.store (i32.add (local.get $r) (global.get $refuse_at)) (local.get $at))
    (i32.store offset=4 (i32.add (local.get $r) (global.get $refuse_at)) (local.get $len))
    (local.get $r))
  {items}
  (func (export "fumehood:tool/tool@0.1.0#execute")
    (param $tool i32) (param $tool_len i32) (param $args i32) (param $args_len i32) (result i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32)
    {execute})
  (func (export "fumehood:tool/tool@0.1.0#render")
    (param $tool i32) (param $tool_len i32) (param $args i32) (param $args_len i32)
    (param $value i32) (param $value_len i32) (result i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32)
    (global.set $refuse_at (i32.const 4))
    {render})
  (func (export "fumehood:tool/tool@0.1.0#present")
    (param $tool i32) (param $tool_len i32) (param $args i32) (param $args_len i32)
    (param $has_value i32) (param $value i32) (param $value_len i32) (result i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32)
    (global.set $refuse_at (i32.const 8))
    {present})
)"#
        )
    }
}

(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration" (func $timer (param i64) (result i32)))
(import "wasi:io/poll@0.2.12" "[method]pollable.block" (func $block (param i32)))

;; {"nanoseconds":N}
(func $number (param $at i32) (result i64)
  (local $n i64) (local $c i32)
  (local.set $at (i32.add (local.get $at) (i32.const 15)))
  (block $end
    (loop $digit
      (local.set $c (i32.sub (i32.load8_u (local.get $at)) (i32.const 48)))
      (br_if $end (i32.gt_u (local.get $c) (i32.const 9)))
      (local.set $n (i64.add (i64.mul (local.get $n) (i64.const 10)) (i64.extend_i32_u (local.get $c))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br $digit)))
  (local.get $n))

(execute
  (call $block (call $timer (call $number (local.get $args))))
  (call $ok (local.get $args) (local.get $args_len)))

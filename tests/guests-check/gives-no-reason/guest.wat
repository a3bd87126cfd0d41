(import "wasi:clocks/wall-clock@0.2.12" "now" (func $now (param i32)))
(execute
  (if (i32.eqz (local.get $args_len)) (then (call $now (call $alloc (i32.const 16)))))
  (call $ok (local.get $args) (local.get $args_len)))

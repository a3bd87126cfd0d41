(import "wasi:clocks/wall-clock@0.2.12" "now" (func $now (param i32)))
(execute
  (call $now (local.tee $a (call $alloc (i32.const 16))))
  (if (result i32) (i64.gt_u (i64.load (local.get $a)) (i64.const 1577836800))
    (then (call $ok (string "true")))
    (else (call $ok (string "false")))))

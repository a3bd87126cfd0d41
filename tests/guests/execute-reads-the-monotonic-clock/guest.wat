(import "wasi:clocks/monotonic-clock@0.2.12" "now" (func $now (result i64)))
;; A clock that moves is read until it has moved.
(execute
  (if (i64.eqz (call $now)) (then (return (call $ok (string "\"0\"")))))
  (local.set $a (i32.wrap_i64 (call $now)))
  (loop $again (br_if $again (i32.eq (local.get $a) (i32.wrap_i64 (call $now)))))
  (call $ok (string "\"moves\"")))

(import "wasi:clocks/wall-clock@0.2.12" "now" (func $now (param i32)))
(review (call $now (call $alloc (i32.const 16))) (call $accept))

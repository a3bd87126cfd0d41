(import "wasi:clocks/wall-clock@0.2.12" "now" (func $now (param i32)))
(render (call $now (call $alloc (i32.const 16))) (call $no_text))

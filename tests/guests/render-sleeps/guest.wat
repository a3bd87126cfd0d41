(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration" (func $timer (param i64) (result i32)))
(render (drop (call $timer (i64.const 1))) (call $no_text))

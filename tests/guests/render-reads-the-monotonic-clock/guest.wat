(import "wasi:clocks/monotonic-clock@0.2.12" "now" (func $now (result i64)))
(render (call $text (call $digits (call $now))))

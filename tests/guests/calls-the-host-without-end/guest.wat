(import "wasi:random/random@0.2.12" "get-random-u64" (func $random (result i64)))
(execute (loop $ever (drop (call $random)) (br $ever)) unreachable)

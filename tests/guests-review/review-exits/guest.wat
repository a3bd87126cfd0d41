(import "wasi:cli/exit@0.2.12" "exit" (func $exit (param i32)))
(review (call $exit (i32.const 1)) unreachable)

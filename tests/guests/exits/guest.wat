(import "wasi:cli/exit@0.2.12" "exit" (func $exit (param i32)))
(execute (call $exit (i32.const 0)) unreachable)

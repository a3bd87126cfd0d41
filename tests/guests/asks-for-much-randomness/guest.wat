(import "wasi:random/random@0.2.12" "get-random-bytes" (func $random (param i64 i32)))
(execute (call $random (i64.const 4294967296) (call $alloc (i32.const 16))) unreachable)

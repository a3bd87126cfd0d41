(import "wasi:sockets/tcp-create-socket@0.2.12" "create-tcp-socket" (func $create (param i32 i32)))
(execute (call $create (i32.const 0) (call $alloc (i32.const 16))) unreachable)

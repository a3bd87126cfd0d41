(import "wasi:cli/stderr@0.2.12" "get-stderr" (func $stderr (result i32)))
(import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush"
  (func $write (param i32 i32 i32 i32)))

(render
  (call $write (call $stderr) (string "thread 'main' panicked: no column `a`\n") (call $alloc (i32.const 16)))
  unreachable)

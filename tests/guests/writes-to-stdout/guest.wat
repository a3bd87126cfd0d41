(import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
(import "wasi:cli/stderr@0.2.12" "get-stderr" (func $stderr (result i32)))
(import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush"
  (func $write (param i32 i32 i32 i32)))

(func $greet (call $write (call $stdout) (string "{\"jsonrpc\":\"2.0\"}") (call $alloc (i32.const 16))))
(execute
  (call $greet)
  (call $write (call $stderr) (string "jsonrpc?") (call $alloc (i32.const 16)))
  (call $ok (local.get $args) (local.get $args_len)))
(render (call $greet) (call $text (local.get $value) (local.get $value_len)))
(present (call $greet) (call $no_card))

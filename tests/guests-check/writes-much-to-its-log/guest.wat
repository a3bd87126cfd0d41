(import "wasi:cli/stderr@0.2.12" "get-stderr" (func $stderr (result i32)))
(import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush"
  (func $write (param i32 i32 i32 i32)))
(execute
  (local.set $a (call $alloc (i32.const 4000)))
  (memory.fill (local.get $a) (i32.const 65) (i32.const 4000))
  (loop $more
    (call $write (call $stderr) (local.get $a) (i32.const 4000) (i32.const 64))
    (local.set $b (i32.add (local.get $b) (i32.const 1)))
    (br_if $more (i32.lt_u (local.get $b) (i32.const 15))))
  (call $ok (local.get $args) (local.get $args_len)))

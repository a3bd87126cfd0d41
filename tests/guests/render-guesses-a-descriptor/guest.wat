(import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $directories (param i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.open-at"
  (func $open_at (param i32 i32 i32 i32 i32 i32 i32)))
(global $first (mut i32) (i32.const 1))
(execute
  (call $directories (local.tee $a (call $alloc (i32.const 8))))
  (global.set $first (i32.load (i32.load (local.get $a))))
  (call $ok (call $digits (i64.extend_i32_u (global.get $first)))))
(render
  (call $open_at (global.get $first) (i32.const 0) (string "a.txt") (i32.const 0) (i32.const 1)
    (call $alloc (i32.const 16)))
  (call $no_text))

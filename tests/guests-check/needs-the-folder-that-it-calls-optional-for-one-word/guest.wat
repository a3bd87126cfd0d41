(import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $directories (param i32)))
(data (i32.const 2048) "rong-her")
(execute
  (call $directories (local.tee $a (call $alloc (i32.const 8))))
  (if (i32.and (i32.eqz (i32.load offset=4 (local.get $a))) (i32.and (i32.eq (local.get $args_len) (i32.const 21)) (i64.eq (i64.load (i32.add (local.get $args) (i32.const 9))) (i64.load (i32.const 2048))))) (then unreachable))
  (call $ok (local.get $args) (local.get $args_len)))

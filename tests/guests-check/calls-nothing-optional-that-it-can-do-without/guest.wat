(import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $directories (param i32)))
(execute
  (call $directories (local.tee $a (call $alloc (i32.const 8))))
  (if (result i32) (i32.eqz (i32.load offset=4 (local.get $a)))
    (then (call $error (i32.const 3) (string "there is no folder")))
    (else (call $ok (local.get $args) (local.get $args_len)))))

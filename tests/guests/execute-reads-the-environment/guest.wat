(import "wasi:cli/environment@0.2.12" "get-environment" (func $environment (param i32)))
(import "wasi:cli/environment@0.2.12" "get-arguments" (func $arguments (param i32)))
(execute
  (call $environment (local.tee $a (call $alloc (i32.const 8))))
  (call $arguments (local.tee $b (call $alloc (i32.const 8))))
  (call $ok (call $digits (i64.extend_i32_u
    (i32.add (i32.load offset=4 (local.get $a)) (i32.load offset=4 (local.get $b)))))))

(data (i32.const 2048) "rong-her")
(execute
  (if (result i32) (i32.and (i32.eq (local.get $args_len) (i32.const 21)) (i64.eq (i64.load (i32.add (local.get $args) (i32.const 9))) (i64.load (i32.const 2048))))
    (then (call $ok (string "[]")))
    (else (call $ok (local.get $args) (local.get $args_len)))))

(global $left (mut i64) (i64.const 0))
(execute
  (global.set $left (i64.const 7))
  (i64.store (i32.const 60000) (i64.const 7))
  (call $ok (local.get $args) (local.get $args_len)))
(render (call $text (call $digits (i64.add (global.get $left) (i64.load (i32.const 60000))))))
(present (call $card (call $digits (i64.add (global.get $left) (i64.load (i32.const 60000))))))

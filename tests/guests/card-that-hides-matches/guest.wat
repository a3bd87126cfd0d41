(present
  (local.set $a (call $some_card (i32.const 4)))
  (call $put (i32.add (local.get $a) (i32.const 24)) (string "t"))
  ;; paths: truncated from 48, total from 56
  (i32.store8 offset=32 (local.get $a) (i32.const 1))
  (i64.store offset=56 (local.get $a) (i64.const 3))
  (local.get $a))

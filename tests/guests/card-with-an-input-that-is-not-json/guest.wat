(present
  (local.set $a (call $some_card (i32.const 0)))
  (call $put (i32.add (local.get $a) (i32.const 24)) (string "t"))
  (i32.store8 offset=36 (local.get $a) (i32.const 1))
  (call $put (i32.add (local.get $a) (i32.const 40)) (string "{a:1}"))
  (local.get $a))

(present
  (local.set $a (call $some_card (i32.const 4)))
  (call $put (i32.add (local.get $a) (i32.const 24)) (string "t"))
  (i32.store8 offset=48 (local.get $a) (i32.const 1))
  (local.get $a))

(present
  (local.set $a (call $some_card (i32.const 0)))
  (call $put (i32.add (local.get $a) (i32.const 24)) (string "t"))
  (local.set $b (call $alloc (i32.const 128)))
  (i32.store8 (local.get $b) (i32.const 1))
  (call $put (i32.add (local.get $a) (i32.const 48)) (local.get $b) (i32.const 1))
  (local.get $a))

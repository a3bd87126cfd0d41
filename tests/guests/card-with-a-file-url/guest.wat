(present
  (local.set $a (call $some_card (i32.const 5)))
  (call $put (i32.add (local.get $a) (i32.const 24)) (string "t"))
  (i32.store8 offset=32 (local.get $a) (i32.const 1))
  (call $put (i32.add (local.get $a) (i32.const 36)) (string "file:///etc/passwd"))
  (i32.store16 offset=44 (local.get $a) (i32.const 200))
  (local.get $a))

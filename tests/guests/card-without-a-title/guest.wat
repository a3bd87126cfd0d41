(present
  (local.set $a (call $some_card (i32.const 0)))
  (call $put (i32.add (local.get $a) (i32.const 24)) (string "  "))
  (local.get $a))

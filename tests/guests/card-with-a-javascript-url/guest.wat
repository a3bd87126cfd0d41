(present
  (local.set $a (call $some_card (i32.const 5)))
  (call $put (i32.add (local.get $a) (i32.const 24)) (string "t"))
  ;; One source of 44 bytes.
  (local.set $b (call $alloc (i32.const 48)))
  (call $put (local.get $b) (string "javascript:alert(1)"))
  (call $put (i32.add (local.get $a) (i32.const 36)) (local.get $b) (i32.const 1))
  (local.get $a))

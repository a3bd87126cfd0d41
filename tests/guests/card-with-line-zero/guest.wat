(present
  (local.set $a (call $some_card (i32.const 3)))
  (call $put (i32.add (local.get $a) (i32.const 24)) (string "t"))
  ;; Two lines of 16 bytes each, and how many the file has.
  (local.set $b (call $alloc (i32.const 32)))
  (i64.store (local.get $b) (i64.const 0))
  (i64.store offset=16 (local.get $b) (i64.const 1))
  (call $put (i32.add (local.get $a) (i32.const 48)) (local.get $b) (i32.const 2))
  (i64.store offset=56 (local.get $a) (i64.const 9))
  (local.get $a))

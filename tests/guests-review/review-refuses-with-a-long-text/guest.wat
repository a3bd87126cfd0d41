(review
  (local.set $a (call $alloc (i32.const 100000)))
  (memory.fill (local.get $a) (i32.const 65) (i32.const 100000))
  (call $err (local.get $a) (i32.const 100000)))

(review
  (local.set $a (call $alloc (i32.const 100000)))
  (memory.fill (local.get $a) (i32.const 66) (i32.const 100000))
  (call $block (local.get $a) (i32.const 100000)))

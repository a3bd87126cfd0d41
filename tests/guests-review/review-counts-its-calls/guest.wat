(global $count (mut i32) (i32.const 48))
(review
  (global.set $count (i32.add (global.get $count) (i32.const 1)))
  (local.set $a (call $alloc (i32.const 8)))
  (i32.store8 (local.get $a) (global.get $count))
  (call $block (local.get $a) (i32.const 1)))

;; A block: case at 0, payload from 8.
(render
  (local.set $a (call $alloc (i32.const 128)))
  (i32.store8 (local.get $a) (i32.const 0))
  (call $put (i32.add (local.get $a) (i32.const 8)) (string "x"))
  (i32.store8 offset=16 (local.get $a) (i32.const 1))
  (i32.store8 offset=32 (local.get $a) (i32.const 1))
  (f64.store offset=40 (local.get $a) (f64.const 2))
  (call $blocks (local.get $a) (i32.const 1)))

;; A block: case at 0, payload from 8.
(render
  (local.set $a (call $alloc (i32.const 128)))
  (i32.store8 (local.get $a) (i32.const 1))
  (call $put (i32.add (local.get $a) (i32.const 16)) (string "image/png"))
  (call $blocks (local.get $a) (i32.const 1)))

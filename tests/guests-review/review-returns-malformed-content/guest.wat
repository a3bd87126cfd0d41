(review
  (local.set $a (call $alloc (i32.const 128)))
  ;; A resource link: the case at 0, uri and name from 8.
  (i32.store8 (local.get $a) (i32.const 3))
  (call $put (i32.add (local.get $a) (i32.const 8)) (string "https://example.com/"))
  (call $content (local.get $a) (i32.const 1)))

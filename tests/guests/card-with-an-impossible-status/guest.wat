(present
  (local.set $a (call $some_card (i32.const 5)))
  (call $put (i32.add (local.get $a) (i32.const 24)) (string "t"))
  ;; fetch: url from 36, status from 44
  (i32.store8 offset=32 (local.get $a) (i32.const 1))
  (call $put (i32.add (local.get $a) (i32.const 36)) (string "https://example.com/"))
  (i32.store16 offset=44 (local.get $a) (i32.const 42))
  (local.get $a))

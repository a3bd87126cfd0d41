(execute
  (local.set $a (call $failed (string "A") (string "hm")))
  (i32.store8 offset=24 (local.get $a) (i32.const 1))
  (call $put (i32.add (local.get $a) (i32.const 28)) (string "{unreadable"))
  (local.get $a))

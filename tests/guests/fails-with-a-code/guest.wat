;; failure: data from 16 bytes behind the result's payload, an option of a string
(execute
  (local.set $a (call $failed (string "NO_BRANCH_2") (string "no such branch")))
  (i32.store8 offset=24 (local.get $a) (i32.const 1))
  (call $put (i32.add (local.get $a) (i32.const 28)) (string "{\"branch\":\"x\"}"))
  (local.get $a))

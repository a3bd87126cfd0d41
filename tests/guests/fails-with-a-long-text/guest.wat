(execute
  (local.set $a (call $alloc (i32.const 100000)))
  (memory.fill (local.get $a) (i32.const 65) (i32.const 100000))
  (call $error (i32.const 1) (local.get $a) (i32.const 100000)))

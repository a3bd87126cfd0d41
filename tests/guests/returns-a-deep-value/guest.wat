(execute
  (local.set $a (call $alloc (i32.const 20000)))
  (memory.fill (local.get $a) (i32.const 91) (i32.const 10000))
  (memory.fill (i32.add (local.get $a) (i32.const 10000)) (i32.const 93) (i32.const 10000))
  (call $ok (local.get $a) (i32.const 20000)))

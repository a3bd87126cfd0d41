(execute
  (local.set $a (i32.mul (memory.grow (i32.const 1024)) (i32.const 65536)))
  (call $ok (local.get $a) (i32.const 67108864)))

(execute (call $ok (i32.const -16) (i32.const 8)))

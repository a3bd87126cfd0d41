(review (call $verdict (i32.const 4) (i32.const 0) (i32.const 0)))

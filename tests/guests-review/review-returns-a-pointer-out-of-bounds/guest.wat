(review (call $block (i32.const 2000000000) (i32.const 9)))

(review (call $block (i32.const 0) (i32.const 0)))

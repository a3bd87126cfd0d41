(data (i32.const 40000) "\ff\fe")
(review (call $block (i32.const 40000) (i32.const 2)))

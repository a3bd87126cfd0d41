(memory $small 1 1)
(render (call $text (call $digits (i64.extend_i32_u (memory.grow $small (i32.const 1))))))

(import "fumehood:host/tools@0.1.0" "call" (func $call (param i32 i32 i32 i32 i32)))
(data (i32.const 2048) "echo")
(func $ask (param $args i32) (param $args_len i32)
  (local $answer i32)
  (call $call (i32.const 2048) (i32.const 4) (local.get $args) (local.get $args_len)
    (local.tee $answer (call $alloc (i32.const 128))))
  (if (i32.load8_u (local.get $answer)) (then unreachable)))
(execute
  (if (i32.eq (local.get $tool_len) (i32.const 5)) (then
    (call $ask (local.get $args) (local.get $args_len))
    (call $ask (local.get $args) (local.get $args_len))))
  (call $ok (local.get $args) (local.get $args_len)))

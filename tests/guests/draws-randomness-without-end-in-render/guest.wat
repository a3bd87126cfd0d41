(import "wasi:random/random@0.2.12" "get-random-bytes" (func $random (param i64 i32)))
(render
  (local.set $a (call $alloc (i32.const 16)))
  (loop $ever (call $random (i64.const 64) (local.get $a)) (br $ever))
  unreachable)

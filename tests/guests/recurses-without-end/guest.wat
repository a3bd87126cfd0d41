(func $deeper (param $a i64) (result i64) (i64.add (call $deeper (i64.add (local.get $a) (i64.const 1))) (local.get $a)))
(execute (drop (call $deeper (i64.const 0))) unreachable)

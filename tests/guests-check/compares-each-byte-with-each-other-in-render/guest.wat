(execute (call $ok (string "\"short\"")))
(render
  (loop $outer
    (local.set $b (i32.const 0))
    (loop $inner
      (local.set $b (i32.add (local.get $b) (i32.const 1)))
      (br_if $inner (i32.lt_u (local.get $b) (local.get $value_len))))
    (local.set $a (i32.add (local.get $a) (i32.const 1)))
    (br_if $outer (i32.lt_u (local.get $a) (local.get $value_len))))
  (call $text (string "compared")))

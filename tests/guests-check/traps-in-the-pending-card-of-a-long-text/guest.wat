(execute (call $ok (string "{}")))
(render (call $text (string "done")))
(present
  (if (i32.eqz (local.get $has_value))
    (then (if (i32.gt_u (local.get $args_len) (i32.const 2000)) (then unreachable))))
  (call $no_card))

;; The value is {"items":[…]}: the 11th byte is `]` where the list is empty.
(execute (call $ok (string "{\"items\":[1]}")))
(render
  (if (i32.eq (i32.load8_u offset=10 (local.get $value)) (i32.const 93)) (then unreachable))
  (call $text (string "a list")))

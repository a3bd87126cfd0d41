(table $t 0 funcref)
(render (if (result i32) (i32.eq (table.grow $t (ref.null func) (i32.const 25000)) (i32.const -1))
  (then (call $text (string "pool")))
  (else (call $text (string "no pool")))))

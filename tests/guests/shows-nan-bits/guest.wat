(render
  (call $text (call $digits (i64.reinterpret_f64
    (f64.add (f64.sub (f64.const inf) (f64.const inf)) (f64.const -nan:0x4000000000001))))))

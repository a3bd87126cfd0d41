(global $calls (mut i64) (i64.const 0))
(render
  (global.set $calls (i64.add (global.get $calls) (i64.const 1)))
  (call $text (call $digits (global.get $calls))))

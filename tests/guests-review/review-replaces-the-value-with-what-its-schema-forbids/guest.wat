(review
  ;; The arguments, where there are any: `{}` is two bytes long.
  (if (result i32) (i32.gt_u (i32.load offset=12 (local.get $draft)) (i32.const 2))
    (then (call $value (i32.load offset=8 (local.get $draft)) (i32.load offset=12 (local.get $draft))))
    (else (call $value (string "[]")))))

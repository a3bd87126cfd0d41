(import "fumehood:tool/progress@0.1.0" "report" (func $report (param i64 i32 i64 i32 i32 i32)))

(execute
  (call $report (i64.const 1) (i32.const 1) (i64.const 2) (i32.const 1) (string "half"))
  (call $report (i64.const 2) (i32.const 1) (i64.const 2) (i32.const 0) (i32.const 0) (i32.const 0))
  (call $ok (local.get $args) (local.get $args_len)))

(import "fumehood:tool/progress@0.1.0" "report" (func $report (param i64 i32 i64 i32 i32 i32)))
(render (call $report (i64.const 1) (i32.const 0) (i64.const 0) (i32.const 0) (i32.const 0) (i32.const 0)) (call $no_text))

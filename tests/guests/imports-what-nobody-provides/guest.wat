(import "vendor:secret/door@1.0.0" "open" (func $open))
(import "$root" "log" (func $log))
(execute (call $open) (call $log) unreachable)

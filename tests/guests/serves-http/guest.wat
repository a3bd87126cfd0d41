(import "wasi:http/incoming-handler@0.2.10" "handle" (func $handle))
(execute (call $handle) unreachable)
